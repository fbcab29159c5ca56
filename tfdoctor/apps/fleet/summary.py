"""One summary of any number of answers: states, verdicts, groups by cause, what sets them apart, and who differs unnoticed.

Answers go through once; what is counted of them lies packed in a temporary file, so that memory hardly grows with their number.
"""

from __future__ import annotations

import statistics
import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import ClassVar

from tfdoctor.apps.fleet.gather import Found, Unread
from tfdoctor.apps.fleet.judged import Again, Judged
from tfdoctor.apps.fleet.nodes import fold
from tfdoctor.apps.fleet.odd import MOST, UNNAMED, Candidate, Odd, candidates, odd_ones
from tfdoctor.apps.fleet.reports import Answer, DamagedError, Items, ReportPart, answers
from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.actions import for_several, meaning
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Severity, Verdict
from tfdoctor.report.difference import NONE, UNKNOWN, Weight, weight_of
from tfdoctor.report.foreign import finding_in_own_words
from tfdoctor.report.summary import summary

_MOST_IN_MEMORY = 8 << 20
_MOST_READ = 1_000_000
"""Reports, with those that can't be read: no cluster has as many nodes, and each takes some 200 bytes of memory."""
_MOST_NAMED = 1000  # of the files that can't be read
_MOST_REASONS = 1000
_MOST_EVIDENCE = 100  # pieces of a group
_DEVIATIONS = 5  # MAD around the median
_LEAST = 0.5  # of the median, below which nobody would look
_MASK = (1 << 64) - 1


@record
class GroupFix(Fix):
    """What this tfdoctor advises by the facts of these nodes' reports."""

    JSON: ClassVar = f"{Fix.JSON} nodes"

    nodes: str = ""


@record
class Group:
    """Nodes of one verdict and the same causes. `reference`: those that the others are compared with. `unfixed`: those whose
    facts don't show the causes to this tfdoctor; `unasked`: those beyond the bound of what is judged.
    """

    JSON: ClassVar = (
        "verdict severity roots count nodes summary fixes unfixed? unasked? reference odd"
    )

    verdict: str
    severity: str
    roots: tuple[str, ...]
    count: int
    nodes: str
    summary: str
    fixes: tuple[GroupFix, ...] = ()
    unfixed: str = ""
    unasked: str = ""
    reference: bool = False
    odd: tuple[Odd, ...] = ()


@record
class Differing:
    """Healthy nodes that have another value than nearly all of them; `with_others`: items that differ on the same nodes."""

    JSON: ClassVar = "fact value usual nodes with=with_others"

    fact: str
    value: str
    usual: str
    nodes: str
    with_others: int = 0


@record
class Missing:
    """Nodes without a report."""

    state: str
    nodes: str
    count: int
    reason: str


@record
class Summary:
    """`records`: answers read, of which of each node the newest counts; `unread_files` counts those not named, too."""

    JSON: ClassVar = "schema_version $schema=schema_id? nodes records states verdicts groups differing missing unread unread_files"
    schema_version: ClassVar = "1.0"
    schema_id: ClassVar = "urn:tfdoctor:schema:fleet:1.0"

    nodes: int
    records: int
    states: dict[str, int]
    verdicts: dict[str, int]
    groups: tuple[Group, ...]
    differing: tuple[Differing, ...]
    missing: tuple[Missing, ...]
    unread: tuple[Unread, ...]
    unread_files: int

    def exit_status(self, fail_on: str) -> int:
        """1: a finding at `fail_on` on any node; else 3 where a node has no verdict or a file no report; else 0."""
        bad = ("error",) if fail_on == "error" else ("error", "warning")
        if any(group.severity in bad for group in self.groups):
            return 1
        return 3 if self.missing or self.unread_files or self.verdicts.get("unknown") else 0


class _Kind:
    """A group as it is met: how a report of it looks."""

    def __init__(self, report: ReportPart) -> None:
        self.verdict = report.verdict
        self.roots = tuple(
            dict.fromkeys(each.code for each in report.findings if each.role == "root")
        )
        self.without_cause = ""
        severities = {each.severity for each in report.findings}
        self.severity = next(
            (each for each in ("error", "warning", "info") if each in severities), ""
        )
        self.named = {
            (seen.fact, seen.observed[:300]): None
            for each in report.findings
            if each.role == "root"
            for seen in each.evidence[:20]
        }


class Fleet:
    """Everything that was read, packed."""

    def __init__(self) -> None:
        self.items = Items()
        self.records = 0
        self.kinds: dict[tuple[str, ...], int] = {}
        self.of_kind: list[_Kind] = []
        self.unread: list[Unread] = []
        self.unread_files = 0
        self._newest: dict[str, int] = {}
        # Of each answer: when, and its group or its state.
        self._at, self._state = (
            array("Q"),
            array("I"),
        )
        self._judged = Judged()
        self._again: dict[int, Again] = {}  # of answers with causes
        self._states: list[tuple[str, str]] = []
        self._times: dict[str, array[float]] = {}
        self._packed = tempfile.SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115  # as long as the fleet

    def read(self, sources: Iterable[Found | Unread]) -> None:
        """Takes in what can be read, and counts and names what can't."""
        for source in sources:
            if self.records + self.unread_files >= _MOST_READ:
                self._refuse(
                    Unread(source.file, f"more than {_MOST_READ:,} reports; the rest was not read")
                )
                break
            if isinstance(source, Unread):
                self._refuse(source)
                continue
            try:
                self.add(source)
            except DamagedError as error:
                self._refuse(Unread(source.file, str(error)))

    def add(self, found: Found) -> None:
        """Takes in one report or record. Raises DamagedError."""
        for answer in answers(found):
            self._add(answer)

    def _refuse(self, unread: Unread) -> None:
        self.unread_files += 1
        if len(self.unread) < _MOST_NAMED:
            self.unread.append(unread)

    def _add(self, answer: Answer) -> None:
        numbers = self.items.numbers(answer.report.facts) if answer.report else array("I")
        place = self.records
        self.records += 1
        self._at.append(answer.at)
        self._state.append(self._kind(answer))
        if answer.report is not None and (roots := self.of_kind[self._state[place] // 2].roots):
            self._again[place] = self._judged.again(roots, answer.report.facts)
        for stage in answer.report.smoke.stages if answer.report else ():
            if stage.status == "passed" and (stage.name in self._times or len(self._times) < 8):
                times = self._times.setdefault(stage.name, array("f"))
                times.extend([-1.0] * (place - len(times)))
                times.append(stage.duration_s)
        self._packed.write(array("I", [len(numbers)]).tobytes() + numbers.tobytes())
        before = self._newest.get(answer.node)
        if before is None or self._at[before] <= answer.at:
            self._newest[answer.node] = place

    def _kind(self, answer: Answer) -> int:
        """The number of its group: even, of its state: odd."""
        if answer.report is None:
            key = (answer.state[:40], answer.reason[:300])
            if key not in self._states:
                key = key if len(self._states) < _MOST_REASONS else (key[0], "for several reasons")
                if key not in self._states:
                    self._states.append(key)
            return 2 * self._states.index(key) + 1
        kind = _Kind(answer.report)
        number = self.kinds.setdefault((kind.verdict, *kind.roots), len(self.of_kind))
        if number == len(self.of_kind):
            if not kind.roots:
                kind.without_cause = self._judged.without_cause(
                    Verdict(kind.verdict), answer.report.facts
                )
            self.of_kind.append(kind)
        elif len(self.of_kind[number].named) < _MOST_EVIDENCE:
            self.of_kind[number].named.update(kind.named)
        return 2 * number

    def _members(self) -> dict[int, list[str]]:
        """The nodes of each group and state."""
        found: dict[int, list[str]] = defaultdict(list)
        for name, place in self._newest.items():
            found[self._state[place]].append(name)
        return found

    def _rows(self) -> Iterator[tuple[int, array[int]]]:
        """Each answer that counts, with the numbers of its items."""
        counts = bytearray(self.records)
        for place in self._newest.values():
            counts[place] = 1
        self._packed.seek(0)
        for place in range(self.records):
            numbers = array("I")
            length = array("I")
            length.frombytes(self._packed.read(length.itemsize))
            numbers.frombytes(self._packed.read(length[0] * length.itemsize))
            if counts[place]:
                yield place, numbers

    @property
    def nodes(self) -> Iterable[str]:
        return self._newest

    def has_answered(self, node: str) -> bool:
        """Whether the newest of the node is a report."""
        return not self._state[self._newest[node]] % 2

    def summary(self, fold: Callable[[Iterable[str]], str] = fold) -> Summary:
        """`fold` makes one text of the names of nodes. Raises OSError where the temporary file can't be read."""
        members = self._members()
        tables: dict[int, Counter[int]] = defaultdict(Counter)
        for place, numbers in self._rows():
            tables[self._state[place]].update(numbers)
        sizes = {kind // 2: len(names) for kind, names in members.items() if not kind % 2}
        reference = self._reference(sizes)
        found = {
            number: candidates(
                self.items, tables[2 * number], size, tables[2 * reference], sizes[reference],
                self.of_kind[number].named,
            )
            for number, size in sizes.items()
            if number != reference
        }  # fmt: skip
        usual = (
            self._minorities(tables[2 * reference], sizes[reference])
            if self._heals(reference)
            else []
        )
        prints, odd_places = self._look_again(
            [*(each for group in found.values() for each in group), *usual], usual, 2 * reference
        )
        groups = []
        for number in sorted(
            sizes,
            key=lambda each: (each == reference, _worst(self.of_kind[each].verdict), -sizes[each]),
        ):
            kind, names = self.of_kind[number], members[2 * number]
            mine = found.get(number, [])
            odd = tuple(odd_ones(mine, [prints[id(each)] for each in mine], len(names)))
            groups.append(Group(
                kind.verdict, kind.severity, kind.roots, len(names), fold(names), self._sentence(kind, names),
                *self._advice(names, fold), number == reference, odd,
            ))  # fmt: skip
        return Summary(
            nodes=len(self._newest), records=self.records,
            states=self._count_states(members),
            verdicts=_counted({group.verdict: 0 for group in groups}, ((group.verdict, group.count) for group in groups)),
            groups=tuple(groups),
            differing=(*self._differing(usual, odd_places, fold), *self._slow(reference, fold)),
            missing=tuple(
                Missing(*self._states[kind // 2][:1], fold(names), len(names), self._states[kind // 2][1])
                for kind, names in sorted(members.items()) if kind % 2
            ),
            unread=tuple(self.unread), unread_files=self.unread_files,
        )  # fmt: skip

    def _sentence(self, kind: _Kind, names: list[str]) -> str:
        """Ours about a group, by the facts of the first node that show its causes, else by what its codes mean."""
        if not kind.roots:
            return kind.without_cause
        severity = Severity(kind.severity) if kind.severity else Severity.INFO
        again = (self._again.get(self._newest[name]) for name in names)
        found = next((each.findings for each in again if each and each.findings), ())
        own = {each.code: each for each in found}
        meant = (Finding(code, severity, Confidence.CERTAIN, "", "", ()) for code in kind.roots)
        told = [finding_in_own_words(each, own.get(each.code)) for each in meant]
        return summary(Verdict(kind.verdict), told, (), Facts())

    def _advice(
        self, names: list[str], fold: Callable[[Iterable[str]], str]
    ) -> tuple[tuple[GroupFix, ...], str, str]:
        """The fixes, those for most nodes first, and the nodes without one: not found again, not asked. What does the same on
        several nodes is one fix.
        """
        alike: dict[Hashable, list[tuple[Fix, str]]] = defaultdict(list)
        not_found, not_asked = [], []
        for name in names:
            again = self._again.get(self._newest[name])
            if again is None:
                continue
            for each in again.fixes:
                alike[meaning(each)].append((each, name))
            if again.state == "not-found":
                not_found.append(name)
            elif again.state == "not-asked":
                not_asked.append(name)
        told = tuple(
            GroupFix(
                **vars(for_several([each for each, _ in found])),
                nodes=fold(name for _, name in found),
            )
            for found in sorted(alike.values(), key=lambda each: -len(each))
        )
        return told, fold(not_found) if not_found else "", fold(not_asked) if not_asked else ""

    def _count_states(self, members: dict[int, list[str]]) -> dict[str, int]:
        pairs = (
            (self._states[kind // 2][0] if kind % 2 else "answered", len(names))
            for kind, names in members.items()
        )
        return _counted({"answered": 0}, pairs)

    def _reference(self, sizes: dict[int, int]) -> int:
        """The largest healthy group, else the largest."""
        return max(
            sizes,
            key=lambda each: (self.of_kind[each].verdict == "healthy", sizes[each]),
            default=-1,
        )

    def _heals(self, reference: int) -> bool:
        return reference >= 0 and self.of_kind[reference].verdict == "healthy"

    def _minorities(self, table: Counter[int], size: int) -> list[Candidate]:
        """Rare values of decisive facts among the healthy, where nine of ten have another."""
        found = []
        for (path, part), values in self.items.of_part.items():
            if weight_of(path, part) is not Weight.DECISIVE or (path, part) in self.items.varied:
                continue
            there = [
                (table[number], value, frozenset({number}), False)
                for value, number in values.items()
            ]
            none = size - sum(count for count, *_ in there)
            rows = [*there, (none, NONE, frozenset(values.values()), True)]
            most, usual, *_ = max(rows)
            if MOST * size <= most < size:
                found += [
                    Candidate(f"{path}{part}", value, usual, numbers, absent, (count, size), (0, 1), Weight.DECISIVE, UNNAMED)
                    for count, value, numbers, absent in rows
                    if count > 0 and value != usual and not value.startswith(UNKNOWN)
                ]  # fmt: skip
        return sorted(found, key=lambda each: each.rank[1:])

    def _look_again(
        self, wanted: list[Candidate], listed: list[Candidate], kind: int
    ) -> tuple[dict[int, int], dict[int, list[int]]]:
        """By the candidate's id: a print of the nodes that it holds of, and for the `listed` the places of those of `kind`."""
        prints = {id(each): 0 for each in wanted}
        places: dict[int, list[int]] = {id(each): [] for each in listed}
        by_number: dict[int, list[Candidate]] = defaultdict(list)
        for each in wanted:
            for number in each.numbers:
                by_number[number].append(each)
        absent = [each for each in wanted if each.absent]
        numbers_wanted = frozenset(by_number)
        for place, numbers in self._rows() if wanted else ():
            mark = (place * 0x9E3779B97F4A7C15 + 0x5851F42D4C957F2D) ** 2 >> 7 & _MASK
            hits = numbers_wanted.intersection(numbers)
            holding = {id(each) for number in hits for each in by_number[number] if not each.absent}
            holding |= {id(each) for each in absent if not each.numbers & hits}
            for each_id in holding:
                prints[each_id] = prints[each_id] + mark & _MASK
                if each_id in places and self._state[place] == kind:
                    places[each_id].append(place)
        return prints, places

    def _differing(
        self,
        usual: list[Candidate],
        places: dict[int, list[int]],
        fold: Callable[[Iterable[str]], str],
    ) -> Iterator[Differing]:
        """What differs on the same nodes is one."""
        names = {place: name for name, place in self._newest.items()} if usual else {}
        same: dict[tuple[int, ...], list[Candidate]] = defaultdict(list)
        for each in usual:
            same[tuple(places[id(each)])].append(each)
        for at, items in same.items():
            first = items[0]
            yield Differing(
                first.fact,
                first.value,
                first.others,
                fold(names[place] for place in at),
                len(items) - 1,
            )

    def _slow(self, reference: int, fold: Callable[[Iterable[str]], str]) -> Iterator[Differing]:
        """Healthy nodes whose tests took far longer, or far shorter, than the others' did."""
        healthy = [place for place in self._newest.values() if self._state[place] == 2 * reference]
        for stage, times in self._times.items() if self._heals(reference) else ():
            places = array(
                "I", (place for place in healthy if place < len(times) and times[place] >= 0)
            )
            if len(places) < 5:
                continue
            median = statistics.median(times[place] for place in places)
            spread = statistics.median(abs(times[place] - median) for place in places)
            most = max(_DEVIATIONS * spread, _LEAST * median)
            far = {place for place in places if abs(times[place] - median) > most}
            if far:
                low, high = min(times[place] for place in far), max(times[place] for place in far)
                value = f"{low:.1f} s" if len(far) == 1 else f"{low:.1f} to {high:.1f} s"
                names = (name for name, place in self._newest.items() if place in far)
                yield Differing(f"smoke.{stage}", value, f"{median:.1f} s", fold(names))


def _counted(found: dict[str, int], pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    for name, count in pairs:
        found[name] = found.get(name, 0) + count
    return found


def _worst(verdict: str) -> int:
    return ("broken", "unknown", "degraded", "healthy").index(verdict)
