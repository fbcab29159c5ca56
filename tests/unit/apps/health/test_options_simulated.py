"""What the forms of the answer look like to their readers, and what a wrong command line gets."""

from __future__ import annotations

import os
import re
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Gpu, Scenario
from tfdoctor import __version__
from tfdoctor.apps.cli.healthcheck_command import help_text

from .machine import Machine, run


def test_wrong_usage_is_status_1_and_3_for_nagios_simulated(machine: Machine) -> None:
    said = machine.check("--nonsense")
    assert (said.status, said.output, said.errors.count("\n")) == (1, "", 1)
    assert machine.check("--format", "nagios", "--nonsense").status == 3


def test_help_is_printed_simulated(machine: Machine) -> None:
    said = machine.check("--help")
    assert (said.status, said.output) == (0, help_text())
    assert max(map(len, said.output.splitlines())) <= 80


def test_json_is_one_document_simulated(machine: Machine) -> None:
    machine.write_state()
    document = machine.check("--json").document
    assert document["schema_version"] == "1.0"
    assert (document["healthy"], document["gpus"], document["verdict"]) == (True, 1, "healthy")
    assert {point["check"] for point in document["points"]} >= {
        "driver",
        "gpus",
        "xid",
        "ecc",
        "vram",
        "memory",
        "tensorflow",
        "examination",
    }
    broken = machine.check(
        "--json", "--node", scenario=Scenario(faults=(Fault.error("cuInit", 803),))
    )
    assert broken.status == 1
    assert [point["code"] for point in broken.document["points"] if point["status"] == "fault"] == [
        "driver-versions-differ"
    ]


def test_a_fault_is_one_line_with_what_to_type_and_the_points_are_there_for_the_asking_simulated(
    machine: Machine,
) -> None:
    machine.write_state()
    faulty = Scenario(faults=(Fault.error("cuInit", 803),))
    first = "unhealthy: cuInit fails: 803 SYSTEM_DRIVER_MISMATCH"
    assert (
        machine.check("--node", scenario=faulty).output
        == f"{first} [tfdoctor explain driver-versions-differ]\n"
    )
    for more in (
        machine.check("-v", "--node").output,
        machine.check("--node", TFDOCTOR_VERBOSE="1").output,
    ):
        lines = more.splitlines()
        assert lines[0] == first
        assert [line.split()[:2] for line in lines[1:3]] == [["fault", "driver"], ["ok", "xid"]]


def test_npd_is_one_line_simulated(machine: Machine) -> None:
    machine.write_state()
    assert machine.check("--format", "npd").output == "healthy: 1 GPU, examined 60 min ago\n"


NAGIOS: tuple[tuple[int, str, dict[str, object], Scenario], ...] = (
    (0, "OK", {}, Scenario()),
    (0, "OK", {"machine": "another"}, Scenario()),
    (2, "CRITICAL", {}, Scenario(faults=(Fault.error("cuInit", 803),))),
)


@pytest.mark.parametrize(("status", "word", "state", "scenario"), NAGIOS)
def test_nagios_has_its_own_four_statuses_simulated(
    status: int, word: str, state: dict[str, object], scenario: Scenario, machine: Machine
) -> None:
    machine.write_state(**state)
    said = machine.check("--format", "nagios", "--node", scenario=scenario)
    assert said.status == status
    text, bar, data = said.first.partition(" | ")
    assert text.startswith(f"TFDOCTOR {word} - ") and bar
    pattern = r"'?[^'= ]+'?=-?[\d.]+(us|ms|s|%|B|KB|MB|TB|c)?(;[\d.:~@]*){0,4}"  # Monitoring Plugins guidelines, performance data
    assert all(re.fullmatch(pattern, each) for each in data.split())


def test_nagios_warns_of_a_degraded_machine_simulated(machine: Machine) -> None:
    machine.write_state(verdict="degraded", roots=["user-site-leak"])
    assert machine.check("--format", "nagios").status == 1


def test_prometheus_names_versions_and_problems_simulated(machine: Machine) -> None:
    machine.write_state()
    lines = machine.check("--format", "prometheus").output.splitlines()
    assert f'tfdoctor_info{{version="{__version__}",driver_version="555.42.02"}} 1' in lines
    assert not [line for line in lines if "tfdoctor_problem" in line or "starved" in line]
    lost = machine.check("--format", "prometheus", scenario=Scenario(gpus=(Gpu(lost=True),)))
    assert 'tfdoctor_problem{code="gpu-hardware-fault"} 1' in lost.output.splitlines()


def test_nfd_is_a_features_file_that_expires_simulated(machine: Machine) -> None:
    """The rules of NFD's local source: a comment "+expiry-time", then name=value lines whose value a label may have."""
    machine.write_state()
    begun = datetime.now(timezone.utc).replace(microsecond=0)
    lines = machine.check("--format", "nfd", "--expires", "10m").output.splitlines()
    expiry = datetime.strptime(
        lines[0].removeprefix("# +expiry-time="), "%Y-%m-%dT%H:%M:%SZ"
    ).replace(tzinfo=timezone.utc)
    assert begun <= expiry - timedelta(minutes=10) <= datetime.now(timezone.utc)
    features = dict(line.split("=", 1) for line in lines[1:])
    assert features == {
        "tfdoctor.healthy": "true",
        "tfdoctor.gpus": "1",
        "tfdoctor.driver": "555.42.02",
    }
    broken = machine.check(
        "--format", "nfd", "--node", scenario=Scenario(faults=(Fault.error("cuInit", 803),))
    )
    assert "tfdoctor.fault=driver-versions-differ\n" in broken.output
    for line in broken.output.splitlines()[1:]:
        assert re.fullmatch(r"[a-z0-9.]+=[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", line)


def test_a_file_takes_the_place_of_standard_output_simulated(
    machine: Machine, tmp_path: Path
) -> None:
    machine.write_state()
    said = machine.check("-o", str(tmp_path / "answer"))
    assert (said.status, said.output) == (0, "")
    assert (tmp_path / "answer").read_text(encoding="ascii").startswith("healthy: 1 GPU")
    refused = machine.check("-o", str(tmp_path / "no/such/folder"))
    assert (refused.status, refused.errors) == (
        1,
        f"tfdoctor healthcheck: -o {tmp_path}/no/such/folder: No such file or directory\n",
    )


def test_a_reader_that_comes_late_still_gets_it_simulated(machine: Machine, tmp_path: Path) -> None:
    machine.write_state()
    os.mkfifo(pipe := tmp_path / "pipe")
    late = subprocess.Popen(["sh", "-c", f"sleep 1; cat {pipe}"], stdout=subprocess.PIPE, text=True)
    said = machine.check("--timeout", "0.9", "-o", str(pipe))
    assert (said.errors, said.output) == ("", "")
    assert late.communicate(timeout=30)[0].count("\n") == 1


@pytest.mark.parametrize("state", [True, False])
def test_broken_settings_are_wrong_usage_simulated(
    state: bool, machine: Machine, tmp_path: Path
) -> None:
    if state:
        machine.write_state()
    (tmp_path / "tfdoctor.toml").write_text("colour = 1")
    said = run(machine.command("-v"), machine.environment(), folder=tmp_path)
    assert said.status == 1
    assert f"{tmp_path}/tfdoctor.toml: unknown setting 'colour'" in said.output


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("--min", "--min-free-ram --min-free-vram"),
        ("--format n", "nagios nfd npd"),
        ("--smoke d", "driver"),
    ],
)
def test_a_shell_completes_its_options_simulated(
    typed: str, offered: str, machine: Machine
) -> None:
    words = f"tfdoctor healthcheck {typed}"
    asked = {
        "_TFDOCTOR_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    said = run([machine.command()[0], "-m", "tfdoctor"], machine.environment(**asked))
    assert sorted(said.output.split()) == offered.split()


def test_the_group_of_commands_runs_it_too_simulated(machine: Machine) -> None:
    machine.write_state()
    command = machine.command()
    code = "import sys; from tfdoctor.apps.cli.app import run; sys.exit(run(sys.argv[1:]))"
    said = run([command[0], "-c", code, *command[3:]], machine.environment())
    assert (said.status, said.first) == (0, "healthy: 1 GPU, examined 60 min ago")


@pytest.mark.parametrize("form", ["text", "json", "npd", "nagios", "prometheus", "nfd"])
def test_what_a_driver_says_of_itself_is_obeyed_by_no_terminal_simulated(
    form: str, machine: Machine
) -> None:
    evil = Scenario(gpus=(Gpu(name="L4\x1b]0;owned\x07\x9b31m\u202e"),))
    machine.write_state(roots=["\x1b[2J"], verdict="degraded", **machine.this_boot())
    said = machine.check("--format", form, "-v", scenario=evil)
    assert said.output.replace("\n", "").isprintable()
    assert said.errors == ""
