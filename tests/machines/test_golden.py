"""Whole reports in every form, held against files that a person has looked at. `--update-golden` rewrites them."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from tfdoctor.examine.report import Report, report_from_json, report_to_json
from tfdoctor.records import replace
from tfdoctor.render.json_v1 import render_json
from tfdoctor.render.pages import render_html, render_markdown
from tfdoctor.render.redact.identity import Identity
from tfdoctor.render.redact.report import redacted
from tfdoctor.render.report_view import report_view
from tfdoctor.render.terminal import Page, render_terminal
from tfdoctor.render.view import View

HERE = Path(__file__).parent
MACHINES = sorted(path.parent.name for path in HERE.glob("*/report.json"))
MIRA = Identity("mira", "/home/mira", "/home/mira", ("node17.cluster.example", "node17"))


def _terminal(width: int, encoding: str = "utf-8") -> Callable[[View], str]:
    def render(view: View) -> str:
        out = StringIO()
        render_terminal(view, Page(width, encoding=encoding), out)
        return out.getvalue()

    return render


FORMS: dict[str, Callable[[View], str]] = {
    "expected.txt": _terminal(80),
    "expected-narrow-ascii.txt": _terminal(40, "ascii"),
    "expected.md": render_markdown,
    "expected.html": lambda view: render_html(replace(view, all_facts=None)),  # they are in the JSON
}


def redacted_report(machine: str) -> Report:
    document = json.loads((HERE / machine / "report.json").read_text(encoding="utf-8"))
    return redacted(report_from_json(document), MIRA)


@pytest.mark.parametrize("form", [*FORMS, "expected.json"])
@pytest.mark.parametrize("machine", MACHINES)
def test_report_looks_as_it_was_approved(machine: str, form: str, request: pytest.FixtureRequest) -> None:
    report = redacted_report(machine)
    text = (
        render_json(report_to_json(report)) if form == "expected.json" else FORMS[form](report_view(report))
    )
    golden = HERE / machine / form
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
