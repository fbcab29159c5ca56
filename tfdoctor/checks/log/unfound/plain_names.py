"""A library that is asked for by its name without a number: NVIDIA's packages bring the numbered file alone, and a link is what is missing."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import minor
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_WHEELS = {
    "libnvrtc.so": "cuda_nvrtc", "libnvJitLink.so": "nvjitlink", "libcublasLt.so": "cublas", "libcublas.so": "cublas", "libcudart.so": "cuda_runtime", "libcudnn.so": "cudnn",
}  # fmt: skip
"""The folder below nvidia/ of the wheel that holds the numbered file (lists of files of NVIDIA's wheels, read 2026-11-22)."""


def without_its_number(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the name that was asked for has a number."""
    library = saying.told.get("library", "")
    if not library.endswith(".so"):
        return None
    asker = "cuDNN" if "libcudnn" in saying.text else "The program"
    words = (
        f"{asker} asked for {library} by this very name, without a number, while it worked. NVIDIA's packages for pip bring the file with its number "
        f"alone ({library}.12, for instance); the plain name is a link that only a whole toolkit has. TensorFlow itself does not open it: what it opens at its "
        "start is another matter."
    )
    title = f"{asker} does not find {library}: the file may be there with its number, and the link of the plain name is not."
    opened = question(("cuda-libraries-unreachable", "cuda-libraries-missing"), "cuda_libraries.libraries")
    return Candidate("cuda-libraries-unreachable", Confidence.LIKELY, (place(saying),), words, opened, title)


def link_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where every name that was asked for has its number."""
    named = (each.told.get("library", "") for each in told.of("cuda-libraries-missing"))
    library = next((each for each in named if each in _WHEELS), "")
    if not library:
        return ()
    if told.named("dso-not-opened-early"):
        return (_beside(library),)
    python, folder = interpreter(facts), _WHEELS[library]
    wheel = fix(
        "make-link-beside-numbered-file-nvidias",
        library=library,
        python=python,
        folder=folder,
        value=folder.replace("_", "-"),
        cuda=_cuda(facts),
    )
    whole = Fix(
        "Or use a whole CUDA toolkit, whose folder has the link: an image whose tag says devel, or the toolkit's folder on LD_LIBRARY_PATH",
        ("ls -l /usr/local/cuda/lib64/" + library,),
    )
    return (wheel, whole)


def _beside(library: str) -> Fix:
    """For releases before NVIDIA's wheels, whose image or system has the numbered file."""
    return fix("make-link-beside-numbered-file-first", library=library)


def _cuda(facts: Facts) -> str:
    own = minor(str(value_or(facts.tensorflow.version, "")))
    return "11" if own is not None and own < (2, 15) else "12"
