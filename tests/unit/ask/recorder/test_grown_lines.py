"""The line during which memory grew: which growth is given to which line, by stacks as py-spy tells them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.waiting import until
from tfdoctor.ask.recorder.grown_lines import GrownLines
from tfdoctor.ask.recorder.stacks import Frame, NoStacks, Stack, stacks_of
from tfdoctor.facts.outcome import Absent, Failed, Known

MB = 1 << 20
KERAS = Frame("fit", "/env/lib/python3.11/site-packages/keras/trainer.py", 300, own=False)


def stack(
    line: int, file: str = "/home/me/train.py", *, active: bool = True, thread: str = "MainThread"
) -> Stack:
    return Stack(thread, active, (KERAS, Frame("main", file, line, own=True)))


def watched(*grown: tuple[int, list[Stack]], limit: int = 1000 * MB) -> GrownLines:
    """With each (bytes in use, stacks at that time)."""
    told = list[list[Stack]]()
    lines = GrownLines(lambda pid, timeout_s: told[-1])
    lines.start()
    for used, stacks in grown:
        told.append(stacks)
        lines.look({"t": 0.0, "anon_bytes": used, "cgroup_limit_bytes": limit}, 1)
        until(lambda: not lines._wanted.is_set())
    lines.end()
    return lines


def test_growth_is_given_to_the_line_that_ran_inside_of_packages_too() -> None:
    found = watched((100 * MB, [stack(3)]), (400 * MB, [stack(7)]), (700 * MB, [stack(7)])).found()
    assert isinstance(found, Known)
    told = found.value
    assert (told.file, told.line, told.function) == ("/home/me/train.py", 7, "main")
    assert (told.grew, told.whole, told.text) == (600 * MB, 700 * MB, "")


def test_little_growth_and_memory_that_was_given_back_count_nothing() -> None:
    assert isinstance(watched((20 * MB, [stack(3)])).found(), Absent)
    found = watched((300 * MB, [stack(3)]), (100 * MB, [stack(9)]), (120 * MB, [stack(9)])).found()
    assert isinstance(found, Known) and found.value.line == 3


def test_a_thread_that_runs_goes_before_one_that_waits() -> None:
    both = [stack(3, active=False), stack(8, thread="loader")]
    found = watched((300 * MB, both)).found()
    assert isinstance(found, Known) and found.value.line == 8


def test_many_lines_name_none() -> None:
    lines = [(100 * MB * count, [stack(count)]) for count in range(1, 9)]
    assert isinstance(watched(*lines).found(), Absent)


def test_why_there_is_no_line() -> None:
    def refused(pid: int, timeout_s: float) -> list[Stack]:
        raise NoStacks("py-spy can't look at process 1: Permission Denied")

    lines = GrownLines(refused)
    lines._take(1, 100 * MB)
    assert lines.found() == Failed("py-spy can't look at process 1: Permission Denied", "missing")


DUMP = """#!/bin/sh
cat <<END
[{"pid": 1, "thread_name": "MainThread", "active": true, "owns_gil": true, "frames": [
 {"name": "load", "filename": "/srv/t.py", "module": null, "short_filename": "t.py", "line": 4, "locals": null},
 {"name": "<module>", "filename": "<frozen importlib>", "short_filename": "", "line": 1}]}]
END
"""


@pytest.mark.parametrize(("dump", "why"), [(DUMP, ""), ("#!/bin/sh\necho nothing\n", "can't be read"), ("#!/bin/sh\necho 'Error: Permission Denied' >&2\nexit 1\n", "Permission Denied")])  # fmt: skip
def test_what_py_spy_says(
    dump: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "py-spy"
    program.write_text(dump)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if why:
        with pytest.raises(NoStacks, match=why):
            stacks_of(1)
    else:
        frames = (
            Frame("load", "/srv/t.py", 4, own=True),
            Frame("<module>", "<frozen importlib>", 1, own=False),
        )
        assert stacks_of(1) == [Stack("MainThread", True, frames)]


def test_stacks_that_cost_much_are_taken_seldom() -> None:
    def slow(pid: int, timeout_s: float) -> list[Stack]:
        time.sleep(0.01)
        return [stack(3)]

    lines = GrownLines(slow)
    for _ in range(13):
        lines._take(1, 100 * MB)
    assert lines._next - time.monotonic() > 1.5
