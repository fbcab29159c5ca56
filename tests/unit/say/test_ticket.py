"""Tickets: all facts, TensorFlow's form, never too long, and text of a machine is text there, too."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.say.reports import NAMES, document, report, with_text
from tfdoctor.base.records import replace
from tfdoctor.knowledge.model import Fix
from tfdoctor.report.report import Report, report_from_json
from tfdoctor.say.clean import clean
from tfdoctor.say.issue_form import issue_form
from tfdoctor.say.report_view import report_view
from tfdoctor.say.ticket import MOST_BYTES, fact_lines, render_issue_form, render_ticket

FORM = [
    "Issue type", "Have you reproduced the bug with TensorFlow Nightly?", "Source", "TensorFlow version", "Custom code",
    "OS platform and distribution", "Mobile device", "Python version", "Bazel version", "GCC/compiler version",
    "CUDA/cuDNN version", "GPU model and memory", "Current behavior?", "Standalone code to reproduce the issue",
    "Relevant log output",
]  # fmt: skip
HOSTILE = "</details><script>alert(1)</script> @someone \x1b[31m \u202egnp.exe ``` ~~~ # x"


def ticket(of: Report) -> str:
    return render_ticket(report_view(of))


def form(of: Report) -> str:
    return render_issue_form(issue_form(of), "tfdoctor")


def fields(of: Report) -> dict[str, str]:
    parts = re.split(r"^### (.*)\n\n", form(of), flags=re.MULTILINE)[1:]
    return dict(
        zip(parts[::2], (part.partition("<sub>")[0].strip() for part in parts[1::2]), strict=True)
    )


@pytest.mark.parametrize("machine", NAMES)
def test_a_ticket_holds_the_verdict_each_command_and_every_fact(machine: str) -> None:
    of = report(machine)
    text = ticket(of)
    assert text.startswith(f"## tfdoctor: {of.verdict.name}\n")
    for root in of.roots:
        assert all(
            f"\n{clean(command)}\n" in text for fix in root.fixes for command in fix.commands
        )
    assert all(f"\n{line.partition(':')[0]}: " in text for line in fact_lines(of.facts))
    assert text.count("<details>") == text.count("</details>")
    assert "Left out" not in text


def test_the_form_has_tensorflows_fields_in_its_order_filled_from_facts() -> None:
    filled = fields(report("driver-too-old"))
    assert list(filled) == FORM
    assert filled["TensorFlow version"] == "2.20.0"
    assert filled["Source"] == "binary"
    assert filled["OS platform and distribution"].startswith("Ubuntu 22.04.5 LTS, x86_64")
    assert (
        filled["CUDA/cuDNN version"]
        == "built for CUDA 12.5.1 and cuDNN 9.3.0; NVIDIA driver 470.57.02"
    )
    assert (
        filled["GPU model and memory"] == "NVIDIA A100-SXM4-40GB, 40.0 GiB, compute capability 8.0"
    )
    assert "driver.version: 470.57.02" in filled["Current behavior?"]


def test_a_gpu_whose_driver_is_missing_is_named_all_the_same() -> None:
    assert (
        fields(report("two-roots"))["GPU model and memory"]
        == "NVIDIA GPU, not available to CUDA programs"
    )
    assert fields(report("healthy-cpu"))["GPU model and memory"] == "none"


def test_what_nobody_asked_for_is_no_fact() -> None:
    nothing = report_from_json({"facts": {}})
    assert fact_lines(nothing.facts) == ()
    assert "<details>" not in ticket(nothing)


def test_what_only_the_person_knows_stays_a_question() -> None:
    filled = fields(report("driver-too-old"))
    for label in (
        "Issue type",
        "Custom code",
        "Standalone code to reproduce the issue",
        "Relevant log output",
    ):
        assert re.fullmatch(r"\*[^*]+[?.]\*", filled[label])
    assert filled["Current behavior?"].endswith(
        "*What did you run, what happened, and what did you expect to happen?*"
    )


def test_what_could_not_be_found_out_is_a_question_and_no_answer() -> None:
    nothing = report_from_json({"facts": {}})
    assert [
        label for label, text in fields(nothing).items() if not text.endswith(("?*", ".*"))
    ] == []
    assert fields(nothing)["GPU model and memory"] == "*Which one?*"


def with_facts(many: int, length: int) -> Report:
    told: dict[str, Any] = document("driver-too-old")
    told["facts"]["environment.variables"] = {
        "status": "known",
        "value": {f"TF_{number}": "<|`" * (length // 3) for number in range(many)},
        "from": "environ",
    }
    return report_from_json(told)


@pytest.mark.parametrize(("many", "length"), [(50_000, 100), (1, 500_000)])
def test_more_facts_than_fit_are_cut_and_it_is_said(many: int, length: int) -> None:
    of = with_facts(many, length)
    text = ticket(of)
    assert len(text.encode()) <= MOST_BYTES
    assert f"\n{of.roots[0].fixes[0].commands[0]}\n" in text
    assert "Left out or cut, to fit into 60 kB: 1 text that ends in …." in text
    assert "\nsmoke.driver: " in text  # the facts behind the long one


def test_long_words_lists_and_commands_are_cut_and_it_is_said() -> None:
    fix = Fix("Do it", ("short --command", "x" * 70_000), "y" * 70_000)
    root = replace(with_text("<" * 300_000), fixes=(fix,) * 30)
    of = replace(report("driver-too-old"), summary="@" * 300_000, findings=(root,) * 60)
    text = ticket(of)
    assert len(text.encode()) <= MOST_BYTES
    assert "\nshort --command\n" in text
    assert "xxx" not in text
    told = re.search(r"to fit into 60 kB: ([\d,]+) sections, ([\d,]+) commands?, .*facts", text)
    assert told is not None
    assert len(form(of).encode()) <= MOST_BYTES
    assert "Left out or cut" in form(of)


@settings(max_examples=40, deadline=None)
@example("\\`")
@given(st.text(alphabet=st.sampled_from("<>&\"'`/=!-[]()*_#@|\\~ ax\n\x1b\u202e"), max_size=60))
def test_no_text_of_a_machine_is_markup(text: str) -> None:
    told = document("driver-too-old")
    told["facts"]["environment.variables"] = {
        "status": "known",
        "value": {"TF_X": text + HOSTILE},
        "from": "environ",
    }
    of = replace(
        report_from_json(told), summary=text + HOSTILE, findings=(with_text(text + HOSTILE),)
    )
    for shown in (ticket(of), form(of)):
        assert not {"\x1b", "\u202e"} & set(shown)
        prose = outside_of_code(shown)
        assert "<script" not in prose
        assert "@someone" not in prose
        assert prose.count("<details>") == prose.count("</details>")


def outside_of_code(markdown: str) -> str:
    """What GitHub reads as Markdown: without code blocks and code spans (CommonMark 0.31, 4.5 and 6.1)."""
    without_blocks = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    spans = r"\\.|(`+)(?!`).*?(?<!`)\1(?!`)|`+"
    return re.sub(spans, lambda found: "" if found[1] else found[0], without_blocks)
