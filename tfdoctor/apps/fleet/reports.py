"""What a summary needs of each report, decoded without the rest of it, and its facts as items that are kept once.

msgspec takes 0.03 ms for a report of 50 kB, the codec 1 ms (2026-11-28): among thousands of nodes it is felt.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator

import msgspec

from tfdoctor.apps.fleet.gather import Found
from tfdoctor.apps.fleet.record import MOST_NAME
from tfdoctor.base.records import record
from tfdoctor.report.difference import RESTLESS, items_of
from tfdoctor.report.report import is_code

_VERDICTS = ("healthy", "degraded", "broken", "unknown")
_MOST_VALUES = 500  # different ones of a fact: with more of them it parts no groups
_MOST_ITEMS = 100_000
_MOST_PATHS, _MOST_CACHED = 2_000, 500  # facts, and raw values of each, that are remembered
_HEAD = 400  # bytes: where a record names its node
_LONGEST = 300  # characters of a value that a person still compares


class DamagedError(ValueError):
    """A document that is no report that this version can read; the message says why in one clause."""


class EvidencePart(msgspec.Struct):
    fact: str = ""
    observed: str = ""


class FindingPart(msgspec.Struct):
    """Its sentences and fixes are not read: anybody can have written them."""

    code: str
    severity: str = "error"
    role: str = "root"
    evidence: list[EvidencePart] = []  # msgspec copies an empty default


class StagePart(msgspec.Struct):
    name: str = ""
    status: str = ""
    duration_s: float = 0.0


class SmokePart(msgspec.Struct):
    stages: list[StagePart] = []  # msgspec copies an empty default


class ReportPart(msgspec.Struct):
    facts: dict[str, msgspec.Raw]
    verdict: str
    schema_version: str = "1.0"
    generated_at: str = ""
    findings: list[FindingPart] = []  # msgspec copies an empty default
    smoke: SmokePart = msgspec.field(default_factory=SmokePart)


class RecordPart(msgspec.Struct):
    node: str
    state: str
    schema_version: str = "1.0"
    reason: str = ""
    started_at: str = ""
    report: ReportPart | None = None


@record(eq=False)
class Answer:
    """One node's answer. `at` orders two answers of one node."""

    node: str
    state: str
    reason: str
    at: int
    report: ReportPart | None


_RECORD, _REPORT = msgspec.json.Decoder(RecordPart), msgspec.json.Decoder(ReportPart)


def answers(found: Found) -> Iterator[Answer]:
    """A record, a plain report, or several on one line. Raises DamagedError."""
    content = found.content
    try:
        yield _answer(content, found.stem)
    except msgspec.DecodeError:
        yield from _several(content[content.find(b"{") :].decode("utf-8", "replace"), found.stem)


def _several(text: str, stem: str) -> Iterator[Answer]:
    """Documents behind a launcher's words, one behind the other, or with what msgspec refuses (NaN, half a surrogate)."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    number = 0
    while text.startswith("{"):
        try:
            document, end = decoder.raw_decode(text)
        except (ValueError, RecursionError) as error:
            raise DamagedError(_clause(error)) from error
        number += 1
        plain = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        yield _answer(plain, stem if number == 1 else f"{stem}#{number}")
        text = text[end:].lstrip()


def _answer(content: bytes, stem: str) -> Answer:
    """Raises DamagedError and msgspec.DecodeError."""
    if b'"node"' not in content[:_HEAD]:
        return _of_report(content, stem)
    try:
        part = _RECORD.decode(content)
    except msgspec.ValidationError as error:
        raise DamagedError(f"not a record of tfdoctor fleet ({error})") from error
    _check_version(part.schema_version)
    if not 0 < len(part.node) <= MOST_NAME or not part.node.strip():
        raise DamagedError(
            f"the name of its node has {len(part.node)} characters, not 1 to {MOST_NAME}"
        )
    if part.report is None:
        if part.state == "answered":
            raise DamagedError('it is "answered" without a report')
        return Answer(part.node, part.state, part.reason, _when(part.started_at), None)
    _check(part.report)
    return Answer(
        part.node, "answered", "", _when(part.report.generated_at or part.started_at), part.report
    )


def _of_report(content: bytes, stem: str) -> Answer:
    try:
        report = _REPORT.decode(content)
    except msgspec.ValidationError as error:
        raise DamagedError(f"not a tfdoctor report ({error})") from error
    _check(report)
    return Answer(stem, "answered", "", _when(report.generated_at), report)


def _check(report: ReportPart) -> None:
    _check_version(report.schema_version)
    if report.verdict not in _VERDICTS or not all(is_code(each.code) for each in report.findings):
        raise DamagedError("not a tfdoctor report")


def _check_version(version: str) -> None:
    if version.partition(".")[0] != "1":
        raise DamagedError(f"its schema_version is {version[:20]}, this tfdoctor reads 1")


def _when(text: str) -> int:
    digits = "".join(filter(str.isdecimal, text[:19]))
    return int(digits) if digits.isascii() and digits else 0


def _clause(error: Exception) -> str:
    return f"invalid JSON ({str(error)[:120]})"


class Items:
    """Each item (a fact, its part, a value in words) has a number; a value that many reports have is read once."""

    def __init__(self) -> None:
        self.of_part: dict[tuple[str, str], dict[str, int]] = {}
        self.varied: set[tuple[str, str]] = set()
        self._count = 0
        self._cached: dict[str, dict[bytes, tuple[int, ...]]] = {}
        self._left_out = set(RESTLESS)

    def numbers(self, facts: dict[str, msgspec.Raw]) -> array[int]:
        """Raises DamagedError."""
        found = array("I")
        for path, raw in facts.items():
            if path in self._left_out or path.startswith("smoke."):
                continue
            content = bytes(raw)
            known = self._cached.get(path)
            numbers = known.get(content) if known is not None else None
            if numbers is None:
                numbers = self._read(path, content)
                self._remember(path, content, numbers)
            found.extend(numbers)
        return found

    def _remember(self, path: str, content: bytes, numbers: tuple[int, ...]) -> None:
        if (path, "") in self.varied:
            self._left_out.add(path)
            self._cached.pop(path, None)
        elif path in self._cached or len(self._cached) < _MOST_PATHS:
            known = self._cached.setdefault(path, {})
            if len(known) < _MOST_CACHED:
                known[content] = numbers

    def _read(self, path: str, content: bytes) -> tuple[int, ...]:
        try:
            items = items_of(path, msgspec.json.decode(content))
        except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise DamagedError(f"its fact {path[:60]} has a form that can't be read") from error
        numbers = (self._number(path, part[:80], shown[:_LONGEST]) for part, shown in items.items())
        return tuple(number for number in numbers if number is not None)

    def _number(self, path: str, part: str, shown: str) -> int | None:
        values = (
            self.of_part.setdefault((path, part), {}) if len(self.of_part) < _MOST_ITEMS else {}
        )
        if shown not in values:
            if len(values) >= _MOST_VALUES or self._count >= _MOST_ITEMS:
                self.varied.add((path, part))
                return None
            values[shown] = self._count
            self._count += 1
        return values[shown]
