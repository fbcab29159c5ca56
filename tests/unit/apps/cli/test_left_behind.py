"""Whatever an examined interpreter starts, also in sessions of its own, ends with the doctor, unless that is killed outright."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.unit.apps.cli.running import environment
from tests.waiting import gone, until
from tfdoctor.ask.probes.smoke.scratch import Scratch
from tfdoctor.base.processes import any_left, tree

pytestmark = pytest.mark.slow  # each test starts the program


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """An interpreter that starts two daemons before it answers; the second has lost its parent, too."""
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    mark = f"exec sleep 600 # {tmp_path}"
    program.write_text(
        f"#!/bin/sh\nsetsid sh -c 'echo $$ >> {tmp_path}/pids; {mark}' </dev/null >/dev/null 2>&1 &\n"
        f"(setsid sh -c 'echo $$ >> {tmp_path}/pids; {mark}' </dev/null >/dev/null 2>&1 & )\n"
        f"while [ $(wc -l < {tmp_path}/pids) -lt 2 ]; do sleep 0.01; done\n"
        f'sleep ${{SLEEPS:-0}}\nexec {shlex.quote(sys.executable)} "$@"\n'
    )
    program.chmod(0o755)
    (tmp_path / "pids").touch()
    return program


def check(hook: Path, **more: str) -> subprocess.Popen[bytes]:
    words = ["check", "--smoke", "none", "--json", "--timeout", "20", "--python", str(hook)]
    return subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", *words],
        env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def pids(hook: Path) -> list[int]:
    return [int(pid) for pid in (hook.parents[1] / "pids").read_text().split()]


def daemons(hook: Path) -> list[psutil.Process]:
    until(lambda: len(pids(hook)) > 1)
    return [psutil.Process(pid) for pid in pids(hook)]


def test_a_daemon_ends_with_an_examination_that_ends_well(hook: Path) -> None:
    process = check(hook)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, b""), "there is no TensorFlow in it"
    assert out.endswith(b"}\n")
    assert len(pids(hook)) > 1
    gone(pids(hook))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_daemon_ends_with_the_doctor(number: int, hook: Path) -> None:
    process = check(hook, SLEEPS="100")
    assert all(each.is_running() for each in daemons(hook))
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode in (-number, 130)
    gone(pids(hook))


def test_where_its_worker_is_killed_there_is_a_document(hook: Path) -> None:
    process = check(hook, SLEEPS="100")
    daemons(hook)
    psutil.Process(tree(process.pid)[1]).kill()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b'"verdict": "unknown"' in out
    gone(pids(hook))


def test_what_a_shell_had_started_before_it_became_the_doctor_stays(tmp_path: Path) -> None:
    command = f"sleep 300 >/dev/null 2>&1 & echo $! > {tmp_path}/pid; exec {shlex.quote(sys.executable)} -m tfdoctor check --smoke none --json --python {shlex.quote(sys.executable)}"
    ran = subprocess.run(
        ["sh", "-c", command], env=environment(), capture_output=True, timeout=60, check=False
    )
    assert ran.stdout.endswith(b"}\n")
    pid = int((tmp_path / "pid").read_text())
    assert psutil.pid_exists(pid)
    os.kill(pid, signal.SIGKILL)


def test_with_sigchld_ignored_by_the_caller_it_answers(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "check", "--smoke", "none", "--json", "--python", sys.executable],
        env=environment(), capture_output=True, timeout=60, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),  # as some service managers start programs
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert ran.stdout.endswith(b"}\n")


def test_the_next_start_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    old = tmp_path / "tfdoctor-forgotten"
    (old / "keras").mkdir(parents=True)
    foreign = tmp_path / "tfdoctor-of-somebody-else"
    foreign.mkdir()
    used = Scratch()
    (used.folder / "keras").mkdir()
    fresh = Scratch()
    assert sorted(os.listdir(tmp_path)) == sorted(
        [foreign.name, used.folder.name, fresh.folder.name]
    )
    used.remove()
    fresh.remove()
    assert os.listdir(tmp_path) == [foreign.name]


def test_a_static_examination_removes_it_at_once(tmp_path: Path) -> None:
    killed = "import os, signal; from tfdoctor.ask.probes.smoke.scratch import Scratch, environment; environment({}, Scratch().folder); os.kill(os.getpid(), signal.SIGKILL)"
    variables = environment(TMPDIR=str(tmp_path))
    ended = subprocess.run([sys.executable, "-c", killed], env=variables, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) == 1
    words = ["check", "--smoke", "none", "--json", "--python", sys.executable]
    subprocess.run(
        [sys.executable, "-m", "tfdoctor", *words],
        env=variables,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert os.listdir(tmp_path) == []


def test_no_child_is_no_child() -> None:
    if not any_left():
        assert tree(os.getpid()) == [os.getpid()]


def test_a_folder_of_a_process_that_was_killed_before_it_wrote_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    killed = "import os, signal; from tfdoctor.ask.probes.smoke.scratch import Scratch; Scratch(); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", killed], check=False)
    (left,) = tmp_path.iterdir()
    theirs, full = tmp_path / "tfdoctor-mine", tmp_path / "tfdoctor-abcd1234"
    theirs.mkdir()
    full.mkdir()
    (full / "notes.txt").touch()
    used = Scratch()
    assert not left.exists() and theirs.exists() and full.exists() and used.folder.exists()
    used.remove()
