"""Documents of other commands are refused by name where a report of an examination is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.say.reports import document
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.saved import read_report
from tfdoctor.report.report import ReportError, report_from_json


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [("outcome", "success", "tfdoctor run"), ("diagnoses", [], "tfdoctor diagnose")],
)
def test_another_document_is_named(field: str, value: object, named: str, tmp_path: Path) -> None:
    told = {**document("healthy-cpu"), field: value}
    with pytest.raises(ReportError, match=named):
        report_from_json(told)
    file = tmp_path / "report.json"
    file.write_text(json.dumps(told))
    for secrets in (True, False):
        with pytest.raises(UsageError, match=named):
            read_report(str(file), secrets=secrets)


def test_an_error_about_a_report_quotes_no_secret(tmp_path: Path) -> None:
    told = document("healthy-cpu")
    told["verdict"] = ["ghp_" + "a1B2" * 9]
    file = tmp_path / "report.json"
    file.write_text(json.dumps(told))
    with pytest.raises(UsageError) as refused:
        read_report(str(file))
    assert "a1B2a1B2" not in str(refused.value)
