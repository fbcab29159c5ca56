"""A fix that came to no end, by its journal: told to whoever checks the environment, unless a tfdoctor is at work on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import facts_of, make_venv
from tfdoctor.apps.repair.journal import locked
from tfdoctor.ask.probes.python.fixes import interrupted_fix
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import InterruptedFix


def asked(
    tmp_path: Path, state: str, *, inodes: tuple[int, ...] = (), rest: str = ""
) -> Fact[InterruptedFix]:
    place = tmp_path / "envs" / "tf"
    if not place.exists():
        make_venv(place)
    folder = tmp_path / "state" / "tfdoctor" / "fixes"
    folder.mkdir(parents=True, exist_ok=True)
    line = {"id": 7, "environment": str(place), "state": state, "inodes": inodes}
    (folder / "7.journal").write_text(json.dumps(line) + "\n" + rest)
    system = System(environ={"XDG_STATE_HOME": str(tmp_path / "state")})
    return interrupted_fix(Request(system=system), facts_of(prefix=place).interpreter)


@pytest.mark.parametrize("state", ["kept", "discarded", "undone"])
def test_what_ended_is_not_told(tmp_path: Path, state: str) -> None:
    assert isinstance(asked(tmp_path, state), Absent)


@pytest.mark.parametrize("rest", ["", "\n" * 100, '{"id": 7, "sta'])
def test_what_did_not_end_is_told(tmp_path: Path, rest: str) -> None:
    found = asked(tmp_path, "applied", inodes=(1, 2), rest=rest)
    assert isinstance(found, Known) and found.value == InterruptedFix(7, exchanged=False)


def test_the_changed_directory_in_its_place_is_told(tmp_path: Path) -> None:
    place = make_venv(tmp_path / "envs" / "tf")
    found = asked(tmp_path, "checked", inodes=(1, place.stat().st_ino))
    assert isinstance(found, Known) and found.value.exchanged


def test_what_is_at_work_is_not_interrupted(tmp_path: Path) -> None:
    make_venv(tmp_path / "envs" / "tf")
    with locked(tmp_path / "envs" / "tf"):
        assert isinstance(asked(tmp_path, "applied"), Absent)
    assert isinstance(asked(tmp_path, "applied"), Known)
