"""The line of the program that was at work while memory grew: a stack from outside whenever memory has grown by a part of its
limit. Nothing is loaded into the program, and it is not stopped.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from tfdoctor.ask.recorder.stacks import NoStacks, Stack, stacks_of
from tfdoctor.facts.death import KEEPS, GrownLine, Holder
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdoctor.ask.recorder.timeline import Sample

_PART, _LEAST_BYTES = 0.03, 32 << 20  # of the limit
_FEW = 12  # stacks that are taken whatever they cost
_DEAR = 200  # later, the pause is so many times what the last ones cost
_TRIES = 4  # to meet the program running and not waiting
_SPY_S = 2.0
_MOST_LINES = 500
_TOLD = 0.3  # of the growth; a smaller share of the lines tells nothing
_LONGEST = 120
_OFTEN = 6  # stacks


class GrownLines(threading.Thread):
    """`look` is given each sample and the process that holds most. Stacks are taken in this thread: py-spy may take its time."""

    def __init__(self, spy: Callable[[int, float], list[Stack]] = stacks_of) -> None:
        super().__init__(daemon=True, name="grown lines")
        self._spy = spy
        self._wanted, self._over = threading.Event(), False
        self._pid, self._grew, self._from, self._next = 0, 0, 0, 0.0
        self._taken, self._failed = 0, ""
        self._seen: Counter[tuple[str, int, str]] = Counter()  # how often
        self._by_line: Counter[tuple[str, int, str]] = Counter()
        self._lost = 0  # bytes that grew while no line of the program's own was seen

    def look(self, sample: Sample, pid: int) -> None:
        if "anon_bytes" not in sample:
            return
        used = int(sample["anon_bytes"]) + int(sample.get("swap_bytes", 0))
        limit = sample.get("cgroup_limit_bytes", used + sample.get("available_bytes", 0))
        self._from = min(self._from, used)  # it fell: what comes next is new
        grew = used - self._from
        if (
            grew < max(_PART * limit, _LEAST_BYTES)
            or self._wanted.is_set()
            or time.monotonic() < self._next
        ):
            return
        self._pid, self._grew, self._from = pid, grew, used
        self._wanted.set()

    def run(self) -> None:
        while self._wanted.wait() and not self._over:
            self._take(self._pid, self._grew)
            self._wanted.clear()

    def end(self) -> None:
        self._over = True
        self._wanted.set()

    def _take(self, pid: int, grew: int) -> None:
        began = time.monotonic()
        try:
            found = _line(self._stack(pid))
        except NoStacks as error:
            self._failed, found = str(error), None
        self._taken += 1
        if self._taken > _FEW:
            self._next = time.monotonic() + _DEAR * (time.monotonic() - began)
        if found is None or (found not in self._by_line and len(self._by_line) >= _MOST_LINES):
            self._lost += grew
        else:
            self._by_line[found] += grew
            self._seen[found] += 1

    def _stack(self, pid: int) -> list[Stack]:
        """The threads that run; all where none was met running."""
        stacks: list[Stack] = []
        for _ in range(_TRIES):
            stacks = self._spy(pid, _SPY_S)
            running = [
                each for each in stacks if each.active and any(frame.own for frame in each.frames)
            ]
            if running:
                return running
        return stacks

    def found(self) -> Fact[GrownLine]:
        """The line during which memory grew most."""
        whole = self._lost + self._by_line.total()
        if not whole:
            return Absent("memory did not grow by a part of its limit")
        if not self._by_line:
            return Failed(self._failed or "no line of the program's own was at work", "missing")
        (file, line, name), grew = self._by_line.most_common(1)[0]
        holders = self._holders(file, line)
        if grew < _TOLD * whole and not any(each.how == KEEPS for each in holders):
            return Absent("memory grew while many lines were at work")
        return Known(GrownLine(file, line, name, _text(file, line), grew, whole, holders), "py-spy")

    def _holders(self, file: str, line: int) -> tuple[Holder, ...]:
        """In the file of that line. Growth in few pieces was one large thing, and nothing that is kept again and again."""
        import linecache

        from tfdoctor.ask.recorder.holders import holders_of

        return holders_of(
            "".join(linecache.getlines(file)), line, often=self._seen.total() >= _OFTEN
        )


def _line(stacks: list[Stack]) -> tuple[str, int, str] | None:
    """The innermost line of the program's own, of the first thread that has one: the main thread where it has."""
    for stack in sorted(stacks, key=lambda each: each.thread != "MainThread"):
        for frame in stack.frames:
            if frame.own:
                return (frame.file, frame.line, frame.name)
    return None


def _text(file: str, line: int) -> str:
    """ "" where the file can't be read."""
    import linecache

    return linecache.getline(file, line).strip()[:_LONGEST]
