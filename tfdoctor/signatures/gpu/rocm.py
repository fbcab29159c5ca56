"""What AMD's runtime, its tools and its libraries say: rocminfo, the kernel's module for computing, rocBLAS, MIOpen."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression
from tfdoctor.signatures.signature import CONTAINER, KERNEL, LIKELY, NATIVE, POSSIBLE, TOOL, Signature

OWN_FOLDERS = Expression(
    r"^(?:/opt/rocm[\w.-]{0,20}/(?:lib|lib/llvm/bin/(?:\.\./){3}lib)/rocblas/library|.{0,300}-packages)/"
)
"""Where ROCm itself keeps them from 5.2 on, and packages that bring their own (rocBLAS#1300, rocBLAS#1299)."""

SIGNATURES = (
    Signature(
        "rocr-refused",
        "gpu-device-permission",
        "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        speaker=TOOL,
        rivals=("rocm-gpu-unsupported", "driver-module-not-loaded"),
        decided_by=("host.gpu_device_nodes",),
        sure=POSSIBLE,
        samples=(
            "Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources. This error may also occur when the core runtime library needs to spawn threads or create internal OS-specific events.",
            "### HCC STATUS_CHECK Error: HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008) at file:mcwamp_hsa.cpp line:3794",
        ),
        near=("HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid.",),
        releases="ROCm 1.3 to 6.3",
        sources=("ROCm/legacy-rocm-build#1070 (2020-04)", "ROCm/legacy-rocm-build#1088 (2020-05)", "ROCm/legacy-rocm-build#2232 (2023-06)"),
    ),
    Signature(
        "kfd-no-memory",
        "rocm-gpu-unsupported",
        "Unable to open /dev/kfd read-write: Cannot allocate memory",
        speaker=TOOL,
        rivals=("driver-module-not-loaded",),
        decided_by=("host.gpu_device_nodes",),
        sure=LIKELY,
        samples=("Unable to open /dev/kfd read-write: Cannot allocate memory",),
        near=("Unable to open /dev/kfd read-write: Permission denied",),
        releases="ROCm 3 to 6",
        sources=("ROCm/legacy-rocm-build#2232 (2023-06)", "ROCm/legacy-rocm-build#1088 (2020-05)"),
    ),
    Signature(
        "kfd-gpu-left-out",
        "rocm-gpu-unsupported",
        " not supported in kfd",
        also=("PCI rejects atomics",),
        form=r"kfd\b.{0,40}?(?:amdgpu: )?(?:(?P<gpu>\b[A-Z][A-Z0-9_]{2,30}) {1,3}not supported in kfd|skipped device (?P<device>[0-9a-f]{4}:[0-9a-f]{4}), PCI rejects atomics)",
        speaker=KERNEL,
        samples=(
            "[    3.548555] kfd kfd: amdgpu: PITCAIRN  not supported in kfd",
            "[    4.221100] kfd kfd: amdgpu: skipped device 1002:67df, PCI rejects atomics 730<0",
        ),
        near=("kfd kfd: amdgpu: added device 1002:73bf",),
        releases="Linux 4.19 and newer (drivers/gpu/drm/amd/amdkfd/kfd_device.c)",
        sources=("ROCm/legacy-rocm-build#2232 (2023-06)",),
    ),
    Signature(
        "kfd-not-there",
        "driver-module-not-loaded",
        "adding custom device",
        form=r"adding custom device \\?\"(?P<file>/dev/(?:kfd|dri)[\w/]{0,40})\\?\": no such file or directory",
        speaker=CONTAINER,
        rivals=("gpu-absent", "os-gpu-unsupported"),
        decided_by=("host.gpus_on_bus",),
        sure=LIKELY,
        samples=('docker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file or directory.',),
        near=('docker: Error response from daemon: error gathering device information while adding custom device "/dev/ttyUSB0": no such file or directory.',),
        releases="Docker 1.12 and newer",
        sources=("ROCm/legacy-rocm-build#1893 (2023-01)", "l1na-forever/stable-diffusion-rocm-docker#8 (2022-10)"),
    ),
    Signature(
        "rocblas-no-kernels",
        "cuda-libraries-unreachable",
        "TensileLibrary",
        form=r"rocBLAS error: (?:Cannot read|Could not load) (?P<file>[^\n]{1,300}?TensileLibrary\w{0,60}\.dat)(?:: (?P<message>[A-Z][a-z ]{3,40}?))?(?:,? for GPU arch ?: ?(?P<value>gfx\w{3,6}))?(?:[\s.]|$)",
        speaker=NATIVE,
        rivals=("rocm-gpu-unsupported",),
        decided_by=("driver.devices",),
        sure=LIKELY,
        samples=(
            "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek",
            "rocBLAS error: Cannot read /opt/rocm-6.4.1/lib/llvm/bin/../../../lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1036",
            r"rocBLAS error: Could not load C:\Program Files\AMD\ROCm\6.1\bin\/rocblas/library/TensileLibrary_lazy_gfx1103.dat",
        ),
        near=("rocBLAS error: Could not initialize Tensile library", "reading TensileLibrary.dat"),
        releases="rocBLAS 2.26 and newer",
        sources=("ROCm/rocBLAS#1300 (2023-03)", "ROCm/rocBLAS#1339 (2023-07)", "justxi/rocm#182 (2021-01)"),
    ),
    Signature(
        "miopen-database",
        "file-locked",
        "while accessing SQLite database: ",
        form=r"while accessing SQLite database: (?P<message>disk I/O error|locking protocol|database is locked|attempt to write a readonly database)",
        speaker=NATIVE,
        samples=(
            "MIOpen(HIP): Warning [FindFftSolutions] /root/driver/MLOpen/src/sqlite_db.cpp:212: Internal error while accessing SQLite database: disk I/O error",
            "MIOpen Error: /MIOpen/src/sqlite_db.cpp:227: Internal error while accessing SQLite database: locking protocol",
        ),
        near=("error while accessing SQLite database: no such table",),
        releases="MIOpen 2.8 and newer",
        sources=("ROCm/tensorflow-upstream#1419 (2021-08)", "ROCm/MIOpen#2214 (2023-06)", "AMDResearch/hpcfund#87 (2026-04)"),
    ),
    Signature(
        "miopen-handle",
        "cuda-libraries-wrong-version",
        "could not create miopen handle",
        speaker=NATIVE,
        rivals=("rocm-gpu-unsupported", "gpu-library-no-memory"),
        decided_by=("packages.installed",),
        sure=POSSIBLE,
        samples=("E tensorflow/stream_executor/rocm/rocm_dnn.cc:257] could not create miopen handle: miopenStatusUnknownError",),
        near=("could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",),
        releases="tensorflow-rocm 1.x and 2.x",
        sources=("ROCm/MIOpen#132 (2020-04)",),
    ),
)  # fmt: skip
