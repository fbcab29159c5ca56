"""Recordings of notebooks whose kernels really died, and of jobs that a real Slurm ended: what ended them is the root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.logs.forms import FORMS
from tests.logs.judged import judged, root
from tests.needs import PACKAGES
from tests.real.environments import CannotBuild, environment
from tests.recordings.notebooks import CASES, FOLDER, output_of
from tests.unit.documents import ROOT

SLURM = FOLDER.with_name("slurm-jobs")
JOBS = {
    "cancelled": "killed-by-user",
    "exception": "python-exception",
    "exception-of-one": "python-exception",
    "killed": "host-oom-killed",
    "one-of-two": "native-crash",
    "over-memory": "scheduler-killed",
    "segmentation-fault": "native-crash",
    "srun-cancelled": "killed-by-user",
    "srun-over-memory": "scheduler-killed",
    "time-limit": "scheduler-killed",
}
"""What ended each job that tests/recordings/slurm runs. A bare kill shows no more than that it was one."""
each_notebook = pytest.mark.parametrize("name", CASES)


@each_notebook
def test_what_ended_the_notebook_is_the_root_of_its_output(name: str) -> None:
    assert root(judged((FOLDER / f"{name}.log").read_bytes())) in CASES[name].codes


@pytest.mark.parametrize("name", JOBS)
def test_what_slurm_ended_has_its_cause_as_the_root(name: str) -> None:
    assert root(judged((SLURM / f"{name}.log").read_bytes())) == JOBS[name]


def test_the_status_that_lsf_tells_first_is_no_earlier_end() -> None:
    """Its report stands before what the job wrote; then nobody's launcher had ended it."""
    assert root(judged(FORMS["lsf"](["step 1", "Terminated"]))) == "killed-by-user"


def test_every_job_is_looked_at() -> None:
    assert {file.stem for file in SLURM.glob("*.log")} == set(JOBS)


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", ["killed", "memory-limit"])
def test_the_same_notebook_says_as_much_today(name: str, tmp_path: Path) -> None:
    try:
        python = environment(
            "ipykernel", "nbclient", "jupyter-server", "--editable", f"{ROOT}[jupyter]"
        )
    except CannotBuild:
        if os.environ.get("TFDOCTOR_TESTS") == "all-must-work":
            raise
        pytest.skip(PACKAGES)
    text = output_of(python, CASES[name], tmp_path)
    assert root(judged(text)) in CASES[name].codes, text
