"""One kernel at work, as the listener sees it: its words, its cells, its memory, and how it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfdoctor.apps.jupyter.cells import Cells
from tfdoctor.apps.jupyter.inner_pipe import InnerPipe
from tfdoctor.apps.jupyter.inside.stacks import take_stacks
from tfdoctor.apps.jupyter.reports import folder_of
from tfdoctor.ask.recorder.stall import StillWatch
from tfdoctor.ask.recorder.streams import OutputBuffer, Text
from tfdoctor.ask.recorder.timeline import Timeline
from tfdoctor.ask.recorder.warner import Warner
from tfdoctor.ask.recorder.watcher import Watcher
from tfdoctor.base.records import record
from tfdoctor.knowledge.says import says

if TYPE_CHECKING:
    from tfdoctor.apps.jupyter.iopub import Address
    from tfdoctor.apps.jupyter.judge import Verdict
    from tfdoctor.ask.recorder.host_memory import Disks

INTERVAL_S, _IDLE_S = 1.0, 15.0
_FIRST_S = 0.05
_MOST_SAMPLES = 240
_COUNTED_S = 5.0
"""Kills are counted from here before the death: whatever a neighbour died of earlier says nothing of this kernel."""
_HELD_BACK_S = 6.0
_NEVER_S = float("inf")
_ASKED_S = 60.0
_GROWS_BYTES = 1 << 20  # between two looks: it may do next to nothing else
_INTERRUPT_S = 10.0  # a cell may take some seconds to hear of it
_OF_INTERRUPT = (int(signal.SIGINT), (128 + signal.SIGINT) << 8)
"""By wait(2): it died of it, or exits as a shell tells it."""


@record
class Launched:
    """A kernel that was started. `errors`: the end of its stderr's pipe that we read, -1 where its words don't reach us;
    `passes_to`: where they go on to. `address`: None where its connection names no iopub. `interrupts`: a cell is interrupted
    before memory meets its limit."""

    kernel_id: str
    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str]
    pid: int
    errors: int
    passes_to: int
    address: Address | None
    interrupts: bool = False


class WatchedKernel:
    """Looked at by the listener's thread; `poll()` of the server asks it from another."""

    def __init__(self, launched: Launched, disks: Disks) -> None:
        self.launched = launched
        self.pidfd = os.pidfd_open(launched.pid)
        self.at, self.started_at = time.monotonic(), time.time()
        self.cells, self.tape = Cells(), OutputBuffer()
        self.inner = InnerPipe(launched.pid, _number_of(launched.errors))
        self._said_before_cell = 0
        # GPUs are not watched: a process with NVML beside each kernel would cost a server more than all the rest
        self.watcher = Watcher(
            launched.pid, "", interval=INTERVAL_S, started=self.at, disks=disks, still=StillWatch(_NEVER_S, lambda: 0.0), gpus=None,
        )  # fmt: skip
        self.watcher.timeline = Timeline(_MOST_SAMPLES)
        self._warner = Warner(self._warn)
        self.status: int | None = None
        self.verdict: Verdict | None = None
        self.died_at = 0.0
        self.blocked = False  # whoever reads its stderr behind us takes nothing at the moment
        self.next_look = self.at + _FIRST_S
        self._pause, self._cpu, self._held = _FIRST_S, -1.0, 0
        self._kills: list[tuple[float, dict[str, Any], int | None]] = []
        self._told, self.address_free = threading.Event(), threading.Event()
        self.address_free.set()
        self._seen_dead = 0.0
        self._asked_at = self._interrupted_at = -_NEVER_S

    def ask(self) -> None:
        """Its owner ends it: what comes now is no death to explain. A last word that is on its way is cut short."""
        self._asked_at = time.monotonic()
        if self.is_dead():
            self.tell()

    def interrupt(self) -> None:
        self._interrupted_at = time.monotonic()

    def was_asked(self) -> bool:
        """Whether its owner ended it. One that outlived that by a minute died of something else."""
        died_at = self.died_at or time.monotonic()
        interrupted = died_at - self._interrupted_at < _ASKED_S and self.status in _OF_INTERRUPT
        return interrupted or self.cells.shut_down or died_at - self._asked_at < _ASKED_S

    def tell(self) -> None:
        """From now on it is dead to everybody, as soon as its address is free."""
        self._told.set()

    @property
    def told(self) -> bool:
        return self._told.is_set()

    def holds_back(self) -> bool:
        """Whether the kernel counts as alive: it is, or its last word has not been said. Never waits."""
        if not self.is_dead():
            return True
        self._seen_dead = self._seen_dead or time.monotonic()
        if time.monotonic() - self._seen_dead > _HELD_BACK_S:
            return False
        if self.status is None and time.monotonic() - self._asked_at < _ASKED_S:
            return False
        return not (self.told and self.address_free.is_set())

    def is_dead(self) -> bool:
        with contextlib.suppress(OSError, ValueError):
            poll = select.poll()
            poll.register(self.pidfd, select.POLLIN)
            return bool(poll.poll(0))
        return True

    def peek(self) -> bool:
        """Learns how it ended and leaves it to its parent to wait for it. False where that has happened already."""
        self.died_at = time.monotonic()
        try:
            found = os.waitid(os.P_PIDFD, self.pidfd, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except OSError:
            return False
        if found is None:
            return False
        if found.si_code == os.CLD_EXITED:
            self.status = found.si_status << 8
        else:
            self.status = found.si_status | (0x80 if found.si_code == os.CLD_DUMPED else 0)
        return True

    def look(self, now: float, neighbours: int, weight: float) -> None:
        """One sample; a kernel that does nothing and does not grow is looked at ever more rarely."""
        began = time.thread_time()
        self.watcher.look()
        cost = time.thread_time() - began
        samples = self.watcher.timeline.samples
        if samples and self.cells.running is not None:
            self._warner.look(samples[-1], samples)
        cpu = samples[-1].get("cpu_s", 0.0) if samples else 0.0
        held = samples[-1].get("anon_bytes", 0) if samples else 0
        idle = (
            cpu - self._cpu < 0.02 * max(self._pause, INTERVAL_S)
            and held - self._held < _GROWS_BYTES
        )
        self._cpu, self._held = cpu, held
        self._pause = min(self._pause * 2, _IDLE_S if idle else INTERVAL_S)
        self.next_look = now + max(self._pause, cost * weight * neighbours)
        self.inner.look()
        self._count_kills(now)

    def _warn(self, text: str) -> None:
        """Below the running cell; where that is wished and little time is left, the cell is interrupted and the kernel lives on."""
        self.inner.say(f"tfdoctor: {text}\n")
        left_s = self._warner.told[-1].predicted_s
        if not self.launched.interrupts or left_s > _INTERRUPT_S:
            return
        why = says("container-oom-killed", "interrupted")
        self.inner.say(f"tfdoctor: {why}\n")
        self.interrupt()
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGINT)

    def was_given(self, header: bytes, counts: bool) -> None:
        """A request is on its way to it. May be called from any thread."""
        if self.cells.running is None:
            self._said_before_cell = self.tape.total
        self.cells.ask(header, counts)

    def wake(self) -> None:
        """A cell has begun: what comes now matters."""
        self.inner.look()
        self._said_before_cell = self.tape.total
        self._pause = _FIRST_S
        self.next_look = min(self.next_look, time.monotonic() + _FIRST_S)

    def last_words(self) -> bytes:
        """What its own pipe still held, which is now on the tape as well. Once, after its death."""
        rest = self.inner.rest()
        self.inner.close()
        self.tape.add(rest)
        with contextlib.suppress(OSError):  # no place for them is known, so there are none
            self.tape.add(take_stacks(folder_of(self.launched.environ), self.launched.pid))
        return rest

    def text(self) -> Text | str:
        """What it said on stderr since the running cell began, or at all where none runs; else why that is not known."""
        if self.launched.errors < 0:
            return "its stderr does not pass through here"
        text = self.tape.text()
        said = self.tape.total - self._said_before_cell
        if self.cells.running is None or said >= len(text.whole):
            return text
        return Text(text.whole[len(text.whole) - said :], 0, b"")

    def _count_kills(self, now: float) -> None:
        from tfdoctor.ask.recorder.host_memory import kills

        counted = {folder: group.after for folder, group in self.watcher.groups.by_folder.items()}
        self._kills.append((now, counted, kills()))
        while len(self._kills) > 2 and self._kills[1][0] < now - _COUNTED_S:
            self._kills.pop(0)

    def last_look(self) -> None:
        """At the zombie. Counters are compared with those of some seconds before the death."""
        self.watcher.look()
        before = [
            each for each in self._kills if each[0] <= self.died_at - _COUNTED_S
        ] or self._kills[:1]
        if before:
            _, counted, machine = before[-1]
            self.watcher.kills_before = machine
            for folder, group in self.watcher.groups.by_folder.items():
                group.before = counted.get(folder, group.before)

    def close(self) -> None:
        """Its process has been waited for."""
        handles = [self.pidfd, *(member.handle for member in self.watcher.tree.members.values())]
        self.watcher.tree.members.clear()
        self.pidfd = -1
        self.inner.close()
        for handle in handles:
            if handle >= 0:
                os.close(handle)


def _number_of(handle: int) -> int:
    return os.fstat(handle).st_ino if handle >= 0 else 0
