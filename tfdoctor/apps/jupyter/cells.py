"""Which cell a kernel is running, by what it says on iopub.

A message is a topic, a delimiter, a signature and four parts of JSON: header, parent header, metadata, content
(Jupyter's messaging protocol 5.4, "The wire protocol").
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import Any

from tfdoctor.base.records import record

TOPICS = (b"kernel", b"status", b"execute_input", b"shutdown")
"""ipykernel's are `kernel.<id>.<type>`, xeus' `kernel_core.<id>.<type>`, others' the type alone. Output has others."""

_DELIMITER = b"<IDS|MSG>"
_MOST_BYTES = 8 << 20
_MOST_RUNNING = 100


@record
class Cell:
    """A request at work. `parent`: its header as it came; `count`: its execution count, 0 where it is not known."""

    parent: bytes
    count: int


class Cells:
    """Learns from messages. What can't be read is passed over: a kernel may say what it likes."""

    def __init__(self) -> None:
        self._running: dict[str, Cell] = {}
        self._asked: deque[tuple[str, bytes, bool]] = deque(maxlen=_MOST_RUNNING)
        self._last_count = 0
        self.shut_down = False
        self.spoke = False

    @property
    def begun(self) -> Cell | None:
        """The one that was started last, of those at work by the kernel's own word."""
        return next(reversed(list(self._running.values())), None)

    @property
    def running(self) -> Cell | None:
        """That one; where the kernel told of none, the next that it was asked for."""
        if self.begun is not None:
            return self.begun
        return next(
            (Cell(header, self._next(counts)) for _, header, counts in list(self._asked)), None
        )

    def ask(self, header: bytes, counts: bool) -> None:
        """A request is on its way to the kernel, which counts it or does not. May be called from any thread."""
        self._asked.append((str(_read(header)["msg_id"]), header, counts))

    def _next(self, counts: bool) -> int:
        return self._last_count + 1 if counts else 0

    def update(self, frames: Sequence[bytes]) -> None:
        try:
            start = list(frames).index(_DELIMITER)
            header, parent, _, content = frames[start + 2 : start + 6]
            kind, request = _read(header)["msg_type"], _read(parent)
            self.spoke = True
            if kind == "shutdown_reply":
                self.shut_down = True
            elif request.get("msg_type") == "execute_request" and kind in (
                "status",
                "execute_input",
            ):
                self._learn(str(kind), str(request["msg_id"]), parent, _read(content))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return

    def _learn(self, kind: str, request: str, parent: bytes, content: dict[str, Any]) -> None:
        counts = self._was_asked(request)
        if kind == "execute_input":
            count = content.get("execution_count")
            self._last_count = count if isinstance(count, int) else 0
            self._running[request] = Cell(parent, self._last_count)
        elif content.get("execution_state") == "busy" and len(self._running) < _MOST_RUNNING:
            self._running.setdefault(request, Cell(parent, self._next(counts)))
        elif content.get("execution_state") == "idle":
            self._running.pop(request, None)

    def _was_asked(self, request: str) -> bool:
        """Whether the kernel will count it. A kernel takes requests in their order: those before it are done."""
        counts = False
        if any(asked == request for asked, _, _ in list(self._asked)):
            while True:
                asked, _, counts = self._asked.popleft()
                if asked == request:
                    break
        return counts


def _read(part: bytes) -> dict[str, Any]:
    if len(part) > _MOST_BYTES:
        raise ValueError("longer than any header")
    found: dict[str, Any] = json.loads(part)
    return found
