"""A library of one CUDA that asks for one of another: which of the two is wrong here, and the package that has the right one."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression  # reads no log: names of libraries

_PARTS = {
    "cudart": ("cuda-runtime", "cuda_runtime"), "cublas": ("cublas", "cublas"), "cublasLt": ("cublas", "cublas"), "cufft": ("cufft", "cufft"),
    "curand": ("curand", "curand"), "cusolver": ("cusolver", "cusolver"), "cusparse": ("cusparse", "cusparse"), "cudnn": ("cudnn", "cudnn"),
    "nvJitLink": ("nvjitlink", "nvjitlink"), "nvrtc": ("cuda-nvrtc", "cuda_nvrtc"), "cupti": ("cuda-cupti", "cuda_cupti"), "nccl": ("nccl", "nccl"),
}  # fmt: skip
"""Of NVIDIA's wheels: the middle of the name (nvidia-…-cu12) and the folder below nvidia/ (their files, read 2026-11-22)."""
_NAMED = Expression(r"^lib(?P<stem>\w+?)\.so\.(?P<version>\d{1,3})")
_RUNTIME = Expression(r"libcudart\.so\.(?P<major>\d\d)")
_NEEDS = Expression(r"dlerror: (?P<other>lib[\w+-]{2,60}\.so(?:\.\d{1,4}){0,3})")


def mixed(facts: Facts, saying: Saying, library: str, other: str) -> Candidate:
    """`library` was found and could not be loaded, for it needs `other`."""
    own, theirs = _in_use(facts), _major(other)
    words = f"{library} is there, but it needs {other}, which is not found."
    title = f"{library} can't be loaded: it needs {other}, which is not found."
    if own and theirs and own != theirs:
        title = f"The {library} that is found belongs to CUDA {theirs}, and this TensorFlow uses CUDA {own}."
        words += f" Some libraries have the same file name in CUDA 11 and 12, so the loader takes either. The one that is found first is CUDA {theirs}'s, as its need shows."
    else:
        words += " Mostly a package of another CUDA brought the one, and nobody the other."
    return Candidate("cuda-libraries-mixed", Confidence.CERTAIN, (place(saying),), words, title=title)


def mixed_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no library of CUDA asked for another one."""
    for saying in told.of("cuda-libraries-missing"):
        needs, library = _NEEDS.search(saying.text), saying.told.get("library", "")
        if (
            needs
            and _stem(library) != _stem(needs["other"])
            and _stem(library) in _PARTS
            and _stem(needs["other"]) in _PARTS
        ):
            return _for(facts, library, needs["other"])
    return ()


def _for(facts: Facts, library: str, other: str) -> tuple[Fix, ...]:
    own, theirs = _in_use(facts), _major(other)
    if not own or own == theirs:
        title = f"Install {other}, which {library} needs"
        return (Fix(title, _install(facts, _stem(other), theirs or own or "12")),)
    first = Fix(
        f"Put CUDA {own}'s own {library} before the other, for this shell",
        _install(facts, _stem(library), own),
        "Where CUDA is installed in the system, its own folder does as well: the one with this library must come first in LD_LIBRARY_PATH.",
    )
    return (
        first,
        fix("see-copies-are-and-package-brought", library=library),
    )


def _install(facts: Facts, stem: str, major: str) -> tuple[str, ...]:
    name, folder = _PARTS[stem]
    lines = [f"{interpreter(facts)} -m pip install nvidia-{name}-cu{major}"]
    if major == "11":  # releases for CUDA 11 look into no wheel by themselves
        lines.append(
            "export LD_LIBRARY_PATH=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/"
            f"{folder}/lib:$LD_LIBRARY_PATH"
        )
    return tuple(lines)


def _in_use(facts: Facts) -> str:
    """The major of the CUDA whose runtime was opened; "" where none was."""
    return next(
        (found["major"] for each in value_or(facts.log.opened, ()) if (found := _RUNTIME.match(each))), ""
    )


def _major(library: str) -> str:
    """The CUDA that a library's number tells; "" for those that count otherwise."""
    found = _NAMED.match(library)
    counts = found and found["stem"] in (
        "nvJitLink",
        "cudart",
        "nvrtc",
        "cublas",
        "cublasLt",
        "cusparse",
        "cupti",
    )
    return found["version"] if found and counts and int(found["version"]) >= 11 else ""


def _stem(library: str) -> str:
    found = _NAMED.match(library)
    return found["stem"] if found else library
