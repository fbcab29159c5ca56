"""Where driver and kernel show themselves: files, device nodes, folders."""

from __future__ import annotations

DRIVER_VERSION = "/proc/driver/nvidia/version"
"""The loaded kernel module and its release (NVIDIA's driver README, "Proc interface")."""
DRIVER_GPUS = "/proc/driver/nvidia/gpus"
MODULE_VERSION = "/sys/module/nvidia/version"
PCI_DEVICES = "/sys/bus/pci/devices"
PROC_PCI = "/proc/bus/pci/devices"
DEVICE_TREE = "/proc/device-tree/compatible"
TEGRA = "nvidia,tegra"
"""How a device tree names a chip of NVIDIA's with a GPU in it."""
NVIDIA_VENDOR = "0x10de"  # the PCI ID repository, pci.ids, 2026-11
AMD_VENDOR = "0x1002"
INTEL_VENDOR = "0x8086"
GPU_CLASSES = (  # PCI Code and ID Assignment Specification: class and subclass
    "0x0300",  # VGA controller
    "0x0302",  # 3D controller: data-centre GPUs of NVIDIA
    "0x0380",  # other display controller: AMD Instinct
    "0x1200",  # processing accelerator: AMD Instinct MI300
)

EXTRA_LIBRARY_FOLDERS = {
    "/usr/lib/wsl/lib": "wsl",  # CUDA on WSL user guide, NVIDIA, 2025
    "/usr/lib/aarch64-linux-gnu/tegra": "jetson",  # JetPack up to 5
    "/usr/lib/aarch64-linux-gnu/nvidia": "jetson",  # JetPack 6 and newer
    "/run/opengl-driver/lib": "nixos",  # NixOS manual, hardware.graphics
    "/usr/local/nvidia/lib64": "container",  # where Google's and older container runtimes mount the driver
}
"""Folders that a driver is installed to though the loader may not look there; asked after the loader."""
