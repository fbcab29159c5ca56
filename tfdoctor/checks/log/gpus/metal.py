"""A crash of compiled code on a Mac while Apple's plug-in for its GPU was loaded."""

from __future__ import annotations

from tfdoctor.checks.gpu.metal import plugin_ways
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_CODE = "metal-plugin-mismatch"
_METAL_CRASHES = (5, 6, 10, 11)
"""SIGTRAP, SIGABRT, SIGBUS by macOS' own number, SIGSEGV."""
_TITLE = "The program crashed in compiled code while tensorflow-metal, Apple's plug-in for the Mac's GPU, was at work."
_WORDS = (
    "The log shows the plug-in set up, and then a death that Python code alone can't cause. Apple builds tensorflow-metal against certain releases of TensorFlow and has made none since 1.2 (2025-01); beside newer ones, and at "
    "some operations, it crashes. The same program on the processor tells: where it runs there, the plug-in is the reason."
)
_WITHOUT = fix("run-once-on-processor-if-goes")


def of_metal(facts: Facts, ending: Ending) -> Candidate | None:
    """None elsewhere than where the plug-in is named, and for a death in another package's code."""
    if not shown(facts).metal or ending.status not in _METAL_CRASHES or ending.package:
        return None
    opened = question((_CODE, "native-crash"), "packages.installed")
    return Candidate(_CODE, Confidence.LIKELY, (place(ending),), _WORDS, opened, _TITLE)


_CHECKS = ("fatal-line", "fatal-line-absl", "check-failed-line")
_CHECK_TITLE = "TensorFlow aborted on a check of its own ({message}) while tensorflow-metal, Apple's plug-in for the Mac's GPU, was at work."


def of_metal_check(facts: Facts, saying: Saying) -> Candidate | None:
    """A check of TensorFlow that failed beside the plug-in; None elsewhere."""
    if saying.name not in _CHECKS or not shown(facts).metal:
        return None
    message = saying.told.get("message", "").strip()[:80] or saying.name
    opened = question((_CODE, "check-failed"), "packages.installed")
    title = _CHECK_TITLE.format(message=message)
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), _WORDS, opened, title)


def metal_crash_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no crash is told."""
    crashed = any(each.how == "signal" and of_metal(facts, each) for each in told.endings)
    if not crashed and not any(of_metal_check(facts, each) for each in told.sayings):
        return ()
    release = facts.tensorflow.version
    pair = plugin_ways(facts, str(release.value))[:1] if isinstance(release, Known) else ()
    return (_WITHOUT, *pair)
