"""The comparison of two reports: as JSON, and as a view that says why first and then what differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from tfdoctor.base.records import record
from tfdoctor.base.units import counted
from tfdoctor.facts.codec import to_json
from tfdoctor.knowledge.model import Finding, Role, Verdict
from tfdoctor.report.difference import NAMED_BY, UNKNOWN, Comparison, Difference, Weight, items_of
from tfdoctor.report.report import Report
from tfdoctor.report.summary import clause
from tfdoctor.say.fact_names import fact_name
from tfdoctor.say.view import (
    NO_FIX,
    Item,
    Pair,
    Pairs,
    Prose,
    Row,
    Section,
    View,
    first_fix,
    folded,
)

_STATES = {
    Verdict.HEALTHY: "works",
    Verdict.DEGRADED: "works with problems",
    Verdict.BROKEN: "is broken",
    Verdict.UNKNOWN: "has no verdict",
}
_BOTH = {
    Verdict.HEALTHY: "work",
    Verdict.DEGRADED: "work with problems",
    Verdict.BROKEN: "are broken",
    Verdict.UNKNOWN: "have no verdict",
}
_WORST_FIRST = (Verdict.BROKEN, Verdict.UNKNOWN, Verdict.DEGRADED, Verdict.HEALTHY)
_MOST = 8  # differences on the first screen
_MANY = 3  # items of one fact from which on they stand in one row
# Characters of a value that a person compares; on the first screen.
_LONGEST, _LONGEST_SHORTLY = (
    300,
    60,
)
_LONGEST_NAME = 24


@record
class Side:
    """One of the two reports."""

    verdict: Verdict
    summary: str
    generated_at: str


@record
class Codes:
    """Codes of the problems of one report alone, and of both."""

    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    both: tuple[str, ...]


@record
class DifferenceDocument:
    """What differs between two reports."""

    JSON: ClassVar = "schema_version $schema=schema_id? same a b findings differences open"
    SCHEMA: ClassVar = {
        "same": "True where nothing that matters differs.",
        "differences": "What matters first.",
        "open": "What one of the reports does not know.",
    }
    schema_version: ClassVar = "1.0"
    schema_id: ClassVar = "urn:tfdoctor:schema:diff:1.0"

    same: bool
    a: Side
    b: Side
    findings: Codes
    differences: tuple[Difference, ...]
    open: tuple[Difference, ...]


def difference_to_json(comparison: Comparison, a: Report, b: Report) -> dict[str, Any]:
    codes = Codes(comparison.only_a, comparison.only_b, comparison.both)
    document: dict[str, Any] = to_json(
        DifferenceDocument(
            comparison.same, _side(a), _side(b), codes, comparison.differences, comparison.open
        )
    )
    return document


def _side(report: Report) -> Side:
    return Side(report.verdict, report.summary, report.generated_at)


def difference_view(
    comparison: Comparison,
    a: Report,
    b: Report,
    names: tuple[str, str],
    *,
    everything: bool = False,
) -> View:
    """Why one of the two is worse, and what differs, first what the problems rest on; `everything`: all of it."""
    sides = dict(zip(names, (a, b), strict=True)) if names[0] != names[1] else {"A": a, "B": b}
    names = tuple(sides)  # type: ignore[assignment]  # there are two
    worse = min(sides, key=lambda name: _WORST_FIRST.index(sides[name].verdict))
    on_b = worse == names[1]
    own = _problems(comparison, a, b)[on_b]
    causes = list(_of_causes(own, comparison, a if on_b else b, on_b=on_b))
    rest = [item for item in comparison.differences if item not in causes]
    mattering = [item for item in rest if item.weight is not Weight.MINOR]
    groups = (
        [[item] for item in causes + rest]
        if everything
        else _grouped(causes + mattering, on_b=on_b)[:_MOST]
    )
    needed = {
        each.fact: each.expected
        for finding in own
        for each in finding.evidence
        if any(map(str.isdigit, each.expected))
    }
    rows = tuple(
        _pair(group, needed, _LONGEST if everything else _LONGEST_SHORTLY, on_b=on_b)
        for group in groups
    )
    shown = [item for group in groups for item in group]
    return View(
        program="tfdoctor diff",
        verdict="same" if comparison.same else "different",
        tone="healthy" if comparison.same else sides[worse].verdict.value,
        headline=_headline(comparison, sides, worse, own),
        fix=first_fix(own),
        facts=(*_no_fix(own, sides[worse]), *_also(comparison, a, b, names, own[:1])),
        sections=tuple(_sections(comparison, rows, names, own, everything=everything)),
        footer=_footer(
            comparison,
            [item for item in comparison.differences if item not in shown],
            everything=everything,
        ),
    )


def _problems(comparison: Comparison, a: Report, b: Report) -> tuple[list[Finding], list[Finding]]:
    """The causes that only one side has."""
    return (
        [each for each in a.findings if each.role is Role.ROOT and each.code in comparison.only_a],
        [each for each in b.findings if each.role is Role.ROOT and each.code in comparison.only_b],
    )


def _no_fix(own: list[Finding], report: Report) -> tuple[Row, ...]:
    missing = own and own[0].code in report.unconfirmed and first_fix(own) is None
    return (Row("Fix", NO_FIX),) if missing else ()


def _headline(
    comparison: Comparison, sides: dict[str, Report], worse: str, own: list[Finding]
) -> str:
    why = f": {clause(own[0].title)}" if own else ""
    better = next(name for name in sides if name != worse)
    states = [sides[worse].verdict, sides[better].verdict]
    if states[0] is not states[1]:
        return f"{worse} {_STATES[states[0]]} and {better} {_STATES[states[1]]}{why}."
    both = f"Both {_BOTH[states[0]]}"
    if comparison.same:
        return f"{both}; nothing important differs."
    return f"{both}; only in {worse}{why}." if own else f"{both}."


def _also(
    comparison: Comparison, a: Report, b: Report, names: tuple[str, str], told: list[Finding]
) -> Iterator[Row]:
    """The other causes, by the side that has them."""
    for name, problems in zip(names, _problems(comparison, a, b), strict=True):
        for finding in problems:
            if finding not in told:
                yield Row("Also", f"only in {name}: {clause(finding.title)}")


def _of_causes(
    own: list[Finding], comparison: Comparison, other: Report, *, on_b: bool
) -> Iterator[Difference]:
    """What the causes of the worse side rest on, in their order; `other` is the report that lacks them."""
    compared = (*comparison.differences, *comparison.open)
    for finding in own:
        found = [
            item
            for judged in (True, False)  # what was judged goes before what was only seen beside it
            for fact in dict.fromkeys(
                each.fact for each in finding.evidence if bool(each.expected) is judged
            )
            for item in compared
            if fact in (item.fact, item.fact.partition("[")[0])
        ]
        yield from found or _seen(finding, other, on_b=on_b)


def _seen(finding: Finding, other: Report, *, on_b: bool) -> list[Difference]:
    """The first that was seen of a cause whose facts don't differ, or are not compared, beside what the other side says."""
    seen = next((each for each in finding.evidence if each.observed), None)
    if seen is None:
        return []
    fact = to_json(other.facts).get(seen.fact)
    there = "–" if fact is None else items_of(seen.fact, fact).get("", "the same")
    return [
        Difference(
            seen.fact,
            Weight.DECISIVE,
            *((there, seen.observed) if on_b else (seen.observed, there)),
        )
    ]


def _grouped(items: list[Difference], *, on_b: bool) -> list[list[Difference]]:
    """Items of one fact of which the worse side says the same stand in one row, where they are many."""
    found: dict[tuple[str, str], list[Difference]] = {}
    for item in items:
        path, named, _ = item.fact.partition("[")
        found.setdefault((path if named else item.fact, _said(item)[on_b]), []).append(item)
    return [
        part
        for group in found.values()
        for part in ([group] if len(group) >= _MANY else [[item] for item in group])
    ]


def _said(item: Difference) -> tuple[str, str]:
    """Both sides without the words that stand before them anyway."""
    label = _label(item.fact)
    a, b = (
        value.removeprefix(f"{UNKNOWN}: ").removeprefix(f"{label}: ") for value in (item.a, item.b)
    )
    return a, b


def _pair(group: list[Difference], needed: dict[str, str], longest: int, *, on_b: bool) -> Pair:
    """`needed` stands on the worse side; of several items the other side's first stands for all."""
    label, more = _label(group[0].fact), len(group) - 1
    wanted = needed.get(group[0].fact, "").replace(">=", "≥ ")
    cells = [_short(value, longest) for value in _said(group[0])]
    cells[on_b] += f" (needs {wanted})" if wanted else ""
    cells[not on_b] += "; …" if len({_said(item)[not on_b] for item in group}) > 1 else ""
    return Pair(f"{label} and {more} more" if more else label, *cells)


def _label(fact: str) -> str:
    """A fact's path as people read it; a package, a library or a variable by its own name."""
    path, _, item = fact.partition("[")
    if item and path in (*NAMED_BY, "environment.variables"):
        return item[:-1]
    return fact_name(fact)


def _short(value: str, longest: int) -> str:
    return value if len(value) <= longest else f"{value[:longest]}…"


def _sections(
    comparison: Comparison,
    rows: tuple[Pair, ...],
    names: tuple[str, str],
    own: list[Finding],
    *,
    everything: bool,
) -> Iterator[Section]:
    if rows:
        yield Section("", (Pairs(rows, _short_names(names)),))
    if everything and comparison.open:
        pairs = tuple(
            Pair(_label(item.fact), _short(item.a, _LONGEST), _short(item.b, _LONGEST))
            for item in comparison.open
        )
        yield Section("", (Pairs(pairs, _short_names(names), heading="Could not be compared"),))
    if everything:
        yield from folded("Problems on both sides", *(Item((code,)) for code in comparison.both))
    if own:
        yield Section("", (Prose((own[0].docs,), soft=True),))


def _short_names(names: tuple[str, str]) -> tuple[str, str]:
    """The ends of long names, which are what differs in most."""
    a, b = (
        name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}" for name in names
    )
    return (a, b) if a != b else (f"A {a}", f"B {b}")


def _footer(comparison: Comparison, rest: list[Difference], *, everything: bool) -> str:
    left = len(rest)
    unknown = len(comparison.open)
    parts = [
        counted(left, "more difference") if left else "",
        f"{unknown} could not be compared" if unknown else "",
    ]
    told = ", ".join(filter(None, parts))
    if not told:
        return "" if comparison.differences else "No differences."
    return told if everything else f"{told} (--all)"
