"""The free question that decides, before a driver is installed or a machine is restarted."""

from __future__ import annotations

from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Finding, Fix
from tfdoctor.light.expressions import Expression  # reads no log: commands of our own pages

_DEAR = Expression(
    r"nvidia-driver|\breboot\b|akmod|\bdkms\b|linux-headers|mokutil|libnvidia-compute|nvidia-container-toolkit"
)
"""It changes the system for everybody, or ends all that runs on it."""
_DRIVER_THERE = fix("see-whether-driver-and-gpu-are")
_WHICH_VERSIONS = fix("see-versions-two-halves-driver-have")
_NEVER_KNOWN = ("driver-library-unreachable",)
"""A process that does not find a library can't tell whether it is there."""
_ASKING = ("nvidia-smi", "ldconfig -p")
_STUBS = ("cuinit-stub", "stub-library-name", "stub-library-words", "stubs-on-the-path")
_ELSEWHERE = ("windows", "macos", "wsl", "jetson", "docker", "kubernetes", "apptainer")
"""There the driver is the host's, or asked otherwise."""
_FIRST = {
    "driver-missing": _DRIVER_THERE,
    "driver-library-unreachable": _DRIVER_THERE,
    "driver-module-not-loaded": _DRIVER_THERE,
    "driver-versions-differ": _WHICH_VERSIONS,
}


def question_first(
    finding: Finding, fixes: tuple[Fix, ...], told: Testimony, here: Setting
) -> tuple[Fix, ...]:
    """Where the cause is not certain and the first way out is expensive: the question of its code, or a way out that is free."""
    own = None if here.hosted or here.has(*_ELSEWHERE) else _FIRST.get(finding.code)
    if finding.code in _NEVER_KNOWN and own is not None and fixes:
        asks = any(line.startswith(_ASKING) for line in fixes[0].commands)
        return fixes if asks or told.named(*_STUBS) else (own, *fixes)
    if finding.confidence is Confidence.CERTAIN or not fixes or not _is_dear(fixes[0]):
        return fixes
    return tuple(sorted(fixes, key=_is_dear)) if own is None else (own, *fixes)


def _is_dear(fix: Fix) -> bool:
    return any(_DEAR.search(line) for line in fix.commands)
