"""What is said of a run that has ended, by literal facts of its end; and what `run --last` says of one that was kept."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.conftest import base
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.output import output_files
from tfdoctor.apps.cli.run_command import main, parse
from tfdoctor.apps.cli.run_report import Teller, static_facts
from tfdoctor.ask.recorder.journal import RunJournal, read
from tfdoctor.ask.recorder.run import CleanExit, RunContext, RunResult
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.death import CommandEnd, CpuOnly, LostProcess
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known

KILLED = from_json(base("watched"), Facts).death
"""By SIGKILL at its container's limit."""
WELL = CommandEnd("exit", 0, False, 9, "python", 3.0, Failed("not told", "missing"))
DONE = replace(KILLED, end=Known(WELL, "t"), counters=Absent("t"), kernel_kills=Absent("t"))
ON_THE_CPU = Known(CpuOnly(9, "python", driver=False, ended=False), "t")
CRASH: Known[tuple[LostProcess, ...]] = Known(
    (LostProcess(7, "python", 11, 0, "pidfd", 1.0, 1, ""),), "t"
)
OUT_OF_MEMORY = "he command was killed (SIGKILL) after 83.0 s: the process hit its"


def ended(death: Any, status: int = 0, python: str | None = None, notes: tuple[str, ...] = ()) -> RunResult:  # fmt: skip
    return RunResult(death, [], status, 0, notes, (), python)


class Told:
    """What was said on stderr, and what was kept."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capfd, self.kept = folder, capfd, list[dict[str, Any]]()

    def of(self, result: RunResult, *options: str, place: str | None = None) -> str:
        asked = parse([*options, "--", "python", "/home/ann/train.py"], {})
        box = RunJournal(str(self._folder / "run") if place is None else place, "one")
        teller = Teller(asked, output_files(asked))
        self._capfd.readouterr()
        try:
            teller.tell(result, box)
        finally:
            box.close()
            teller.rules()  # its thread ends with this
        said = self._capfd.readouterr()
        assert said.out == "", "the command's own"
        self.kept = read(box.path) if place is None else []
        return said.err


@pytest.fixture
def told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Told:
    return Told(tmp_path, capfd)


def test_of_what_went_well_nothing_is_said_and_all_is_kept(told: Told) -> None:
    assert told.of(ended(DONE)) == ""
    (end,) = told.kept
    assert end["status"] == 0 and end["facts"]["death.end"]["value"]["after_s"] == 3.0


def test_what_went_well_is_told_on_request(told: Told) -> None:
    assert "✓ tfdoctor: the command succeeded after 3.0 s\n" in told.of(ended(DONE), "-v")


@pytest.mark.parametrize(
    ("death", "status", "words"),
    [
        (KILLED, 137, OUT_OF_MEMORY),
        (replace(DONE, lost=CRASH), 0, "tfdoctor: the command succeeded after 3.0 s: its process 7 (python) crashed in"),
        (replace(DONE, end=Known(replace(WELL, how="not-started", status=2), "t")), 127, "tfdoctor: the command was not started: there is no program python on PATH"),
    ],
)  # fmt: skip
def test_what_ended_it_stands_on_stderr(death: Any, status: int, words: str, told: Told) -> None:
    said = told.of(ended(death, status))
    assert said.startswith(("✗ ", "! "))
    assert words in said


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"NVIDIA_VISIBLE_DEVICES": "all"}, "tfdoctor: TensorFlow computed on the CPU and loaded no GPU driver. To see why, run: tfdoctor check --require-gpu\n"),
        ({"NVIDIA_VISIBLE_DEVICES": "all", "CUDA_VISIBLE_DEVICES": "-1"}, ""),
    ],
    ids=["a GPU was handed out", "somebody chose the CPU"],
)  # fmt: skip
def test_what_computed_on_the_cpu_is_told_though_it_went_well(
    variables: dict[str, str], said: str, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert told.of(ended(replace(DONE, cpu_only=ON_THE_CPU))) == said


def test_what_watching_lacked_is_said(told: Told) -> None:
    said = told.of(ended(KILLED, 137, notes=("NVML did not answer",)), place="")
    notes = " ".join(said.partition("While watching")[2].split())
    assert "NVML did not answer" in notes
    assert "the black box could not be kept: the home directory is not known" in notes


def test_reports_are_written(told: Told, tmp_path: Path) -> None:
    files = ("--report", f"{tmp_path}/r.json", "--html", f"{tmp_path}/r.html")
    assert OUT_OF_MEMORY in told.of(ended(KILLED, 137), "--no-redact", *files)
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert (report["outcome"], report["exit"]["status"]) == ("container-oom-killed", 137)
    assert report["command"] == ["python", "/home/ann/train.py"]
    assert "hit its container" in (tmp_path / "r.html").read_text("utf-8")
    assert told.of(ended(DONE), *files) == "", "there is nothing to say, but to write"
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert report["outcome"] == "success" and "ann" not in json.dumps(report)


def test_the_environment_is_asked_where_it_explains_something(told: Told, tmp_path: Path) -> None:
    """Not of a command that went well, nor where no Python took part."""
    wanted = ("--report", f"{tmp_path}/r.json")

    def kernel() -> bool:
        return "host.kernel" in json.loads((tmp_path / "r.json").read_text("utf-8"))["facts"]

    told.of(ended(KILLED, 137, sys.executable), *wanted)
    assert kernel()
    for result in (ended(KILLED, 137), ended(DONE, 0, sys.executable)):
        told.of(result, *wanted)
        assert not kernel()


def test_the_facts_beside_a_run_are_of_the_commands_own_python(tmp_path: Path) -> None:
    facts = static_facts(sys.executable)
    assert facts.interpreter.executable == Known(sys.executable, "--python")
    assert static_facts(str(tmp_path / "none")) == Facts()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs are kept."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/tfdoctor/run"


def kept(place: Path, end: Callable[[RunJournal], None]) -> None:
    box = RunJournal(str(place), "one")
    context = RunContext(("python", "/home/ann/train.py"), {}, time.monotonic(), time.time())
    box.begin(context, pid=os.getpid(), interval=1.0)
    box.sample({"t": 0.0, "rss_bytes": 1 << 30}, [])
    box.sample({"t": 7.0, "rss_bytes": 2 << 30}, [])
    end(box)
    box.close()


@pytest.mark.parametrize(
    ("end", "words", "outcome", "complete", "status"),
    [
        (lambda box: box.end(replace(Facts(), death=KILLED), 137), f"✗ T{OUT_OF_MEMORY}", "container-oom-killed", True, 137),
        (lambda box: box.ended_well(CleanExit(4.0, 1 << 20)), "✓ The command succeeded after 4.0 s", "success", True, 0),
        (lambda box: None, "✗ The recorder was killed with the command. Last seen: ", "killed-by-user", False, None),
    ],
    ids=["killed", "ended well", "its recorder died, too"],
)  # fmt: skip
def test_the_last_run_is_told_again(
    end: Callable[[RunJournal], None], words: str, outcome: str, complete: bool, status: int | None,
    place: Path, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    kept(place, end)
    report = place / "again.json"
    assert main(["--last", "--no-redact", "--report", str(report)]) == 0
    said = capfd.readouterr()
    assert said.out.startswith(words) and said.err == ""
    document = json.loads(report.read_text("utf-8"))
    assert (document["outcome"], document["complete"]) == (outcome, complete)
    assert document["exit"]["status"] == status
    assert [each["t"] for each in document["timeline"]["samples"]] == [0.0, 7.0]
    assert document["command"] == ["python", "/home/ann/train.py"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--last"], "no run has been kept in {place}; start one with: tfdoctor run -- CMD"),
        (["--last", "--", "python"], "--last tells of the last run; leave the command out"),
    ],
)  # fmt: skip
def test_why_there_is_no_last_run(arguments: list[str], why: str, place: Path) -> None:
    with pytest.raises(UsageError) as told:
        main(arguments)
    assert str(told.value) == why.format(place=place)
