"""Programs that run out of memory as people write them, in real limits: named with their line, helped by the first fix, and silent then."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.memory_group import memory_group
from tests.real.memory_causes import CAUSES, MIB, Cause
from tests.unit.ask.recorder.watched import Watched, watched

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

LIMIT_S = 900.0  # beside much other work
KILLED = [name for name, each in CAUSES.items() if not each.swaps]


def ran(cause: Cause, folder: Path, python: Path, text: str) -> tuple[Watched, float]:
    """And how many seconds it took."""
    if cause.prepare:
        subprocess.run([str(python), "-c", cause.prepare], cwd=folder, check=True)
    program = folder / "train.py"
    program.write_text(text)
    began = time.monotonic()
    with memory_group(cause.limit_mib * MIB) as group:
        here = ("sh", "-c", f'cd {folder}; exec "$@"', "sh", str(python), str(program))
        run = watched(folder, *group.inside(*here), limit_s=LIMIT_S)
    return run, time.monotonic() - began


@pytest.mark.usefixtures("py_spy")
@pytest.mark.parametrize("name", KILLED)
def test_it_is_killed_and_named_with_its_line(
    name: str, tmp_path: Path, tensorflow_python: Path
) -> None:
    cause = CAUSES[name]
    run, took = ran(cause, tmp_path, tensorflow_python, cause.program)
    first = next(each for each in run.report["findings"] if each["role"] == "root")
    title, fix = first["title"], first["fixes"][0]["title"]
    ahead = [took - each["t"] for each in run.report["warnings"]][:1]
    sys.stdout.write(
        f"\n| {name} | {took:.0f} s | {', '.join(run.roots)} | {title} | {fix} | {ahead} |"
    )
    assert (run.outcome, tuple(run.roots)) == ("container-oom-killed", cause.roots), run.stderr
    assert cause.says in fix
    line = 1 + next(at for at, text in enumerate(cause.program.splitlines()) if cause.line in text)
    assert f"line {line}, " in str(first["evidence"]), first["evidence"]


@pytest.mark.usefixtures("py_spy")
@pytest.mark.parametrize("name", KILLED)
def test_as_its_first_fix_says_it_ends_well_and_nothing_is_said(
    name: str, tmp_path: Path, tensorflow_python: Path
) -> None:
    cause = CAUSES[name]
    text = cause.program
    for old, new in cause.edits:
        assert old in text
        text = text.replace(old, new)
    run, took = ran(cause, tmp_path, tensorflow_python, text)
    sys.stdout.write(f"\n| {name} | {took:.0f} s | {run.outcome} |")
    assert (run.status, run.outcome) == (0, "success"), run.stderr
    assert b"tfdoctor:" not in run.stderr
