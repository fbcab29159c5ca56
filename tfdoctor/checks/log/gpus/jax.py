"""JAX on its own or beside TensorFlow: without its part for CUDA, with another toolkit's libraries, or with no memory left for cuDNN."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression  # reads no log: the size in a line that was heard already

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


_ON_THE_CPU = ("jax-without-cuda", "jax-no-gpu")
_ON_THE_CPU_TITLE = "JAX computes on the processor: its part for NVIDIA GPUs is not installed."
_NO_GPU_TITLE = "JAX finds no GPU; mostly its part for NVIDIA GPUs is not installed."
_ON_THE_CPU_WORDS = (
    "JAX comes in pieces: jax and jaxlib, which compute on the processor, and a part for CUDA that is only installed where it is asked for. JAX says that it goes on with the processor. "
    "That TensorFlow or PyTorch find the GPU changes nothing for JAX. If no GPU is meant to be used, nothing is wrong."
)
_MAYBE = " Where that part is installed, it could not set up the GPU; then JAX says why if it is asked."
_WITH_CUDA = Fix(
    "Install JAX with its part for CUDA, which brings NVIDIA's libraries along",
    ('python -m pip install --upgrade "jax[cuda12]"',),
    'Where the program needs an older JAX, name it: "jax[cuda12]==0.4.38". There is no such part for Windows itself and for Macs; on Windows WSL2 is the way.',
)
_ASK_JAX = Fix(
    "Have JAX name its devices, and say why it takes no other. It changes nothing",
    (
        'python -c "import logging; logging.basicConfig(level=logging.INFO); import jax; print(jax.devices())"',
    ),
)


_UNSEEN = "jax-no-visible-gpu"
_UNSEEN_TITLE = "JAX is installed for CUDA, finds no GPU in this process, and stops."
_UNSEEN_WORDS = (
    "JAX with its part for CUDA takes the GPU for granted: where CUDA shows it none, it ends the program and does not go on with the processor. Either the container, pod or job was started without a GPU, a variable such as "
    "CUDA_VISIBLE_DEVICES hides it, or the machine has none; the log does not tell which."
)
_SEE = Fix(
    "See whether there is a GPU where the program runs: in the same container, pod or job. It changes nothing",
    ("nvidia-smi -L", "env | grep -E 'CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES'"),
    "No list: it was started without a GPU (docker run --gpus all, singularity --nv, a job with --gres=gpu:1), or the machine has none. A list, and a variable that is empty or -1: the variable hides it.",
)
_ON_CPU = Fix("If it is meant to compute on the processor, tell JAX so, in the shell that starts it", ("export JAX_PLATFORMS=cpu",))  # fmt: skip


_MEMORY = "gpu-out-of-memory"
_MEMORY_TITLE = "The GPU had no room for what JAX asked for{size}."
_MEMORY_WORDS = "XLA, JAX's compiler, plans the memory of a whole computation beforehand, asked for it in one piece and got none. What counts is the size of the input: the length of a sequence, the number of examples at once."
_ASKED = Expression(
    r"trying to allocate (?P<count>\d{4,15}) bytes|trying to allocate (?P<size>\d{1,6}(?:\.\d{1,4})? ?[KMGT]iB)"
)


def _in_gib(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"


def asked_for(text: str) -> str:
    """ " (6.1 GiB)"; "" where no size is told."""
    found = _ASKED.search(text)
    return "" if found is None else f" ({found['size'] or _in_gib(int(found['count']))})"


def _of_memory(facts: Facts, saying: Saying) -> Candidate | None:
    if saying.code != _MEMORY or not shown(facts).jax:
        return None
    return Candidate(_MEMORY, Confidence(saying.sure), (place(saying),), _MEMORY_WORDS, title=_MEMORY_TITLE.format(size=asked_for(saying.text)))  # fmt: skip


def of_jax(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where TensorFlow alone is at work, and where a line names another reason."""
    if saying.name in _ON_THE_CPU:
        sure = saying.name == _ON_THE_CPU[0]
        words, title = (
            (_ON_THE_CPU_WORDS, _ON_THE_CPU_TITLE) if sure else (_ON_THE_CPU_WORDS + _MAYBE, _NO_GPU_TITLE)
        )
        return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)
    if saying.name == _UNSEEN:
        opened = question(("gpu-hidden", "container-without-gpu", "gpu-absent"), "environment.variables")
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), _UNSEEN_WORDS, opened, _UNSEEN_TITLE)  # fmt: skip
    if (found := _of_memory(facts, saying)) is not None:
        return found
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
    if code == "gpu-hidden" and told.named(_UNSEEN):
        return (_SEE, _ON_CPU)
    if code == "tensorflow-cpu-only" and told.named(*_ON_THE_CPU):
        return (_WITH_CUDA, _ASK_JAX)
    if code != _CODE or not told.named(*_NAMES) or not _is_memory(facts, told):
        return ()
    return (_GROWTH, _HELD, _RELEASES)
