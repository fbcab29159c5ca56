"""A crash behind the program's own word that its model is saved or its work done: mostly it died while it was being taken down."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_DONE = (
    "model-saved",
    "work-complete",
    "work-completed",
    "work-finished",
    "work-said-done",
    "work-successful",
)
_AT_WORK = ("epoch", "keras-step")
_BEHIND = 6
"""Lines between the word and the crash: the heading of a stack, an empty line, what a shell says."""
_ILLEGAL = 4
_TITLE = "The program crashed right after it said that its {what}: mostly while it was being taken down at its end."
_WORDS = (
    "Line {line} says that the {what}, and the next that is told is the crash. At the end of a program Python and the compiled libraries are taken down one after another, and threads that still run "
    "(of a data pipeline, of OpenCV, of CUDA) then meet what is gone already. What was written and closed before that is there. If the program goes on after that line, the crash is in what comes next there."
)
_READ_BACK = fix("see-whether-what-was-saved-can")
_LEAVE = fix("where-only-crash-disturbs-exit-status")


def at_its_end(told: Testimony, ending: Ending) -> Candidate | None:
    """None where a package's own frames stand below the crash, and where the program was at work again."""
    said = _said(told, ending)
    if said is None:
        return None
    what = "model is saved" if said.name == "model-saved" else "work is done"
    places = (place(ending), place(said))
    return Candidate("native-crash", Confidence.CERTAIN, places, _WORDS.format(line=said.line, what=what), title=_TITLE.format(what=what))  # fmt: skip


def end_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no crash came behind the work."""
    crashed = [each for each in told.endings if each.how == "signal"]
    if not crashed or _said(told, crashed[-1]) is None:
        return ()
    witness = fix("see-where-stands-when-crashes-where", python=interpreter(facts))
    return (_READ_BACK, _LEAVE, witness)


def _said(told: Testimony, ending: Ending) -> Saying | None:
    if ending.package or ending.status == _ILLEGAL:
        return None
    done = [
        each
        for each in told.named(*_DONE)
        if each.file == ending.file and 0 < ending.line - each.line <= _BEHIND
    ]
    if not done or any(
        each.file == ending.file and each.line > done[-1].line for each in told.named(*_AT_WORK)
    ):
        return None
    return done[-1]
