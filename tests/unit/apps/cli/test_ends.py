"""However it ends: the children end with it, and a begun examination has its document."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.unit.apps.cli.running import environment
from tests.waiting import gone, until
from tfdoctor.apps.cli.check_command import exit_status
from tfdoctor.facts.schema import schema_of
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.report.report import Report, failed_report, report_to_json

pytestmark = pytest.mark.slow  # each test waits for an end

SCHEMA = json.loads(schema_of(Report, "report"))


@pytest.fixture
def sleeping_python(tmp_path: Path) -> Path:
    """An interpreter that never answers and leaves its process id behind."""
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 600\n")
    program.chmod(0o755)
    return program


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", "check", *arguments],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def children(python: Path) -> list[int]:
    """The process ids of the interpreter's runs, as soon as there is one."""
    file = python.parents[1] / "pids"
    until(lambda: file.exists() and file.read_text().strip())
    return [int(line) for line in file.read_text().split()]


@pytest.mark.parametrize(
    ("number", "status", "told"),
    [
        (signal.SIGINT, 130, "tfdoctor: interrupted; nothing was changed\n"),
        (signal.SIGTERM, -signal.SIGTERM, ""),
        (signal.SIGHUP, -signal.SIGHUP, ""),
    ],
)
def test_a_signal_ends_the_children_too(
    number: int, status: int, told: str, sleeping_python: Path
) -> None:
    process = started("--json", "--smoke", "none", "--python", str(sleeping_python))
    pids = children(sleeping_python)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (status, "", told)
    assert pids
    gone(children(sleeping_python))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_no_scratch_folder(number: int, tmp_path: Path) -> None:
    mark, scratch = tmp_path / "imported", tmp_path / "tmp"
    scratch.mkdir()
    program = (
        "import time\n"
        "from tfdoctor.apps.cli.guard import guarded\n"
        "from tfdoctor.ask.probes.smoke.scratch import Scratch\n"
        "def run():\n"
        "    (Scratch().folder / 'written').touch()\n"
        f"    open({str(mark)!r}, 'w').close()\n"
        "    time.sleep(60)\n"
        "guarded(run)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment(TMPDIR=str(scratch))
    )
    until(mark.exists)
    assert list(scratch.glob("tfdoctor-*/written"))
    process.send_signal(number)
    assert process.wait(20) == -number
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("raises", "told"),
    [
        ("OSError(errno.EMFILE, 'Too many open files', 'x.py')", "too many open files: `ulimit -n`"),
        ("OSError(errno.ENFILE, 'Too many open files in system')", "too many open files: `ulimit -n`"),
        ("RuntimeError(\"can't start new thread\")", "no more threads can be started: `ulimit -u`"),
    ],
)  # fmt: skip
def test_what_the_system_refuses_is_no_fault_of_ours(raises: str, told: str) -> None:
    program = (
        "import errno\n"
        "from tfdoctor.apps.cli.guard import guarded, internal\n"
        "def run():\n"
        f"    raise {raises}\n"
        f"print(internal({raises}), flush=True)\n"
        "raise SystemExit(guarded(run))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False, timeout=60
    )  # fmt: skip
    assert ended.stdout.startswith(told)
    assert ended.returncode == 3
    assert ended.stderr.startswith(f"tfdoctor: {told}")
    assert "report it" not in ended.stdout + ended.stderr


def test_a_signal_while_a_module_is_being_imported_ends_it() -> None:
    program = (
        "import os, sys, types\n"
        "from tfdoctor.apps.cli.guard import guarded\n"
        "def run():\n"
        "    for name in ('system.child', 'probes.smoke.scratch', 'system.safe_replace'):\n"
        "        sys.modules[f'tfdoctor.{name}'] = types.ModuleType(name)\n"
        "    os.kill(os.getpid(), 15)\n"
        "guarded(run)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (-signal.SIGTERM, b"")


def test_at_the_time_limit_there_is_a_document(sleeping_python: Path) -> None:
    process = started(
        "--json", "--smoke", "none", "--timeout", "3", "--python", str(sleeping_python)
    )
    out, err = process.communicate(timeout=60)
    told = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    assert process.returncode in (1, 3)
    assert told["verdict"] in ("unknown", "broken")
    assert err == ""
    gone(children(sleeping_python))


def test_a_fault_of_tfdoctor_has_a_document_too() -> None:
    report = failed_report("internal error (KeyError: 'x')", "auto", load_bundled())
    jsonschema.Draft202012Validator(SCHEMA).validate(report_to_json(report))
    assert exit_status(report, "error") == 3
    assert "KeyError" in report.summary


@pytest.mark.parametrize(
    "words", ["explain --list", "check --smoke none", "check --json", "plan", "matrix show"]
)
def test_without_standard_output_it_says_so(words: str) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m tfdoctor {words} >&-"
    ran = subprocess.run(["sh", "-c", command], env=environment(), capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (3, "tfdoctor: standard output is closed\n")


@pytest.mark.slow  # starts the program
@pytest.mark.parametrize(
    "command", [("check", "--smoke", "none"), ("plan",), ("diagnose", "x.log", "--here")]
)
@pytest.mark.parametrize("megabytes", [30, 40, 58, 80, 100, 244])
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_too_little_memory_is_told_in_time_and_no_fault_of_ours(
    command: tuple[str, ...], limit: str, megabytes: int, tmp_path: Path
) -> None:
    option = {"RLIMIT_AS": "-v", "RLIMIT_DATA": "-d"}[limit]
    (tmp_path / "x.log").write_text(
        "ImportError: libcudart.so.11.0: cannot open shared object file\n"
    )
    start = [sys.executable, "-c", f"import os, resource, sys; resource.setrlimit(resource.{limit}, ({megabytes << 20},) * 2); os.execv(sys.executable, sys.argv[1:])"]  # fmt: skip
    done = subprocess.run(
        [*start, sys.executable, "-m", "tfdoctor", *command],
        env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert "internal error" not in done.stdout + done.stderr
    assert "time limit" not in done.stdout
    assert done.returncode in (0, 1, 3)
    if megabytes < 64:
        assert (
            f"not enough memory: ulimit {option} allows {megabytes} MiB"
            in done.stdout + done.stderr
        )


def test_the_last_words_are_said_where_nothing_more_can_be_imported() -> None:
    """For lack of memory an import fails in any way, also of what cleans these words."""
    program = """
import sys
from tfdoctor.apps.cli.guard import guarded

def fail():
    sys.modules["tfdoctor.say.clean"] = None
    raise MemoryError

sys.exit(guarded(fail))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (3, "tfdoctor: not enough memory\n")
