"""What shows an NVIDIA GPU without asking a driver: the module's files, device nodes, the bus.

So much decides whether a machine without a driver is at fault or simply has no GPU, and all probes of such a machine
need it. `probes/host/gpu_hardware.py` tells what GPUs they are, and takes 40 ms to import where all of a health check
takes 36 (Python 3.11, 2026-11-22). What is looked for stands in `meaning/places.py` for both, and a test holds both to the
same answers.
"""

from __future__ import annotations

import os

from tfdoctor.health.state import text_of
from tfdoctor.meaning.places import (
    AMD_VENDOR,
    DEVICE_TREE,
    DRIVER_GPUS,
    DRIVER_VERSION,
    GPU_CLASSES,
    MODULE_VERSION,
    NVIDIA_NODES,
    NVIDIA_VENDOR,
    PCI_DEVICES,
    PROC_PCI,
    TEGRA,
)


def gpu_shown(root: str = "") -> tuple[str, str]:
    """The file that shows one, "" where none does, and then why the bus can't be asked ("" where it was)."""
    for path in (DRIVER_VERSION, MODULE_VERSION):
        if os.path.exists(root + path):
            return path, ""
    for name in _names(root + "/dev"):
        if name in NVIDIA_NODES or (name.startswith("nvidia") and name[6:].isdecimal()):
            return "/dev/" + name, ""
    for name in _names(root + DRIVER_GPUS):
        return f"{DRIVER_GPUS}/{name}", ""
    if TEGRA in _text(root + DEVICE_TREE):
        return DEVICE_TREE, ""
    return _on_pci(root)


def _on_pci(root: str) -> tuple[str, str]:
    addresses = _names(root + PCI_DEVICES)
    for address in addresses:
        folder = f"{PCI_DEVICES}/{address}"
        by_nvidia = _text(f"{root}{folder}/vendor").strip().lower() == NVIDIA_VENDOR
        if by_nvidia and _text(f"{root}{folder}/class")[:6].lower() in GPU_CLASSES:
            return folder, ""
    if addresses or _names(root + "/sys/bus") or _names(root + "/sys/class"):
        return "", ""
    vendors = {
        "0x" + line.split()[1][:4] for line in _text(root + PROC_PCI).splitlines() if len(line.split()) > 1
    }
    if vendors and not vendors & {NVIDIA_VENDOR, AMD_VENDOR}:
        return "", ""
    return "", "the PCI bus can't be looked at: /sys is not mounted here"


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        return text_of(path, 1 << 18)
    except OSError:
        return ""
