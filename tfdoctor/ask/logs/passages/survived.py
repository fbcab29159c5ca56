"""Tracebacks that are no end of a program: whoever printed them passed the exception over, or the work was done by then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdoctor.ask.logs.passages.open_end import GOES_ON
from tfdoctor.ask.logs.passages.tracebacks import CHAINED, Numbered
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

_BEGINS = "Traceback (most recent call last)"
_PASSED_OVER = (
    ("xception ignored ", Expression(r"\bException ignored (?:in|on|while)\b")),
    (
        "rror processing line ",
        Expression(r"\bError processing line \d{1,6} of .{1,600}\.pth:\s{0,3}$"),
    ),
    ("--- Logging error ---", Expression(r"^\s{0,9}--- Logging error ---")),
    ("Error in atexit._run_exitfuncs", Expression(r"^Error in atexit\._run_exitfuncs\b")),
    (
        "xception in callback _",
        Expression(r"\bException in callback _(?:Proactor|Selector)\w{0,60}\."),
    ),
    (
        "xtension",
        Expression(
            r"^\[W [^\]]{5,60}App\] .{0,300}(?:extension failed loading with message|Error loading server extension)"
        ),
    ),
)
"""Python says so itself (Python/errors.c, Lib/site.py, Lib/logging, Modules/atexitmodule.c, 3.6 to 3.14); Jupyter's server starts without
an extension that can't be loaded; asyncio's loop goes on after a connection that the other side closed (Lib/asyncio/base_events.py)."""
_OF_A_THREAD = ("xception in thread ", Expression(r"\bException in thread \S"))
_OF_AN_OPERATION = ("op_kernel.cc:", Expression(r"\bW .{0,120}op_kernel\.cc:\d{1,6}\] "))
_FINALIZER = Expression(r'^\s{0,9}File "[^"]{1,1000}", line \d{1,9}, in __del__\s{0,3}$')
"""The outermost frame of what an object raised while it was thrown away: nobody called that method, so the exception reaches nobody. Python
prints it below "Exception ignored in" (Python/errors.c, PyErr_WriteUnraisable, 3.6 to 3.14), a line that is often not copied along."""
_IN_A_FINALIZER = "in __del__"
_GIVEN_UP = Expression(
    r"(?i)\bretrying\b|\btrying again\b|\bwill (?:re)?try\b|\bfall(?:ing|s)? ?back (?:to|on)\b|\bskipping\b|\bcontinuing (?:without|anyway)\b"
)
_WARNED = Expression(r"^(?:WARNING|WARN)\b[:\s]|[\s\[(]WARN(?:ING)?[\s\])/:]")
_INFORMS = Expression(r"^(?:INFO|DEBUG)\b[:\s]|[\s\[(](?:INFO|DEBUG)[\s\])/:]")
"""A logger's own levels: whoever writes a traceback below a warning has caught it, and informs of what it does next."""
_ENDS = Expression(r"(?i)shut|exit|stop|terminat|fail|error|abort|clos|finish|kill|restart|boot")
_OF_TENSORFLOW = "WARNING:tensorflow:"
"""Its own word about something else, which mostly stands above by chance."""
ANCHORS = (
    *(anchor for anchor, _ in _PASSED_OVER), _OF_A_THREAD[0], _OF_AN_OPERATION[0], _IN_A_FINALIZER, "etrying", "rying again",
    "ill try", "ill retry", "alling back", "alls back", "allback", "kipping", "ontinuing ", "WARN",
)  # fmt: skip
_CLOSED = ("nqueue operation was cancelled", "Session has been closed", "use a closed Session")
"""What a thread that feeds a queue gets when the session of TensorFlow 1 is closed, as it is at the end of the work."""
_GO_ON = ("Call stack:", "Message: ", "Arguments: ", "Remainder of file ignored")
_OF_A_CALLBACK = "handle: <Handle "
"""asyncio's second line, between its heading and the traceback."""
_NEAR = 2  # lines between a heading and its traceback
_MOST = 400  # lines of one


@record
class Passage:
    """From the heading to the last line of the last exception, both places in the lines."""

    first: int
    last: int


def passed_over(lines: Sequence[Numbered]) -> Iterator[int]:
    """The numbers of the lines of one process' tracebacks that it survived, each with its heading."""
    worked = max(
        (place for place, (_, text) in enumerate(lines) if GOES_ON.search(text)), default=-1
    )
    begun = max((place for place, (_, text) in enumerate(lines) if _BEGINS in text), default=-1)
    place = 0
    while place < len(lines):
        found = _at(lines, place)
        if found is not None and _survived(lines, found, worked, begun):
            yield from (number for number, _ in lines[found.first : found.last + 1])
            place = found.last
        place += 1


def _at(lines: Sequence[Numbered], place: int) -> Passage | None:
    """The traceback that the line heads; Python's word that it ignores one may stand alone."""
    text = lines[place][1]
    if not (any(anchor in text for anchor in ANCHORS) or text.startswith(_BEGINS)):
        return None
    last = _end(lines, place)
    return Passage(place, last) if last > place or _says_so(text) else None


def _survived(lines: Sequence[Numbered], found: Passage, worked: int, begun: int) -> bool:
    text = lines[found.first][1]
    if _says_so(text) or _of_a_finalizer(lines, found.first):
        return True
    if _is(text, _OF_A_THREAD):
        inside = (each for _, each in lines[found.first : found.last + 1])
        return any(word in each for each in inside for word in _CLOSED)
    if begun <= found.last and _was_caught(lines, found, worked):
        return True
    # TensorFlow prints what a Python function of a data set raised; where that ended the program, Python prints another one.
    return _is(text, _OF_AN_OPERATION) and found.last < worked and begun <= found.last


def _was_caught(lines: Sequence[Numbered], found: Passage, worked: int) -> bool:
    """The line above says in a warning, or the next one says what is tried instead, and the program goes on to tell of its work."""
    above = lines[found.first - 1][1] if found.first else ""
    heading = lines[found.first][1]
    below = [text for _, text in lines[found.last + 1 :] if text.strip()]
    informs = found.last < worked or any(
        _INFORMS.search(text) and not _ENDS.search(text) for text in below
    )
    said = above if heading.startswith(_BEGINS) else heading
    warned = _WARNED.search(said) and _OF_TENSORFLOW not in said
    given_up = any(_GIVEN_UP.search(text) for text in (above, *below[:2]))
    return informs and bool(warned or given_up)


def _of_a_finalizer(lines: Sequence[Numbered], place: int) -> bool:
    """A traceback that begins in the method by which Python throws an object away."""
    below = lines[place + 1][1] if place + 1 < len(lines) else ""
    return (
        lines[place][1].startswith(_BEGINS)
        and _IN_A_FINALIZER in below
        and bool(_FINALIZER.search(below))
    )


def _says_so(text: str) -> bool:
    return any(_is(text, each) for each in _PASSED_OVER)


def _is(text: str, kind: tuple[str, Expression]) -> bool:
    return kind[0] in text and bool(kind[1].search(text))


def _end(lines: Sequence[Numbered], heading: int) -> int:
    """The place of the last line that belongs to the traceback below a heading; the heading's own where there is none."""
    last, begun, raised = heading, _BEGINS in lines[heading][1], False
    for place in range(heading + 1, min(len(lines), heading + _MOST)):
        text = lines[place][1]
        if not text.strip():
            continue
        if _BEGINS in text:
            if raised:
                break  # another one, which nothing joins to this
            begun = True
        elif text.lstrip().startswith(CHAINED):
            raised = False
        elif begun and not raised and text[:1] not in " \t":
            raised = True
        elif not begun and text.startswith(_OF_A_CALLBACK):
            continue
        elif not (text[:1] in " \t" or (raised and text.startswith(_GO_ON))):
            break
        if not begun and place - heading > _NEAR:
            break
        last = place if begun else last
    return last
