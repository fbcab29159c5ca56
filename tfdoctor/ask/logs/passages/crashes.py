"""Where a crash happened: the stack that faulthandler wrote of its thread, or the frames of compiled code that others write."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from tfdoctor.ask.logs.passages.frames import INSTALLED
from tfdoctor.ask.logs.passages.tracebacks import Numbered
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import WITHOUT_ITS_HEAD

_CRASH = Expression(r"Fatal Python error: (?P<what>.{1,200})$")
_CRASH_FRAME = Expression(
    r'^\s*File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9}) in (?P<function>\S{1,200})'
)


_HEADLESS = Expression(
    r"^\s{0,9}Current thread 0x[0-9a-fA-F]{4,16} .{0,80}\(most recent call first\):\s{0,3}$"
)
"""The stack of the thread that died, whose fatal error was not copied along. A dump that a program makes of itself looks the same; the one of a
timer names no thread the current one (Modules/faulthandler.c, 3.6 to 3.14)."""
_NATIVE = Expression(
    r"^(?:\S{0,80} ?\[ {0,2}\d{1,3}\] |#?\d{1,3}:? {1,3}|\s{0,8}@\s{1,12}|\s{0,4}Binary file \"|)(?:0x[0-9a-f]{4,16} (?:in )?)?(?:.{1,400}? (?:from|in) )?(?P<file>/[^\s:()\[\]\"]{1,400}?\.(?:so|dylib)[\d.]{0,12})(?=[(+\[\s\"]|$)"
)
"""A frame of compiled code by its library: of Open MPI and PRRTE, glibc's backtrace_symbols, gdb, absl and faulthandler since Python 3.14."""
_INTERPRETER = Expression(
    r"\b_?Py(?:Eval|_Run|_Main|Object_Call|_BytesMain)|/libpython\d|/python\d?(?:\.\d{1,2})?[(+\s]"
)
_OF_HANDLERS = ("tensorflow", "tensorflow-core")
"""TensorFlow prints such a stack itself, and its own frames stand in front then: they are no sign."""
_OF_EVERYBODY = Expression(
    r"^/(?:usr/)?lib(?:32|64|x32)?/|/lib(?:c|m|dl|rt|pthread|stdc\+\+|gcc_s|python\d|cuda|cud\w{2,8}|cu\w{3,9}|nv\w{3,20}|tensorflow\w{0,20}|tcmalloc\w{0,20}|jemalloc|asan|open-\w{2,4}|mpi\w{0,20}|event\w{0,20}|pmix|prrte|ucs|ucp|uct)[.-]|/ld-"
)
"""The system's own folders, and libraries that any program has: their frames stand in front because they are called."""
_REACH = 60  # lines of one stack


def culprit(lines: Sequence[Numbered], at: int) -> str:
    """The installed package whose compiled code stands innermost in the stack below a crash, else in the one right above it; the name of a
    library that is no package's and no system's, where that stands further in; "" where no stack names one but TensorFlow."""
    here = bisect_left(lines, (at + 1, ""))
    below = (text for number, text in lines[here : here + _REACH] if number <= at + _REACH)
    above = (text for number, text in lines[max(0, here - _REACH) : here] if number > at - _REACH)
    return _innermost(below) or _innermost(above)


def _innermost(stack: Iterable[str]) -> str:
    for text in stack:
        if _INTERPRETER.search(text):
            return ""
        frame = _NATIVE.match(text) if ".so" in text or ".dylib" in text else None
        if frame is None:
            continue
        installed = INSTALLED.compiled.search(frame["file"])
        if installed is None and not _OF_EVERYBODY.search(frame["file"]):
            return frame["file"].rpartition("/")[2]
        if installed and (package := installed["package"].replace("_", "-")) not in _OF_HANDLERS:
            return package
    return ""


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
        elif now is None and "Current thread 0x" in text and _HEADLESS.search(text):
            now = _Dying(number, WITHOUT_ITS_HEAD)
            now.take(text)
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
