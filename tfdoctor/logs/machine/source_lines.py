"""Which releases of TensorFlow wrote a log, by the lines of its source that the log's lines begin with: "gpu_device.cc:2365]".

The table `log_lines.txt` was read in the published wheels (tools/log_lines_by_release.py, 2026-11-23). A build of somebody else's
may have other lines; those that the table does not hold tell nothing.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path

from tfdoctor.light.expressions import Expression
from tfdoctor.logs.machine.held import Held, Told

_TABLE = Path(__file__).with_name("log_lines.txt")
_PLACE = Expression(r"\b[a-z_]{4,40}\.(?:cc|h):\d{1,5}\] ")
_WORDS = (".cc:", "device_compiler.h:")
_MOST_LINES = 400
"""An allocator's dump has thousands; what the first hundreds do not tell the others won't."""
_OF_ANOTHER = "external/org_tensorflow/"
"""TensorFlow's source inside of another program, with a release of its own."""


def minors(lines: Held[Told]) -> tuple[str, ...]:
    """Those whose sources have all of these lines, the oldest first; () where none is known, or they contradict each other."""
    found: dict[str, None] | None = None
    for having in dict.fromkeys(_of_line(line.text) for line in islice(lines.holding(_WORDS), _MOST_LINES)):
        if having:
            found = {each: None for each in having if found is None or each in found}
    return tuple(found or ())


def _of_line(text: str) -> tuple[str, ...]:
    """() also for another message at the same line: what stands there in one release stands elsewhere in the next."""
    place = _PLACE.compiled.search(text)
    if place is None or _OF_ANOTHER in text:
        return ()
    known = _table().get(place[0], {})
    return next((having for words, having in known.items() if text.startswith(words, place.end())), ())


@cache
def _table() -> dict[str, dict[str, tuple[str, ...]]]:
    """The minors by place ("gpu_device.cc:2251] ") and first words."""
    head, *rows = _TABLE.read_text("utf-8").splitlines()
    every = head.removeprefix("# ").split()
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for row in rows:
        message, _, spans = row.rpartition("|")
        place, mark, words = message.partition("] ")
        having = tuple(each for span in spans.split(",") for each in _of_span(span, every))
        found.setdefault(place + mark, {})[words] = having
    return found


def _of_span(span: str, every: list[str]) -> list[str]:
    first, _, last = span.partition("-")
    return every[every.index(first) : every.index(last or first) + 1]
