"""Logs made from the facts of public threads (the third round): the cause that is named first, and the first line to type.

A case is a YAML file in `logs/`: its story in our own words, the thread, the cause that the thread established, and a log. The
lines of its errors are those that were posted; what stands around them is ours, and names of people and machines are gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.logs.error_lines import ERROR, error_lines_called_fine
from tests.logs.judged import judged
from tfdoctor.knowledge.model import Finding
from tfdoctor.knowledge.shells import LEFT_OUT
from tfdoctor.report.diagnosis import Diagnosis
from tfdoctor.say.diagnosis_view import diagnosis_view
from tfdoctor.say.terminal import Page, render_text

WENT_ON = {
    "h4-14-01-faceswap-exit-del": "Python ignores an exception of a destructor at exit",
    "h4-14-08-tune-one-terminated": "Python ignores an exception of a destructor at exit, after all trials",
    "h4-14-16-dlc-thread-after-training": "a thread's queue is closed after the training",
    "h4-14-17-deepjetcore-generator-ran-out": "TensorFlow warns of a generator's end, and the epoch goes on",
    "h4-14-31-distutils-precedence-pth": "Python ignores the remainder of a .pth file",
    "h4-15-16-deleter-at-exit": "Python ignores exceptions of destructors at exit",
    "r4-o3-no-device-on-purpose": "the last step hides the GPU and finishes",
}
"""Logs with an error that stopped nothing."""
LOGS = Path(__file__).parent / "logs"
NAMES = sorted(path.stem for path in LOGS.glob("*.yaml"))


@cache
def _case(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    said: dict[str, Any] = yaml.load((LOGS / f"{name}.yaml").read_text("utf-8"), loader)
    return said


def log_of(name: str) -> str:
    text: str = _case(name)["log"]
    return text


@cache
def _diagnosis(name: str) -> Diagnosis:
    return judged(log_of(name))


@cache
def screen(name: str) -> list[str]:
    return render_text(diagnosis_view(_diagnosis(name)), Page(80)).splitlines()


def _wrong_cause(case: dict[str, Any], root: Finding) -> Iterator[str]:
    """What the answer of a log with a cause lacks: the cause, the words that name the culprit, the first line to type."""
    if root.code != case["root"]:
        yield f"{root.code} comes first"
        return
    text = f"{root.title} {root.explanation}"
    yield from (f"{each!r} is not said" for each in case["says"] if each not in text)
    typed = " && ".join(root.fixes[0].commands) if root.fixes else ""
    if case["first_fix"] not in typed:
        yield f"the first line to type is {typed}"


def _wrong_screen(name: str) -> Iterator[str]:
    """The first fix that is not within the first eight lines, and shell syntax of ours that was taken for the log's."""
    fix = diagnosis_view(_diagnosis(name)).fix
    wanted = fix.commands[:1] or [f"  Fix       {fix.title}"[:40]] if fix else []
    yield from (text for text in wanted if not any(text in line for line in screen(name)[:8]))
    fixes = [fix for each in _diagnosis(name).diagnoses for fix in each.finding.fixes]
    yield from (
        f"{fix.title}: add it to fixes/shell_words.py" for fix in fixes if fix.note.startswith(LEFT_OUT)
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_log_gets_its_answer(name: str) -> None:
    roots = [each.finding for each in _diagnosis(name).roots]
    if _case(name)["root"] == "none":
        assert [each.code for each in roots] == []
    else:
        assert roots
        assert [*_wrong_cause(_case(name), roots[0]), *_wrong_screen(name)] == []
    if name not in WENT_ON:
        assert error_lines_called_fine(log_of(name), _diagnosis(name)) == []


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WENT_ON)))
def test_a_kept_log_cut_behind_its_first_error_is_not_fine(name: str) -> None:
    lines = log_of(name).splitlines()
    first = next((number for number, line in enumerate(lines, 1) if ERROR.search(line)), 0)
    text = "\n".join(lines[:first])
    assert not first or error_lines_called_fine(text, judged(text)) == []
