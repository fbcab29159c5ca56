"""One test over many things: thousands of small tests of their own cost more to collect than to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar

T = TypeVar("T")


def every(
    things: Iterable[T] | Callable[[], Iterable[T]], name: Callable[[T], str] = str
) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Runs the test for each thing, and names all of those that fail. A function is asked when the test runs."""

    def of(test: Callable[[T], None]) -> Callable[[], None]:
        @wraps(test)
        def run() -> None:
            failed = []
            tried = 0
            for thing in things() if callable(things) else things:
                tried += 1
                try:
                    test(thing)
                except Exception as error:  # noqa: BLE001  # whatever it is, it is this thing's failure
                    failed.append(f"{name(thing)}: {type(error).__name__}: {error}")
            assert tried, "there was nothing to try"
            assert not failed, f"{len(failed)} of {tried}:\n" + "\n".join(failed)

        del run.__wrapped__  # pytest would read the parameter of the test there
        return run

    return of
