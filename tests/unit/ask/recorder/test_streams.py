"""Streams, signals and exit status of a command under `run` are those of the bare command, off a terminal."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.ask.recorder.watched import RUN, environment, watched
from tfdoctor.ask.recorder.execute import _execute, status_of

pytestmark = pytest.mark.slow  # signals and pauses of real programs

PYTHON = sys.executable
TOLD = "✗ tfdoctor: ".encode()


def both(
    folder: Path, script: str, *, stdin: bytes = b"", merged: bool = False
) -> tuple[subprocess.CompletedProcess[bytes], ...]:
    """The same shell script bare and under `run`."""
    err = subprocess.STDOUT if merged else subprocess.PIPE
    return tuple(
        subprocess.run([*before, "sh", "-c", script], input=stdin, stdout=subprocess.PIPE, stderr=err, env=environment(folder), check=False)
        for before in ((), (*RUN, "--"))
    )  # fmt: skip


def without_ours(text: bytes) -> bytes:
    return text.partition(TOLD)[0]


@pytest.mark.parametrize("status", [0, 1, 2, 3, 77, 126, 127, 255])
def test_status_is_the_commands_own(tmp_path: Path, status: int) -> None:
    bare, run = both(tmp_path, f"echo out; echo err >&2; exit {status}")
    assert (run.returncode, run.stdout, without_ours(run.stderr)) == (
        bare.returncode,
        b"out\n",
        b"err\n",
    )


def test_a_success_says_nothing(tmp_path: Path) -> None:
    _, run = both(tmp_path, "cat", stdin=b"x")
    assert (run.returncode, run.stdout, run.stderr) == (0, b"x", b"")


def test_a_signal_is_told_as_128_and_its_number(tmp_path: Path) -> None:
    _, run = both(tmp_path, "kill -SEGV $$")
    assert run.returncode == 128 + signal.SIGSEGV


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_dies_of_the_signals_that_stop_a_loop(tmp_path: Path, number: signal.Signals) -> None:
    bare, run = both(tmp_path, f"kill -{number.value} $$")
    assert run.returncode == bare.returncode == -number


def test_what_is_missing_or_no_program_is_said(tmp_path: Path) -> None:
    for command, status in (("no-such-program-here", 127), ("/etc/passwd", 126)):
        run = subprocess.run(
            [*RUN, "--", command], capture_output=True, env=environment(tmp_path), check=False
        )
        assert run.returncode == status
        assert b"command-not-started" in run.stderr


@pytest.mark.parametrize(
    ("name", "path", "status"), [("no-such-program", "", 127), ("hosts", ":/etc", 126)]
)
def test_a_closed_directory_on_path_hides_no_program(
    name: str, path: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            _execute((name,), {"PATH": f"{tmp_path}/closed:/usr/bin{path}"})
        except OSError as error:
            os._exit(status_of(error.errno or 0))
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status


def test_a_script_without_a_first_line_goes_to_the_shell(tmp_path: Path) -> None:
    script = tmp_path / "plain"
    script.write_text("echo from sh\n")
    script.chmod(0o755)
    run = subprocess.run(
        [*RUN, "--", str(script)], capture_output=True, env=environment(tmp_path), check=False
    )
    assert (run.returncode, run.stdout) == (0, b"from sh\n")


def test_order_is_kept_where_both_streams_are_one(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 2000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done"
    bare, run = both(tmp_path, script, merged=True)
    assert run.stdout == bare.stdout


def test_order_is_kept_in_one_file(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 500 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done; exit 4"
    file = tmp_path / "log"
    with file.open("wb") as log:
        log.write(b"before\n")
        log.flush()
        subprocess.run(
            [*RUN, "--", "sh", "-c", script],
            stdout=log,
            stderr=log,
            env=environment(tmp_path),
            check=False,
        )
    bare = subprocess.run(
        ["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert without_ours(file.read_bytes()) == b"before\n" + bare.stdout


def test_binary_passes_through_stderr(tmp_path: Path) -> None:
    program = "import os; [os.write(2, bytes(range(256)) * 256) for _ in range(160)]"
    run = subprocess.run(
        [*RUN, "--", PYTHON, "-c", program],
        capture_output=True,
        env=environment(tmp_path),
        check=False,
    )
    assert run.stderr == bytes(range(256)) * 256 * 160


@pytest.mark.slow
def test_200_megabytes_pass_through_stderr(tmp_path: Path) -> None:
    run = subprocess.run(
        [*RUN, "--", "sh", "-c", "head -c 200000000 /dev/zero >&2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=environment(tmp_path), check=False,
    )  # fmt: skip
    assert len(run.stderr) == 200_000_000 and not run.stderr.strip(b"\0")


def test_each_stream_keeps_its_kind(tmp_path: Path) -> None:
    program = (
        "import os, stat; print([stat.S_IFMT(os.fstat(n).st_mode) for n in (0, 1, 2)], flush=True)"
    )
    one, other = socket.socketpair()
    for stderr in (subprocess.PIPE, subprocess.DEVNULL, other.fileno()):
        kinds = [
            subprocess.run([*before, PYTHON, "-c", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=environment(tmp_path), check=False).stdout
            for before in ((), (*RUN, "--"))
        ]  # fmt: skip
        assert kinds[0] == kinds[1]
    one.close()
    other.close()


def test_a_closed_stderr_stays_closed(tmp_path: Path) -> None:
    bare, run = both(tmp_path, f"{shlex.quote(PYTHON)} -c 'import os; os.fstat(2)' 2>&-; echo $?")
    assert run.stdout == bare.stdout == b"1\n"


def test_it_is_live(tmp_path: Path) -> None:
    """Each line is there before the next is written."""
    program = "import sys, time\nfor n in range(3):\n print(n, file=sys.stderr, flush=True); sys.stdin.readline()"
    run = subprocess.Popen([*RUN, "--", PYTHON, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path))  # fmt: skip
    assert run.stdin is not None and run.stderr is not None
    for number in range(3):
        assert run.stderr.readline() == f"{number}\n".encode()
        run.stdin.write(b"go\n")
        run.stdin.flush()
    assert run.wait(30) == 0


def test_further_files_are_handed_on_and_let_go(tmp_path: Path) -> None:
    """The reader of a pipe that only the command has open sees its end as soon as the command closes it."""
    ours, theirs = os.pipe()
    script = f"echo three >&{theirs}; exec {theirs}>&-; read end"
    run = subprocess.Popen([*RUN, "--", "bash", "-c", script], pass_fds=(theirs,), stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path))  # fmt: skip
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        assert pipe.read() == b"three\n"
    assert run.poll() is None, "the command goes on"
    run.communicate(timeout=60)


@pytest.mark.parametrize("command", ["yes", "yes >&2"])
def test_a_reader_that_goes_away_is_met(tmp_path: Path, command: str) -> None:
    redirect = "2>&1 >/dev/null" if ">&2" in command else ""
    script = f"{shlex.join(RUN)} -- sh -c '{command}' {redirect} | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        env=environment(tmp_path),
        timeout=60,
        check=False,
    )
    assert done.stdout == b"141\n", done


def test_sigpipe_is_as_it_was(tmp_path: Path) -> None:
    program = (
        "import re; print(re.search('SigIgn:\\\\s*(\\\\w+)', open('/proc/self/status').read())[1])"
    )
    shell = "grep SigIgn /proc/self/status"
    bare, run = both(tmp_path, shell)
    assert run.stdout == bare.stdout, program
    ignoring = [
        subprocess.run(["bash", "-c", f"trap '' PIPE; {before} sh -c '{shell}'; true"], capture_output=True, env=environment(tmp_path), check=False).stdout
        for before in ("", f"{shlex.join(RUN)} --")
    ]  # fmt: skip
    assert ignoring[0] == ignoring[1]


def test_a_daemon_is_left_alone_and_keeps_its_stream(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    script = f"(read word < {go}; echo late >&2) & echo early"
    run = subprocess.Popen([*RUN, "--", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(tmp_path))  # fmt: skip
    assert run.wait(60) == 0, "it does not wait for the daemon"
    go.write_text("now\n")
    assert run.stderr is not None and run.stderr.read() == b"late\n"
    assert run.stdout is not None and run.stdout.read() == b"early\n"


COUNTER = """
import signal, sys
seen = []
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda number, frame: (seen.append(number), print(number, flush=True)))
print("ready", flush=True)
sys.stdin.read()
print(seen, flush=True)
"""


@pytest.mark.parametrize("to", ["process", "group"])
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2]
)
def test_a_signal_reaches_the_command_once(tmp_path: Path, number: signal.Signals, to: str) -> None:
    """Another signal after it would come behind a second one."""
    run = subprocess.Popen(
        [*RUN, "--", PYTHON, "-c", COUNTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, env=environment(tmp_path),
    )  # fmt: skip
    other = signal.SIGUSR1 if number == signal.SIGUSR2 else signal.SIGUSR2
    assert run.stdout is not None and run.stdout.readline() == b"ready\n"
    for each in (number, other):
        os.kill(run.pid, each) if to == "process" or each == other else os.killpg(run.pid, each)
        assert run.stdout.readline() == b"%d\n" % each
    out, _ = run.communicate(timeout=60)
    assert out == f"[{int(number)}, {int(other)}]\n".encode()
    assert run.returncode == 0


def test_sigterm_that_is_answered_by_a_clean_end_is_a_success(tmp_path: Path) -> None:
    program = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *a: sys.exit(0)); print(1, flush=True); time.sleep(600)"
    report = tmp_path / "r.json"
    run = subprocess.Popen([*RUN, "--report", str(report), "--", PYTHON, "-c", program], stdout=subprocess.PIPE, env=environment(tmp_path))  # fmt: skip
    assert run.stdout is not None and run.stdout.readline()
    run.terminate()
    assert run.wait(60) == 0
    assert '"outcome": "success"' in report.read_text()


def test_a_command_that_ignores_sigterm_goes_on(tmp_path: Path) -> None:
    run = subprocess.Popen([*RUN, "--", "sh", "-c", "trap '' TERM; echo up; read word; echo still here"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(tmp_path))  # fmt: skip
    assert run.stdout is not None and run.stdout.readline() == b"up\n"
    run.terminate()
    out, _ = run.communicate(b"go\n", timeout=60)
    assert (out, run.returncode) == (b"still here\n", 0)


def test_the_environment_gains_nothing_else(tmp_path: Path) -> None:
    bare, run = both(tmp_path, "env | sort")
    gained = set(run.stdout.splitlines()) - set(bare.stdout.splitlines())
    assert {line.split(b"=")[0] for line in gained} == {
        b"PYTHONFAULTHANDLER",
        b"TFDOCTOR_RUN_ID",
        b"TFDOCTOR_RUN_STEPS",
    }
    assert set(bare.stdout.splitlines()) <= set(run.stdout.splitlines())


def test_arguments_need_not_be_utf8(tmp_path: Path) -> None:
    word = b"caf\xe9 \xff"
    run = watched(tmp_path, "sh", "-c", 'printf "%s" "$1"; exit 5', "sh", os.fsdecode(word))
    assert run.stdout == word
    assert run.status == 5 and run.report["command"][-1] == "caf? ?"


def test_a_report_that_cant_be_written_starts_nothing(tmp_path: Path) -> None:
    run = subprocess.run([*RUN, "--report", str(tmp_path / "no" / "r.json"), "--", "touch", str(tmp_path / "ran")], capture_output=True, env=environment(tmp_path), check=False)  # fmt: skip
    assert run.returncode == 2 and run.stderr.count(b"\n") == 1
    assert not (tmp_path / "ran").exists()


def test_no_command_is_wrong_usage(tmp_path: Path) -> None:
    run = subprocess.run([*RUN], capture_output=True, env=environment(tmp_path), check=False)
    assert run.returncode == 2 and run.stderr.count(b"\n") == 1


def test_a_recorder_inside_a_recorder_leaves_the_outers_report(tmp_path: Path) -> None:
    report = tmp_path / "outer.json"
    inner = [*RUN, "--", "sh", "-c", "exit 3"]
    run = subprocess.run([*RUN, "--", *inner], capture_output=True, env={**environment(tmp_path), "TFDOCTOR_REPORT": str(report)}, check=False)  # fmt: skip
    assert run.returncode == 3
    assert '"-m"' in report.read_text(), "the outer's command is the inner recorder"


def test_the_last_run_that_ended_well_is_told_without_its_report(tmp_path: Path) -> None:
    """A good end that nobody asked about makes no facts; what it was is known all the same."""
    for program in ("pass", "import time; time.sleep(1.5)"):
        done = subprocess.run([*RUN, "--", sys.executable, "-c", program], capture_output=True, env=environment(tmp_path), check=False)  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        last = subprocess.run([*RUN, "--last", "--report", str(tmp_path / "last.json")], capture_output=True, env=environment(tmp_path), check=False)  # fmt: skip
        assert last.returncode == 0 and b"The command succeeded" in last.stdout, last
        report = json.loads((tmp_path / "last.json").read_text())
        assert (report["outcome"], report["complete"]) == ("success", True)
        assert report["command"][-1] == program


def test_a_good_end_loads_no_rules_and_no_facts(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", *RUN[1:], "--", "true"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        check=False,
    )  # not in this checkout, whose settings would be looked into
    assert done.returncode == 0
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "tfdoctor.ask.recorder.recording" in loaded
    assert not [each for each in loaded if each.startswith(("tfdoctor.report", "tfdoctor.say", "tfdoctor.ask.recorder.postmortem", "tfdoctor.ask.recorder.training"))]  # fmt: skip
