"""Asks about a row of things in one child, and goes on in another behind the thing at which a child stopped."""

from __future__ import annotations

import time
from collections.abc import Callable

from tfdoctor.children.messages import Messages
from tfdoctor.children.result import ChildResult
from tfdoctor.facts.outcome import Failed
from tfdoctor.light.records import record

SHARE = (
    0.6  # of the time left is given to a child that has others behind it, so that one that hangs leaves time
)
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
