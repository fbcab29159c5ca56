"""The JSON document: valid for every reader, one form for writing and reading."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.say.reports import NAMES, document
from tfdoctor.facts.schema import schema_of
from tfdoctor.report.report import Report, ReportError, report_from_json, report_to_json
from tfdoctor.say.json_v1 import render_json

SCHEMA = json.loads(schema_of(Report, "report"))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("machine", NAMES)
def test_reports_follow_the_schema(machine: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(document(machine))


@pytest.mark.parametrize("machine", NAMES)
def test_a_report_survives_being_read(machine: str) -> None:
    assert report_to_json(report_from_json(document(machine))) == document(machine)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), "fine"),
        (("findings",), [{}]),
        (("facts", "host.os"), {"status": "known"}),
        (("duration_s",), -1),
    ],
)
def test_the_schema_refuses_what_is_no_report(path: tuple[str, ...], value: Any) -> None:
    broken = document("driver-too-old")
    inner = broken
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(broken)


def test_unknown_fields_are_nobodys_business() -> None:
    more = document("driver-too-old")
    more["new"] = {"x": 1}
    more["findings"][0]["new"] = 1
    more["facts"]["host.colour"] = {"status": "known", "value": "blue", "from": "eyes"}
    jsonschema.Draft202012Validator(SCHEMA).validate(more)
    assert report_from_json(more) == report_from_json(document("driver-too-old"))


def test_facts_alone_are_enough() -> None:
    read = report_from_json({"facts": document("healthy-gpu")["facts"]})
    assert read.facts == report_from_json(document("healthy-gpu")).facts
    assert read.verdict.value == "unknown"


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ([], "not a tfdoctor report"),
        ({}, "not a tfdoctor report"),
        ({"facts": []}, "not a tfdoctor report"),
        ({"facts": {}, "schema_version": "2.0"}, "2.0"),
        ({"facts": {"host.os": {"status": "maybe"}}}, "host.os"),
        ({"facts": {"host.os": 5}}, "host.os"),
        ({"facts": {}, "verdict": "fine"}, "fine"),
        ({"facts": {}, "findings": [{"code": "x", "severity": "bad"}]}, "bad"),
        ({"facts": {}, "findings": 5}, "can't be read"),
        ({"facts": {}, "smoke": []}, "can't be read"),
        ({"facts": {}, "tool": "x"}, "can't be read"),
        ({"facts": {}, "duration_s": "long"}, "can't be read"),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(broken: Any, why: str) -> None:
    with pytest.raises(ReportError) as error:
        report_from_json(broken)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow  # takes a second
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_whatever_is_written_is_json(value: Any) -> None:
    written = render_json({"x": value})
    written.encode("utf-8")
    assert written.endswith("}\n")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(written, parse_constant=refuse)


def test_a_fact_that_is_no_number_could_not_be_found_out() -> None:
    written = json.loads(
        render_json(
            {"f": {"status": "known", "value": float("nan"), "from": "x"}, "g": [float("inf")]}
        )
    )
    assert written == {
        "f": {"status": "failed", "kind": "unreadable", "error": "nan is no finite number"},
        "g": [None],
    }
