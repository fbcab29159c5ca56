"""A command ends with its recorder, however that ends: nobody else knows of it any more."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from tests.unit.ask.recorder.shell import RUN as TYPED
from tests.unit.ask.recorder.shell import Shell
from tests.unit.ask.recorder.watched import RUN, environment
from tests.waiting import alive, gone, until

pytestmark = pytest.mark.slow  # starts the program

DEAF = "trap '' HUP TERM INT; echo $$ > {0}; while :; do sleep 1; done"
WITH_CHILD = (
    "trap '' HUP; (trap '' HUP; echo $BASHPID > {0}.child; exec sleep 100) & echo $$ > {0}; wait"
)


def number_in(file: Path) -> int:
    return int(until(lambda: file.exists() and file.read_text().strip()) or 0)


@pytest.mark.parametrize("stream", [subprocess.PIPE, subprocess.DEVNULL, "file"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_without_a_terminal(number: signal.Signals, stream: int | str, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    with (tmp_path / "err").open("wb") as file:
        run = subprocess.Popen(
            [*RUN, "--", "bash", "-c", DEAF.format(told)],
            env=environment(tmp_path),
            stderr=file if isinstance(stream, str) else stream,
        )
    command = number_in(told)
    assert alive(command)
    os.kill(run.pid, number)
    gone([command])
    run.communicate()


def test_on_a_terminal_with_what_it_started(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    shell = Shell(environment(tmp_path))
    try:
        shell.enter(f"{TYPED} bash -c {shlex.quote(WITH_CHILD.format(told))} & echo recorder $!.")
        recorder = int(shell.until(r"recorder \d+\.").split()[-1].rstrip("."))
        command, child = number_in(told), number_in(Path(f"{told}.child"))
        os.kill(recorder, signal.SIGKILL)
        gone([command, child])
    finally:
        shell.close()


def test_a_daemon_outlives_a_run_that_ended_by_itself(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    script = f"setsid sleep 30 > /dev/null 2>&1 & echo $! > {told}"
    assert (
        subprocess.run(
            [*RUN, "--", "bash", "-c", script], env=environment(tmp_path), check=False
        ).returncode
        == 0
    )
    daemon = number_in(told)
    assert alive(daemon)
    os.kill(daemon, signal.SIGKILL)
