"""What AMD's runtime and its libraries complain of: a device file that gives nothing, kernels that are not found, a database of MIOpen's."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.own_words import words_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.signatures.gpu.rocm import OWN_FOLDERS

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
_PROCESSOR = fix("or-compute-on-processor-with-builds")
_ARCH = fix("see-architecture-gpu-and-for-rocm")
_FOLDER = fix("gpu-in-list-name-folder-holds")


def amd_tool_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where AMD's tools are not what complains."""
    if told.named("rocr-refused"):
        return {_PERMISSION: (_LOOK, _JOIN, _KERNEL), _MODULE: (_LOAD, _KERNEL, _PROCESSOR)}.get(code, ())  # fmt: skip
    if told.named("kfd-not-there"):
        return {_MODULE: (_LOAD, _KERNEL, _PROCESSOR), "os-gpu-unsupported": (_PROCESSOR,)}.get(code, ())
    if code == "cuda-libraries-unreachable" and told.named("rocblas-no-kernels"):
        return (_FOLDER, _ARCH) if _elsewhere(told) else (_ARCH, _FOLDER)
    lacking = told.named(_NO_LIBRARY) if code == "shared-library-missing" else ()
    return _library_fixes(lacking[0].told["library"]) if lacking else ()


def _elsewhere(told: Testimony) -> bool:
    """rocBLAS looked into a folder that is not ROCm's own."""
    return not any(OWN_FOLDERS.match(each.told["file"]) for each in told.named("rocblas-no-kernels"))
