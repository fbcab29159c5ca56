"""What lines of AMD's driver and libraries mean and what helps, and what stands in their titles."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.findings.model import Fix

_ASK_KERNEL = Fix(
    "See what the kernel's driver says of each GPU. It changes nothing",
    ("sudo dmesg | grep -i -E 'kfd|amdgpu' | tail -n 20", "lspci -nn | grep -i -E 'vga|3d|display'"),
    "added device: this GPU can compute. not supported in kfd, PCI rejects atomics: it can't.",
)
_PROCESSOR = Fix(
    "Compute on the processor, with the build that needs no ROCm, in an environment of its own",
    ("python3 -m venv tensorflow-cpu", "tensorflow-cpu/bin/python -m pip install tensorflow"),
)
_LEFT_OUT = Meaning(
    "The kernel's driver amdgpu decides at the start which GPUs can compute, and left this one out: its generation has no support for that, or the slot and the processor lack PCIe atomics, which it needs. "
    "No setting of ROCm or TensorFlow changes that; the GPU draws pictures as before.",
    (_PROCESSOR, _ASK_KERNEL),
)
_NO_MEMORY = Meaning(
    "The kernel answers so where it has no GPU that can compute: its driver amdgpu left this machine's GPU out, or is not set up. The memory of the machine is rarely the reason.",
    (_ASK_KERNEL, _PROCESSOR),
)
_DATABASE = Meaning(
    "MIOpen, AMD's library for neural networks, keeps what it tried in small SQLite databases, below ~/.config/miopen and ~/.cache/miopen by itself. The file system there can't lock files, as those of clusters (Lustre, NFS) often "
    "can't, or the container may not write there.",
    (
        Fix(
            "Let MIOpen keep them in a folder of the machine itself, in this shell or the job's script",
            (
                "export MIOPEN_USER_DB_PATH=/tmp/miopen-$USER MIOPEN_CUSTOM_CACHE_DIR=/tmp/miopen-$USER",
                'mkdir -p "$MIOPEN_USER_DB_PATH"',
            ),
            "Several jobs of one node: put the job's number into the name.",
        ),
        Fix("See which file system the home folder is on. It changes nothing", ("df -hT ~",)),
    ),
)
_HANDLE = Meaning(
    "MIOpen, AMD's library for neural networks, could not be set up and does not say why. Mostly the MIOpen that is installed is the one for OpenCL, which TensorFlow can't use, or this ROCm has no support for the "
    "GPU; memory that another process holds ends so, too.",
    (
        Fix(
            "See which MIOpen is installed, and take the one for HIP",
            ("dpkg -l | grep -i miopen", "sudo apt-get install miopen-hip"),
            "The two replace each other: apt takes miopen-opencl away.",
        ),
        Fix(
            "See which architecture the GPU is, and whether its memory is free. It changes nothing",
            ("rocminfo | grep -m 1 gfx", "rocm-smi"),
        ),
    ),
)
OF_AMD: Mapping[str, Meaning] = {
    "kfd-gpu-left-out": _LEFT_OUT,
    "kfd-no-memory": _NO_MEMORY,
    "miopen-database": _DATABASE,
    "miopen-handle": _HANDLE,
}
TITLES_OF_AMD: Mapping[str, str] = {
    "rocm-device-unnamed": "ROCm counts the AMD GPU and can't tell its name: mostly this ROCm does not support it any more (RX 400 and 500 since ROCm 4).",
    "kfd-no-memory": "The kernel shows ROCm no AMD GPU that can compute (/dev/kfd).",
    "miopen-database": "MIOpen's database is where files can't be locked or written.",
    "miopen-handle": "MIOpen, AMD's counterpart to cuDNN, could not be set up; mostly the one for OpenCL is installed (miopen-opencl in place of miopen-hip).",
}
"""Both by the signature's name."""
