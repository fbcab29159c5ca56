"""A child that is started, talked to and ended later; its memory is watched from its first moment."""

from __future__ import annotations

import sys
import time

import pytest

from tfdoctor.children.process import Child

PYTHON = [sys.executable, "-I", "-S", "-c"]


def test_a_child_waits_for_its_word() -> None:
    output: list[bytes] = []
    child = Child([*PYTHON, "print(input()[::-1])"], on_stdout=output.append)
    time.sleep(0.2)
    assert output == []
    child.send(b"abc\n", last=True)
    result = child.wait(10)
    assert (result.how, result.status, result.stdout) == ("exit", 0, b"cba\n")
    assert b"".join(output) == b"cba\n"


@pytest.mark.clock
def test_a_child_that_is_not_needed_is_ended_at_once() -> None:
    started = time.monotonic()
    child = Child([*PYTHON, "import time; time.sleep(60)"])
    assert child.end().how == "timeout"
    assert time.monotonic() - started < 3


@pytest.mark.clock
def test_a_child_that_does_not_read_does_not_block_its_parent() -> None:
    started = time.monotonic()
    child = Child([*PYTHON, "import time; time.sleep(60)"])
    child.send(b"x" * (1 << 20))
    assert child.wait(0.3).how == "timeout"
    assert time.monotonic() - started < 3


@pytest.mark.slow  # waits for a limit
def test_memory_is_watched_before_anybody_waits() -> None:
    text = "import time\nkept = bytearray(1 << 28)\ntime.sleep(60)"
    child = Child([*PYTHON, text], memory_bound=100 << 20)
    time.sleep(2)
    assert child.wait(10).how == "memory-bound"


def test_the_bound_may_be_lowered_while_it_runs() -> None:
    child = Child([*PYTHON, "import time\nkept = bytearray(1 << 27)\ntime.sleep(60)"], memory_bound=1 << 30)
    time.sleep(0.5)
    child.memory_bound = 64 << 20
    result = child.wait(10)
    assert result.how == "memory-bound"
    assert result.peak_rss > 64 << 20
