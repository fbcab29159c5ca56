"""Starts the command in the place that its streams ask for."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from tfdoctor.ask.recorder.beside import Beside
from tfdoctor.ask.recorder.execute import Command, error_of, pythons_own
from tfdoctor.ask.recorder.signals import FORWARDED, Arrival, Signals, Witness
from tfdoctor.ask.recorder.streams import TERMINAL, Plan, plan
from tfdoctor.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdoctor.ask.recorder.terminal import Inside


@record
class Sent:
    """A signal that came for the command: the sender's name, "" where it is not known, and when (time.monotonic())."""

    arrival: Arrival
    sender: str
    at: float


class Started:
    """The command at work. `error` is the errno of a start that failed, 0 where it runs.

    `sent` are the signals that came for it.
    """

    def __init__(self, argv: tuple[str, ...], environ: Mapping[str, str]) -> None:
        self.signals, self.sent = Signals(), list[Sent]()
        self.plan: Plan = plan()
        command = Command(argv, environ, self.signals.mask, pythons_own(), os.getpid())
        ours, errors = os.pipe()
        if self.plan.how == TERMINAL:
            from tfdoctor.ask.recorder.terminal import Inside

            self.place: Beside | Inside = Inside(command, self.plan, errors, self.signals)
        else:
            self.place = Beside(command, self.plan, errors)
        self.pid = self.place.pid
        self.error = error_of(ours)
        os.close(ours)
        self._witness = Witness(FORWARDED)
        self.signals.begin()

    def on_signals(self) -> None:
        """Passes on what came, each once."""
        for arrival in self.signals.take():
            if arrival.number == signal.SIGWINCH:
                self.place.resized()
            elif arrival.number == signal.SIGCONT:
                self.place.continued()
            elif arrival.number == signal.SIGCHLD:
                self.reap()
            elif arrival.sender != os.getpid():
                self.sent.append(Sent(arrival, _name_of(arrival.sender), time.monotonic()))
                self.place.deliver(
                    arrival.number, to_all=arrival.from_kernel or self._witness.saw(arrival.number)
                )

    def reap(self) -> None:
        """As the first process of a container we inherit orphans; those that have ended are waited for."""
        if os.getpid() != 1:
            return
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid == self.pid:
                    return  # the command itself: looked at first
                os.waitpid(found.si_pid, os.WNOHANG)

    def end(self) -> None:
        self._witness.end()


def _name_of(pid: int) -> str:
    with (
        contextlib.suppress(OSError),
        open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file,
    ):
        return file.read().strip()
    return ""
