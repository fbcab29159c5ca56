"""What the user asked to have examined, and how."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from tfdoctor.base.records import field, record
from tfdoctor.base.sysroot import System

T = TypeVar("T")


class RequestError(Exception):
    """The request can't be carried out as asked (exit status 2); the message says what, where and what to do."""


def _to_stderr(words: str) -> None:
    from tfdoctor.base.printable import printable

    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"tfdoctor: {printable(words)}\n")
        sys.stderr.flush()


class Shared:
    """What several probes of one examination need: found out by the first that asks, the others wait for it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._found: dict[Hashable, Any] = {}

    def once(self, asked: Hashable, find_out: Callable[[], T]) -> T:
        """What `find_out` returns, called at most once for what is asked. What it raises is not kept."""
        with self._lock:
            if asked not in self._found:
                self._found[asked] = find_out()
            found: T = self._found[asked]
            return found


@record(eq=False)
class Request:
    """`python` and `kernel` as typed; `deep` also hashes TensorFlow's files; `child_limit_s` bounds one child.

    `deadline`, in time.monotonic() seconds, is when the examination has to end, for what may take longer than that.
    as_owner: root starts everything of an environment that another user can change as that user. warn: takes what
    has to be said before something runs. One request is one examination: what its probes share is kept with it.
    """

    system: System = field(default_factory=System)
    python: str = ""
    kernel: str = ""
    deep: bool = False
    child_limit_s: float = 10.0
    deadline: float = math.inf
    as_owner: bool = False
    warn: Callable[[str], None] = _to_stderr
    shared: Shared = field(default_factory=Shared)


class Ahead(threading.Thread, Generic[T]):
    """Asks at once; `wait` gives the answer, or raises what asking raised.

    Where no more threads may be started, it is asked here and now.
    """

    def __init__(self, ask: Callable[[], T], name: str) -> None:
        super().__init__(daemon=True, name=name)
        self._ask = ask
        self._answers: list[T] = []
        self._error: Exception | None = None
        try:
            self.start()
        except RuntimeError:
            self.run()

    def run(self) -> None:
        try:
            self._answers.append(self._ask())
        except Exception as error:  # noqa: BLE001  # raised again where the answer is asked for
            self._error = error

    def wait_at_most(self, seconds: float) -> None:
        """Waits for the answer, but no longer than this."""
        if self.ident is not None:
            self.join(seconds)

    def wait(self) -> T:
        """Waits for the answer. It can be asked for as often as it is needed."""
        if self.ident is not None:
            self.join()
        if not self._answers:
            raise self._error or RuntimeError(f"{self.name} ended without an answer")
        return self._answers[0]
