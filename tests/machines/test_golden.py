"""Whole reports in three forms, held against files that a person has looked at. `--update-golden` rewrites them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tfdoctor.base.records import replace
from tfdoctor.report.report import Report, report_from_json, report_to_json
from tfdoctor.say.json_v1 import render_json
from tfdoctor.say.pages import render_html
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.report import redacted
from tfdoctor.say.report_view import report_view
from tfdoctor.say.terminal import Page, render_text

HERE = Path(__file__).parent
MACHINES = ("healthy-gpu", "two-roots", "hostile-text")
MIRA = Identity("mira", "/home/mira", "/home/mira", ("node17.cluster.example", "node17"))


def given(machine: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        (HERE / machine / "report.json").read_text(encoding="utf-8")
    )
    return document


def redacted_report(machine: str) -> Report:
    return redacted(report_from_json(given(machine)), MIRA)


def as_json(machine: str) -> str:
    """Of the facts those that redaction changed: the others stand in report.json."""
    document = report_to_json(redacted_report(machine))
    facts = given(machine)["facts"]
    document["facts"] = {
        name: fact
        for name, fact in document["facts"].items()
        if name in facts and fact != facts[name]
    }
    return render_json(document)


FORMS: dict[str, Callable[[str], str]] = {
    "expected.txt": lambda machine: render_text(report_view(redacted_report(machine)), Page(80)),
    "expected.html": lambda machine: render_html(
        replace(
            report_view(redacted_report(machine)), all_facts=None, about=""
        )  # in the JSON; the time
    ),
    "expected.json": as_json,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("machine", MACHINES)
def test_report_looks_as_it_was_approved(
    machine: str, form: str, request: pytest.FixtureRequest
) -> None:
    text, golden = FORMS[form](machine), HERE / machine / form
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
