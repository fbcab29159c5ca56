"""Trainings under real TensorFlow in real limits of memory: when `tfdoctor run` warns, and when the kernel ends them. Prints the
rows of docs/results/before.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.memory_group import memory_group
from tests.real.warned_programs import DIES, LIVES, START, Story
from tests.unit.ask.recorder.watched import Watched, watched

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

MIB = 1 << 20
LIMIT_S = 900.0
AHEAD_S = 20
"""A warning that comes later leaves no time to save."""


def ran(story: Story, folder: Path, python: Path) -> Watched:
    program = folder / "train.py"
    program.write_text(START.replace("DATA_MIB", str(story.data_mib)) + story.program)
    with memory_group(story.limit_mib * MIB) as group:
        here = ("sh", "-c", f'cd {folder}; exec "$@"', "sh", str(python), str(program))
        return watched(folder, *group.inside(*here), limit_s=LIMIT_S)


def ended(run: Watched) -> float:
    """At the last look, seconds after the start."""
    return float(run.report["timeline"]["samples"][-1]["t"])


def row(name: str, story: Story, run: Watched) -> None:
    samples = run.report["timeline"]["samples"]
    most = max(each.get("cgroup_bytes", 0) for each in samples) / MIB
    told = ", ".join(f"{each['t']:.0f} s ({each['kind']}: in {each['predicted_s']:.0f} s)" for each in run.report["warnings"])  # fmt: skip
    sys.stdout.write(
        f"\n| {name} | {story.kind} | {story.limit_mib} MiB | {most:.0f} MiB | {run.outcome} | {ended(run):.0f} s | {told or '-'} | {', '.join(run.roots)} |"
    )


@pytest.mark.parametrize("name", DIES)
def test_one_that_dies(name: str, tmp_path: Path, tensorflow_python: Path) -> None:
    story = DIES[name]
    run = ran(story, tmp_path, tensorflow_python)
    row(name, story, run)
    assert run.outcome == "container-oom-killed", run.stderr
    if story.warned:
        first, *_ = run.report["warnings"]
        assert ended(run) - first["t"] >= AHEAD_S


@pytest.mark.parametrize("name", LIVES)
def test_one_that_lives(name: str, tmp_path: Path, tensorflow_python: Path) -> None:
    story = LIVES[name]
    run = ran(story, tmp_path, tensorflow_python)
    row(name, story, run)
    assert (run.status, run.outcome) == (0, "success"), run.stderr
    if not story.warned:
        assert not run.report["warnings"], run.stderr
