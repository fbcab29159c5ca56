"""Every fact of a document as a row, for the forms that show them all to people; programs read the JSON report."""

from __future__ import annotations

from typing import Any

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import UNASKED, Absent, AnyFact, Failed
from tfdoctor.say.overview import size


@record
class FactRow:
    """`text` is the value, or why there is none; `source` is where it was read."""

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
    return FactRow(path, in_words(to_json(fact.value), path.rpartition(".")[2]), fact.source)


_BYTES = Expression(r"(?:^|_)(?:total|free|used|limit|available|size|rss|bytes|memory)$")
_LEAST_SIZE = 1 << 20
"""A smaller number under such a name counts something else: files, processes."""


def in_words(value: Any, name: str = "") -> str:
    """A value of JSON as people write it: sizes in GiB, packages as name==version, no braces."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= _LEAST_SIZE and _BYTES.search(name):
        return size(value)
    if isinstance(value, list):
        return ", ".join(in_words(each, name) for each in value) or "none"
    return _of_record(value, name) if isinstance(value, dict) else str(value)


def _of_record(value: dict[str, Any], name: str) -> str:
    if value.get("status") in ("known", "absent", "failed"):
        told = value.get("value", value.get("reason", value.get("error", "")))
        return (
            in_words(told, name)
            if value["status"] == "known"
            else f"{_WITHOUT[value['status']]} ({told})"
        )
    if {"name", "version"} <= value.keys():
        return f"{value['name']}=={value['version']}"
    parts = ((key, in_words(each, key)) for key, each in value.items())
    return "; ".join(f"{key.replace('_', ' ')}: {text}" for key, text in parts if text)


_WITHOUT = {"absent": "none", "failed": "unknown"}
