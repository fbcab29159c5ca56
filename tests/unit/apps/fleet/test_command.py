"""`tfdoctor fleet` as it is typed, in this process: summaries in every form, one node, and what is refused before any node is asked."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import machine
from tfdoctor.apps.cli.app import run
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.fleet.record import Record, State, line_of, record_line

BROKEN, WELL = machine("driver-too-old"), machine("healthy-gpu")


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the records of a broken node, of a healthy one and of one that was lost."""
    reports = {name: json.loads(Path(file).read_text("utf-8")) for name, file in (("n1", BROKEN), ("n2", WELL))}  # fmt: skip
    records = [*(Record(name, report=report) for name, report in reports.items()), Record("n3", state=State.LOST, reason="no answer")]  # fmt: skip
    (tmp_path / "fleet.jsonl").write_text("".join(map(line_of, records)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_summary_for_a_person(fleet: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", "summarize", "fleet.jsonl"]) == 1
    said = capfd.readouterr()
    assert said.out.startswith("✗ 1 broken; TensorFlow works on 1 of 3 nodes.") and said.err == ""
    assert "driver-too-old" in said.out and "n3" in said.out and "no answer" in said.out


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["fleet.jsonl"], 1),
        ([WELL, "--fail-on", "warning"], 0),
        ([WELL], 0),
        ([WELL, BROKEN], 1),
    ],
)
def test_the_status_is_the_fleets(words: list[str], status: int, fleet: Path) -> None:
    assert run(["fleet", "summarize", *words]) == status


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"]])
def test_a_summary_for_programs(
    words: list[str], fleet: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["fleet", "summarize", "fleet.jsonl", *words]) == 1
    document = json.loads(capfd.readouterr().out)
    assert document["states"] == {"answered": 2, "lost": 1}
    assert [group["nodes"] for group in document["groups"] if group["roots"]] == ["n1"]


def test_names_are_hidden_on_request(fleet: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(["fleet", "summarize", "fleet.jsonl", "--redact", "--json"])
    text = capfd.readouterr().out
    assert "driver-too-old" in text and not {"n1", "n2", "n3"} & set(
        text.replace('"', " ").replace(",", " ").split()
    )


@pytest.mark.parametrize(
    ("name", "begins"),
    [("s.html", "<!doctype html>"), ("s.md", "## tfdoctor fleet: broken"), ("s.json", "{")],
)
def test_a_file_has_the_form_of_its_name(
    name: str, begins: str, fleet: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["fleet", "summarize", "fleet.jsonl", "-o", name]) == 1
    assert capfd.readouterr().out == ""
    text = (fleet / name).read_text("utf-8")
    assert text.lower().startswith(begins) and "driver-too-old" in text


def test_the_schema_is_of_the_summary(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", "summarize", "--schema"]) == 0
    assert "groups" in json.loads(capfd.readouterr().out)["properties"]


REFUSED = (
    (["summarize", "none.json"], "none.json: no such file or directory"),
    (["summarize", "empty"], "empty: no tfdoctor report in it; tfdoctor check --json writes one"),
    (["summarize", "fleet.jsonl", "--fail-on", "x"], "--fail-on: use one of "),
    (["summarize", "fleet.jsonl", "--format", "pdf"], "--format: use one of "),
    (["summarize", "fleet.jsonl", "-o", "no/such/folder/x.html"], "-o no/such/folder/x.html: can't be written (No such file or directory)"),
    (["run", "--engine", "pbs"], "--engine: use one of slurm, ray, not 'pbs'"),
    (["run", "--fail-on", "x"], "--fail-on: use one of "),
    (["run", "--srun", "'"], "--srun: No closing quotation"),
    (["run", "--doctor", '"'], "--doctor: No closing quotation"),
    (["run", "-o", "x.html"], "x.html: use .jsonl"),
    (["run", "--nodes", "n[1-"], 'missing bracket: "n[1-"'),
    (["run", "--resume", "none.jsonl"], "--resume none.jsonl: No such file or directory"),
    (["run", "-o", "/nowhere/x.jsonl"], "/nowhere/x.jsonl: can't be written (No such file or directory)"),
    (["run", "--", "--nonsense"], "no option '--nonsense'; see tfdoctor check --help"),
    (["run", "--", "--help"], "the options are those of tfdoctor check; see tfdoctor check --help"),
    (["node", "--schema"], "--schema isn't an option here; see tfdoctor fleet summarize --schema"),
    (["node", "-o", "x.json"], "-o isn't an option of tfdoctor fleet: each node answers with one line of JSON"),
    (["node", "--state", "x"], "--state isn't an option of tfdoctor fleet: each node answers with one line of JSON"),
    (["node", "--format", "html"], "--format isn't an option of tfdoctor fleet node: a record is one line of JSON"),
    (["node", "stray"], "unexpected"),
    (["node", "--nonsense"], "no option '--nonsense'; see tfdoctor check --help"),
)  # fmt: skip


@pytest.mark.parametrize(("words", "why"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_what_is_refused_before_any_node_is_asked(
    words: list[str], why: str, fleet: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (fleet / "empty").mkdir()
    with pytest.raises(UsageError) as told:
        run(["fleet", *words])
    assert str(told.value).startswith(why) and "\n" not in str(told.value)
    assert capfd.readouterr().out == ""


def test_summaries_need_two_more_packages(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tfdoctor.apps.fleet.summary", None)
    with pytest.raises(UsageError, match=r"summaries need two more packages: .*clustershell"):
        run(["fleet", "summarize", "fleet.jsonl"])


@pytest.mark.parametrize(
    ("facts", "name", "status", "state"),
    [(BROKEN, "n17", 1, State.ANSWERED), ("none.json", "", 3, State.SILENT)],
    ids=["answered", "refused"],
)
def test_one_node_is_one_line(
    facts: str, name: str, status: int, state: State, fleet: Path,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("TFDOCTOR_OUTPUT", str(fleet / "elsewhere.json"))
    monkeypatch.setenv("SLURMD_NODENAME", "n3")
    named = ["--node-name", name] if name else []
    assert run(["fleet", "node", *named, "--facts", facts]) == status
    (line,) = capfd.readouterr().out.splitlines()
    made = record_line(line.encode())
    assert made is not None
    assert (made.node, made.engine, made.state) == (name or "n3", "slurm", state)
    if isinstance(made.report, dict):
        assert (made.report["verdict"], made.reason, made.exit) == ("broken", "", 1)
    else:
        assert "none.json" in made.reason and made.exit == 2
    assert not (fleet / "elsewhere.json").exists()


def test_the_nodes_of_a_cluster_are_asked_and_summed_up(
    fleet: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """By programs in place of Slurm's: one node is down, and the record of the other is in a file."""
    programs = {
        "sinfo": "echo 'n1|idle|none'; echo 'n3|down*|Not responding'",
        "srun": f"head -n 1 {shlex.quote(str(fleet / 'fleet.jsonl'))}",
    }
    for name, words in programs.items():
        (fleet / name).write_text(f"#!/bin/sh\n{words}\n")
        (fleet / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{fleet}:/usr/bin:/bin")
    assert run(["fleet", "run", "--json", "-o", "r.jsonl"]) == 1
    document = json.loads(capfd.readouterr().out)
    assert document["states"] == {"answered": 1, "unavailable": 1}
    kept = [record_line(line) for line in (fleet / "r.jsonl").read_bytes().splitlines()]
    assert sorted(each.node for each in kept if each) == ["n1", "n3"]
    with pytest.raises(OSError, match="No space left on device"):
        run(["fleet", "run", "--json", "-o", "/dev/full"])
    assert json.loads(capfd.readouterr().out)["states"] == document["states"]
