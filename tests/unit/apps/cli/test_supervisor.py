"""Whatever becomes of an examination, its exit status and one document come in time, and nothing stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

from tests.unit.apps.cli.running import environment, machine
from tests.waiting import gone
from tfdoctor.apps.cli.options import REPORT_FORMATS
from tfdoctor.facts.schema import schema_of
from tfdoctor.report.report import Report

SCHEMA = json.loads(schema_of(Report, "report"))

# What may happen to an examination, as a line that runs in place of a part of it.
STUCK_IN_C = (  # runs no Python code, and so no handler: it holds the interpreter's lock, and waits for one that it has
    "import ctypes; c, m = ctypes.PyDLL(None), ctypes.create_string_buffer(64); "
    "c.pthread_mutex_lock(m); c.pthread_mutex_lock(m)"
)
CRASHED = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
LEFT = "import os; os._exit(0)"
EATS = "x = [b'x' * (1 << 20) for _ in range(1_500)]; import time; time.sleep(60)"

PROGRAM = """
import sys
{before}
from tfdoctor.report.report import Report
from tfdoctor.facts.schema import schema_of
from tfdoctor.apps.cli import entry
import {module} as module
def replaced(*given, **named):
    {happens}
module.{name} = replaced
sys.argv = ["tfdoctor", "check", *sys.argv[1:]]
entry.main()
"""
PLACES = {
    "probe": ("tfdoctor.ask.probes.host.memory", "ask"),
    "rules": ("tfdoctor.judge.engine.families", "load"),
    "judgement": ("tfdoctor.report.judgement", "judged"),
    "redaction": ("tfdoctor.say.redact.report", "redact"),
    "writing": ("tfdoctor.apps.cli.report_output", "write"),
}


def run(
    place: str, happens: str, *arguments: str, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    module, name = PLACES[place]
    program = PROGRAM.format(before="", module=module, name=name, happens=happens)
    return subprocess.run(
        [sys.executable, "-c", program, "--smoke", "none", *arguments],
        env=environment(), capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False, **more,
    )  # fmt: skip


def told(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document


@pytest.mark.slow  # each waits for a time limit
@pytest.mark.parametrize("place", PLACES)
def test_a_stuck_examination_answers_in_time(place: str) -> None:
    done = run(place, STUCK_IN_C, "--json", "--timeout", "3")
    document = told(done)
    assert done.returncode in (1, 3)
    assert b"internal" not in done.stderr
    if place == "judgement":
        assert document["verdict"] == "unknown"
        assert document["facts"]["host.os"]["status"] == "known"


@pytest.mark.slow
@pytest.mark.parametrize(
    "happens", [CRASHED, KILLED, LEFT, EATS], ids=["crashed", "killed", "left", "eats"]
)
def test_an_examination_that_dies_has_its_document(happens: str) -> None:
    done = run("judgement", happens, "--json", "--timeout", "20")
    assert done.returncode == 3
    document = told(done)
    assert document["verdict"] == "unknown"
    assert any(
        word in document["summary"] for word in ("died of SIG", "GiB of memory", "without a report")
    )
    assert document["facts"]["host.os"]["status"] == "known"


@pytest.mark.slow
def test_every_form_has_its_last_words() -> None:
    words = ("judgement", STUCK_IN_C, "--timeout", "3", "--format")
    with ThreadPoolExecutor(len(REPORT_FORMATS)) as beside:  # each only waits
        ran = {form: beside.submit(run, *words, form) for form in REPORT_FORMATS}
    for form, done in ran.items():
        assert done.result().returncode == 3, form
        assert b"the time limit of 3 s was reached" in done.result().stdout, form


@pytest.mark.slow
def test_a_file_gets_them_too_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    done = run("judgement", STUCK_IN_C, "--json", "-o", str(tmp_path / "x.json"), "--timeout", "3")
    assert (done.returncode, done.stdout) == (3, b"")
    assert json.loads((tmp_path / "x.json").read_bytes())["verdict"] == "unknown"
    assert os.listdir(tmp_path) == ["x.json"]


def started(happens: str, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    module, name = PLACES["judgement"]
    program = PROGRAM.format(
        before="",
        module=module,
        name=name,
        happens=f"print('in', file=sys.stderr, flush=True); {happens}",
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "--smoke", "none", *arguments],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == b"in\n"
    return process


def descendants(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, -15), (signal.SIGHUP, -1), (signal.SIGQUIT, -3), (signal.SIGINT, 130)],
)
def test_a_signal_is_heard_where_no_python_code_runs_any_more(number: int, status: int) -> None:
    process = started(STUCK_IN_C, "--json")
    children = descendants(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (status, b"")
    assert err == (
        b"tfdoctor: interrupted; nothing was changed\n" if number == signal.SIGINT else b""
    )
    assert children
    gone(each.pid for each in children)


@pytest.mark.slow
@pytest.mark.parametrize(
    "happens", [STUCK_IN_C, "import time; time.sleep(600)"], ids=["in C", "asleep"]
)
def test_an_interrupt_of_the_whole_group_is_told_once(happens: str) -> None:
    """As a terminal sends it."""
    process = started(happens, "--json", start_new_session=True)
    children = descendants(process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (
        130,
        b"",
        b"tfdoctor: interrupted; nothing was changed\n",
    )
    gone(each.pid for each in children)


@pytest.mark.slow  # more than a second
def test_a_killed_doctor_takes_its_examination_along() -> None:
    process = started(STUCK_IN_C, "--json")
    children = descendants(process)
    process.kill()
    process.communicate(timeout=20)
    assert children
    gone(each.pid for each in children)


@pytest.mark.slow  # waits for a limit
def test_a_reader_may_take_longer_than_the_limit() -> None:
    """`tfdoctor check | less` stands still until the reader goes on."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", "check", "--json", "--facts", machine("hostile-text"), "--timeout", "1"],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(3)
    out, err = process.communicate(timeout=30)
    assert err == b""
    assert json.loads(out)["schema_version"] == "1.0"


def test_what_was_to_end_with_a_status_ends_with_it() -> None:
    for words, status in (
        (["--smoke", "wrong"], 2),
        (["--schema"], 0),
        (["--facts", "/nonexistent"], 2),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "tfdoctor", "check", *words],
            env=environment(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
