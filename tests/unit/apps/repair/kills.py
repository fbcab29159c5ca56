"""tfdoctor, its installer or both killed at a random moment of a fix: what the environment is then, and what is left in the end."""

from __future__ import annotations

import os
import random
import subprocess
import time
from dataclasses import asdict, dataclass

import psutil

from tests.outcomes import done, keep
from tests.unit.apps.repair import standin
from tests.unit.apps.repair.standin import Patient

WHOM = ("tfdoctor", "deepest", "both")
SINCE = ("start", "journal", "journal")
"""When the clock begins: most of a fix is before its journal, and nothing can be lost then."""


@dataclass(frozen=True)
class Kill:
    """What came of one. `hit`: the programs; `found`: the version right after it, `same`: whether all was as before then.

    `states`: of the journal once it was recovered; `back`: whether all is as before once what was kept is undone, and nothing is left.
    """

    number: int
    whom: str
    since: str
    after_s: float
    hit: list[str]
    status: int
    found: str
    same: bool
    states: list[str]
    back: bool


def kill(patient: Patient, seed: int, number: int, longest_s: float) -> Kill:
    """The number decides who is killed and when, `longest_s` after the fix or its journal was begun at the latest."""
    chance = random.Random(seed * 10_000 + number)
    whom, since, after_s = chance.choice(WHOM), chance.choice(SINCE), chance.uniform(0.0, longest_s)
    before = standin.picture(patient.environment)
    hit, status = _struck(patient, whom, since, after_s)
    version = patient.installed().get("protobuf", "")
    same = standin.picture(patient.environment) == before
    patient.fix("--recover", to=())
    states = [each["state"] for each in patient.listed()]
    if states == ["kept"]:
        patient.fix("--undo", to=())
    back = standin.picture(patient.environment) == before and patient.beside() == []
    outcome = Kill(number, whom, since, round(after_s, 2), hit, status, version, same, states, back)
    keep(asdict(outcome))
    return outcome


def _struck(patient: Patient, whom: str, since: str, after_s: float) -> tuple[list[str], int]:
    """The names of those that were hit, and the exit status."""
    program = subprocess.Popen(
        patient.command("--yes"), env=patient.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    journal = patient.root / "state" / "tfdoctor" / "fixes" / "1.journal"
    while since == "journal" and not journal.exists() and program.poll() is None:
        time.sleep(0.01)
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
    status = program.wait(300)
    time.sleep(0.3)  # what it had started ends with it, a moment later
    return hit, status


def numbers(default: int) -> list[int]:
    """TFDOCTOR_KILLS of them, less those that were made."""
    return [
        each
        for each in range(int(os.environ.get("TFDOCTOR_KILLS", default)))
        if each not in done("number")
    ]
