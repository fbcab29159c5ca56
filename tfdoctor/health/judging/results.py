"""What a probe finds out about one thing: fine, at fault, at risk, worth a word, not to be seen from here.

STARVED: the machine had no processor for asking. That says nothing of the thing, neither good nor bad.
"""

from __future__ import annotations

OK, FAULT, WARNING, NOTE, UNSEEN, STARVED = "ok", "fault", "warning", "note", "unseen", "starved"

ORDER = (
    "driver", "gpus", "xid", "ecc", "vram", "smoke", "tensorflow", "memory", "shm", "examination",
    "healthcheck",
)  # fmt: skip
"""The things that are judged, in the order in which their faults have to be fixed: the first is the first line."""


class Point:
    """`words` is a clause for a person; `code` the finding code (`tfdoctor explain CODE`), "" where none fits."""

    __slots__ = ("check", "code", "status", "words")

    def __init__(self, check: str, status: str, words: str, code: str = "") -> None:
        self.check, self.status, self.words, self.code = check, status, words, code


def healthy(points: list[Point]) -> bool:
    return not any(point.status == FAULT for point in points)
