"""The view of a comparison of two reports: what both are, what is found in one alone, and what differs, what matters first."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.examine.difference import Comparison, Difference, Weight
from tfdoctor.examine.report import Report
from tfdoctor.render.view import Code, Item, Items, Observation, Observations, Row, Section, View

_HEADINGS = {
    Weight.DECISIVE: "Differences that decide what works",
    Weight.LIKELY: "Differences that may matter",
    Weight.MINOR: "Differences that hardly matter",
}
_LONGEST = 300  # characters of a value that a person still compares


def difference_view(comparison: Comparison, a: Report, b: Report, names: tuple[str, str]) -> View:
    """`names`: what the two reports are called."""
    headline = "Nothing that matters differs." if comparison.same else (
        f"{names[0]} is {a.verdict.value}, {names[1]} is {b.verdict.value}." if a.verdict is not b.verdict
        else f"Both are {a.verdict.value}, and they differ."
    )  # fmt: skip
    return View(
        program="tfdoctor diff",
        verdict="SAME" if comparison.same else "DIFFERENT",
        tone="healthy" if comparison.same else "degraded",
        headline=headline,
        facts=tuple(Row(name, report.summary) for name, report in zip(names, (a, b), strict=True)),
        sections=tuple(_sections(comparison, names)),
        footer=f"tfdoctor {a.tool.version}" if a.tool == b.tool else "",
    )


def _sections(comparison: Comparison, names: tuple[str, str]) -> Iterator[Section]:
    found = ((f"Found in {names[0]} alone", comparison.only_a), (f"Found in {names[1]} alone", comparison.only_b), ("Found in both", comparison.both))  # fmt: skip
    for title, codes in found:
        if codes:
            yield Section(title, (Items(tuple(Item((Code(code),)) for code in codes)),))
    for weight, title in _HEADINGS.items():
        chosen = tuple(item for item in comparison.differences if item.weight is weight)
        if chosen:
            yield Section(title, (_table(chosen, names),), shut=weight is Weight.MINOR)
    if comparison.open:
        yield Section(
            "Can't be compared: one side does not know", (_table(comparison.open, names),), shut=True
        )


def _table(differences: tuple[Difference, ...], names: tuple[str, str]) -> Observations:
    return Observations(
        tuple(
            Observation(item.fact, (f"{names[0]}: {_short(item.a)}", f"{names[1]}: {_short(item.b)}"))
            for item in differences
        )
    )


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
