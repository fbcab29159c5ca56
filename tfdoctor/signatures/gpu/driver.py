"""The driver as TensorFlow meets it: cuInit's answers in words, libcuda, the kernel module's version."""

from __future__ import annotations

from tfdoctor.signatures.signature import FACT, LIKELY, LOADER, POSSIBLE, TOOL, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES, WHEELS

_NO_DRIVER = (
    "gpu-absent",
    "driver-missing",
    "driver-library-unreachable",
    "container-without-gpu",
    "wsl-driver-shadowed",
)
_DECIDES = ("host.gpus_on_bus", "host.container", "host.wsl", "driver.library", "driver.module_version")


def _said(
    name: str, code: str, error: str, words: str, number: int, *, rivals: tuple[str, ...] = (), sure: str = "certain",
    decided_by: tuple[str, ...] = (), sources: tuple[str, ...] = (SEVERAL_FILES,),
) -> tuple[Signature, Signature]:  # fmt: skip
    """An error of the driver as its name (with TensorFlow's and Python's words) and as CUDA's sentence."""
    by_name = Signature(
        f"{name}-name", code, error, form=rf"{error}\b", rivals=rivals, sure=sure, decided_by=decided_by, sources=sources,
        samples=(
            f"E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:268] failed call to cuInit: {error}: {words}",
            f"E0000 00:00:1741242560.1 123 cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: {error}: {words}",
        ),
        near=(f"{error}_OF_ANOTHER_KIND", f"error {number} was not seen"),
    )  # fmt: skip
    by_words = Signature(
        f"{name}-words", code, words, rivals=rivals, sure=sure, decided_by=decided_by, sources=sources,
        samples=(f"RuntimeError: CUDA error: {words}", f"InternalError: cudaGetDevice() failed. Status: {words}"),
        near=("no error",),
    )  # fmt: skip
    return by_name, by_words


SIGNATURES = (
    Signature(
        "cuinit-303",
        "gpu-absent",
        "UNKNOWN ERROR (303)",
        form=r"ailed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?UNKNOWN ERROR \((?P<number>303)\)",
        rivals=_NO_DRIVER[1:],
        decided_by=_DECIDES,
        sure=LIKELY,
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:265] failed call to cuInit: UNKNOWN ERROR (303)",
            "E0000 00:00:1741242560.1 123 cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)",
        ),
        near=("failed call to cuInit: UNKNOWN ERROR (34)",),
        releases="1.14 to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "stubs-on-the-path",
        "",
        "lib64/stubs",
        form=r"\S/lib64/stubs/?:|:\S{0,300}/lib64/stubs\b|LD_LIBRARY_PATH ?= ?\S{0,300}/lib64/stubs\b",
        role=FACT,
        samples=(
            "/usr/local/cuda/lib64/stubs/:/usr/local/cuda/lib64:/usr/local/nvidia/lib",
            "ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs",
        ),
        near=("ls -l /usr/local/cuda/lib64/stubs/",),
        sources=("tensorflow/serving#646 (2017-11)",),
    ),
    Signature(
        "cuinit-stub",
        "driver-library-unreachable",
        "(-1)",
        form=r"ailed call to cuInit: (?:UNKNOWN ERROR|CUresult) ?\((?P<number>-1)\)",
        rivals=("container-without-gpu", "driver-missing"),
        decided_by=("host.container", "driver.library"),
        sure=LIKELY,
        samples=(
            "E external/org_tensorflow/tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:313] failed call to cuInit: UNKNOWN ERROR (-1)",
        ),
        near=("failed call to cuInit: UNKNOWN ERROR (303)", "the process ended (-1)"),
        releases="1.x to 2.3, with a CUDA before 11.1",
        sources=("tensorflow/tensorflow#46227 (2021-01)", "tensorflow/serving#646 (2017-11)", "Microsoft/pai, its questions and answers (2018)"),
    ),
    Signature(
        "cuinit-no-device",
        "gpu-hidden",
        "CUDA_ERROR_NO_DEVICE",
        form=r"ailed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?(?P<error>CUDA_ERROR_NO_DEVICE)",
        rivals=("gpu-absent", "driver-module-not-loaded", "driver-versions-differ", "container-without-gpu", "driver-lacks-gpu", "mig-misused"),
        decided_by=("environment.variables", *_DECIDES),
        sure=POSSIBLE,
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:406] failed call to cuInit: CUDA_ERROR_NO_DEVICE",
            "E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:274] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        ),
        near=("CUDA_ERROR_NO_DEVICE is documented in cuda.h",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#22525 (2018-09)", "tensorflow/tensorflow#1158 (2018-01)"),
    ),
    Signature(
        "cuinit-unknown",
        "uvm-broken",
        "CUDA_ERROR_UNKNOWN",
        form=r"ailed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?(?P<error>CUDA_ERROR_UNKNOWN)",
        rivals=("driver-versions-differ", "container-lost-gpu", "driver-module-not-loaded"),
        decided_by=("host.uvm_node", "driver.module_version", "nvml.init_code"),
        sure=LIKELY,
        samples=("E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error",),
        near=("failed to synchronize: CUDA_ERROR_UNKNOWN",),
        releases="1.x to 2.21",
    ),
    Signature(
        "cuinit-not-found",
        "wsl-container-toolkit-old",
        "CUDA_ERROR_NOT_FOUND",
        form=r"ailed call to cuInit: (?:INTERNAL: CUDA error: Failed call to cuInit: )?(?P<error>CUDA_ERROR_NOT_FOUND)",
        decided_by=("host.wsl", "host.container"),
        sure=LIKELY,
        samples=("E0000 00:00:1741242560.1 123 cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: CUDA_ERROR_NOT_FOUND: named symbol not found",),
        near=("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND: named symbol not found",),
        releases="2.15 to 2.21",
    ),
    *_said("insufficient-driver", "driver-too-old", "CUDA_ERROR_INSUFFICIENT_DRIVER", "CUDA driver version is insufficient for CUDA runtime version", 35, decided_by=("driver.version",), sources=("uzh-rpg/rpg_open_remode#9 (2015-11)", "mattshma/bigdata#105 (2019-01)", SEVERAL_FILES)),
    *_said("driver-mismatch", "driver-versions-differ", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination", 803, rivals=("forward-compat-unsupported",), decided_by=("driver.module_version", "driver.library"), sources=("NVIDIA/nvidia-container-toolkit#1679 (2026-02)", SEVERAL_FILES)),
    *_said("compat-unsupported", "forward-compat-unsupported", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW", 804, rivals=("driver-versions-differ",), decided_by=("driver.module_version", "driver.library")),
    *_said("system-not-ready", "fabric-manager-not-running", "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized", 802, rivals=("gpu-hardware-fault",), sure=LIKELY),
    *_said("stub-library", "driver-library-unreachable", "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library", 34, rivals=("container-without-gpu",), decided_by=("host.container", "driver.library")),
    *_said("not-licensed", "vgpu-unlicensed", "CUDA_ERROR_DEVICE_NOT_LICENSED", "device doesn't have valid Grid license", 102),
    *_said("device-unavailable", "gpu-busy-exclusive", "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable", 46, rivals=("vgpu-unlicensed", "gpu-hardware-fault", "mig-misused"), decided_by=("nvml.devices",)),
    Signature(
        "devices-busy",
        "gpu-busy-exclusive",
        "all CUDA-capable devices are busy or unavailable",
        rivals=("vgpu-unlicensed", "gpu-hardware-fault", "mig-misused"),
        decided_by=("nvml.devices",),
        samples=("InternalError: CUDA runtime implicit initialization on GPU:0 failed. Status: all CUDA-capable devices are busy or unavailable",),
        near=("all devices are available",),
        releases="1.x to 2.21",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "module-not-running",
        "driver-module-not-loaded",
        "kernel driver does not appear to be running on this host",
        form=r"kernel driver does not appear to be running on this host(?: \((?P<host>[^)\s]{1,255})\))?",
        rivals=_NO_DRIVER,
        decided_by=_DECIDES,
        sure=LIKELY,
        samples=(
            "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] kernel driver does not appear to be running on this host (n17): /proc/driver/nvidia/version does not exist",
            "I0000 00:00:1741242560.1 1 cuda_diagnostics.cc:163] kernel driver does not appear to be running on this host (n17): /proc/driver/nvidia/version does not exist",
        ),
        near=("kernel driver is running on this host",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "dso-version-differs",
        "driver-versions-differ",
        " does not match DSO version ",
        form=r"kernel version (?P<version>\d[\d.]{2,20}) does not match DSO version (?P<wanted>\d[\d.]{2,20})",
        rivals=("wsl-driver-shadowed", "forward-compat-unsupported"),
        decided_by=("host.wsl", "driver.library"),
        samples=("E tensorflow/stream_executor/cuda/cuda_diagnostics.cc:303] kernel version 384.130.0 does not match DSO version 375.66.0 -- cannot find working devices in this configuration",),
        near=("kernel version seems to match DSO: 384.130.0",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#22525 (2018-09)", "tensorflow/tensorflow#4768 (2016-10)", "NVIDIA/nvidia-docker#1704 (2022-11)", WHEELS),
    ),
    Signature(
        "libcuda-plain-name",
        "driver-library-unreachable",
        "libcuda.so: cannot open shared object file",
        speaker=LOADER,
        rivals=("wsl-driver-shadowed", "cudnn-incomplete"),
        decided_by=("host.wsl", "driver.library"),
        samples=(
            "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
        ),
        near=(
            "Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory",
        ),
        releases="cuDNN 8, which opens libcuda.so without its number",
        sources=(
            "microsoft/WSL#8587 (2022-07-07)",
            "facebookresearch/nougat#105 (2023-09)",
            "tensorflow/hub#884 (2023-04)",
        ),
    ),
    Signature(
        "libcuda-not-opened",
        "driver-missing",
        "libcuda.so.1: cannot open shared object file",
        also=("Couldn't open CUDA library libcuda",),
        form=r"(?:libcuda\.so\.1: cannot open shared object file|Couldn't open CUDA library libcuda\.so(?:\.1)?\.? )",
        speaker=LOADER,
        rivals=("gpu-absent", "driver-library-unreachable", "container-without-gpu", "wsl-driver-shadowed"),
        decided_by=_DECIDES,
        sure=LIKELY,
        samples=(
            "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory",
            "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
            "I tensorflow/stream_executor/dso_loader.cc:126] Couldn't open CUDA library libcuda.so.1. LD_LIBRARY_PATH: /usr/local/nvidia/lib:/usr/local/nvidia/lib64",
        ),
        near=("libcudart.so.11.0: cannot open shared object file: No such file or directory", "Couldn't open CUDA library libcudnn.so. LD_LIBRARY_PATH: /usr/lib"),
        releases="0.8 to 2.14",
    ),
    Signature(
        "nvcuda-not-found",
        "driver-missing",
        "nvcuda.dll",
        form=r"nvcuda\.dll not found|Could not find 'nvcuda\.dll'",
        rivals=("gpu-absent",),
        decided_by=("host.gpus_on_bus",),
        sure=LIKELY,
        samples=("W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'nvcuda.dll'; dlerror: nvcuda.dll not found", "ImportError: Could not find 'nvcuda.dll'. TensorFlow requires that this DLL be installed in a directory that is named in your %PATH% environment variable."),
        near=("Successfully opened dynamic library nvcuda.dll",),
        releases="1.4 to 2.10, Windows",
    ),
    Signature(
        "smi-cannot-communicate",
        "driver-module-not-loaded",
        "it couldn't communicate with the NVIDIA driver",
        speaker=TOOL,
        rivals=("driver-missing", "container-without-gpu"),
        decided_by=("driver.module_version",),
        samples=("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",),
        near=("it couldn't communicate with the server",),
    ),
    *(
        Signature(
            name, code, words, speaker=TOOL, rivals=rivals, decided_by=decided_by, sure=sure,
            samples=(f"Failed to initialize NVML: {words.removeprefix('NVML: ')}",), near=("NVML was initialized",),
            sources=sources,
        )
        for name, code, words, rivals, decided_by, sure, sources in (
            ("nvml-mismatch", "driver-versions-differ", "NVML: Driver/library version mismatch", (), ("driver.module_version",), "certain", ("Azure/az-hop#269 (2021-04)", "mattshma/bigdata#105 (2017-12)")),
            ("nvml-unknown-error", "container-lost-gpu", "NVML: Unknown Error", ("nvml-unusable", "gpu-hardware-fault"), ("host.container", "nvml.init_code"), LIKELY, ()),
            ("nvml-not-loaded", "driver-module-not-loaded", "NVML: Driver Not Loaded", ("gpu-absent",), ("driver.module_version",), "certain", (SEVERAL_FILES,)),
            ("nvml-no-permission", "gpu-device-permission", "NVML: Insufficient Permissions", ("container-without-gpu",), ("host.gpu_device_nodes",), "certain", (SEVERAL_FILES,)),
            ("nvml-blocked", "nvml-unusable", "NVML: GPU access blocked by the operating system", (), ("host.wsl",), "certain", (SEVERAL_FILES,)),
        )
    ),
    Signature(
        "kfd-refused",
        "gpu-device-permission",
        "Unable to open /dev/kfd read-write: ",
        form=r"Unable to open /dev/kfd read-write: (?P<message>Permission denied|Operation not permitted)",
        speaker=TOOL,
        samples=("Unable to open /dev/kfd read-write: Permission denied", "Unable to open /dev/kfd read-write: Operation not permitted"),
        near=("Unable to open /dev/kfd read-write: Cannot allocate memory", "Unable to open /dev/kfd read-write: Invalid argument"),
        releases="ROCm 3 to 6",
        sources=("ROCm/legacy-rocm-build#1211 (2020-09)", "viebrix/pytorch-gfx803-for-Whisper#1 (2023)", "robertrosenbusch/gfx803_rocm#15 (2025-04)"),
    ),
    Signature(
        "smi-without-nvml",
        "nvml-unusable",
        "couldn't find libnvidia-ml.so library in your system",
        speaker=TOOL,
        samples=("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.",),
        near=("libnvidia-ml.so.1 was found",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "modprobe-refused",
        "driver-module-not-loaded",
        "could not insert 'nvidia",
        form=r"could not insert '(?P<module>nvidia\w{0,20})': (?P<message>.{1,120})",
        speaker=TOOL,
        samples=("modprobe: ERROR: could not insert 'nvidia': Required key not available", "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service", "modprobe: ERROR: could not insert 'nvidia': No such device"),
        near=("modprobe: ERROR: could not insert 'kvm': No such device",),
        rivals=("gpu-absent",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "modprobe-not-found",
        "driver-module-not-loaded",
        "Module nvidia not found",
        speaker=TOOL,
        samples=("modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-45-generic", "FATAL: Module nvidia not found."),
        near=("Module nvidia was loaded",),
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
