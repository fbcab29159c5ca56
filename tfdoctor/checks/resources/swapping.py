"""Whether the machine waits for its swap instead of computing: at this moment, or while a command was being watched."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.facts.death import Reading
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence

_STALLED_PERCENT = 10.0
"""PSI "full": the share of time in which no task at all could go on for lack of memory (kernel, accounting/psi.rst)."""
_PSI = "Linux pressure stall information"
_PLENTY = 0.1
"""Of the machine's memory: with so much of it available, tasks that wait for memory wait for cached files to be dropped, as
beside an installation of gigabytes (12 % of ten seconds with 20 of 23 GB available; measured 2026-11-22)."""
_SWAPPED_IN = 1000.0
"""Pages a second, about 4 MB: a rule of thumb; a machine that works swaps in next to nothing."""


@check("swap-thrashing", prevents=Ability.NOTHING)
def swapping(case: Case) -> Found | None:
    """The share of time in which every task waited for memory (PSI) while little is left, or the pages swapped in each
    second. Of a command that was watched, the pages come first: it may have had a small limit on a large machine.
    """
    evidence = _while_it_ran(case.facts.death.reading) or _now(case.facts)
    if evidence:
        return _found(evidence)
    stalled, rate = case.facts.memory.pressure_full_avg10, case.facts.memory.swap_in_per_s
    if isinstance(stalled, Known) or isinstance(rate, Known):
        return None
    if isinstance(stalled, Absent) and isinstance(rate, Absent):
        return None
    for fact in (stalled, rate):
        case.need_outcome(fact)
    return None


def _while_it_ran(reading: Fact[Reading]) -> list[Evidence]:
    if not isinstance(reading, Known):
        return []
    pages = _of_pages("death.reading", reading.value.most_swapped_in)
    return [*_of_pressure("death.reading", reading.value.most_pressure), *pages] if pages else []


def _now(facts: Facts) -> list[Evidence]:
    waited = (
        [] if _plenty(facts) else _of_pressure("memory.pressure_full_avg10", facts.memory.pressure_full_avg10)
    )
    return [*waited, *_of_pages("memory.swap_in_per_s", facts.memory.swap_in_per_s)]


def _of_pressure(fact: str, stalled: Fact[float]) -> list[Evidence]:
    if not isinstance(stalled, Known) or stalled.value < _STALLED_PERCENT:
        return []
    words = f"{stalled.value:.0f} % of the time"
    return [Evidence(fact, words, f"<{_STALLED_PERCENT:.0f} %", _PSI)]


def _of_pages(fact: str, rate: Fact[float]) -> list[Evidence]:
    if not isinstance(rate, Known) or rate.value < _SWAPPED_IN:
        return []
    return [Evidence(fact, f"{rate.value:.0f} pages/s", f"<{_SWAPPED_IN:.0f} pages/s", "a rule of thumb")]


def _plenty(facts: Facts) -> bool:
    available, total = facts.memory.ram_available, facts.memory.ram_total
    known = isinstance(available, Known) and isinstance(total, Known)
    return known and value_or(available, 0) >= _PLENTY * value_or(total, 0)


def _found(evidence: Sequence[Evidence]) -> Found:
    """Certain where the system's own word for waiting is among the evidence."""
    return Found(
        "Every step waits for the disk, so training is many times slower than it could be.",
        tuple(evidence),
        (fix("need-less-memory"),),
        Confidence.CERTAIN if evidence[0].source == _PSI else Confidence.LIKELY,
    )
