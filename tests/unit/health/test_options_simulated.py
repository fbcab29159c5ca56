"""The command line: options, their variables, help, wrong ones; and what the forms look like to their readers."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Gpu, Scenario
from tfdoctor import __version__
from tfdoctor.cli.health.options import FLAGS, VALUED, WrongUsage, help_text, read_options, size
from tfdoctor.examine.settings import parse_size
from tfdoctor.health.answer import BUSY, FAIL, NO_VERDICT, Answer, CheckResult, as_line
from tfdoctor.health.clock import duration
from tfdoctor.health.formats import as_prometheus, nagios_status

from .machine import Machine, run


@pytest.mark.parametrize("text", ["512M", "2 GiB", "1.5G", "1000", "3k", "1T", "0", "7B", "2gb"])
def test_a_size_is_read_as_the_settings_file_reads_it(text: str) -> None:
    assert size(text) == parse_size(text)


@pytest.mark.parametrize("text", ["", "G", "-1G", "1X", "1e400", "nan", "two"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no size"):
        size(text)


def test_durations() -> None:
    assert [duration(text) for text in ("90", "0.9", "10m", "36h", "7d", "5s")] == [
        90,
        0.9,
        600,
        129600,
        604800,
        5,
    ]
    for text in ("", "m", "-5", "nan", "inf", "1w"):
        with pytest.raises(ValueError, match="is no time"):
            duration(text)


def test_every_option_has_a_variable_and_stands_in_the_help() -> None:
    values = {
        "N": "2",
        "SIZE": "1G",
        "TIME": "60",
        "FILE": "/x",
        "PATH": "/x",
        "DIR": "/x",
        "FORM": "npd",
        "VERDICT": "unhealthy",
        "none|driver|tf": "tf",
    }
    for option, field, word, _, _ in VALUED:
        assert f" {option} {word}" in help_text()
        name = "TFDOCTOR_" + option[2:].upper().replace("-", "_")
        environ = {name: values[word], **({"TFDOCTOR_SMOKE": "tf"} if option == "--every" else {})}
        by_variable, by_option = (
            read_options([], environ),
            read_options([option, values[word], *(["--smoke", "tf"] if option == "--every" else [])], {}),
        )
        assert (
            getattr(by_variable, field) == getattr(by_option, field) != getattr(read_options([], {}), field)
        )
    for flag, field, setting, _ in FLAGS:
        assert f" {flag} " in help_text()
        assert (
            getattr(read_options([], {"TFDOCTOR_" + flag[2:].upper().replace("-", "_"): "1"}), field)
            == setting
        )
    assert read_options([], {"TFDOCTOR_REQUIRE_GPU": "0"}).require_gpu is False


def test_variables_that_are_meant_for_check_do_no_harm() -> None:
    for form in ("terminal", "markdown", "html"):
        assert read_options([], {"TFDOCTOR_FORMAT": form, "TFDOCTOR_SMOKE": "auto"}).form == "text"
    both = read_options(
        [],
        {"TFDOCTOR_TIMEOUT": "60", "TFDOCTOR_HEALTHCHECK_TIMEOUT": "0.5", "TFDOCTOR_HEALTHCHECK_NODE": "1"},
    )
    assert (both.timeout, both.node) == (0.5, True)


def test_forms_of_writing_an_option() -> None:
    assert read_options(["--gpus=2"], {}).gpus == 2
    assert (
        read_options(["-o", "/x"], {}).output
        == read_options(["-o/x"], {}).output
        == read_options(["--output=/x"], {}).output
        == "/x"
    )
    assert read_options(["--gpus", "2"], {"TFDOCTOR_GPUS": "5"}).gpus == 2, (
        "the command line goes before the variable"
    )


WRONG: tuple[tuple[list[str], dict[str, str], str], ...] = (
    (["--nonsense"], {}, "there is no option '--nonsense'; see tfdoctor healthcheck --help"),
    (["--gpus"], {}, "--gpus: its value (N) is missing"),
    (["foo"], {}, "it takes options alone, not 'foo'; see tfdoctor healthcheck --help"),
    (["--gpus", "many"], {}, "--gpus: 'many' is no whole number"),
    (["--format", "xml"], {}, "--format: 'xml' is none of text, json, npd, nagios, prometheus, nfd"),
    (["--timeout", "0"], {}, "--timeout: it must be more than 0"),
    (["--every", "10m"], {}, "--every goes with --smoke tf"),
    (["--json=1"], {}, "there is no option '--json'; see tfdoctor healthcheck --help"),
    ([], {"TFDOCTOR_NODE": "maybe"}, "TFDOCTOR_NODE: 'maybe' is neither true nor false"),
    (
        [],
        {"TFDOCTOR_MAX_AGE": "soon"},
        "TFDOCTOR_MAX_AGE: 'soon' is no time; write one as 90, 10m, 36h or 7d",
    ),
)


@pytest.mark.parametrize(("arguments", "environ", "told"), WRONG)
def test_a_wrong_one_is_one_line(arguments: list[str], environ: dict[str, str], told: str) -> None:
    with pytest.raises(WrongUsage) as caught:
        read_options(arguments, environ)
    assert str(caught.value) == told


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
    broken = machine.check("--json", "--node", scenario=Scenario(faults=(Fault.error("cuInit", 803),)))
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
    for more in (machine.check("-v", "--node").output, machine.check("--node", TFDOCTOR_VERBOSE="1").output):
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


@pytest.mark.parametrize(
    ("status", "words", "healthy"),
    [
        (NO_VERDICT, "the examination did not finish", False),
        (BUSY, "another health check is running", True),
    ],
)
def test_what_is_not_known_has_its_word_in_every_form(status: str, words: str, healthy: bool) -> None:
    answer = Answer([CheckResult("examination", status, words)], seconds=0.9, at=0.0, extra={})
    assert as_line(answer) == f"unknown: {words}\n"
    assert (answer.healthy, nagios_status(answer)) == (healthy, 3)
    assert f"tfdoctor_healthy {int(healthy)}\n" in as_prometheus(answer)
    assert 'tfdoctor_check_unseen{check="examination"} 1' in as_prometheus(answer)
    faulty = Answer([*answer.points, CheckResult("memory", FAIL, "full")], seconds=0.9, at=0.0, extra={})
    assert as_line(faulty) == "unhealthy: full\n"


def test_when_starved_is_accepted_and_changes_nothing_simulated(machine: Machine) -> None:
    machine.write_state()
    for said in (
        machine.check("--when-starved", "unhealthy"),
        machine.check(TFDOCTOR_WHEN_STARVED="healthy"),
    ):
        assert (said.status, said.first) == (0, "healthy: 1 GPU, examined 60 min ago")
        assert said.errors.count("\n") == 1 and "has no effect any more" in said.errors


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
    expiry = datetime.strptime(lines[0].removeprefix("# +expiry-time="), "%Y-%m-%dT%H:%M:%SZ").replace(
        tzinfo=timezone.utc
    )
    assert begun <= expiry - timedelta(minutes=10) <= datetime.now(timezone.utc)
    features = dict(line.split("=", 1) for line in lines[1:])
    assert features == {"tfdoctor.healthy": "true", "tfdoctor.gpus": "1", "tfdoctor.driver": "555.42.02"}
    broken = machine.check(
        "--format", "nfd", "--node", scenario=Scenario(faults=(Fault.error("cuInit", 803),))
    )
    assert "tfdoctor.fault=driver-versions-differ\n" in broken.output
    for line in broken.output.splitlines()[1:]:
        assert re.fullmatch(r"[a-z0-9.]+=[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?", line)


def test_a_file_takes_the_place_of_standard_output_simulated(machine: Machine, tmp_path: Path) -> None:
    machine.write_state()
    said = machine.check("-o", str(tmp_path / "answer"))
    assert (said.status, said.output) == (0, "")
    assert (tmp_path / "answer").read_text(encoding="ascii").startswith("healthy: 1 GPU")
    refused = machine.check("-o", str(tmp_path / "no/such/folder"))
    assert (refused.status, refused.errors) == (
        1,
        f"tfdoctor healthcheck: -o {tmp_path}/no/such/folder: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("--min", "--min-free-ram --min-free-vram"), ("--format n", "nagios nfd npd"), ("--smoke d", "driver")],
)
def test_a_shell_completes_its_options_simulated(typed: str, offered: str, machine: Machine) -> None:
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
    code = "import sys; from tfdoctor.cli.app import run; sys.exit(run(sys.argv[1:]))"
    said = run([command[0], "-c", code, *command[3:]], machine.environment())
    assert (said.status, said.first) == (0, "healthy: 1 GPU, examined 60 min ago")


@pytest.mark.parametrize("form", ["text", "json", "npd", "nagios", "prometheus", "nfd"])
def test_what_a_driver_says_of_itself_is_obeyed_by_no_terminal_simulated(form: str, machine: Machine) -> None:
    evil = Scenario(gpus=(Gpu(name="L4\x1b]0;owned\x07\x9b31m\u202e"),))
    machine.write_state(roots=["\x1b[2J"], verdict="degraded", **machine.this_boot())
    said = machine.check("--format", form, "-v", scenario=evil)
    assert said.output.replace("\n", "").isprintable()
    assert said.errors == ""
