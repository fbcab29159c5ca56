"""Lines that show that something worked: what was complained of before them did no harm."""

from __future__ import annotations

NO_GPU = (
    "gpu-absent", "driver-missing", "driver-library-unreachable", "driver-module-not-loaded", "driver-versions-differ",
    "driver-too-old", "driver-lacks-gpu", "driver-unresponsive", "forward-compat-unsupported", "uvm-broken", "nvml-unusable",
    "fabric-manager-not-running", "container-without-gpu", "container-lost-gpu", "wsl-container-toolkit-old",
    "wsl-driver-shadowed", "gpu-hidden", "vgpu-unlicensed", "cuda-libraries-missing", "cuda-libraries-wrong-version",
    "cuda-libraries-unreachable", "image-lacks-cuda-libraries", "gpu-busy-exclusive", "mig-misused",
)  # fmt: skip
"""Why a process gets no GPU at all: disproved by one that it got."""
