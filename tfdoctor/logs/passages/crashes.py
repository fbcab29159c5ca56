"""Where faulthandler saw a crash: the fatal error, and the stack of the thread that it happened in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record
from tfdoctor.logs.passages.frames import INSTALLED
from tfdoctor.logs.passages.tracebacks import Numbered

_CRASH = Expression(r"Fatal Python error: (?P<what>.{1,200})$")
_CRASH_FRAME = Expression(
    r'^\s*File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9}) in (?P<function>\S{1,200})'
)


@record
class Crash:
    """What faulthandler wrote: the fatal error and the innermost frame that is the user's, else the innermost."""

    what: str
    line: int
    frame: str
    package: str


def crashes(lines: Iterable[Numbered]) -> Iterator[Crash]:
    """What faulthandler reports, with the innermost frame of the current thread."""
    now: _Dying | None = None
    for number, text in lines:
        if "Fatal Python" in text and (found := _CRASH.compiled.search(text)):
            if now is not None:
                yield now.closed()
            now = _Dying(number, found["what"].strip())
        elif now is not None and now.take(text):
            yield now.closed()
            now = None
    if now is not None:
        yield now.closed()


class _Dying:
    """A crash whose stacks are being read."""

    def __init__(self, line: int, what: str) -> None:
        self._line, self._what, self._current = line, what, False
        self._innermost = self._package = ""

    def take(self, text: str) -> bool:
        """True where the current thread's stack is complete."""
        if "most recent call first" in text:
            if self._current:
                return True
            self._current = text.lstrip().startswith(("Current thread", "Stack"))
        elif self._current and not self._innermost and (frame := _CRASH_FRAME.compiled.match(text)):
            if frame["file"].startswith("<frozen"):
                return False
            installed = INSTALLED.compiled.search(frame["file"])
            self._innermost = f"{frame['function']} ({frame['file']}:{frame['line']})"
            self._package = installed["package"].replace("_", "-") if installed else ""
        return False

    def closed(self) -> Crash:
        return Crash(self._what, self._line, self._innermost, self._package)
