"""A fleet's summary as a view, and without the names of nodes where they must not be told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tfdoctor import __version__
from tfdoctor.apps.fleet.nodes import fold, natural
from tfdoctor.apps.fleet.odd import Odd
from tfdoctor.apps.fleet.summary import Differing, Fleet, Group, Missing, Summary
from tfdoctor.base.records import is_record, replace
from tfdoctor.base.records import names as names_of
from tfdoctor.base.units import counted
from tfdoctor.say.view import (
    Advices,
    Bar,
    Bars,
    Block,
    Item,
    Items,
    Prose,
    Row,
    Section,
    View,
    advice,
    folded,
)

_NOT_FOUND = "this tfdoctor doesn't find the problem in the report's facts."
_NOT_ASKED = (
    "it was not judged, for its group has too many different reports; run tfdoctor check there."
)
_WORD = re.compile(r"[\w.-]+")
_OURS = (
    "nodes",
    "unfixed",
    "unasked",
    "verdict",
    "verdicts",
    "states",
    "state",
    "severity",
    "roots",
    "weight",
    "confidence",
)
_SHOWN = 5  # of what sets a group apart; JSON has all
_MOST_BARS = 20
_HOW_SURE = {"certain": "confirmed", "likely": "likely", "possible": "possible"}
_STATES = {
    "timeout": "did not end in time",
    "lost": "died during the check",
    "silent": "ended without a report",
    "busy": "busy",
    "unavailable": "unavailable",
    "no-doctor": "without tfdoctor",
}


def summary_view(summary: Summary) -> View:
    tone = _tone(summary)
    return View(
        program="tfdoctor fleet",
        verdict=tone.upper(),
        tone=tone,
        headline=_headline(summary),
        facts=(Row("Nodes", _states(summary)),),
        sections=tuple(_sections(summary)),
        footer=f"tfdoctor {__version__}",
    )


def _tone(summary: Summary) -> str:
    if summary.verdicts.get("broken"):
        return "broken"
    if summary.missing or summary.unread_files or summary.verdicts.get("unknown"):
        return "unknown"
    return "degraded" if summary.verdicts.get("degraded") else "healthy"


def _headline(summary: Summary) -> str:
    bad = {word: count for word, count in summary.verdicts.items() if word != "healthy" and count}
    well = summary.verdicts.get("healthy", 0)
    if not summary.nodes:
        return "No report could be read."
    if not bad:
        return f"TensorFlow works on {_of(well, summary.nodes)}."
    words = ", ".join(f"{count:,} {word}" for word, count in bad.items())
    return f"{words}; TensorFlow works on {_of(well, summary.nodes)}."


def _of(count: int, nodes: int) -> str:
    if count == nodes:
        return "the one node" if nodes == 1 else f"all {nodes:,} nodes"
    return f"{count:,} of {counted(nodes, 'node')}"


def _states(summary: Summary) -> str:
    told = (f"{count:,} {_STATES.get(state, state)}" for state, count in summary.states.items())
    older = summary.records - summary.nodes
    more = f"; {counted(older, 'older report')} of the same nodes" if older else ""
    return f"{counted(summary.nodes, 'node')}: {', '.join(told)}{more}"


def _sections(summary: Summary) -> Iterator[Section]:
    if bars := _bars(summary):
        yield Section("", (Bars(bars, "Nodes by verdict and cause"),))
    reference = next((group for group in summary.groups if group.reference), None)
    fixed: dict[tuple[str, ...], int] = {}
    faulty = [group for group in summary.groups if group.verdict != "healthy"]
    for number, group in enumerate(faulty, start=1):
        blocks = [Prose((group.summary,)), *_odd(group, reference), *_advice(group, number, fixed)]
        weight = ", ".join(
            filter(None, (group.verdict, counted(group.count, "node"), *group.roots))
        )
        yield Section(group.nodes, tuple(blocks), number, group.severity or "info", weight)
    yield from folded("Healthy but different", *map(_differing, summary.differing))
    yield from folded("Without a report", *map(_missing, summary.missing))
    yield from folded(
        f"Could not be read: {summary.unread_files:,} in all",
        *(Item((f"{each.file}: {each.because}",)) for each in summary.unread),
        most=10,
    )


def _bars(summary: Summary) -> tuple[Bar, ...]:
    groups = [
        Bar(", ".join(group.roots) or group.verdict, group.count, group.verdict, f"{group.count:,}")
        for group in summary.groups
    ]
    missing = [
        Bar(words, summary.states[state], "unknown", f"{summary.states[state]:,}")
        for state, words in _STATES.items()
        if state in summary.states
    ]
    return tuple(sorted([*groups, *missing], key=lambda bar: -bar.amount))[:_MOST_BARS]


def _odd(group: Group, reference: Group | None) -> Iterator[Block]:
    if group.reference or reference is None:
        return
    if not group.odd:
        yield Prose(
            (
                f"Nothing sets them apart from the {counted(reference.count, 'node')} that {_does(reference)}.",
            )
        )
        return
    shown = tuple(
        Item((_odd_words(each),), f"elsewhere: {each.others}{_with(each.with_others)}")
        for each in group.odd[:_SHOWN]
    )
    yield Items(shown, "What sets them apart")
    if len(group.odd) > _SHOWN:
        yield Prose((f"{len(group.odd) - _SHOWN} more in --json.",), soft=True)


def _does(reference: Group) -> str:
    return "work" if reference.verdict == "healthy" else "are the largest group"


def _odd_words(odd: Odd) -> str:
    here, there = odd.in_group, odd.in_reference
    return (
        f"{label(odd.fact)}: {odd.value} ({_HOW_SURE[odd.confidence]}; "
        f"{here[0]:,} of {here[1]:,} here, {there[0]:,} of {there[1]:,} elsewhere)"
    )


def _with(others: int) -> str:
    return f"; {others} more differ on the same nodes" if others else ""


def label(fact: str) -> str:
    """A fact's name in words: "driver.version" is "driver version"."""
    path, _, part = fact.partition("[")
    name = part.removesuffix("]")
    if path == "packages.installed":
        return f"package {name}"
    words = path.replace("smoke.", "time of test ").replace(".", " ").replace("_", " ")
    return f"{words} {name}".strip()


def _advice(group: Group, number: int, fixed: dict[tuple[str, ...], int]) -> Iterator[Block]:
    """Each fix once: behind the first group that needs it."""
    for each in group.fixes:
        heading = "Fix" if each.nodes == group.nodes else f"Fix on {each.nodes}"
        first = fixed.setdefault((each.title, *each.commands), number)
        if first == number:
            yield Advices((advice(each),), heading)
        else:
            yield Prose((f"{heading}: as for {first}.",))
    if group.unfixed:
        yield Prose((f"No fix on {group.unfixed}: {_NOT_FOUND}",))
    if group.unasked:
        yield Prose((f"No fix on {group.unasked}: {_NOT_ASKED}",))


def _differing(each: Differing) -> Item:
    usual = f"usually: {each.usual}{_with(each.with_others)}"
    return Item((f"{each.nodes}: {label(each.fact)} is {each.value}",), usual)


def _missing(each: Missing) -> Item:
    said = f"the record says: {each.reason}" if each.reason else ""
    return Item((f"{each.nodes}: {_STATES.get(each.state, each.state)}",), said)


def without_secrets(summary: Summary) -> Summary:
    """The summary without what nobody may read; nodes and files keep their names."""
    from tfdoctor.say.redact.redactor import hide_secrets

    def convert(text: str, key: str) -> str:
        return text if key in (*_OURS, "file") else hide_secrets(text)

    told: Summary = _with_texts(summary, convert)
    return told


def _with_texts(value: Any, convert: Callable[[str, str], str], key: str = "") -> Any:
    """With each text converted; it gets the name of its field, too."""
    if isinstance(value, str):
        return convert(value, key)
    if is_record(value):
        parts = {
            name: _with_texts(getattr(value, name), convert, name) for name in names_of(type(value))
        }
        return replace(value, **parts)
    if isinstance(value, dict):
        return {name: _with_texts(item, convert, name) for name, item in value.items()}
    return (
        tuple(_with_texts(item, convert, key) for item in value)
        if isinstance(value, (tuple, list))
        else value
    )


def hidden(fleet: Fleet, environ: Mapping[str, str]) -> Summary:
    """The summary with `<node-1>` and so on for the nodes, and without users, addresses and identifiers."""
    from tfdoctor.say.redact.identity import identity
    from tfdoctor.say.redact.redactor import Redactor, Values

    number = {name: place for place, name in enumerate(sorted(fleet.nodes, key=natural), start=1)}
    odd_names = [name for name in number if not _WORD.fullmatch(name)]
    redactor = Redactor(identity(environ), Values())

    def folded_numbers(names: Iterable[str]) -> str:
        return f"<{fold(f'node-{number[name]}' for name in names)}>"

    def placeholder(word: re.Match[str]) -> str:
        return f"<node-{number[word[0]]}>" if word[0] in number else word[0]

    def hide(text: str, key: str) -> str:
        """The nodes are hidden already."""
        if key in _OURS:
            return text
        for name in odd_names:
            text = text.replace(name, f"<node-{number[name]}>")
        return redactor.hide(_WORD.sub(placeholder, text))

    summary: Summary = _with_texts(fleet.summary(folded_numbers), hide)
    files = (replace(each, file=f"<file-{at}>") for at, each in enumerate(summary.unread, start=1))
    return replace(summary, unread=tuple(files))
