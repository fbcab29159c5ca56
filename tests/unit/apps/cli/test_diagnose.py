"""`tfdoctor diagnose` from outside: statuses, forms, private values, bad input, an interrupted pipe."""

from __future__ import annotations

import array
import fcntl
import gzip
import json
import shlex
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

from tests.peak import measured as with_peak
from tests.peak import peak as peak_of
from tests.unit.apps.cli.running import environment, tfdoctor
from tests.waiting import until
from tfdoctor.apps.cli.options import LOG_FORMATS

pytestmark = pytest.mark.slow  # each test starts the program

CAUSE = (
    "E cuda_dnn.cc:456] Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.6.0.\n"
)
NOISE = "E cuda_fft.cc:607] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered\n"
STRANGE = "Traceback of our own making: the flux capacitor failed, FATAL\n"
MIB = 1 << 20
MOST_BYTES = 150 * MIB


def log(folder: Path, text: str | bytes, name: str = "train.log") -> str:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(file)


def document(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert ran.stderr == ""
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize(
    ("text", "status", "verdict"),
    [
        (CAUSE, 1, "cause-found"),
        (NOISE, 0, "noise-only"),
        ("Epoch 1/2\nEpoch 2/2\n", 0, "noise-only"),
        ("", 3, "unrecognised"),
        (STRANGE, 3, "unrecognised"),
    ],
)
def test_the_status_and_the_document_say_what_was_found(
    text: str, status: int, verdict: str, tmp_path: Path
) -> None:
    ran = tfdoctor("diagnose", "--json", log(tmp_path, text))
    assert ran.returncode == status
    found = document(ran)
    assert found["verdict"] == verdict
    schema = json.loads(tfdoctor("diagnose", "--schema").stdout)
    jsonschema.Draft202012Validator(schema).validate(found)
    assert tfdoctor("diagnose", log(tmp_path, text)).returncode == status


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name the log"),
        (("no-such.log",), "no-such.log: can't be read (No such file or directory)"),
        (("a", "--format", "pdf"), ", not 'pdf'"),
        (("a", "--python", "python3"), "need --here"),
        (("a", "--here", "--facts", "b"), "give one of them"),
        (("-", "-"), "once only"),
        (("a", "--json", "--format", "html"), "contradict each other"),
    ],
)
def test_wrong_usage_is_one_line(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    ran = tfdoctor("diagnose", *arguments, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1


# --- private values

CANARIES = (
    "zebulon",
    "quokka17",
    "hunter2secret",
    "trainer-77-xkq2p",
    "10.83.7.19",
    "zebulon@corp.example",
)
PRIVATE = [
    "Nov 22 04:00:01 quokka17 train[4242]: starting",
    "zebulon@quokka17:~$ python train.py",
    "2026-11-22T04:00:01.123456789Z stderr F [pod/trainer-77-xkq2p/main] connecting to 10.83.7.19:2222",
    "export WANDB_API_KEY=hunter2secret",
    "mail from zebulon@corp.example",
    '  File "/home/zebulon/train.py", line 3, in <module>',
    f"[pod/trainer-77-xkq2p/main] {CAUSE.strip()} (/home/zebulon/lib, quokka17, token=hunter2secret)",
    "slurmstepd: error: *** JOB 12 ON quokka17 CANCELLED BY zebulon ***",
]  # fmt: skip


@pytest.mark.parametrize("form", LOG_FORMATS)
@pytest.mark.parametrize("to_file", [False, True])
def test_private_values_stand_in_no_form(form: str, to_file: bool, tmp_path: Path) -> None:
    name = log(tmp_path, "\n".join(PRIVATE) + "\n")
    output = tmp_path / "answer"
    ran = tfdoctor("diagnose", name, "--format", form, *(("-o", str(output)) if to_file else ()))
    shown = output.read_text(encoding="utf-8") if to_file else ran.stdout
    assert ran.returncode == 1
    assert "cudnn-version-mismatch" in shown
    assert [each for each in CANARIES if each in shown + ran.stderr] == []


def test_they_stand_there_where_they_are_asked_for(tmp_path: Path) -> None:
    shown = tfdoctor(
        "diagnose", log(tmp_path, "\n".join(PRIVATE) + "\n"), "--no-redact", "-v"
    ).stdout
    assert "quokka17" in shown


def test_nothing_raw_reaches_a_terminal(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>\x9b31m\u202e" + CAUSE
    for form in ("terminal", "markdown", "html", "github"):
        shown = tfdoctor("diagnose", log(tmp_path, hostile), "--format", form, "--no-redact").stdout
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
        assert "<script>alert" not in shown or form != "html"  # a block of code shows it as it is


# --- bad input


def measured(*arguments: str) -> tuple[int, str, str, int]:
    """(status, stdout, stderr, peak bytes)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "peak"
        command = with_peak([sys.executable, "-m", "tfdoctor", "diagnose", *arguments], file)
        ran = subprocess.run(
            command, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False
        )  # fmt: skip
        return ran.returncode, ran.stdout, ran.stderr, peak_of(file)


def packed_zeros() -> bytes:
    piece = gzip.compress(b"\0" * (64 * MIB))
    return piece * 3


def cut_gzip() -> bytes:
    packed = gzip.compress(
        (CAUSE + "".join(f"step {number}\n" for number in range(20_000))).encode()
    )
    return packed[: len(packed) // 2]


GOOD: dict[str, Callable[[], bytes]] = {
    "utf-16": lambda: CAUSE.encode("utf-16"),
    "lone returns": lambda: ("one\r" + CAUSE.rstrip() + "\rthree\r").encode(),
    "zeros before": lambda: b"\0" * MIB + b"\n" + CAUSE.encode(),
    "bytes that are no text between": lambda: (
        b"caf\xe9 \xff\xfe\x00\x01\n" + CAUSE.encode() + b"\x80\x81\n" * 50
    ),
    "a line of 40 MB before": lambda: b"x" * (40 * MIB) + b"\n" + CAUSE.encode(),
    "equal lines": lambda: CAUSE.encode() * 20_000,
    "cut gzip": cut_gzip,
}


@pytest.mark.parametrize("what", GOOD)
def test_a_right_answer_in_little_memory(what: str, tmp_path: Path) -> None:
    status, shown, said, peak = measured("--json", log(tmp_path, GOOD[what]()))
    assert (status, said) == (1, "")
    assert json.loads(shown)["diagnoses"][0]["code"] == "cudnn-version-mismatch"
    assert peak < MOST_BYTES


def random_bytes() -> bytes:
    return bytes((number * number * 31 + number // 7) % 256 for number in range(100_000))


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a program": (lambda: Path(sys.executable).read_bytes()[:MIB], "binary"),
    "random bytes": (random_bytes, "binary"),
    "twenty random bytes": (
        lambda: b"\xff\xfa\x03\x91a7\x8e\x00\xee\x02\xb1Zq\x05\xdd\xc8(\x1f\x90\xc3",
        "binary",
    ),
    "zeros": (lambda: bytes(5000), "binary"),
    "two control characters": (lambda: b"\x01\x02", "binary"),
    "packed random bytes": (lambda: gzip.compress(random_bytes()), "binary"),
    "packed zeros": (lambda: gzip.compress(bytes(5000)), "binary"),
    "a report of run": (
        lambda: (
            b'{\n  "schema_version": "1.0",\n  "tool": {\n    "name": "tfdoctor"\n  },\n  "findings": [{"title": "It ended."}]\n}'
        ),
        "a report of tfdoctor, not a log. It says: It ended.",
    ),
    "damaged gzip": (lambda: b"\x1f\x8b" + b"rubbish" * 100, "damaged"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_log_gets_one_line(what: str, tmp_path: Path) -> None:
    made, words = REFUSED[what]
    status, shown, said, peak = measured("--json", log(tmp_path, made()))
    assert (status, shown) == (2, "")
    assert words in said
    assert said.count("\n") == 1
    assert peak < MOST_BYTES


def test_a_folder_gets_one_line(tmp_path: Path) -> None:
    ran = tfdoctor("diagnose", str(tmp_path))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "it is a directory" in ran.stderr


def test_packed_zeros_take_little_memory(tmp_path: Path) -> None:
    status, shown, said, peak = measured("--json", log(tmp_path, packed_zeros(), "zeros.gz"))
    assert (status, shown) == (2, "")
    assert "binary" in said
    assert peak < MOST_BYTES


@pytest.mark.parametrize(
    "blank",
    [
        "\n",
        "\n\n  \n\t\r\n",
        "\ufeff",
        "\ufeff\n\n",
        "\x1b[0m\n\x1b[2K\n",
        " " * 300_000,
        "\n" * 300_000,
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_log_of_blank_lines_is_nothing_to_diagnose(
    blank: str, encoding: str, tmp_path: Path
) -> None:
    ran = tfdoctor("diagnose", log(tmp_path, blank.encode(encoding)))
    assert (ran.returncode, ran.stderr) == (3, "")
    assert "NOTHING TO DIAGNOSE  The log is empty." in ran.stdout


def test_a_notebook_without_output_is_not_called_empty(tmp_path: Path) -> None:
    ran = tfdoctor(
        "diagnose", log(tmp_path, '{"cells": [{"outputs": []}], "nbformat": 4}', "n.ipynb")
    )
    assert ran.returncode == 3
    assert "NOTHING TO DIAGNOSE  The notebook has no saved output." in ran.stdout


@pytest.mark.parametrize("text", ["\n" * 300_000 + "x\n", "\x03\nabc\n", "é\n", "日本\n"])
def test_one_character_is_a_log(text: str, tmp_path: Path) -> None:
    assert tfdoctor("diagnose", log(tmp_path, text)).returncode == 0


@pytest.mark.parametrize(
    ("endless", "status"),
    [("cat /dev/zero", 2), ("cat /dev/urandom", 2), ("yes ''", 3), ("yes '   '", 3)],
)
def test_what_never_ends_and_says_nothing_is_not_waited_for(endless: str, status: int) -> None:
    device = endless.removeprefix("cat ")
    piped = ["sh", "-c", f"{endless} | {shlex.quote(sys.executable)} -m tfdoctor diagnose -"]
    assert (
        subprocess.run(
            piped, env=environment(), capture_output=True, timeout=60, check=False
        ).returncode
        == status
    )
    if device != endless:
        assert tfdoctor("diagnose", device).returncode == status


# --- pipes


def unread(descriptor: int) -> int:
    """Bytes that wait in a pipe."""
    found = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, found)
    return found[0]


def test_ctrl_c_on_a_pipe_judges_what_was_read() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", "diagnose", "--json", "-"],
        env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(CAUSE.encode())
    process.stdin.flush()
    pipe, reader = process.stdin.fileno(), psutil.Process(process.pid)
    # It has taken all, and waits for more.
    until(lambda: not unread(pipe) and reader.status() == psutil.STATUS_SLEEPING)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (1, b"")
    found = json.loads(shown)
    assert found["diagnoses"][0]["code"] == "cudnn-version-mismatch"
    assert "interrupted" in found["input"]["files"][0]["note"]


@pytest.mark.parametrize("dash", [["-"], []])
def test_a_pipe_says_the_same_as_the_file(dash: list[str], tmp_path: Path) -> None:
    name = log(tmp_path, NOISE + CAUSE)
    piped = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "diagnose", "--json", *dash],
        env=environment(), input=Path(name).read_bytes(), capture_output=True, timeout=60,
    )  # fmt: skip
    by_name = json.loads(tfdoctor("diagnose", "--json", name).stdout)
    found = json.loads(piped.stdout)
    assert found["diagnoses"] == by_name["diagnoses"]
    assert found["noise"] == by_name["noise"]


def test_several_logs_are_one_case(tmp_path: Path) -> None:
    first, second = (
        log(tmp_path, "Epoch 1/2\nKilled\n", "a.log"),
        log(
            tmp_path,
            "slurmstepd: error: Detected 1 oom_kill event in StepId=12.0. Some of the step tasks have been OOM Killed.\n",
            "b.log",
        ),
    )
    found = document(tfdoctor("diagnose", "--json", first, second))
    assert found["diagnoses"][0]["code"] == "scheduler-killed"
    assert found["diagnoses"][0]["evidence"][0]["file"] == 1
    assert [each["name"] for each in found["input"]["files"]] != ["", ""]
