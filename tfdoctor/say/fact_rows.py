"""Every fact of a document as a row, for the forms that show them all."""

from __future__ import annotations

import json

from tfdoctor.base.records import record
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import UNASKED, Absent, AnyFact, Failed


@record
class FactRow:
    """`text` is the value in JSON, or why there is none; `source` is where it was read."""

    path: str
    text: str
    source: str


def fact_rows(facts: Facts) -> tuple[FactRow, ...]:
    """Those that were asked for."""
    asked = (
        (path, fact)
        for path, fact in facts.items()
        if not (isinstance(fact, Failed) and fact.kind == "not-asked") and fact != UNASKED
    )
    return tuple(_row(path, fact) for path, fact in asked)


def _row(path: str, fact: AnyFact) -> FactRow:
    if isinstance(fact, Failed):
        return FactRow(path, f"unknown: {fact.error}", "")
    if isinstance(fact, Absent):
        return FactRow(path, f"none: {fact.reason}", "")
    return FactRow(path, json.dumps(to_json(fact.value), ensure_ascii=False), fact.source)
