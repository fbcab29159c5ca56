"""`tfdoctor fleet run` with programs in place of Slurm's: what becomes of each node's output, and of the file of records."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import machine, tfdoctor
from tfdoctor.apps.fleet.launch import Ended
from tfdoctor.apps.fleet.record import Record, State, line_of, record_line
from tfdoctor.apps.fleet.slurm import record_of

SRUN_SAYS = [
    ("srun: error: Node failure on n1", 0, State.LOST),
    ("srun: error: Unable to allocate resources: Requested nodes are busy", 1, State.BUSY),
    ("srun: error: Required node not available (down, drained or reserved)", 1, State.UNAVAILABLE),
    ("slurmstepd: error: execve(): tfdoctor: No such file or directory", 2, State.NO_DOCTOR),
    ("/usr/bin/python3: No module named tfdoctor", 1, State.NO_DOCTOR),
    ("tfdoctor: there is no command 'fleet'; did you mean 'plan'?", 2, State.NO_DOCTOR),
    ("Segmentation fault", 139, State.SILENT),
    ("", 0, State.SILENT),
]


@pytest.mark.parametrize(("words", "status", "state"), SRUN_SAYS)
def test_a_node_without_a_record_has_the_state_that_srun_tells(
    words: str, status: int, state: State
) -> None:
    made = record_of("n1", Ended(status, b"garbage\n", f"{words}\n", late=False), 5.0)
    assert (made.node, made.engine, made.state) == ("n1", "slurm", state)
    assert made.reason == (words or f"srun ended with status {status} and no record")
    assert record_of("n1", Ended(0, b"", words, late=True), 5.0).state is State.TIMEOUT


@pytest.fixture
def slurm(tmp_path: Path) -> Path:
    """A folder with an sinfo of three nodes, one of them down, and an srun that starts the program here."""
    programs = {
        "sinfo": "echo 'n1|idle|none'; echo 'n2|idle|none'; echo 'n2|idle|none'; echo 'n3|down*|Not responding'",
        "srun": 'while [ "$1" != python ]; do shift; done; shift; [ -e broken ] && exit 1; '
        f'exec {shlex.quote(sys.executable)} "$@" --facts {shlex.quote(machine("healthy-gpu"))}',
    }
    for name, words in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    given = ("fleet", "run", "--doctor", "python -m tfdoctor", *words)
    done = tfdoctor(*given, cwd=folder, env={"PATH": f"{folder}:{os.environ['PATH']}"})
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_records_are_kept_and_only_who_has_not_answered_is_asked_again(slurm: Path) -> None:
    (slurm / "broken").touch()
    status, out, _ = run(slurm, "--json", "-o", "r.jsonl")
    assert status == 3 and json.loads(out)["states"] == {
        "answered": 0,
        "silent": 2,
        "unavailable": 1,
    }
    (slurm / "broken").unlink()
    status, out, _ = run(slurm, "--json", "-o", "r.jsonl", "--nodes", "n1")
    assert status == 0 and json.loads(out)["states"] == {"answered": 1}
    with (slurm / "r.jsonl").open("ab") as file:
        # A launcher that was killed.
        file.write(b'{"schema_version": "1.0", "node": "n2", "state": "ans')
    status, out, _ = run(slurm, "--json", "--resume", "r.jsonl", "--nodes", "n[1-2],n2")
    assert (status, json.loads(out)["states"], json.loads(out)["records"]) == (
        0,
        {"answered": 2},
        2,
    )
    made = [record_line(line) for line in (slurm / "r.jsonl").read_bytes().splitlines()]
    assert [each and each.node for each in made] == ["n1", "n2"]


@pytest.mark.slow
def test_a_node_whose_report_is_a_later_versions_has_a_state(slurm: Path) -> None:
    later = json.loads(Path(machine("healthy-gpu")).read_text("utf-8")) | {"schema_version": "2.0"}
    (slurm / "later.jsonl").write_text(line_of(Record("x", report=later)))
    (slurm / "srun").write_text("#!/bin/sh\ncat later.jsonl\n")
    status, out, _ = run(slurm, "--json", "-o", "r.jsonl", "--nodes", "n1")
    (missing,) = json.loads(out)["missing"]
    assert (status, missing["nodes"], missing["state"]) == (3, "n1", "silent")
    assert missing["reason"] == "its schema_version is 2.0, this tfdoctor reads 1"
    assert record_line((slurm / "r.jsonl").read_bytes()) and json.loads(out)["unread_files"] == 0


@pytest.mark.slow
def test_a_full_disk_loses_the_file_and_not_the_summary(slurm: Path) -> None:
    status, out, err = run(slurm, "--json", "-o", "/dev/full", "--nodes", "n1")
    assert json.loads(out)["states"] == {"answered": 1}
    assert status == 3 and err == "tfdoctor: /dev/full: No space left on device\n"
