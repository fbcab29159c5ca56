"""What is particular to the Windows Subsystem for Linux (WSL2): its share of memory and Windows' own driver."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.gpu import WSL_FOLDER
from tfdoctor.checks.questions.stage_output import words
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import Library
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence

_WSL2 = 2
_LITTLE = 4 << 30
"""Bytes. WSL2 takes half of Windows' memory by default (Microsoft, "Advanced settings configuration in WSL", 2026-11);
below 4 GiB the import (0.6 GB), CUDA's context and any data set crowd each other."""
_GIB = 1 << 30


@check(
    "wsl-memory-limit",
    prevents=Ability.NOTHING,
)
def wsl_memory(case: Case) -> Found | None:
    """In WSL2, less memory in all than a program with data needs: a rule of thumb."""
    if case.need(case.facts.host.wsl) != _WSL2:
        return None
    total = case.need(case.facts.memory.ram_total)
    if total >= _LITTLE:
        return None
    return Found(
        "WSL2 gets half of Windows' memory by default. Programs are killed here while Windows still shows free memory.",
        (Evidence("memory.ram_total", f"{total / _GIB:.1f} GiB", ">=4 GiB for TensorFlow with data", "Microsoft, Advanced settings configuration in WSL (2026-11)"),),
        (
            fix("give-wsl2-more-memory"),
        ),
        Confidence.POSSIBLE,
    )  # fmt: skip


@check(
    "wsl-driver-shadowed", prevents=Ability.GPU,
    explains=(
        "driver-missing", "driver-library-unreachable", "driver-module-not-loaded", "driver-versions-differ", "nvml-unusable",
        "smoke-driver-failed", "smoke-tensorflow-failed", "native-crash", "check-failed", "cudnn-incomplete", "cudnn-bug",
    ),
)  # fmt: skip
def wsl_driver(case: Case) -> Found | None:
    """In WSL2, the libcuda that the loader finds is not the one in Windows' folder, or that one is not on its path."""
    if case.need(case.facts.host.wsl) != _WSL2:
        return None
    library = case.need_outcome(case.facts.driver.library)
    found = library.value if isinstance(library, Known) else None
    path = found.path.value if found is not None and isinstance(found.path, Known) else ""
    if path.startswith(WSL_FOLDER):
        if text := words(case.facts, "libcuda-plain-name"):
            return _without_number(text)
        return _unreachable(path) if found is not None and found.found_via == "wsl" else None
    windows = _windows_copy(case, found)
    if not windows:
        return None
    return _shadowed(path, windows) if path else _unreachable(windows)


def _without_number(text: Evidence) -> Found:
    """cuDNN 8 asks for libcuda.so, and the loader's cache knows libcuda.so.1 alone, which WSL's folder names first."""
    return Found(
        "cuDNN opens libcuda.so by that name. It is in WSL's folder, but the loader's cache lists only libcuda.so.1 of it, so the first "
        "convolution ends the program.",
        (text, Evidence("driver.library", f"{WSL_FOLDER} by the loader's cache alone", "a folder that is searched by name", "microsoft/WSL issue 8587")),
        (
            fix("let-loader-search-wsls-folder-by"),
        ),
        title="cuDNN can't open libcuda.so, which is in WSL's own folder.",
        explains=frozenset(("smoke-tensorflow-failed", "native-crash", "check-failed", "cudnn-incomplete", "cudnn-bug", "driver-library-unreachable")),
    )  # fmt: skip


def _windows_copy(case: Case, library: Library | None) -> str:
    """The libcuda that Windows' driver puts into WSL; "" where there is none: no NVIDIA GPU, or an old Windows driver."""
    others = case.need_outcome(case.facts.driver.other_libraries)
    copies = [
        *(others.value if isinstance(others, Known) else ()),
        *((*library.shadows, *library.elsewhere) if library else ()),
    ]
    return next((copy for copy in copies if copy.startswith(WSL_FOLDER)), "")


def _shadowed(path: str, windows: str) -> Found:
    return Found(
        "In WSL2 the Windows driver serves the GPU. The Linux driver that is found first can't reach it.",
        (Evidence("driver.library", path, windows, "NVIDIA, CUDA on WSL user guide (2026-11)"),),
        (
            fix("put-wsls-folder-first"),
            fix("remove-linux-driver-from-wsl"),
        ),
    )  # fmt: skip


def _unreachable(path: str) -> Found:
    return Found(
        "Windows' driver is there, but TensorFlow asks the loader for libcuda.so.1 and the loader does not look into its folder.",
        (Evidence("driver.library", f"{path}, not on the loader's path", "libcuda.so.1 found by the loader", "dlopen(3)"),),
        (
            fix("put-wsls-folder-on-loaders-path"),
            fix("put-for-good"),
        ),
    )  # fmt: skip
