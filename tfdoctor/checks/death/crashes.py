"""A watched program that died in native code, itself or one of its processes."""

from __future__ import annotations

import signal

from tfdoctor.checks.death.whose import (
    CRASHES,
    Victim,
    death_as_evidence,
    end_of,
    victim,
    who,
    workers,
)
from tfdoctor.checks.engine.case import Case, Found
from tfdoctor.checks.questions.stage_output import words
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence
from tfdoctor.system.signal_names import signal_name


def native_crash(case: Case) -> Found | None:
    """Of the command or of a process whose death it passed on, else of a worker that it survived."""
    dead = crashed(case)
    if dead is None or (dead.signal == signal.SIGABRT and words(case.facts, "check-failed") is not None):
        return None
    frame = _frame(case)
    where = f" in {frame}" if frame else ""
    below = f", below {frame.split(' ', 1)[0]}" if frame else ""
    shown = (Evidence("death.said", frame, "", "the innermost Python frame (faulthandler)"),) if frame else ()
    return Found(
        f"{who(dead)} died of {signal_name(dead.signal)}{where}: {CRASHES[signal.Signals(dead.signal)]}. Nothing that Python code does can catch that.",
        (*death_as_evidence(case, dead), *shown),
        (fix("find-native-module"),),
        dead.confidence,
        title=f"{who(dead)} crashed in native code{below}.",
    )


def crashed(case: Case) -> Victim | None:
    end_of(case)
    dead = victim(case)
    if dead is not None:
        return dead if dead.signal in CRASHES else None
    return next((each for each in workers(case) if each.signal in CRASHES), None)


def _frame(case: Case) -> str:
    """The innermost of the thread that crashed: faulthandler lists the others, too, and some before it."""
    from tfdoctor.signatures.catalogue import first

    lines = value_or(case.facts.death.said, ())
    current = next(
        (place for place, line in enumerate(lines) if first(line, "faulthandler-current-thread")), 0
    )
    hits = (first(line, "faulthandler-frame") for line in lines[current:])
    frame = next((hit.told for hit in hits if hit), None)
    return f"{frame['function']} ({frame['file']}:{frame['line']})" if frame else ""
