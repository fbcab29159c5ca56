"""Windows and macOS lack modules and calls that Linux has: the program starts and judges without them.

It was not tried on a real Windows or macOS. Here those modules can't be imported and those calls are gone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MACHINES = Path(__file__).parents[3] / "machines"
WITHOUT_POSIX = """
import os, select, signal, subprocess, sys, tempfile, threading, time
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "geteuid", "getuid", "getgid", "getegid", "killpg", "pidfd_open", "confstr", "sysconf", "uname"):
    if hasattr(os, name):
        delattr(os, name)
for module, name in ((time, "CLOCK_BOOTTIME"), (time, "clock_gettime"), (select, "poll")):
    delattr(module, name)
from tfdoctor.apps.cli.entry import main
sys.argv = ["tfdoctor", *sys.argv[1:]]
main()
"""


def without_posix(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, *arguments],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--version"], "tfdoctor"),
        (["explain", "--list"], "gpu-absent"),
        (["plan", "--os", "windows", "--python", "3.12", "--json"], "tensorflow"),
        (["matrix", "show", "2.21.0", "--json"], "2.21.0"),
    ],
    ids=lambda value: "-".join(value).replace("--", "") if isinstance(value, list) else "",
)
def test_commands_start_without_posix_modules(arguments: list[str], word: str) -> None:
    done = without_posix(*arguments)
    assert word in done.stdout
    assert "Traceback" not in done.stderr


def test_a_saved_report_is_judged_without_posix_modules() -> None:
    done = without_posix(
        "check", "--facts", str(MACHINES / "driver-too-old" / "report.json"), "--json"
    )
    report = json.loads(done.stdout)
    assert [item["code"] for item in report["findings"] if item["role"] == "root"] == [
        "driver-too-old"
    ]
    assert done.returncode == 1


@pytest.mark.slow  # takes a second
def test_this_interpreter_is_examined_without_posix_modules() -> None:
    done = without_posix("check", "--python", sys.executable, "--smoke", "none", "--json")
    report = json.loads(done.stdout)
    assert report["facts"]["interpreter.version"]["status"] == "known"
    assert "Traceback" not in done.stderr


NOT_HERE = "unhealthy: healthcheck runs on Linux alone; tfdoctor check runs here"


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        ([], 1, NOT_HERE + "\n"),
        (["--format", "nagios"], 3, f"TFDOCTOR UNKNOWN - {NOT_HERE} | "),
        (["--format", "prometheus"], 1, "# HELP tfdoctor_healthy"),
        (["--help"], 0, "Usage: tfdoctor healthcheck"),
    ],
    ids=["text", "nagios", "prometheus", "help"],
)
def test_the_health_check_starts_and_says_that_it_runs_on_linux_alone(
    options: list[str], status: int, told: str
) -> None:
    done = without_posix("healthcheck", *options)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(told)


def test_the_health_check_is_one_document_there_too() -> None:
    done = without_posix("healthcheck", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["healthy"], document["summary"]) == (1, False, NOT_HERE)


def test_a_state_is_refused_where_nothing_could_read_it() -> None:
    done = without_posix(
        "check", "--facts", str(MACHINES / "healthy-cpu" / "report.json"), "--state", "x.json"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "tfdoctor: --state: it is kept for tfdoctor healthcheck, which runs on Linux alone; leave it out\n"
    )
