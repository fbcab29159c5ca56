"""The comparison of two reports: as JSON, and as a view that says why first and then what differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfdoctor.examine.difference import NAMED_BY, Comparison, Difference, Weight
from tfdoctor.examine.report import Report
from tfdoctor.examine.summary import clause
from tfdoctor.findings.model import Finding, Role, Verdict
from tfdoctor.render.view import Item, Pair, Pairs, Prose, Row, Section, View, first_fix, folded

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
_LABELS = {
    "tensorflow.version": "TensorFlow",
    "tensorflow.distributions": "TensorFlow",
    "tensorflow.distribution": "TensorFlow's package",
    "interpreter.version": "Python",
    "interpreter.machine": "Python is built for",
    "host.os": "operating system",
    "host.machine": "CPU architecture",
    "host.glibc": "glibc",
    "host.kernel": "Linux kernel",
    "driver.version": "driver",
    "driver.module_version": "kernel module",
    "driver.init_name": "cuInit",
    "driver.cuda_version": "CUDA of the driver",
    "driver.devices": "GPUs",
    "nvml.driver_version": "driver (NVML)",
    "smoke.driver": "GPU test",
    "smoke.libraries": "library test",
    "smoke.tensorflow": "TensorFlow test",
}
_MOST = 8  # differences on the first screen
_LONGEST = 300  # characters of a value that a person still compares
_LONGEST_NAME = 24


def difference_to_json(comparison: Comparison, a: Report, b: Report) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "same": comparison.same,
        "a": _side(a),
        "b": _side(b),
        "findings": {
            "only_a": list(comparison.only_a),
            "only_b": list(comparison.only_b),
            "both": list(comparison.both),
        },
        "differences": [_difference(item) for item in comparison.differences],
        "open": [_difference(item) for item in comparison.open],
    }


def _side(report: Report) -> dict[str, str]:
    return {"verdict": report.verdict.value, "summary": report.summary, "generated_at": report.generated_at}


def _difference(item: Difference) -> dict[str, str]:
    return {"fact": item.fact, "weight": item.weight.value, "a": item.a, "b": item.b}


def difference_view(
    comparison: Comparison, a: Report, b: Report, names: tuple[str, str], *, everything: bool = False
) -> View:
    """Why one of the two is worse, and what differs, first what the problems rest on; `everything`: all of it."""
    sides = dict(zip(names, (a, b), strict=True)) if names[0] != names[1] else {"A": a, "B": b}
    names = tuple(sides)  # type: ignore[assignment]  # there are two
    worse = min(sides, key=lambda name: _WORST_FIRST.index(sides[name].verdict))
    own = _problems(comparison, a, b)[0 if worse == names[0] else 1]
    needed = {each.fact: each.expected for finding in own for each in finding.evidence if each.expected}
    told = sorted(comparison.differences, key=lambda item: _rank(item, own))
    mattering = [item for item in told if item.weight is not Weight.MINOR][:_MOST]
    shown = told if everything else mattering
    rows = tuple(_pair(item, needed, on_b=worse == names[1]) for item in shown)
    return View(
        program="tfdoctor diff",
        verdict="same" if comparison.same else "different",
        tone="healthy" if comparison.same else sides[worse].verdict.value,
        headline=_headline(comparison, sides, worse, own),
        fix=first_fix(own),
        facts=tuple(_also(comparison, a, b, names, own[:1])),
        sections=tuple(_sections(comparison, rows, names, own, everything=everything)),
        footer=_footer(comparison, shown, everything=everything),
    )


def _problems(comparison: Comparison, a: Report, b: Report) -> tuple[list[Finding], list[Finding]]:
    """The causes that only one side has."""
    return (
        [each for each in a.findings if each.role is Role.ROOT and each.code in comparison.only_a],
        [each for each in b.findings if each.role is Role.ROOT and each.code in comparison.only_b],
    )


def _headline(comparison: Comparison, sides: dict[str, Report], worse: str, own: list[Finding]) -> str:
    why = f": {clause(own[0].title)}" if own else ""
    better = next(name for name in sides if name != worse)
    states = [sides[worse].verdict, sides[better].verdict]
    if states[0] is not states[1]:
        return f"{worse} {_STATES[states[0]]}, {better} {_STATES[states[1]]}{why}."
    both = f"Both {_BOTH[states[0]]}"
    if comparison.same:
        return f"{both}, and nothing that matters differs."
    return f"{both}; only {worse} has a problem{why}." if own else f"{both}."


def _also(
    comparison: Comparison, a: Report, b: Report, names: tuple[str, str], told: list[Finding]
) -> Iterator[Row]:
    """The other causes, by the side that has them."""
    for name, problems in zip(names, _problems(comparison, a, b), strict=True):
        for finding in problems:
            if finding not in told:
                yield Row("Also", f"only in {name}: {clause(finding.title)}")


def _rank(item: Difference, own: list[Finding]) -> int:
    """What a problem rests on, then what decides, then the rest; in that order as it was compared."""
    facts = {each.fact for finding in own for each in finding.evidence}
    return -1 if item.fact in facts else list(Weight).index(item.weight)


def _pair(item: Difference, needed: dict[str, str], *, on_b: bool) -> Pair:
    label, wanted = _label(item.fact), needed.get(item.fact, "")
    note = f" (needs {wanted.replace('>=', '≥ ')})" if wanted else ""
    a, b = (
        f"{_short(value.removeprefix(f'{label}: '))}{note if is_b == on_b else ''}"
        for value, is_b in ((item.a, False), (item.b, True))
    )
    return Pair(label, a, b)


def _label(fact: str) -> str:
    """A fact's path as people read it; a package, a library or a variable by its own name."""
    path, _, item = fact.partition("[")
    if item and path in (*NAMED_BY, "environment.variables"):
        return item[:-1]
    return _LABELS.get(fact) or fact.rstrip("]").replace("[", ".").replace(".", " ").replace("_", " ")


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


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
        pairs = tuple(Pair(_label(item.fact), _short(item.a), _short(item.b)) for item in comparison.open)
        yield Section("", (Pairs(pairs, _short_names(names), heading="Could not be compared"),))
    if everything:
        yield from folded("Problems on both sides", *(Item((code,)) for code in comparison.both))
    if own:
        yield Section("", (Prose((own[0].docs,), soft=True),))


def _short_names(names: tuple[str, str]) -> tuple[str, str]:
    """The ends of long names, which are what differs in most."""
    a, b = (name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}" for name in names)
    return (a, b) if a != b else (f"A {a}", f"B {b}")


def _footer(comparison: Comparison, shown: list[Difference], *, everything: bool) -> str:
    left = len(comparison.differences) - len(shown)
    unknown = len(comparison.open)
    parts = [
        f"{left} more difference{'' if left == 1 else 's'}" if left else "",
        f"{unknown} could not be compared" if unknown else "",
    ]
    told = ", ".join(filter(None, parts))
    if not told:
        return "" if comparison.differences else "No differences."
    return told if everything else f"{told} (--all)"
