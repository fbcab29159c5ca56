"""tfdoctor, its installer or both killed at random moments: the environment is the old or the proven new one, byte for byte.

TFDOCTOR_KILLS=60 kills that often (default 6), TFDOCTOR_SEED chooses the moments; TFDOCTOR_OUTCOMES=FILE keeps a line for each.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.standin import Patient

pytestmark = [pytest.mark.slow, pytest.mark.nightly]
KILLS, SEED = int(os.environ.get("TFDOCTOR_KILLS", "6")), int(os.environ.get("TFDOCTOR_SEED", "1"))
KEPT = os.environ.get("TFDOCTOR_OUTCOMES", "")
WHOM = ("tfdoctor", "deepest", "both")
LONGEST_S = 9.0
"""A whole fix takes some 5 s on an idle machine: the last moments find it at its end or done."""


@pytest.mark.parametrize("number", range(KILLS))
def test_killed_at_a_random_moment(tmp_path: Path, number: int) -> None:
    chance = random.Random(SEED * 10_000 + number)
    whom, after_s = chance.choice(WHOM), chance.uniform(0.2, LONGEST_S)
    patient = standin.patient(tmp_path)
    before = standin.picture(patient.environment)
    hit, status = killed(patient, whom, after_s)
    version = patient.installed().get("protobuf")
    same = standin.picture(patient.environment) == before
    patient.fix("--recover", to=())
    states = [each["state"] for each in patient.listed()]
    if states == ["kept"]:
        patient.fix("--undo", to=())
    back = standin.picture(patient.environment) == before and patient.beside() == []
    if KEPT:
        with open(KEPT, "a", encoding="utf-8") as rows:
            rows.write(json.dumps([whom, round(after_s, 2), hit, status, version, same, states, back]) + "\n")
    assert same if version == "4.25.3" else version == "6.33.0", (whom, after_s, hit, version)
    assert back, (whom, after_s, hit, states)


def killed(patient: Patient, whom: str, after_s: float) -> tuple[list[str], int]:
    """The names of those that were hit, and the exit status."""
    program = subprocess.Popen(
        patient.command("--yes"), env=patient.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + after_s
    while time.monotonic() < end and program.poll() is None:
        time.sleep(0.01)
    hit = []
    if program.poll() is None:
        own = psutil.Process(program.pid)
        children = own.children(recursive=True)
        targets = children[-1:] if whom != "tfdoctor" else []
        for each in [*targets, own] if whom != "deepest" or not targets else targets:
            try:
                name = each.name()
                each.kill()
            except psutil.Error:  # it has ended by itself
                continue
            hit.append(name)
    status = program.wait(120)
    time.sleep(0.3)  # what it had started ends with it, a moment later
    return hit, status
