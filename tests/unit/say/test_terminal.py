"""The terminal's report: verdict first, commands whole, nothing interpreted, any width and encoding."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.say.reports import NAMES, report, with_text
from tfdoctor.base.records import replace
from tfdoctor.facts.probe_run import ProbeRun
from tfdoctor.knowledge.model import Evidence, Undecided
from tfdoctor.report.report import Report, Stage
from tfdoctor.say.report_view import report_view
from tfdoctor.say.terminal import QUIET, VERBOSE, Page, render_terminal


def shown(of: Report, page: Page | None = None) -> str:
    out = StringIO()
    render_terminal(report_view(of), page or Page(), out)
    return out.getvalue()


@pytest.mark.parametrize("machine", NAMES)
def test_the_verdict_comes_first(machine: str) -> None:
    of = report(machine)
    symbols = {"healthy": "✓ ", "degraded": "! ", "broken": "✗ ", "unknown": "? "}
    assert shown(of).startswith(symbols[of.verdict.value])


@pytest.mark.parametrize("width", [20, 40, 80, 400])
@pytest.mark.parametrize(
    "machine", [name for name in NAMES if name != "hostile-text"]
)  # its commands are cleaned
def test_sentences_fit_and_commands_stay_whole(machine: str, width: int) -> None:
    of = report(machine)
    lines = shown(of, Page(width)).splitlines()
    commands = {
        command for finding in of.roots for fix in finding.fixes for command in fix.commands
    }
    assert commands <= {
        line.strip() for line in shown(of, Page(width, amount=VERBOSE)).splitlines()
    }
    long = [line for line in lines if len(line) > max(width, 24) and line.strip() not in commands]
    assert long == []


@pytest.mark.parametrize("machine", NAMES)
def test_without_colour_there_is_no_escape(machine: str) -> None:
    assert "\x1b" not in shown(report(machine))


def test_with_colour_the_words_stay_the_same() -> None:
    import re

    of = report("two-roots")
    coloured = shown(of, Page(colour=True))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == shown(of)


@pytest.mark.parametrize("machine", NAMES)
def test_a_plain_terminal_gets_plain_characters(machine: str) -> None:
    shown(report(machine), Page(encoding="ascii")).encode("ascii")


def test_roots_stand_in_order_and_consequences_below_theirs() -> None:
    text = shown(report("two-roots"), Page(amount=VERBOSE))
    order = (
        "1 more problem: CUDA",
        "(nvml-unusable)",
        "tfdoctor explain driver-missing",
        "2. CUDA libraries",
        "(libdevice-missing)",
        "Notes",
    )
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("(nvml-unusable)") == 1
    assert "(nvml-unusable)" not in shown(report("two-roots"))


def test_what_stays_open_and_what_was_ignored_is_said() -> None:
    text = " ".join(shown(report("two-roots")).split())
    assert "not checked: 3 (-v)" in text and "ignored: 1 (-v)" in text
    assert "Ignored\n- ptxas-missing: XLA is not used here" in shown(
        report("two-roots"), Page(amount=VERBOSE)
    )


@pytest.mark.parametrize(
    "machine",
    [name for name in NAMES if name not in ("hostile-text", "healthy-cpu", "healthy-gpu")],
)
def test_verdict_cause_and_command_stand_in_the_first_eight_lines(machine: str) -> None:
    of = report(machine)
    first = shown(of).splitlines()[:8]
    assert any(line.strip() == of.roots[0].fixes[0].commands[0] for line in first)


def test_quiet_is_the_first_line_and_the_fix() -> None:
    text = shown(report("driver-too-old"), Page(amount=QUIET))
    assert "sudo apt-get install --yes nvidia-driver-580" in text
    assert "Seen" not in text and "Memory" not in text


def test_verbose_shows_what_was_expected_and_who_says_so() -> None:
    assert "expected: >=525.60.13 (" in shown(report("driver-too-old"), Page(amount=VERBOSE))


def test_what_a_fault_speaks_of_is_not_called_good() -> None:
    text = shown(report("driver-too-old"))
    assert "✗ Driver      470.57.02" in text
    assert "✓ GPU 0 " in text
    root = replace(
        report("driver-too-old").roots[0],
        evidence=(Evidence("packages.installed", "protobuf 4.25.8"),),
    )
    assert "installed; protobuf 4.25.8\n" in shown(
        replace(report("driver-too-old"), findings=(root,))
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_any_text_of_a_machine_is_shown_as_text(text: str) -> None:
    of = replace(report("healthy-cpu"), findings=(with_text(text),), summary=text)
    out = shown(of, Page(60))
    assert "\x1b" not in out
    assert "\r" not in out


def test_markup_is_not_read() -> None:
    of = replace(report("healthy-cpu"), findings=(with_text("[bold red]x[/] :smile: [/nothing]"),))
    assert "[bold red]x[/] :smile: [/nothing]" in shown(of)


def not_examined(of: Report) -> list[str]:
    text = shown(of, Page(400, amount=VERBOSE))
    return [
        line
        for line in text.partition("Not checked\n")[2].split("\n\n")[0].splitlines()
        if line.startswith("- ")
    ]


def test_what_was_not_asked_is_said_once_and_in_plain_words() -> None:
    well = report("healthy-cpu")
    stages = tuple(
        Stage(name, "skipped", 0.0, {"reason": "--smoke none"})
        for name in ("driver", "libraries", "tensorflow")
    )
    of = replace(
        well,
        smoke=replace(well.smoke, stages=stages),
        undecided=(
            Undecided("smoke-timeout", "smoke.tensorflow: skipped: --smoke none", not_live=True),
            Undecided("hdf5-mismatch", "smoke.tensorflow: skipped: --smoke none", not_live=True),
            Undecided(
                "disk-full", "memory.tmp_free: not-live: the free space of a mount", not_live=True
            ),
            Undecided(
                "python-unsupported",
                "interpreter.version: the probe interpreter did not answer within 7.4 s",
            ),
            Undecided("tensorflow-missing", "the probe interpreter did not answer within 7.4 s"),
        ),
        probes=(
            ProbeRun(
                "interpreter", "timeout", 7.4, "the probe interpreter did not answer within 7.4 s"
            ),
            ProbeRun("jupyter", "failed", 0.1),
        ),
    )
    assert not_examined(of) == [
        "- the probe interpreter did not answer within 7.4 s",
        "- skipped: driver, libraries, tensorflow tests: --smoke none (2 checks not run)",
        "- the free space of a mount (1 check not run)",
        "- jupyter: failed",
    ]
    text = " ".join(shown(of).split())
    assert text.count("the probe interpreter did not answer within 7.4 s") == 1
    assert "not-live" not in text
