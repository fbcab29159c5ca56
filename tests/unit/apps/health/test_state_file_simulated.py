"""A state file that can't be used: each way has a first line of its own, and the rest is judged all the same."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.needs import only_root
from tfdoctor.apps.cli.options import HEALTH_FORMATS

from .machine import Machine, run

Spoil = Callable[[Machine], object]


def holding(content: bytes) -> Spoil:
    return lambda machine: machine.state_file.write_bytes(content)


def of_a(**fields: object) -> Spoil:
    return lambda machine: machine.write_state(**fields)


def a_folder(machine: Machine) -> None:
    machine.state_file.unlink()
    machine.state_file.mkdir()


WAYS: dict[str, Spoil] = {
    "missing": lambda machine: machine.state_file.unlink(),
    "cut off": lambda machine: machine.state_file.write_bytes(
        machine.state_file.read_bytes()[:200]
    ),
    "empty": holding(b""),
    "binary": holding(bytes(range(128, 256)) * 32),
    "deep": holding(b"[" * 200_000),
    "no state at all": holding(b'{"schema_version": "1.0"}'),
    "somebody else's JSON": holding(b"[1, 2]"),
    "of another version": of_a(schema_version="2.0"),
    "of another machine": of_a(machine="0" * 32),
    "of another user": of_a(uid=4711),
    "of an older tfdoctor": of_a(tool="0.1.0"),
    "of a newer tfdoctor": of_a(tool="99.0.0"),
    "of no tfdoctor": of_a(tool=None),
    "everybody may write to it": lambda machine: machine.state_file.chmod(0o666),
    "its group may write to it": lambda machine: machine.state_file.chmod(0o660),
    "others may write to it": lambda machine: machine.state_file.chmod(0o602),
    "from the future": lambda machine: machine.write_state(written_at=time.time() + 86400),
    "too old": lambda machine: machine.write_state(written_at=time.time() - 30 * 86400),
}


@pytest.mark.parametrize("spoil", WAYS.values(), ids=WAYS)
def test_a_state_that_does_not_count_is_made_anew_and_kept_simulated(
    spoil: Spoil, machine: Machine
) -> None:
    machine.write_state()
    spoil(machine)
    said = machine.check("--node", "--max-age", "1d")
    assert (said.status, said.first, said.errors) == (0, "healthy: 1 GPU, examined now", "")
    again = machine.check("--node", "--max-age", "1d")
    assert (again.status, again.first.endswith(" s ago")) == (0, True)


def test_an_examination_that_can_not_be_kept_counts_and_says_so_simulated(machine: Machine) -> None:
    machine.write_state()
    a_folder(machine)
    said = machine.check("--node")
    assert (said.status, said.first) == (
        0,
        "healthy: 1 GPU, examined now (not kept: it is a folder)",
    )
    machine.state_file.rmdir()
    os.mkfifo(machine.state_file)
    assert machine.check("--node").first.startswith(
        "healthy: 1 GPU, examined now (not kept: it is not a file"
    )


@pytest.mark.slow  # waits for a limit
def test_what_can_not_be_examined_in_time_is_not_healthy_simulated(machine: Machine) -> None:
    """The health check does not ask for the driver's CUDA; the examination does, and waits for it."""
    machine.driver.write(Scenario(faults=(Fault.hang("cuDriverGetVersion"),)))
    said = machine.check("--node", "--timeout", "3")
    assert (said.status, said.first) == (1, "unknown: the examination did not finish")
    assert said.seconds < 4


def test_every_form_tells_what_is_ignored_simulated(machine: Machine) -> None:
    """A setting somewhere above the working directory is not seen by who reads "healthy"."""
    machine.write_state(ignored=["tensorflow-missing"])
    assert (
        machine.check().first == "healthy: 1 GPU, examined 60 min ago (ignored: tensorflow-missing)"
    )
    assert machine.check("--json").document["ignored"] == ["tensorflow-missing"]
    told = {form: machine.check("--format", form).output for form in HEALTH_FORMATS}
    assert {form for form, text in told.items() if "tensorflow-missing" not in text} == set()
    assert 'tfdoctor_ignored{code="tensorflow-missing"} 1' in told["prometheus"]
    assert "tfdoctor.ignored=tensorflow-missing" in told["nfd"]
    assert len(told["npd"]) <= 81
    machine.write_state(ignored=["tensorflow-missing", "driver-missing"])
    assert machine.check().first == "healthy: 1 GPU, examined 60 min ago (2 ignored)"
    assert machine.check("-v").output.count("\nignored") == 2
    assert machine.check("--min-free-ram", "900G").first.endswith("921600 asked (2 ignored)")
    machine.write_state(ignored=[])
    assert "ignored" not in machine.check("--format", "prometheus").output


def test_a_setting_above_the_folder_is_told_simulated(machine: Machine) -> None:
    (machine.folder / "below").mkdir()
    settings = machine.folder / "pyproject.toml"
    settings.write_text('[tool.tfdoctor]\nignore = ["tensorflow-missing"]\n')
    said = run(machine.command("--json"), machine.environment(), folder=machine.folder / "below")
    assert said.document["ignored"] == ["tensorflow-missing"]


def test_what_fails_is_examined_again_after_a_minute_simulated(machine: Machine) -> None:
    failing = [["driver-too-old", "driver", True, "root"]]
    machine.write_state(verdict="broken", failing=failing, written_at=time.time() - 30)
    assert machine.check("--node").status == 1
    machine.write_state(verdict="broken", failing=failing, written_at=time.time() - 90)
    assert machine.check("--node").first == "healthy: 1 GPU, examined now"


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
    machine.state_option = []
    said = machine.check()
    assert said.first == "healthy: 1 GPU, examined 60 min ago"


@only_root
def test_a_newer_state_of_another_user_is_passed_over_simulated(
    machine: Machine, tmp_path: Path
) -> None:
    text = json.dumps(machine.write_state())
    foreign = json.dumps(machine.write_state(verdict="broken", roots=["keras-mismatch"]))
    ours, theirs = tmp_path / ".local/state/tfdoctor", machine.run_folder / "tfdoctor"
    for place, content in ((ours, text), (theirs, foreign)):
        place.mkdir(mode=0o700, parents=True)
        (place / "state.json").write_text(content, encoding="ascii")
    os.utime(ours / "state.json", (1, 1))
    os.chown(theirs / "state.json", 65534, 65534)
    machine.state_option = []
    assert machine.check().first == "healthy: 1 GPU, examined 60 min ago"
    (ours / "state.json").unlink()
    said = machine.check("--node")
    assert said.first == "healthy: 1 GPU, examined now (not kept: --sysroot)"
