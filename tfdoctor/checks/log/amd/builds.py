"""An AMD GPU that a ROCm build leaves out: a near relative, a list that lost a comma, a generation that AMD gave up; and kernels that ROCm could not compile."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.kinds.boxes import AMD_NAMED
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression  # reads no log: the name of a GPU

_IGNORED = "rocm-gpu-ignored"
_LIST = "supported AMDGPU versions"
_RELATIVES = {"gfx103": ("gfx1030", "10.3.0"), "gfx110": ("gfx1100", "11.0.0")}
"""Generations whose GPUs run each other's code, with the member that ROCm's builds hold code for (ROCm/legacy-rocm-build#2353, 2023-08)."""
_GIVEN_UP = {"gfx803": "3.5", "gfx900": "4.5", "gfx906": "5.7"}
"""The last ROCm that AMD itself supported each with, by ROCm's release notes of 4.0, 4.5 and 6.0."""
_NEWER = Expression(r"\bRX [5-9]\d{3}\b")
"""Radeon cards of 2019 and newer, whose architectures are gfx10 and above."""
_PROCESSOR = fix("compute-on-processor-for-shell")
_NO_BUILD = fix("compute-on-processor-with-build-needs")
_JOINED_TITLE = "This ROCm build of TensorFlow leaves the GPU out by a slip of its own: its list lacks a comma ({joined})."
_JOINED = (
    "The GPU is {own}, and the build means to hold code for it. In its list of architectures two names were written as one, {joined}, so it finds neither of them and leaves such GPUs out. No setting changes that; a "
    "build in which it was put right does."
)
_NEWER_IMAGE = fix("take-newer-build-amds-image-today")
_TOOLS = ("rocm-bitcode-missing", "kernel-not-compiled-at-run")
_TOOLS_TITLE = "ROCm's own compiler files were not found, so no kernel could be compiled for this AMD GPU."
_TOOLS_WORDS = (
    "TensorFlow compiles some operations for an AMD GPU when they are first used, with files of ROCm: its device libraries (opencl.bc and others, in amdgcn/bitcode) and its linker. It looks for them below ROCM_PATH, "
    "by itself /opt/rocm, and did not find them from this process. ROCm is not installed there, in part only, or the program was started without the variables that the terminal has, as editors do. "
    "The lines about HSACO and JIT compilation only follow."
)
_MAYBE_TITLE = "A kernel could not be compiled for this AMD GPU while the program ran."
_MAYBE_WORDS = (
    "TensorFlow compiles some operations for an AMD GPU when they are first used, and could not. Mostly the process does not reach ROCm's device libraries and linker (below ROCM_PATH, by itself /opt/rocm), as in a "
    "program that an editor started without the terminal's variables; or this ROCm holds nothing for the GPU's architecture. NVIDIA's libdevice has no part in it."
)
_SEE = fix("see-whether-rocms-compiler-files-are")
_LEAD = fix("they-are-lead-program-to-them")
_ARCHITECTURE = fix("see-architecture-gpu-rocms-list-supported")


def of_amd_build(told: Testimony, saying: Saying) -> Candidate | None:
    """None for texts that mean what they say, and where the GPU is not AMD's."""
    if saying.name == _IGNORED and (joined := _joined(saying)):
        words = _JOINED.format(own=saying.told["capability"], joined=joined)
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=_JOINED_TITLE.format(joined=joined))  # fmt: skip
    if saying.name not in _TOOLS or not _of_rocm(told):
        return None
    sure = bool(told.named(_TOOLS[0]))
    opened = question(("cuda-libraries-unreachable", "rocm-gpu-unsupported"), "driver.devices")
    return Candidate(
        "cuda-libraries-unreachable", Confidence.LIKELY if sure else Confidence.POSSIBLE, (place(saying),),
        _TOOLS_WORDS if sure else _MAYBE_WORDS, opened, _TOOLS_TITLE if sure else _MAYBE_TITLE,
    )  # fmt: skip


def _joined(saying: Saying) -> str:
    """ "gfx1030gfx1100" where the list holds the GPU's own architecture so; "" else."""
    names = (each.strip(" .") for each in saying.text.partition(_LIST)[2].removeprefix(" are ").split(","))
    own = saying.told["capability"]
    return next((each for each in names if each != own and own in each and each.count("gfx") > 1), "")


def _of_rocm(told: Testimony) -> bool:
    return bool(told.named(_TOOLS[0], "rocm-at-work", *AMD_NAMED))


def amd_build_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no build left an AMD GPU out or failed to compile for it."""
    if code == "cuda-libraries-unreachable" and told.named(*_TOOLS) and _of_rocm(told):
        return (_SEE, _LEAD, _ARCHITECTURE)
    ignored = told.named(_IGNORED)
    if code != "rocm-gpu-unsupported" or not ignored:
        return ()
    if _joined(ignored[0]):
        return (_NEWER_IMAGE, _PROCESSOR)
    if ignored[0].told["capability"] in _GIVEN_UP and _NEWER.search(ignored[0].told.get("gpu", "")):
        return ()  # it goes by another one's name: the page asks for its own first
    return _relative(ignored[0]) or _of_no_build(ignored[0].told["capability"])


def _relative(saying: Saying) -> tuple[Fix, ...]:
    """() for a generation of which the build holds nothing."""
    own = saying.told["capability"]
    name, value = _RELATIVES.get(own[:-1], ("", ""))
    if not name or name == own or name not in saying.text.partition(_LIST)[2]:
        return ()
    return (
        fix("have-rocm-take-for-same-generation", own=own, called=name, value=value),
        _PROCESSOR,
    )


def _of_no_build(own: str) -> tuple[Fix, ...]:
    """No setting makes this build use it."""
    last = _GIVEN_UP.get(own, "")
    if not last:
        return (_NO_BUILD, _PROCESSOR)
    older = fix("to-use-gpu-all-same-older", own=own, last=last)
    return (_NO_BUILD, older, _PROCESSOR)
