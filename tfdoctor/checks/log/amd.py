"""AMD's GPUs: builds for ROCm and DirectML, and what ROCm's own tools say."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.containers import AMD_NAMED
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.words import words_of
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.signatures.expressions import OWN_FOLDERS
from tfdoctor.system.expressions import Expression

# An AMD GPU that a ROCm build leaves out: a near relative, a list that lost a comma, a generation that AMD gave up; and kernels that ROCm could not compile.

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


# What AMD's runtime and its libraries complain of: a device file that gives nothing, kernels that are not found, a database of MIOpen's.

_MODULE = "driver-module-not-loaded"
_PERMISSION = "gpu-device-permission"
_UNSUPPORTED = "rocm-gpu-unsupported"
_NOT_LOADED = "ROCk module is NOT loaded"
_SURER = ("kfd-refused", "kfd-gpu-left-out", "kfd-no-memory")
"""Lines that say why the runtime got nothing, the surest first."""
_NO_MODULE_TITLE = (
    "ROCm's runtime finds no GPU: the kernel has not loaded amdgpu, the driver that gives it /dev/kfd."
)
_NO_MODULE = (
    "AMD's tools asked the kernel for its driver and did not find it loaded. It drives AMD's GPUs alone: on a machine without one, with an NVIDIA GPU for instance, there is nothing to "
    "load and ROCm is of no use. TensorFlow computes on the processor."
)
_RUNTIME_TITLE = "ROCm's runtime could not open the GPU. The words out of resources do not mean memory here."
_RUNTIME = (
    "AMD's runtime writes HSA_STATUS_ERROR_OUT_OF_RESOURCES whenever /dev/kfd gives it nothing: mostly this user is in neither of the groups that may open it (video, render), which shows in that it works for "
    "root; else the kernel's driver does not take this GPU, or it and ROCm are of different releases."
)
_NO_FILE_TITLE = "The machine under Docker has no {file}, so there is no AMD GPU to hand into the container."
_NO_FILE = "The kernel's driver amdgpu makes that file on Linux, where it finds a GPU that it can compute with. It is not loaded, or takes no GPU of this machine. The image has no part in that."
_ON_WINDOWS_TITLE = (
    "Docker on Windows can't hand in an AMD GPU: {file} is a file of Linux' driver, and there is none."
)
_ON_WINDOWS = "ROCm's images compute through /dev/kfd, which only Linux' own driver amdgpu makes. Docker Desktop's machine has another driver, and AMD's one for Windows does not bring the file. TensorFlow's ROCm builds are for Linux."
_KERNELS_TITLE = "rocBLAS, AMD's library for matrices, does not find its kernels for this GPU."
_KERNELS = (
    "rocBLAS keeps the code for each architecture of GPU in files beside it, and did not find those that it needs in the folder that it names. Either this ROCm holds none for this GPU, or the folder is not the "
    "one that belongs to it: another copy of the library was found first, or a package left the files out."
)
_NONE_FOR_IT_TITLE = "rocBLAS, AMD's library for matrices, holds no kernels for this GPU ({arch})."
_NONE_FOR_IT = "rocBLAS keeps the code for each architecture of GPU in files beside it, and has none for {arch}: this ROCm does not support that GPU."


_NO_LIBRARY = "rocm-library-not-opened"
_NO_LIBRARY_TITLE = "This ROCm build of TensorFlow does not find {library}: ROCm is not installed here, or is another release than the build was made for."
_NO_LIBRARY_WORDS = (
    "tensorflow-rocm brings nothing of ROCm. It opens AMD's libraries below /opt/rocm by the names that its own ROCm had, and a few of these change: libhip_hcc.so became libamdhip64.so with ROCm 3.5 (2020), and later ones "
    "have numbers. Each wheel of tensorflow-rocm is made for one ROCm. What TensorFlow says after it, an abort too, only follows."
)
_ROCM_IMAGE = fix("take-amds-image-in-tensorflow-and")


def _without_a_library(saying: Saying) -> Candidate:
    title = _NO_LIBRARY_TITLE.format(library=saying.told["library"])
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), _NO_LIBRARY_WORDS, title=title)


def _library_fixes(library: str) -> tuple[Fix, ...]:
    see = fix("see-rocm-and-whether-library-changes", library=library)
    return (see, _ROCM_IMAGE)


def of_amd_tools(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None for other texts, and for those that mean what they say."""
    if saying.name in ("rocr-refused", "rocm-no-device"):
        return _of_runtime(facts, told, saying)
    if saying.name == "kfd-not-there":
        return _without_a_file(facts, saying)
    if saying.name == "kfd-gpu-left-out":
        return _left_out(saying)
    if saying.name == _NO_LIBRARY:
        return _without_a_library(saying)
    return _of_rocblas(saying) if saying.name == "rocblas-no-kernels" else None


def _left_out(saying: Saying) -> Candidate:
    gpu = saying.told.get("gpu") or saying.told["device"]
    title = f"The kernel's driver can't compute with this AMD GPU ({gpu}), so ROCm does not see it."
    return Candidate(_UNSUPPORTED, Confidence.CERTAIN, (place(saying),), words_of(saying.name), title=title)


def _of_runtime(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """What rocminfo says beside its refusal decides; its word on the module means nothing in a container, where nobody can ask for modules."""
    if not told.named("rocr-refused"):
        return None
    surer = next((each for name in _SURER for each in told.named(name)), None)
    if surer is not None:
        if surer.name == "kfd-gpu-left-out":
            return _left_out(surer)
        return Candidate(surer.code, Confidence(surer.sure), (place(surer), place(saying)))
    boxed = isinstance(facts.host.container, Known)
    if not boxed and any(_NOT_LOADED in each.text for each in told.named("rocm-no-device")):
        opened = question((_MODULE, "gpu-absent"), "host.gpus_on_bus")
        return Candidate(_MODULE, Confidence.LIKELY, (place(saying),), _NO_MODULE, opened, _NO_MODULE_TITLE)
    opened = question((_PERMISSION, _UNSUPPORTED, _MODULE), "host.gpu_device_nodes")
    return Candidate(_PERMISSION, Confidence.POSSIBLE, (place(saying),), _RUNTIME, opened, _RUNTIME_TITLE)


def _without_a_file(facts: Facts, saying: Saying) -> Candidate:
    file = saying.told["file"]
    if value_or(facts.host.os, "linux") == "windows":
        return Candidate("os-gpu-unsupported", Confidence.LIKELY, (place(saying),), _ON_WINDOWS, title=_ON_WINDOWS_TITLE.format(file=file))  # fmt: skip
    opened = question((_MODULE, "gpu-absent"), "host.gpus_on_bus")
    return Candidate(_MODULE, Confidence.LIKELY, (place(saying),), _NO_FILE, opened, _NO_FILE_TITLE.format(file=file))  # fmt: skip


def _of_rocblas(saying: Saying) -> Candidate:
    arch = saying.told.get("value") or saying.told["file"].partition("_gfx")[2].partition(".")[0]
    if arch:
        name = arch if arch.startswith("gfx") else f"gfx{arch}"
        return Candidate(_UNSUPPORTED, Confidence.LIKELY, (place(saying),), _NONE_FOR_IT.format(arch=name), title=_NONE_FOR_IT_TITLE.format(arch=name))  # fmt: skip
    opened = question(("cuda-libraries-unreachable", _UNSUPPORTED), "driver.devices")
    return Candidate("cuda-libraries-unreachable", Confidence.LIKELY, (place(saying),), _KERNELS, opened, _KERNELS_TITLE)  # fmt: skip


_LOOK = fix("see-whether-device-files-are-whose")
_JOIN = fix("they-are-join-groups-then-log")
_KERNEL = fix("see-what-kernels-driver-says-gpu")
_LOAD = fix("see-whether-amd-gpu-at-all")
_TOOLS_PROCESSOR = fix("or-compute-on-processor-with-builds")
_ARCH = fix("see-architecture-gpu-and-for-rocm")
_FOLDER = fix("gpu-in-list-name-folder-holds")


def amd_tool_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where AMD's tools are not what complains."""
    if told.named("rocr-refused"):
        return {_PERMISSION: (_LOOK, _JOIN, _KERNEL), _MODULE: (_LOAD, _KERNEL, _TOOLS_PROCESSOR)}.get(code, ())  # fmt: skip
    if told.named("kfd-not-there"):
        return {_MODULE: (_LOAD, _KERNEL, _TOOLS_PROCESSOR), "os-gpu-unsupported": (_TOOLS_PROCESSOR,)}.get(
            code, ()
        )
    if code == "cuda-libraries-unreachable" and told.named("rocblas-no-kernels"):
        return (_FOLDER, _ARCH) if _elsewhere(told) else (_ARCH, _FOLDER)
    lacking = told.named(_NO_LIBRARY) if code == "shared-library-missing" else ()
    return _library_fixes(lacking[0].told["library"]) if lacking else ()


def _elsewhere(told: Testimony) -> bool:
    """rocBLAS looked into a folder that is not ROCm's own."""
    return not any(OWN_FOLDERS.match(each.told["file"]) for each in told.named("rocblas-no-kernels"))
