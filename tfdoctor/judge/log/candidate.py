"""What a line makes likely: a code, how sure, and what would settle it."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Saying
from tfdoctor.judge.log.testimony import Place, place
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says


@record
class Open:
    """A question that the log leaves: between which codes, which fact settles it, what to type."""

    codes: tuple[str, ...]
    fact: str
    command: str


@record
class Candidate:
    """A code that the log speaks of. `places` are its lines, the first being what it is judged by."""

    code: str
    confidence: Confidence
    places: tuple[Place, ...]
    explanation: str = ""  # "" for the words of its page
    open: Open | None = None
    title: str = ""  # "" for that of its code
    fixes: tuple[Fix, ...] = ()  # () for what its code gets
    beside: str = ""  # the title beside another cause, "" for the same


def of_line(
    saying: Saying,
    words: str,
    title: str,
    *,
    sure: Confidence | None = None,
    opened: Open | None = None,
) -> Candidate:
    """The line's own code at its place; as sure as its message is by itself, unless `sure` says more."""
    return Candidate(
        saying.code, sure or Confidence(saying.sure), (place(saying),), words, opened, title
    )


def of_page(
    page: str, name: str, places: tuple[Place, ...], *, values: Mapping[str, object] | None = None,
    sure: Confidence = Confidence.LIKELY, others: tuple[str, ...] = (), fact: str = "", fixes: tuple[Fix, ...] = (), code: str = "",
) -> Candidate:  # fmt: skip
    """In the words of a page: its sentences NAME and NAME-title. `others`: what else it can be, which the fact would tell. `code`: of the finding, where it is
    not the page's."""
    meant = code or page
    opened = question((meant, *others), fact) if fact else None
    filled = values or {}
    words, title = says(page, name, **filled), says(page, f"{name}-title", **filled)
    return Candidate(meant, sure, places, words, opened, title, fixes)


COMMANDS = {
    "nvml.devices": "nvidia-smi",
    "driver.version": "nvidia-smi --query-gpu=driver_version --format=csv,noheader",
    "driver.module_version": "cat /proc/driver/nvidia/version",
    "driver.library": "ldconfig -p | grep libcuda",
    "driver.devices": "nvidia-smi -L",
    "host.gpus_on_bus": "lspci -nn | grep -i -E 'vga|3d|display'",
    "host.container": "tfdoctor check --smoke none",
    "host.wsl": "uname -r",
    "host.cpu_flags": "grep -m 1 flags /proc/cpuinfo",
    "kernel_log.oom_kills": "sudo dmesg -T | grep -i -E 'killed process|out of memory'",
    "kernel_log.crash_reports": "ls -t ~/Library/Logs/DiagnosticReports | head",
    "interpreter.machine": "python -c 'import platform; print(platform.machine())'",
    "kernel_log.xids": "sudo dmesg -T | grep -i xid",
    "memory.cgroup_oom_kills": "cat /sys/fs/cgroup/memory.events",
    "environment.variables": "env | grep -E 'CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES'",
    "memory.shm_free": "df -h /dev/shm",
    "memory.limit_address_space": "ulimit -v",
    "cuda_libraries.libraries": "tfdoctor check --smoke none --json -o report.json && tfdoctor diagnose LOG --facts report.json",
    "cuda_libraries.wheels": "python -m pip list | grep -i nvidia",
    "tensorflow.version": "python -m pip show tensorflow",
    "tensorflow.build": "python -m pip show tensorflow",
    "interpreter.version": "python --version",
    "interpreter.active_with_tensorflow": "tfdoctor check --smoke none",
    "packages.installed": "python -m pip list",
}
"""What to type for a fact that a log does not tell."""


def question(codes: tuple[str, ...], fact: str) -> Open:
    return Open(codes, fact, COMMANDS.get(fact, "tfdoctor check"))
