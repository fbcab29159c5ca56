"""A child that is started, talked to and ended later; its memory is watched from its first moment."""

from __future__ import annotations

import sys

from tests.waiting import gone, until
from tfdoctor.base.child import Child

PYTHON = [sys.executable, "-I", "-S", "-c"]


def test_a_child_waits_for_its_word() -> None:
    output: list[bytes] = []
    child = Child([*PYTHON, "print(1, flush=True); print(input()[::-1])"], on_stdout=output.append)
    until(lambda: output)
    child.send(b"abc\n", last=True)
    result = child.wait(60)
    assert (result.how, result.status, result.stdout) == ("exit", 0, b"1\ncba\n")
    assert output[0] == b"1\n"


def test_a_child_that_is_not_needed_is_ended_at_once() -> None:
    child = Child([*PYTHON, "import time; time.sleep(60)"])
    assert child.end().how == "timeout"


def test_a_child_that_does_not_read_does_not_block_its_parent() -> None:
    child = Child([*PYTHON, "import time; time.sleep(60)"])
    child.send(b"x" * (1 << 20))
    assert child.wait(0.3).how == "timeout"


def test_memory_is_supervised_before_anybody_waits() -> None:
    output: list[bytes] = []
    text = "import os, time\nprint(os.getpid(), flush=True)\nkept = bytearray(1 << 28)\ntime.sleep(600)"
    child = Child([*PYTHON, text], memory_bound=100 << 20, on_stdout=output.append)
    gone([int(until(lambda: output)[0])])
    assert child.wait(60).how == "memory-bound"


def test_the_bound_may_be_lowered_while_it_runs() -> None:
    output: list[bytes] = []
    text = "import time\nkept = bytearray(1 << 27)\nprint(1, flush=True)\ntime.sleep(600)"
    child = Child([*PYTHON, text], memory_bound=1 << 30, on_stdout=output.append)
    until(lambda: output)
    child.memory_bound = 64 << 20
    result = child.wait(60)
    assert result.how == "memory-bound"
    assert result.peak_rss > 64 << 20
