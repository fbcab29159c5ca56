"""A state file that can't be used: each way has a first line of its own, and the rest is judged all the same."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.needs import only_root

from .machine import Machine

Spoil = Callable[[Machine], None]


def missing(machine: Machine) -> None:
    machine.state_file.unlink()


def cut_off(machine: Machine) -> None:
    machine.state_file.write_bytes(machine.state_file.read_bytes()[:200])


def empty(machine: Machine) -> None:
    machine.state_file.write_bytes(b"")


def binary(machine: Machine) -> None:
    machine.state_file.write_bytes(os.urandom(4096))


def of_another_version(machine: Machine) -> None:
    machine.write_state(schema_version="2.0")


def no_state_at_all(machine: Machine) -> None:
    machine.state_file.write_text('{"schema_version": "1.0"}', encoding="ascii")


def somebody_elses_json(machine: Machine) -> None:
    machine.state_file.write_text("[1, 2]", encoding="ascii")


def deep(machine: Machine) -> None:
    machine.state_file.write_text("[" * 200_000, encoding="ascii")


def of_another_machine(machine: Machine) -> None:
    machine.write_state(machine="0" * 32)


def of_another_user(machine: Machine) -> None:
    machine.write_state(uid=4711)


def from_the_future(machine: Machine) -> None:
    machine.write_state(written_at=time.time() + 86400)


def a_folder(machine: Machine) -> None:
    machine.state_file.unlink()
    machine.state_file.mkdir()


def a_pipe_that_nobody_writes(machine: Machine) -> None:
    machine.state_file.unlink()
    os.mkfifo(machine.state_file)


def too_old(machine: Machine) -> None:
    machine.write_state(written_at=time.time() - 30 * 86400)


WAYS: dict[Spoil, str] = {
    missing: "never examined (tfdoctor check --state)",
    cut_off: "the state file is cut off or no JSON",
    empty: "the state file is cut off or no JSON",
    binary: "the state file is cut off or no JSON",
    deep: "the state file is cut off or no JSON",
    of_another_version: "the state file is of version 2.0, this reads 1.0",
    no_state_at_all: "the state file lacks what it must hold",
    somebody_elses_json: "the state file is none of tfdoctor's",
    of_another_machine: "the state is another machine's",
    of_another_user: "the state is another user's (number 4711)",
    from_the_future: "the clock is behind the last examination",
    a_folder: "the state file can't be read: Is a directory",
    a_pipe_that_nobody_writes: "the state file is cut off or no JSON",
    too_old: "examined 30 d ago, which is too old",
}


@pytest.mark.parametrize("spoil", WAYS, ids=lambda spoil: spoil.__name__)
def test_each_way_is_told_and_the_rest_is_judged_simulated(spoil: Spoil, machine: Machine) -> None:
    machine.write_state()
    spoil(machine)
    said = machine.check()
    assert (said.status, said.first, said.errors) == (0, f"healthy: 1 GPU, {WAYS[spoil]}", "")


@pytest.mark.parametrize("spoil", WAYS, ids=lambda spoil: spoil.__name__)
def test_an_examination_that_is_demanded_must_be_there_simulated(spoil: Spoil, machine: Machine) -> None:
    machine.write_state()
    spoil(machine)
    said = machine.check("--max-age", "1d")
    assert (said.status, said.first) == (1, f"unhealthy: {WAYS[spoil]}")


def test_a_broken_verdict_does_not_heal_by_age_simulated(machine: Machine) -> None:
    machine.write_state(verdict="broken", roots=["tensorflow-missing"], written_at=time.time() - 30 * 86400)
    said = machine.check()
    assert (said.status, said.first) == (1, "unhealthy: examined 30 d ago: broken (tensorflow-missing)")


def test_in_the_same_boot_a_clock_set_back_changes_nothing_simulated(machine: Machine) -> None:
    machine.write_state(written_at=time.time() + 1e6, **machine.this_boot(age=600))
    assert machine.check("--max-age", "1h").first == "healthy: 1 GPU, examined 10 min ago"


def test_the_newest_of_the_usual_places_counts_simulated(machine: Machine, tmp_path: Path) -> None:
    text = json.dumps(machine.write_state(verdict="broken", roots=["keras-mismatch"]))
    newer = json.dumps(machine.write_state())
    for place, content in (
        (tmp_path / ".local/state/tfdoctor", text),
        (machine.run_folder / "tfdoctor", newer),
    ):
        place.mkdir(mode=0o700, parents=True)
        (place / "state.json").write_text(content, encoding="ascii")
    os.utime(tmp_path / ".local/state/tfdoctor/state.json", (1, 1))
    said = machine.check("--state", "")
    assert said.first == "healthy: 1 GPU, examined 60 min ago"


@only_root
def test_a_newer_state_of_another_user_is_passed_over_simulated(machine: Machine, tmp_path: Path) -> None:
    text = json.dumps(machine.write_state())
    foreign = json.dumps(machine.write_state(verdict="broken", roots=["keras-mismatch"]))
    ours, theirs = tmp_path / ".local/state/tfdoctor", machine.run_folder / "tfdoctor"
    for place, content in ((ours, text), (theirs, foreign)):
        place.mkdir(mode=0o700, parents=True)
        (place / "state.json").write_text(content, encoding="ascii")
    os.utime(ours / "state.json", (1, 1))
    os.chown(theirs / "state.json", 65534, 65534)
    assert machine.check("--state", "").first == "healthy: 1 GPU, examined 60 min ago"
    (ours / "state.json").unlink()
    said = machine.check("--state", "")
    assert (said.status, said.first) == (0, "healthy: 1 GPU, never examined (tfdoctor check --state)")
