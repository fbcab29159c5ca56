"""Containers and clusters: what their runtime says of the GPU before the program starts."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import CONTAINER, LIKELY, POSSIBLE, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_without = partial(Signature, code="container-without-gpu", speaker=CONTAINER)
_image = partial(Signature, code="driver-too-old-for-image", speaker=CONTAINER)

SIGNATURES = (
    _image(
        "toolkit-requirement",
        anchor="requirement error: unsatisfied condition: ",
        form=r"requirement error: unsatisfied condition: (?P<library>cuda|driver|brand|arch)(?P<wanted>[<>=!]{1,2}[\w.]{1,20})",
        samples=(
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container: unknown",
        ),
        near=("nvidia-container-cli: initialization error: nvml error: driver not loaded",),
        sources=("MauriceNino/dashdot#1226 (2025-06)",),
    ),
    _image(
        "banner-needs-driver",
        anchor="This container was built for NVIDIA Driver Release ",
        form=r"This container was built for NVIDIA Driver Release (?P<wanted>\d{3}(?:\.\d{1,3}){0,2})(?: or later)?(?:, but version (?P<version>\d{3}[\d.]{0,10}))?",
        decided_by=("driver.version",),
        sure=LIKELY,
        samples=(
            "ERROR: This container was built for NVIDIA Driver Release 450.51 or later, but",
            "ERROR: This container was built for NVIDIA Driver Release 595.45 or later, but version 580.142 was detected",
        ),
        near=("NOTE: Legacy NVIDIA Driver detected.  Compatibility mode ENABLED.",),
        sources=(SEVERAL_FILES,),
    ),
    _without(
        "banner-no-driver",
        anchor="The NVIDIA Driver was not detected.",
        rivals=("driver-missing", "gpu-absent"),
        decided_by=("host.gpus_on_bus",),
        samples=("WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.",),
        near=("The NVIDIA Driver was detected.",),
        sources=(SEVERAL_FILES,),
    ),
    _without(
        "docker-no-device-driver",
        anchor="could not select device driver",
        form=r'could not select device driver "(?:nvidia|amd)?"(?: with capabilities: \[\[gpu)?',
        samples=(
            'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
            'Error response from daemon: could not select device driver "nvidia" with capabilities: [[gpu utility]]',
        ),
        near=("could not select device driver for the disk",),
        sources=(SEVERAL_FILES,),
    ),
    _without(
        "docker-unknown-runtime",
        anchor="nknown runtime specified nvidia",
        samples=("docker: Error response from daemon: Unknown runtime specified nvidia.",),
        near=("Unknown runtime specified runsc",),
        sources=(SEVERAL_FILES,),
    ),
    _without(
        "docker-invalid-runtime",
        anchor="nvalid runtime name: nvidia",
        samples=("docker: Error response from daemon: unknown or invalid runtime name: nvidia",),
        near=("unknown or invalid runtime name: kata",),
    ),
    _without(
        "cdi-unresolvable",
        anchor="unresolvable CDI devices",
        form=r"unresolvable CDI devices (?P<device>nvidia\.com/gpu[\w=:-]{0,60})",
        samples=("Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all",),
        near=("unresolvable CDI devices vendor.com/nic=0",),
        sources=(SEVERAL_FILES,),
    ),
    _without(
        "kubernetes-insufficient-gpu",
        anchor="Insufficient nvidia.com/gpu",
        form=r"Insufficient nvidia\.com/gpu",
        samples=("0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available",),
        near=("Insufficient memory",),
    ),
    Signature(
        "toolkit-driver-not-loaded",
        "driver-module-not-loaded",
        "nvml error: driver not loaded",
        speaker=CONTAINER,
        rivals=("driver-missing", "gpu-absent"),
        decided_by=("driver.module_version",),
        samples=("stderr: nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown",),
        near=("nvidia-container-cli: initialization error: driver rpc error: timed out",),
        sources=("NVIDIA/nvidia-container-toolkit#1269 (2025-08)", "NVIDIA/nvidia-docker#1393 (2020-10)", "HonuRobotics/dockwater#10 (2021-10)"),
    ),
    Signature(
        "toolkit-version-mismatch",
        "driver-versions-differ",
        "nvml error: driver/library version mismatch",
        speaker=CONTAINER,
        samples=("nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown",),
        near=("nvml error: driver not loaded",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "toolkit-rpc",
        "driver-unresponsive",
        "driver rpc error: ",
        also=("driver error: failed",),
        form=r"driver (?:rpc )?error: (?P<message>timed out|failed to process request)",
        speaker=CONTAINER,
        sure=LIKELY,
        decided_by=("driver.init_code", "kernel_log.xids"),
        samples=(
            "nvidia-container-cli: initialization error: driver rpc error: timed out",
            "nvidia-container-cli: initialization error: driver rpc error: failed to process request: unknown.",
            "stderr: nvidia-container-cli: initialization error: driver error: failed to process request",
        ),
        near=("rpc error: code = Unavailable desc = timed out",),
        sources=("NVIDIA/nvidia-docker#1691 (2022-10)", "NVIDIA/nvidia-container-toolkit#556 (2024-06)", "NVIDIA/nvidia-docker#1675 (2022-09)", "NVIDIA/nvidia-docker#1225 (2020-04)"),
    ),
    Signature(
        "toolkit-without-nvml",
        "driver-missing",
        "load library failed: libnvidia-ml.so.1",
        speaker=CONTAINER,
        rivals=("wsl-driver-shadowed", "gpu-absent"),
        decided_by=("host.wsl", "host.gpus_on_bus"),
        samples=("nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory: unknown",),
        near=("load library failed: libfoo.so.1",),
    ),
    Signature(
        "toolkit-unknown-device",
        "gpu-hidden",
        "nvidia-container-cli: device error: ",
        form=r"nvidia-container-cli: device error: (?P<device>[^:\s]{0,80}): ?unknown device",
        speaker=CONTAINER,
        samples=("nvidia-container-cli: device error: 1: unknown device: unknown", "nvidia-container-cli: device error: GPU-1234abcd: unknown device: unknown"),
        near=("nvidia-container-cli: device error: no free slots",),
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "apptainer-no-driver-files",
        "container-without-gpu",
        "ould not find any nv files on this host",
        speaker=CONTAINER,
        rivals=("driver-missing", "gpu-absent"),
        decided_by=("host.gpus_on_bus",),
        sure=POSSIBLE,
        samples=("INFO:    Could not find any nv files on this host!", "WARNING: Could not find any nv files on this host!"),
        near=("could not find any rocm files on this host",),
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
