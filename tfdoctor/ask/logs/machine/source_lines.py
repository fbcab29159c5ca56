"""Which releases of TensorFlow wrote a log, by the lines of its source that it names: "gpu_device.cc:2251]", or a frame of a traceback.

The tables were read in the published wheels (tools/harvest/log_lines_by_release.py, tools/harvest/frame_lines_by_release.py, 2026-11-23). A build
of somebody else's may have other lines; those that the tables do not hold tell nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from tfdoctor.ask.logs.machine.line_index import LineIndex, LogLine
from tfdoctor.base.expressions import Expression

_MESSAGES = Path(__file__).with_name("log_lines.txt")
_FRAMES = Path(__file__).with_name("frame_lines.txt")
_PLACE = Expression(r"\b[a-z_]{4,40}\.(?:cc|h):\d{1,5}\] ")
_WORDS = (".cc:", "device_compiler.h:")
_FRAME = Expression(
    r"(?:site|dist)-packages[\\/](?P<file>(?:tensorflow|tensorflow_core|keras)[\\/][\w\\/]{1,120}\.py)(?:[\"'], line |:)(?P<line>\d{1,5}),? in (?P<name>[\w<>.]{1,120})"
)
_MOST_LINES = 400
"""An allocator's dump has thousands; what hundreds do not tell the others won't."""
_OF_ANOTHER = "external/org_tensorflow/"
"""TensorFlow's source inside of another program, with a release of its own."""


def minors(lines: LineIndex[LogLine]) -> tuple[str, ...]:
    """Those whose sources have all of these lines, the oldest first; () where none is known, or they contradict each other."""
    found: dict[str, None] | None = None
    for having in dict.fromkeys(_of_each(lines)):
        if having:
            found = {each: None for each in having if found is None or each in found}
    return tuple(found or ())


def _of_each(lines: LineIndex[LogLine]) -> Iterator[tuple[str, ...]]:
    for line in islice(lines.holding(_WORDS), _MOST_LINES):
        yield _of_message(line.text)
    for line in lines.holding(("-packages",))[-_MOST_LINES:]:
        yield _of_frame(line.text)


def _of_message(text: str) -> tuple[str, ...]:
    """() also for another message at the same line: what stands there in one release stands elsewhere in the next."""
    place = _PLACE.compiled.search(text)
    if place is None or _OF_ANOTHER in text:
        return ()
    known = _messages().get(place[0], {})
    return next(
        (having for words, having in known.items() if text.startswith(words, place.end())), ()
    )


def _of_frame(text: str) -> tuple[str, ...]:
    """IPython names a function with those that it is in: filter_traceback.<locals>.error_handler."""
    found = _FRAME.compiled.search(text)
    if found is None:
        return ()
    file, function = found["file"].replace("\\", "/"), found["name"].rpartition(".")[2]
    return _of_function(file, function).get(found["line"], ())


@cache
def _messages() -> dict[str, dict[str, tuple[str, ...]]]:
    """The minors by place ("gpu_device.cc:2251] ") and first words."""
    head, *rows = _MESSAGES.read_text("utf-8").splitlines()
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows:
        message, _, spans = row.rpartition("|")
        place, mark, words = message.partition("] ")
        found.setdefault(place + mark, {})[words] = _of_spans(spans, head)
    return found


@cache
def _of_function(file: str, function: str) -> dict[str, tuple[str, ...]]:
    """The minors by line; {} for a function that the table does not hold."""
    text = _frames()
    start = text.find(f"\n{file} {function}|")
    if start < 0:
        return {}
    cells = text[text.index("|", start) + 1 : text.index("\n", start + 1)].split(";")
    head = text[: text.index("\n")]
    return {
        line: _of_spans(spans, head) for line, _, spans in (each.partition(" ") for each in cells)
    }


@cache
def _frames() -> str:
    return _FRAMES.read_text("utf-8")


def _of_spans(spans: str, head: str) -> tuple[str, ...]:
    """ "2.7-2.9,2.11" of a table whose first line names all minors in order."""
    every = head.removeprefix("# ").split()
    ends = [each.partition("-") for each in spans.split(",")]
    return tuple(
        minor
        for first, _, last in ends
        for minor in every[every.index(first) : every.index(last or first) + 1]
    )
