"""What a child said on its stdout: marked lines of JSON, read as they come, and how it fell silent.

A child announces each step before it takes it, so that one which hangs or dies names the call in which it did:

    @tfdoctor {"at": "cuInit"}
    @tfdoctor {"say": "init", "code": 0}
    @tfdoctor {"done": true}

Lines without the mark are somebody's noise (a library that prints) and are not read. Silence, nonsense, an early
exit, a signal and a time-out are five different ends, and each has its own words.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from tfdoctor.base.child import ChildResult
from tfdoctor.base.records import record
from tfdoctor.base.signals import signal_name
from tfdoctor.facts.outcome import Failed

MARK = b"@tfdoctor "
_LONGEST_LINE = 64 << 10
_MOST_ANSWERS = 5000


class Messages:
    """Collects a child's marked lines; `take` is fed chunk by chunk (`on_stdout`) and keeps a bounded amount."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.step = ""  # the last one announced
        self.finished = threading.Event()  # it said that it has done everything
        self.nonsense = 0
        self._rest = b""

    def take(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[-_LONGEST_LINE:]
        for line in lines:
            if line.startswith(MARK):
                self._read(line[len(MARK) :])

    def _read(self, text: bytes) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self.nonsense += 1
        elif "at" in message:
            self.step = str(message["at"])
        elif "done" in message:
            self.finished.set()
        elif len(self.answers) < _MOST_ANSWERS:
            self.answers.append(message)

    @property
    def done(self) -> bool:
        return self.finished.is_set()

    def unreadable(self) -> Messages:
        """The same child, of whose words nothing but the last step can be used."""
        other = Messages()
        other.step, other.nonsense = self.step, self.nonsense + 1
        return other

    def said(self, what: str) -> list[dict[str, Any]]:
        """The answers of one kind, in order."""
        return [answer for answer in self.answers if answer.get("say") == what]

    def first(self, what: str) -> dict[str, Any] | None:
        """The first answer of one kind; None where the child did not say it."""
        return next(iter(self.said(what)), None)

    def silence(self, result: ChildResult) -> Failed | None:
        """Why there is no (more) answer, naming the step; None for a child that said all and ended well."""
        words = self.complaint(result)
        if not words:
            return None
        if result.how != "exit":
            return Failed(words, result.kind)
        return Failed(words, "missing" if self.done else "unreadable" if self.nonsense else "ended")

    def complaint(self, result: ChildResult) -> str:
        """The words of `silence`; "" for a child that said all and ended well."""
        step = self.step or "its start"
        if result.how == "not-started":
            return f"the helper program {result.describe()}"
        if self.done and not result.ok:
            return f"the process {result.describe()} after it had done everything"
        if result.how == "timeout":
            return f"{step} did not return within {result.duration_s:.0f} s"
        if result.how == "not-ended":
            return (
                f"{step} did not return, and its process can't be ended: it is stuck in the kernel"
            )
        if result.how == "memory-bound":
            return f"{step} was ended at {result.peak_rss >> 20} MiB of memory"
        if result.how == "signal":
            return f"{step} died of {signal_name(result.status)}"
        return "" if self.done else self._left(step, result)

    def _left(self, step: str, result: ChildResult) -> str:
        if self.nonsense:
            return f"{step}: the process answered what can't be read"
        tail = last_line(result.stderr)
        return f"{step} ended the process with status {result.status}" + (
            f": {tail}" if tail else ""
        )


def silence_or(silence: Failed | None, otherwise: Failed) -> Failed:
    """Why a child fell silent, or `otherwise` where it ended well and did not say what it was asked."""
    return otherwise if silence is None else silence


def last_line(stderr: bytes) -> str:
    """The last line that is not blank, cut at 300 characters."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""


SHARE = 0.6  # of the time left is given to a child that has others behind it, so that one that hangs leaves time
LEAST_S = 0.5  # with less time left no further child is started


@record
class ChildRun:
    """One child's words and its end."""

    messages: Messages
    result: ChildResult

    @property
    def silence(self) -> Failed | None:
        """Why it stopped early; None where it did not."""
        return self.messages.silence(self.result)

    @property
    def complaint(self) -> str:
        """The words of `silence`; "" where it did not stop early."""
        return self.messages.complaint(self.result)

    def asked_about(self, index: int, what: str) -> bool:
        return any(answer["index"] == index for answer in self.messages.said(what))


def ask_in_turn(
    start: Callable[[int, float, Messages], ChildResult],
    *,
    deadline: float,
    announced: str,
    total: Callable[[Messages], int],
) -> list[ChildRun]:
    """The children's words, one child after the other until all things were asked about or the time is over.

    start: runs a child from the thing of this index on, with this time limit in seconds. announced: the answer
    by which a child says at which thing it is. total: how many there are, after what a child said. A child that
    came to none of them has no successor. `deadline` is in time.monotonic() seconds.
    """
    runs, index = list[ChildRun](), 0
    while True:
        messages, left = Messages(), deadline - time.monotonic()
        only_one = total(messages) == index + 1
        result = start(index, left if only_one else left * SHARE, messages)
        runs.append(ChildRun(messages, result))
        begun = messages.said(announced)
        if messages.done or not begun or deadline - time.monotonic() < LEAST_S:
            return runs
        index = int(begun[-1]["index"]) + 1
        if index >= total(messages):
            return runs
