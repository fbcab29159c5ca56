"""An answer that is asked for before it is needed, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


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

    def wait(self) -> T:
        """Waits for the answer. It can be asked for as often as it is needed."""
        if self.ident is not None:
            self.join()
        if not self._answers:
            raise self._error or RuntimeError(f"{self.name} ended without an answer")
        return self._answers[0]
