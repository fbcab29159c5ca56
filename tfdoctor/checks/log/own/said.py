"""A program's own error whose words are known: what they mean, the message itself, and the place in the program."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.own_words import words_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.titles import OF_A_TEXT
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.findings.model import Confidence, Fix

_CODE = "python-exception"
_MOST = 200


def known_error(told: Testimony, saying: Saying) -> Candidate | None:
    """None for what is no such text."""
    if saying.code != _CODE or not (words := words_of(saying.name)):
        return None
    last = _ending(told, saying)
    where = f" It arose in {last.frame}." if last is not None and last.frame else ""
    shown = " ".join((last.what if last is not None else saying.text).split()).rstrip(".")
    shown = shown if len(shown) <= _MOST else _around(shown, saying)
    return Candidate(_CODE, Confidence(saying.sure), (place(saying),), f"{words} The message: {shown}.{where}", title=OF_A_TEXT.get(saying.name, ""))  # fmt: skip


def _around(text: str, saying: Saying) -> str:
    """The beginning, and with it what the message names."""
    named = ", ".join(value for value in saying.told.values() if value and value not in text[:_MOST])
    return f"{text[:_MOST]} …" + (f" ({named[:_MOST]})" if named else "")


def _ending(told: Testimony, saying: Saying) -> Ending | None:
    """The exception of the saying's line, or the run's last one that repeats its words."""
    raised = [each for each in told.endings if each.how == "exception"]
    at = [each for each in raised if place(each) == place(saying)]
    again = [each for each in raised if any(value and value in each.what for value in saying.told.values())]
    return next(iter([*at, *reversed(again)]), None)


def place_fix(told: Testimony) -> tuple[Fix, ...]:
    """The line of the user's own that the run's last exception names; () where it names none, or another kind of error."""
    known = [each for each in told.of(_CODE) if words_of(each.name)]
    last = _ending(told, known[0]) if known else None
    if last is None or not last.frame or "-packages" in last.frame:
        return ()
    return (Fix(f"Look at {last.frame}: it is the last line of your own code before the error"),)
