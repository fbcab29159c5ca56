"""What went over a stream, in memory that a forked process shares: the beginning, the end, and how much was between."""

from __future__ import annotations

import mmap
import struct
import time

from tfdoctor.light.records import record

HEAD_BYTES = 128 << 10
TAIL_BYTES = 512 << 10
_FIELDS = struct.Struct("=BQd")  # busy, bytes so far, time of the last of them (time.monotonic)


@record
class Text:
    """The words of a stream. `skipped`: bytes between both parts that were not kept."""

    head: bytes
    skipped: int
    tail: bytes

    @property
    def whole(self) -> bytes:
        """Both parts, with a line between them where something was left out."""
        if not self.skipped:
            return self.head + self.tail
        return self.head + f"\n[… {self.skipped} bytes were not kept …]\n".encode() + self.tail


class Tape:
    """Written by one process, read by another: whoever was forked after it was made sees the same memory."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _FIELDS.size + HEAD_BYTES + TAIL_BYTES)
        self._put(False, 0, time.monotonic())

    def _put(self, busy: bool, total: int, at: float) -> None:
        _FIELDS.pack_into(self._memory, 0, busy, total, at)

    def _get(self) -> tuple[bool, int, float]:
        busy, total, at = _FIELDS.unpack_from(self._memory, 0)
        return bool(busy), total, at

    def begin(self) -> None:
        """Said before data is taken from the stream: from now on it may be on its way."""
        _, total, at = self._get()
        self._put(True, total, at)

    def done(self) -> None:
        """Said when all that was taken was passed on."""
        _, total, at = self._get()
        self._put(False, total, at)

    def add(self, chunk: bytes) -> None:
        busy, total, _ = self._get()
        room = max(HEAD_BYTES - total, 0)
        start = _FIELDS.size + total
        if room:
            self._memory[start : start + len(chunk[:room])] = chunk[:room]
        self._wind(chunk[room:], max(total - HEAD_BYTES, 0))
        self._put(busy, total + len(chunk), time.monotonic())

    def _wind(self, rest: bytes, before: int) -> None:
        """Writes what no longer fits into the head around the ring; `before` bytes have gone into it so far."""
        if not rest:
            return
        cut = max(len(rest) - TAIL_BYTES, 0)
        at, rest = (before + cut) % TAIL_BYTES, rest[cut:]
        ring = _FIELDS.size + HEAD_BYTES
        first = rest[: TAIL_BYTES - at]
        self._memory[ring + at : ring + at + len(first)] = first
        self._memory[ring : ring + len(rest) - len(first)] = rest[len(first) :]

    @property
    def busy(self) -> bool:
        return self._get()[0]

    @property
    def total(self) -> int:
        return self._get()[1]

    @property
    def last_at(self) -> float:
        return self._get()[2]

    def text(self) -> Text:
        total = self.total
        base, ring = _FIELDS.size, _FIELDS.size + HEAD_BYTES
        head = self._memory[base : base + min(total, HEAD_BYTES)]
        wound = max(total - HEAD_BYTES, 0)
        if wound <= TAIL_BYTES:
            return Text(head, 0, self._memory[ring : ring + wound])
        at = wound % TAIL_BYTES
        tail = self._memory[ring + at : ring + TAIL_BYTES] + self._memory[ring : ring + at]
        return Text(head, wound - TAIL_BYTES, tail)
