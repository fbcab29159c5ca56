"""The fixes of this tfdoctor for what reports found, by their facts: once for all reports that are alike in what the checks read."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from tfdoctor.base.records import names, record
from tfdoctor.facts.codec import DocumentError, from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import AnyFact
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import asked_again, judge
from tfdoctor.knowledge.actions import meaning
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Finding, Fix, Verdict
from tfdoctor.report.foreign import without_foreign_commands
from tfdoctor.report.judgement import EVERYTHING_ASKED
from tfdoctor.report.summary import summary

MOST_JUDGED = 1000
"""Cases of one summary: each takes 5 ms, and what the rest would need is said to be open."""
_MOST_FORMS = 8
"""Different sets of facts that the checks of one cause read: each report is compared by all of them."""


@record
class Again:
    """What this tfdoctor says: its findings and the first fix of each. `state`: the facts show one of the codes, none, or it was
    not asked."""

    state: Literal["found", "not-found", "not-asked"]
    findings: tuple[Finding, ...] = ()
    fixes: tuple[Fix, ...] = ()


_NOT_ASKED, _NOT_FOUND = Again("not-asked"), Again("not-found")


class Judged:
    """Answers by codes, by which facts their checks read, and by what these say in JSON."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], dict[tuple[str, ...], dict[bytes, Again]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        self._count = 0
        self._matrix: Matrix | None = None

    def again(self, codes: tuple[str, ...], facts: dict[str, msgspec.Raw]) -> Again:
        known = self._known[codes]
        for paths, answers in known.items():
            found = answers.get(_said(facts, paths))
            if found is not None:
                return found
        if self._count >= MOST_JUDGED or len(known) >= _MOST_FORMS:
            return _NOT_ASKED
        self._count += 1
        read, found = self._judge(codes, facts)
        known[read][_said(facts, read)] = found
        return found

    def _judge(
        self, codes: tuple[str, ...], raw: dict[str, msgspec.Raw]
    ) -> tuple[tuple[str, ...], Again]:
        """Which facts were read, and the answer; facts that can't be read show nothing."""
        facts = _facts(raw)
        if facts is None:
            return tuple(sorted(raw)), _NOT_FOUND
        read: set[str] = set()
        noting = _noting(facts, read)
        answers = asked_again(Case(noting, self._in_force(), EVERYTHING_ASKED), codes).values()
        found = tuple(each for each in answers if isinstance(each, Finding))
        first = {meaning(fix): fix for each in found for fix in each.fixes[:1]}
        return tuple(sorted(read)), Again(
            "found", found, tuple(first.values())
        ) if found else _NOT_FOUND

    def without_cause(self, verdict: Verdict, raw: dict[str, msgspec.Raw]) -> str:
        """The sentence about facts that show no cause."""
        facts = _facts(raw)
        if facts is None:
            return summary(verdict, (), (), Facts())
        unknown = verdict is Verdict.UNKNOWN
        undecided = (
            judge(Case(facts, self._in_force(), EVERYTHING_ASKED)).undecided if unknown else ()
        )
        return summary(verdict, (), undecided, facts)

    def _in_force(self) -> Matrix:
        if self._matrix is None:
            self._matrix = load_in_force()
        return self._matrix


def _facts(raw: dict[str, msgspec.Raw]) -> Facts | None:
    """None: they can't be read."""
    try:
        facts = from_json({path: msgspec.json.decode(each) for path, each in raw.items()}, Facts)
    except (DocumentError, ValueError, RecursionError):
        return None
    return without_foreign_commands(facts)


def _said(facts: dict[str, msgspec.Raw], paths: tuple[str, ...]) -> bytes:
    """A print of what the report says of these facts. No JSON holds the byte between them."""
    return blake2b(b"\0".join([facts.get(path, b"") for path in paths]), digest_size=16).digest()


def _noting(facts: Facts, read: set[str]) -> Facts:
    """The same facts; the path of each that is read goes into `read`, but where all are gone through for a path."""

    class Noting(Facts):
        def items(self) -> list[tuple[str, AnyFact]]:
            return facts.items()

    return Noting(
        **{group: _noting_group(getattr(facts, group), group, read) for group in names(facts)}
    )


def _noting_group(group: Any, name: str, read: set[str]) -> Any:
    fields = frozenset(names(group))

    class Noting(type(group)):  # type: ignore[misc]  # one of the groups of Facts
        def __getattribute__(self, field: str) -> Any:
            if field in fields:
                read.add(f"{name}.{field}")
            return object.__getattribute__(self, field)

    return Noting(**vars(group))
