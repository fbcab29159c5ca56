"""Deaths on Macs: the same words as elsewhere, and other causes behind them."""

from __future__ import annotations

from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.log.candidate import Candidate, of_page, question
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.knowledge.model import Confidence
from tfdoctor.knowledge.says import says

_SIGNED = ("mac-code-signature", "mac-code-signing")
_AT_WORK = ("epoch", "keras-step", "gpu-created", "gpu-created-old", "pluggable-created")
_BROKEN = "tensorflow-install-broken"
_METAL_CRASHES = (5, 6, 10, 11)
"""SIGTRAP, SIGABRT, SIGBUS by macOS' own number, SIGSEGV."""


def on_a_mac(facts: Facts) -> bool:
    return value_or(facts.host.os, "") == "macos"


def killed(facts: Facts, told: Testimony, places: tuple[Place, ...]) -> Candidate | None:
    """SIGKILL while TensorFlow was imported: hardly memory. None for a program that was at work, and elsewhere than on Macs."""
    signed = told.named(*_SIGNED)
    if not on_a_mac(facts) or not (signed or (told.named("tensorflow-imported") and not told.named(*_AT_WORK))):  # fmt: skip
        return None
    sure, opened = (Confidence.CERTAIN, None) if signed else (Confidence.POSSIBLE, question((_BROKEN, "host-oom-killed", "killed-by-user"), "kernel_log.crash_reports"))  # fmt: skip
    at = (*map(place, signed), *places)
    return Candidate(
        _BROKEN,
        sure,
        at,
        says("tensorflow-install-broken", "unsigned"),
        opened,
        says("tensorflow-install-broken", "unsigned-title"),
    )


def of_metal(facts: Facts, ending: Ending) -> Candidate | None:
    """A crash of compiled code beside Apple's plug-in for the GPU. None elsewhere, and for a death in another package's code."""
    if not shown(facts).metal or ending.status not in _METAL_CRASHES or ending.package:
        return None
    fact, others, at = "packages.installed", ("native-crash",), (place(ending),)
    return of_page("metal-plugin-mismatch", "crashed", at, others=others, fact=fact)
