"""`run` names the causes that `diagnose` finds in the same stderr: kept public logs as the words of a command that ended with 1."""

from __future__ import annotations

from typing import Any

import pytest

from tests.every import every
from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tests.scenarios.conftest import base
from tests.unit.judge.machines import bundled
from tests.unit.report.test_death import CALM, end
from tfdoctor.ask.recorder.postmortem import last_lines
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.report.death import RunReport, judge_run
from tfdoctor.report.diagnosis import CAUSE_FOUND

WATCHED = {check.code for check in in_catalog_order() if check.watched} - {"python-exception"}
"""How it ended, which `run` sees itself: a log may tell of another end than status 1."""
STATUS = {"exited-nonzero", "python-exception"}


def run_of(text: str, status: int = 1, how: str = "exit") -> RunReport:
    """The report of a command that wrote this to stderr, of which nothing else is known than how it ended."""
    lines = tuple(text.split("\n"))
    document: dict[str, Any] = {
        f"death.{name}": fact for name, fact in {**CALM, "end": end(how, status)}.items()
    }
    death = from_json({**base("watched"), **document}, Facts).death
    facts = replace(
        Facts(), death=replace(death, said=last_lines(Known(lines, "stderr"), telling=True))
    )
    return judge_run(
        facts,
        bundled(),
        command=("python",),
        status=status,
        samples=(),
        interval_s=1.0,
        words=lines,
    )


def roots(report: RunReport) -> set[str]:
    return {each.code for each in report.findings if each.role.value == "root"}


def agree(name: str) -> None:
    diagnosis = judged(log_of(name))
    told = {each.code for each in diagnosis.roots}
    if diagnosis.verdict != CAUSE_FOUND:
        told -= STATUS
    if not told & WATCHED:
        found = roots(run_of(log_of(name)))
        assert found == told if told else found <= STATUS


test_the_same_causes = pytest.mark.slow(every(NAMES[::4])(agree))
test_the_same_causes_of_all = pytest.mark.nightly(every(NAMES)(agree))

TRACEBACK = """Traceback (most recent call last):
  File "t.py", line 9, in <module>
    f()
  File "t.py", line 3, in f
    raise ValueError("seven")
ValueError: seven
"""


@pytest.mark.parametrize(
    ("text", "status", "outcome"),
    [
        (TRACEBACK, 1, "python-exception"),
        (TRACEBACK, 3, "python-exception"),
        ("Exception ignored in: <function Session.__del__ at 0x7f>\n" + TRACEBACK, 1, "exited-nonzero"),
        ("--- Logging error ---\n" + TRACEBACK + "Call stack:\n  File \"t.py\", line 12, in f\n", 1, "exited-nonzero"),
        ("ERROR:root:no cache\n" + TRACEBACK + "step 1 of 3\nusage: t.py FILE\n", 2, "exited-nonzero"),
        (TRACEBACK[: TRACEBACK.index("    raise")], 1, "python-exception"),
    ],
    ids=["uncaught", "passed on", "destructor", "logging", "went on", "cut off"],
)  # fmt: skip
def test_what_only_passed_by_did_not_end_it(text: str, status: int, outcome: str) -> None:
    run = run_of(text, status)
    assert run.outcome == outcome
    title = next(each.title for each in run.findings if each.code == outcome)
    assert ("File" not in title) and (
        ("ValueError" in title) == ("ValueError" in text and outcome != "exited-nonzero")
    )


NO_LIBRARY = "2026-11-01 10:00:00.1: E tensorflow/compiler/xla/stream_executor/cuda/cuda_driver.cc:268] failed call to cuInit: UNKNOWN ERROR (303)\n"


@pytest.mark.parametrize(("signal", "outcome"), [(11, "native-crash"), (9, "killed-by-user")])
def test_a_signal_is_worse_than_a_warning_above_it(signal: int, outcome: str) -> None:
    run = run_of(NO_LIBRARY + "step 1\n", signal, "signal")
    assert (run.outcome, [each.code for each in run.findings]) == (outcome, [outcome])


@pytest.mark.parametrize(
    ("words", "signal"),
    [("Illegal instruction (core dumped)\n", 4), ("sh: line 1: 7 Bus error  ./a\n", 7)],
)
@pytest.mark.parametrize("how", ["signal", "exit"])
def test_a_shells_word_for_a_signal_tells_no_more_than_the_signal(
    words: str, signal: int, how: str
) -> None:
    run = run_of(words, signal if how == "signal" else 128 + signal, how)
    assert (run.outcome, roots(run)) == ("native-crash", {"native-crash"})
