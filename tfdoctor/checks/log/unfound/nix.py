"""Programs that Nix built: their loader knows no folder of the system, so the driver's library has to be shown to it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place
from tfdoctor.findings.model import Confidence, Fix

_CODE = "driver-library-unreachable"
_TITLE = "This process found no NVIDIA driver (libcuda.so.1); a program from Nix does not look where the system keeps it."
_WORDS = (
    "The program comes from Nix. Its loader looks into Nix' own store and not into the folders of the system, where the NVIDIA driver puts libcuda.so.1. NixOS "
    "has it in /run/opengl-driver/lib; on another Linux the program has to be told its place. TensorFlow computes on the processor until then."
)


def of_nix(places: tuple[Place, ...]) -> Candidate:
    """libcuda was not found by a program of Nix; whether there is a driver, the log does not tell."""
    opened = question((_CODE, "driver-missing", "gpu-absent"), "driver.library")
    return Candidate(_CODE, Confidence.LIKELY, places, _WORDS, opened, _TITLE)


NIX = (
    Fix(
        "See whether the system has a driver, and where its library is. It changes nothing",
        ("nvidia-smi", "ls /run/opengl-driver/lib/libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so.1 /usr/lib64/libcuda.so.1"),
        "One of the last three is there: the next steps. None is, and nvidia-smi is not found: the driver is not installed.",
    ),
    Fix("On NixOS, lead the loader to the driver's folder", ("export LD_LIBRARY_PATH=/run/opengl-driver/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",)),
    Fix(
        "On another Linux, show it the driver's libraries alone: a folder of links, for the system's own folder holds a C library, too",
        (
            "mkdir -p ~/.local/lib/nvidia",
            "ln -sf /usr/lib/x86_64-linux-gnu/libcuda.so.1 /usr/lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.1 ~/.local/lib/nvidia/",
            "export LD_LIBRARY_PATH=$HOME/.local/lib/nvidia${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
        ),
        "On Fedora and RHEL the folder is /usr/lib64. nixGL does the same for programs that draw, too.",
    ),
)  # fmt: skip
