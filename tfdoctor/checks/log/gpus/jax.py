"""cuDNN that could not be set up for JAX: with TensorFlow in the same process, two programs each reserve the GPU's memory for themselves."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix

_CODE = "gpu-preallocation-clash"
_NAMES = ("dnn-not-found", "dnn-init-failed", "no-cudnn-algorithm")
_KNOWN_OTHERWISE = ("cudnn-incomplete", "cudnn-drops-gpu", "cuda-libraries-missing", "cuda-libraries-mixed", "gpu-too-new-for-build")  # fmt: skip
_TITLE = "cuDNN could not be set up for JAX: mostly no GPU memory was left for it."
_WORDS = (
    "JAX reserves three quarters of the GPU's memory at its start, and TensorFlow nearly all of it where it works in the same process, also where only its data sets are used (tf.data, tensorflow_datasets). cuDNN needs some "
    "memory of its own for a convolution, and found none. A cuDNN that is not the one of this jaxlib, or not found, ends so, too; then a line above says so."
)
_GROWTH = Fix(
    "Have both take memory as they need it, in the shell that starts the program",
    ("export XLA_PYTHON_CLIENT_PREALLOCATE=false TF_FORCE_GPU_ALLOW_GROWTH=true",),
    "Where TensorFlow only reads data, keep it off the GPU altogether, before JAX computes: tensorflow.config.set_visible_devices([], 'GPU').",
)
_HELD = Fix("See who holds the GPU's memory. It changes nothing", ("nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",))  # fmt: skip
_LOADED = "jax-library-not-loaded"
_UNLOADED = (
    "JAX's wheels for CUDA bring NVIDIA's libraries as packages and look for them there. LD_LIBRARY_PATH goes before that: where it leads to another toolkit, a library of that one is taken "
    "(libnvJitLink, mostly), and the one that JAX opens does not fit to it and is said to be missing."
)
_OWN_LIBRARIES = (
    Fix(
        "Start it without LD_LIBRARY_PATH, for this shell",
        ("unset LD_LIBRARY_PATH",),
        "If that helps, find the line that sets it (shell start files, a module, a job's script), and take the toolkit's folder out of it.",
    ),
    Fix(
        "Install jax with the libraries that it is made for",
        ('python -m pip install --upgrade "jax[cuda12]"',),
    ),
)
_RELEASES = Fix(
    "If memory is free, see which cuDNN there is beside jaxlib. It changes nothing",
    ("python -m pip list | grep -i -E 'jax|cudnn'",),
)


def of_jax(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where TensorFlow alone is at work, and where a line names another reason."""
    if saying.name == _LOADED:
        opened = question((saying.code, "cuda-libraries-missing"), "cuda_libraries.libraries")
        title = f"JAX can't load {saying.told['library']}: it is not there, or another library that it needs comes from elsewhere."
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), _UNLOADED, opened, title)
    if saying.name not in _NAMES or not _is_memory(facts, told):
        return None
    opened = question((_CODE, "cudnn-version-mismatch"), "nvml.devices")
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), _WORDS, opened, _TITLE)


def _is_memory(facts: Facts, told: Testimony) -> bool:
    if not shown(facts).jax or told.of(*_KNOWN_OTHERWISE):
        return False
    return all(each.name in _NAMES for each in told.of("cudnn-version-mismatch"))


def jax_fixes(facts: Facts, code: str, told: Testimony) -> tuple[Fix, ...]:
    """() for any other clash."""
    if code == "cuda-libraries-unreachable" and told.named(_LOADED):
        return _OWN_LIBRARIES
    if code != _CODE or not told.named(*_NAMES) or not _is_memory(facts, told):
        return ()
    return (_GROWTH, _HELD, _RELEASES)
