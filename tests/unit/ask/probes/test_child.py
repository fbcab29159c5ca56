"""A child may hang, die, flood or eat memory: its parent always answers, in time and in bounded memory."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from tests.waiting import gone
from tfdoctor.base import child as children
from tfdoctor.base.child import Child, run_child
from tfdoctor.base.processes import sum_bytes

pytestmark = pytest.mark.slow  # waits for limits

PYTHON = sys.executable


def program(text: str) -> list[str]:
    return [PYTHON, "-I", "-S", "-c", text]


def test_an_answer_comes_back() -> None:
    result = run_child(program("print(input()[::-1])"), timeout_s=10, stdin=b"abc\n")
    assert (result.how, result.status, result.stdout) == ("exit", 0, b"cba\n")
    assert result.ok


def test_an_exit_status_is_kept() -> None:
    result = run_child(program("import sys; sys.stderr.write('why'); sys.exit(3)"), timeout_s=10)
    assert (result.how, result.status, result.stderr) == ("exit", 3, b"why")
    assert "status 3" in result.describe()


def test_a_signal_is_named() -> None:
    result = run_child(program("import os; os.kill(os.getpid(), 11)"), timeout_s=10)
    assert (result.how, result.status) == ("signal", 11)
    assert "SIGSEGV" in result.describe()


def test_a_hang_ends_at_its_limit() -> None:
    result = run_child(
        program("import time; print('begun', flush=True); time.sleep(600)"), timeout_s=2
    )
    assert (result.how, result.stdout) == ("timeout", b"begun\n")


def test_what_the_child_started_ends_with_it() -> None:
    text = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "print(p.pid, flush=True)"
    )
    gone([int(run_child(program(text), timeout_s=60).stdout)])


def test_a_flood_is_bounded_and_does_not_block_the_child() -> None:
    text = (
        "import sys\nfor _ in range(2000): sys.stdout.write('x' * 65536)\nsys.stdout.write('END')"
    )
    before = sum_bytes([os.getpid()])[0]
    result = run_child(program(text), timeout_s=60, keep_bytes=10_000)
    assert result.ok
    assert result.overflow
    assert len(result.stdout) <= 20_000
    assert result.stdout.endswith(b"END")
    assert sum_bytes([os.getpid()])[0] - before < 50 << 20


def test_memory_is_supervised() -> None:
    text = (
        "import time\nkept = []\nwhile True:\n  kept.append(bytearray(8 << 20)); time.sleep(0.005)"
    )
    result = run_child(program(text), timeout_s=30, memory_bound=150 << 20)
    assert result.how == "memory-bound"
    assert 150 << 20 < result.peak_rss < 2000 << 20


def test_what_does_not_exist_is_an_answer() -> None:
    result = run_child(["/no/such/program"], timeout_s=1)
    assert (result.how, result.status) == ("not-started", -1)
    assert "No such file" in result.describe()


def test_a_nul_byte_in_the_command_is_an_answer() -> None:
    assert run_child(["pro\0gram"], timeout_s=1).how == "not-started"


@pytest.mark.parametrize(
    ("exits_by", "how"),
    [
        ("sum(range(100_000_000))", "exit"),
        ("time.sleep(600)", "timeout"),
        ("while True: pass", "timeout"),
    ],
    ids=["works for longer than it may stand still", "stands still", "never stops working"],
)
def test_one_that_has_done_everything_may_work_at_its_end_but_not_for_ever(
    exits_by: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_EXIT_S", 1.0)
    monkeypatch.setattr(children, "_EXIT_CPU_S", 60.0 if how == "exit" else 1.0)
    finished = threading.Event()
    finished.set()
    result = Child(program(f"import time\n{exits_by}")).wait(60, finished)
    assert result.how == how
    assert result.duration_s < 50
