"""What takes the machine itself: a real swap, and the end of all its memory: `make host-deaths`, on a machine of your own.

As root, with nothing else at work. The command makes itself the first that the kernel kills, so nothing else dies. Rows for
docs/results/deaths.md are printed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory_group import MemoryGroup, memory_group
from tests.real.memory_causes import CAUSES
from tests.real.test_run_deaths import NOBODY
from tests.unit.ask.recorder.watched import Watched, watched

pytestmark = [pytest.mark.slow, pytest.mark.real]

MIB = 1 << 20
LIMIT_S = 600.0
SWAPPING = """
import mmap, time
held, until = mmap.mmap(-1, 700 << 20), time.monotonic() + 25
while time.monotonic() < until:
    for at in range(0, len(held), 4096):
        held[at] = (held[at] + 1) & 255
"""
FILLING = """
with open("/proc/self/oom_score_adj", "w") as file:  # any user may say: end me first
    file.write("1000")
kept = []
while True:
    kept.append(b"x" * (64 << 20))
"""


@pytest.fixture
def swap(tmp_path: Path) -> Iterator[None]:
    """Two gigabytes of it, for as long as the test takes."""
    file = tmp_path / "swap"
    subprocess.run(["fallocate", "-l", "2G", str(file)], check=True)
    file.chmod(0o600)
    for command in ("mkswap", "swapon"):
        subprocess.run([command, str(file)], check=True, capture_output=True)
    yield
    subprocess.run(["swapoff", str(file)], check=True)
    file.unlink()


@pytest.fixture
def small() -> Iterator[MemoryGroup]:
    """300 MiB of memory, and as much swap as there is."""
    with memory_group(300 * MIB) as found:
        found.allow_swap()
        yield found


def told(code: str, run: Watched, took: float) -> None:
    found = run.finding(code)
    seen = "; ".join(each["observed"] for each in found["evidence"])
    sys.stdout.write(
        f"\n| `{code}` | `{run.outcome}` | {', '.join(run.roots)} | {found['confidence']} | {took:.0f} s | {seen} |"
    )


def test_a_command_that_swaps_in_its_container(
    tmp_path: Path, swap: None, small: MemoryGroup
) -> None:
    began = time.monotonic()
    run = watched(tmp_path, sys.executable, "-c", SWAPPING, before=small.inside(), limit_s=LIMIT_S)
    told("swap-thrashing", run, time.monotonic() - began)
    assert run.outcome == "success", run.stderr.decode()[-2000:]
    assert run.roots == ["swap-thrashing"]
    assert any("pages/s" in each["observed"] for each in run.finding("swap-thrashing")["evidence"])


def test_a_program_whose_data_do_not_fit_is_named_by_its_line_and_fitting_ones_are_silent(
    tmp_path: Path, swap: None, small: MemoryGroup, tensorflow_python: Path, py_spy: None
) -> None:
    cause, program, began = CAUSES["swapping"], tmp_path / "train.py", time.monotonic()
    program.write_text(cause.program)
    command = small.inside(str(tensorflow_python), str(program))
    run = watched(tmp_path, *command, limit_s=LIMIT_S)
    told("swap-thrashing", run, time.monotonic() - began)
    found = run.finding("swap-thrashing")
    assert (run.outcome, tuple(run.roots)) == ("success", cause.roots)
    line = 1 + next(at for at, text in enumerate(cause.program.splitlines()) if cause.line in text)
    assert f"line {line} ran" in found["title"] and cause.says in found["fixes"][0]["title"]
    ((old, new),) = cause.edits
    program.write_text(cause.program.replace(old, new))
    after = watched(tmp_path, *command, limit_s=LIMIT_S)
    assert (after.outcome, after.roots) == ("success", [])


@pytest.mark.parametrize("who", ["root", "nobody"])
def test_a_command_that_takes_all_of_the_machines_memory(who: str, anybodys: Path) -> None:
    before = NOBODY if who == "nobody" else ()
    began = time.monotonic()
    run = watched(anybodys, "/usr/bin/python3", "-c", FILLING, before=before, limit_s=LIMIT_S)
    told("host-oom-killed", run, time.monotonic() - began)
    assert run.outcome == "host-oom-killed", run.stderr.decode()[-2000:]
    # A fill that takes a minute is a leak to who looks on.
    assert run.roots in (
        ["host-oom-killed"],
        ["host-memory-leak"],
    )
    assert run.finding("host-oom-killed")["evidence"]
