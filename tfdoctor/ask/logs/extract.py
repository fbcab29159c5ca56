"""From what was read to facts: every saying with its line, process and run, every end, and what both tell.

Several logs are one case. Lines keep their own numbers; `file` says whose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, reduce
from typing import NamedTuple, TypeVar

from tfdoctor.ask.logs import runs
from tfdoctor.ask.logs.endings import ANCHORS as DEATHS
from tfdoctor.ask.logs.endings import death
from tfdoctor.ask.logs.machine.line_index import LineIndex
from tfdoctor.ask.logs.machine.machine_facts import machine_facts
from tfdoctor.ask.logs.machine.platform_hints import platform_hints, together
from tfdoctor.ask.logs.passages import allocator
from tfdoctor.ask.logs.passages.alone import alone, with_words
from tfdoctor.ask.logs.passages.crashes import crashes, culprit
from tfdoctor.ask.logs.passages.open_end import Ended, last_begun
from tfdoctor.ask.logs.passages.refusals import refusals
from tfdoctor.ask.logs.passages.sentences import STOPPED, whole_sentence
from tfdoctor.ask.logs.passages.stated import stated
from tfdoctor.ask.logs.passages.survived import ANCHORS as SURVIVED
from tfdoctor.ask.logs.passages.survived import passed_over
from tfdoctor.ask.logs.passages.tracebacks import tracebacks
from tfdoctor.ask.logs.prefixes import Prefixes
from tfdoctor.ask.logs.transcript import Match, Transcript
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import (
    Dump,
    Ending,
    Log,
    LogFile,
    NoiseCount,
    OpenEnd,
    Saying,
    Surroundings,
)
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.knowledge.messages.catalogue import everything
from tfdoctor.knowledge.messages.signature import CAUSE, HINT, NOISE

T = TypeVar("T")
_OPENED = Expression(r"uccessfully opened (?:dynamic library|CUDA library) (\S{1,200})")
_LONGEST = 600  # characters of a line that are kept
_HOST = "host-"
"""How the messages that name a host are called (data/knowledge/facts/hosts.yaml)."""
_MOST = 4000  # sayings of one log
_MOST_ENDS = 2000  # of one log, half of them its first and half its last


class Line(NamedTuple):
    """A kept line without what stood before it. `process` is whose it is."""

    number: int
    process: str
    text: str


@record
class Read:
    """One log of a case."""

    file: LogFile
    transcript: Transcript


def extract_facts(logs: Sequence[Read]) -> Facts:
    """All that these logs tell."""
    parts = [_Part(place, read) for place, read in enumerate(logs)]
    last_run = max((part.last_run for part in parts), default=0)
    facts = Facts(
        log=Log(
            files=Known(tuple(read.file for read in logs), "the logs"),
            sayings=_some(
                [each for part in parts for each in part.sayings()], "text that is known"
            ),
            endings=_some([each for part in parts for each in part.endings], "end of a program"),
            opened=_some(
                [each for part in parts for each in part.opened()], "library that was opened"
            ),
            dumps=_some(
                [each for part in parts for each in part.dumps()], "account of the allocator"
            ),
            noise=_some([each for part in parts for each in part.noise()], "noise"),
            run=Known(last_run, "the logs"),
            open_end=_open_end(parts, last_run),
            surroundings=Known(
                reduce(together, (part.surroundings() for part in parts), Surroundings()),
                "the logs",
            ),
        )
    )
    for part in parts:
        facts = machine_facts(facts, part.held, _where(part.read.file.name, several=len(logs) > 1))
    if any(part.of_compose for part in parts) and isinstance(facts.host.container, Failed):
        named = Known("docker", "the services' names before the lines")
        facts = replace(facts, host=replace(facts.host, container=named))
    return facts


def _where(name: str, *, several: bool) -> Callable[[int], str]:
    """How a fact names its line."""
    return lambda line: f"{name}, line {line}" if several else f"line {line}"


def _some(found: list[T], what: str) -> Fact[tuple[T, ...]]:
    return Known(tuple(found), "the logs") if found else Absent(f"the logs hold no {what}")


def _open_end(parts: Sequence[_Part], run: int) -> Fact[OpenEnd]:
    """Of the last run, where none of its processes is told to have ended but by somebody's Ctrl+C."""
    if all(each.by_hand for part in parts for each in part.endings if each.run == run):
        for part in parts:
            if found := part.last_begun(run):
                return Known(OpenEnd(found.kind, part.place, found.line), "the logs")
    return Absent("an end is told, or progress to the last")


class _Part:
    """One log, seen as lines of processes."""

    def __init__(self, place: int, read: Read) -> None:
        self.place, self.read = place, read
        lines = read.transcript.lines
        prefixes = Prefixes(lines.values())
        self.of_colab, self.of_compose = prefixes.of_colab, prefixes.of_compose
        self.lines = [Line(number, *prefixes.parted(text)) for number, text in lines.items()]
        self.held = LineIndex(self.lines)
        self.who = {line.number: line.process for line in self.lines}
        self.passed_over = self._passed_over()
        ends = self._ends()
        self._runs = runs.run_of(
            ((line.number, line.process, line.text) for line in self.lines),
            (runs.Mark(each.line, each.process) for each in ends),
        )
        self.endings = [replace(each, run=self._run(each.line)) for each in ends]

    def surroundings(self) -> Surroundings:
        """Work that one process of several tells of says nothing about the others."""
        said = dict.fromkeys(each.hit.signature.name for each in self.read.transcript.matches)
        hosts = [name.removeprefix(_HOST) for name in said if name.startswith(_HOST)]
        if self.of_colab:
            hosts.append("colab")
        found = platform_hints(self.held, hosts=hosts, of_compose=self.of_compose)
        several = len(set(filter(None, self.who.values()))) > 1
        return replace(found, stepped=0, spoke=0) if several else found

    @property
    def last_run(self) -> int:
        return self._runs[-1][1]

    def last_begun(self, run: int) -> Ended | None:
        """Without the traceback that Ctrl+C made Python print."""
        lines = [(line.number, line.text) for line in self.lines if self._run(line.number) == run]
        stacks = (
            place
            for place, (_, text) in enumerate(lines)
            if "Traceback (most recent call last)" in text
        )
        return last_begun(lines[: next(stacks, None)] if self.endings else lines)

    def _run(self, line: int) -> int:
        return runs.number_at(self._runs, line)

    @cached_property
    def _of_process(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for line in self.lines:
            found.setdefault(line.process, []).append((line.number, line.text))
        return found

    def _passed_over(self) -> frozenset[int]:
        """Lines of tracebacks after which the program went on: no end, and no cause of one."""
        if not self.held.holding(SURVIVED):
            return frozenset()
        return frozenset(
            number for lines in self._of_process.values() for number in passed_over(lines)
        )

    def _ends(self) -> list[Ending]:
        found = [*self._deaths()]
        for process, lines in self._of_process.items():
            shown = list(tracebacks(lines))
            for raised in (with_words(lines, shown[0]),) if len(shown) == 1 else shown:
                if raised.line in self.passed_over:
                    continue
                if raised.cut and raised.line != self._last_line:
                    continue  # other processes went on, or the frames belong to an account of something else
                if raised.name == _EXIT and raised.words in _WELL:
                    found.append(
                        Ending("success", 0, raised.name, self.place, raised.line, process)
                    )
                    continue
                words = f"{raised.name}: {raised.words}" if raised.words else raised.name
                found.append(
                    Ending("cut" if raised.cut else "exception", 1, words[:_LONGEST], self.place, raised.line, process, 0, raised.frame, raised.package, raised.chained, through=raised.through, own=raised.own, below=raised.below, doing=raised.doing, inside=raised.inside, source=raised.source, roots=raised.roots, shadow=raised.shadow)
                )  # fmt: skip
            for refusal in refusals(lines):
                found.append(
                    Ending("refused", refusal.status, refusal.words[:_LONGEST], self.place, refusal.line, process, frame=refusal.program)
                )  # fmt: skip
            for crash in crashes(lines):
                number = _SIGNAL_OF.get(crash.what.lower(), 6)
                found.append(
                    Ending("signal", number, crash.what, self.place, crash.line, process, 0, crash.frame, crash.package)
                )  # fmt: skip
        if not any(each.how in ("exception", "refused", "success") for each in found):
            found += self._alone()
        found.sort(key=lambda each: each.line)
        half = _MOST_ENDS // 2
        return found if len(found) <= _MOST_ENDS else [*found[:half], *found[-half:]]

    @cached_property
    def _last_line(self) -> int:
        return max((line.number for line in self.lines if line.text.strip()), default=0)

    def _alone(self) -> Iterator[Ending]:
        """Of a log that shows no traceback at all; a line that gives its own cause away needs no end beside it."""
        said = [(each.line, each.hit.signature.role) for each in self.read.transcript.matches]
        harmless = {*self.passed_over, *(line for line, role in said if role == NOISE)}
        caused = any(role == CAUSE for _, role in said)
        for process, lines in self._of_process.items():
            raised = alone(lines, harmless) or (None if caused else stated(lines, harmless))
            if raised is not None and (raised.line, CAUSE) not in said:
                words = f"{raised.name}: {raised.words}" if raised.name else raised.words
                yield Ending("exception", 1, words[:_LONGEST], self.place, raised.line, process)

    def _deaths(self) -> Iterator[Ending]:
        for line in self.held.holding(DEATHS):
            end = death(line.text)
            if end is None:
                continue
            how = "signal" if end.signal else "exit" if end.status else "success"
            package = culprit(self._of_process[line.process], line.number) if end.signal else ""
            yield Ending(
                how, end.signal or end.status, line.text.strip()[:_LONGEST], self.place, line.number, line.process, package=package, container=end.container
            )  # fmt: skip

    def sayings(self) -> list[Saying]:
        found = []
        for each in self.read.transcript.matches[:_MOST]:
            signature = each.hit.signature
            if signature.role == NOISE or (
                each.line in self.passed_over and signature.role in (CAUSE, HINT)
            ):
                continue
            found.append(
                Saying(
                    name=signature.name, code=signature.code, role=signature.role, sure=signature.sure, file=self.place,
                    line=each.line, text=self._text(each), told=self._told(each),
                    process=self.who.get(each.line, ""), run=self._run(each.line), rivals=signature.rivals,
                    decided_by=signature.decided_by, clears=signature.clears,
                )
            )  # fmt: skip
        return found

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {line.number: line.text for line in self.lines}

    def _text(self, match: Match) -> str:
        return self.read.transcript.lines.get(match.line, match.hit.text).strip()[:_LONGEST]

    def _told(self, match: Match) -> dict[str, str]:
        """What its line tells, and the whole sentence of an installer that stopped."""
        if match.hit.signature.code != STOPPED:
            return match.hit.told
        return {**match.hit.told, "message": whole_sentence(self._texts, match.line)}

    def opened(self) -> list[str]:
        lines = self.held.holding(("uccessfully opened ",))
        return [found[1] for line in lines if (found := _OPENED.search(line.text))]

    def dumps(self) -> list[Dump]:
        found = []
        for process, lines in self._of_process.items():
            found += [
                replace(each, file=self.place, process=process, run=self._run(each.line))
                for each in allocator.dumps(lines)
            ]
        return sorted(found, key=lambda each: each.line)

    def noise(self) -> list[NoiseCount]:
        """One entry for each kind, at its first line."""
        known = {each.name: each for each in everything() if each.role == NOISE}
        first: dict[str, Match] = {}
        for each in self.read.transcript.matches:
            first.setdefault(each.hit.signature.name, each)
        return [
            NoiseCount(
                name, self.place, each.line, self.read.transcript.counts[name],
                self._text(each), known[name].why,
            )
            for name, each in first.items()
            if name in known
        ]  # fmt: skip


_EXIT, _WELL = "SystemExit", ("", "0", "None", "False")
"""sys.exit() with what Python takes for success (Python/pythonrun.c): a notebook or a debugger shows it like an error."""
_SIGNAL_OF = {
    "segmentation fault": 11, "aborted": 6, "illegal instruction": 4, "bus error": 7, "floating point exception": 8,
    "floating-point exception": 8, "killed": 9,
}  # fmt: skip
