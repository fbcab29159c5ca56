"""Python's tracebacks: plain, chained, of notebooks and of pytest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tfdoctor.ask.logs.passages.continued import Continued, is_open
from tfdoctor.ask.logs.passages.frames import Frames, is_frame, without_link
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace

_OPENS = Expression(
    r"^(?P<indent>[ \t]{0,60})(?:\+ )?(?:Exception in thread .{0,80}: ?)?Traceback \(most recent call last\)"
)
_NOTEBOOK = Expression(
    r"^(?P<indent>[ \t]{0,60})(?P<name>[A-Za-z_][\w.]{0,80}?)(?P<apart>\s{0,200})Traceback \(most recent call last\)"
)
"""IPython's heading, where a narrow terminal leaves no blank before the second word."""
_BEGINS = "Traceback (most recent call last)"
_RAISED = Expression(
    r"^(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,10}[A-Za-z_]\w{0,80}(?:Error|Exception|Interrupt|Exit|Warning|Iteration|Failure|Timeout|Killed|Exhausted|NotFound|Abort|Fault|Cancelled|Refused|Error_)|KeyboardInterrupt|SystemExit|StopIteration|GeneratorExit)(?P<rest>: ?.{0,8000})?$"
)
_ANY_RAISED = Expression(
    r"^(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,10}[A-Za-z_]\w{0,80})(?P<rest>: .{0,8000})?$"
)
_PYTEST = Expression(r"^E {2,7}(?P<raised>\S.{0,8000})$")
GRAPH = "Graph execution error:"
"""TensorFlow's words for an error inside a tf.function: what went wrong stands some lines below, after the nodes' places."""
ROOTS = Expression(r"(?:Graph execution error:\s{0,4})?\d{1,3} root error\(s\) found\.?$")
"""The same, where several nodes failed: a heading, and the first root error says why."""
_OF_A_GRAPH = Expression(r"(?:Graph execution error:|\b\d{1,3} root error\(s\) found\.?)\s{0,9}$")
USER_CODE = "in user code:"
"""Keras' words for an error inside of a traced function: frames follow, and then the error once more, four blanks deeper."""
_DEEPER = 4
_OF_STAGING = "StagingError"
"""AutoGraph's own class, where it can't make the error's once more (python/autograph/impl/api.py): the words keep theirs."""
_OF_THE_DEBUGGER = "*** "
"""Before an exception that was met at the prompt of pdb."""
_NODE = "Node: "
_OF_NODES = "Graph execution error"
"""The name that a graph's error gets where the line with its own was not pasted."""
_NODES = Expression(
    r"^(?:Detected at node|Node: |\(\d\) |\d{1,3} root error|\d{1,3} (?:successful|derived)|Function call stack)"
)
ROOT = Expression(r"^ {2}\((?P<number>\d)\) (?P<words>\S.{0,8000})$")
CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_MOST_LINES = 400
_MOST_INSIDE = 30
_PROGRAM = Expression(r"^(?!\w{0,80}(?:error|exception|timeout)$)[a-z0-9_]{1,80}$")
"""What programs of such names say after a traceback ("zsh: killed", "docker: Error response") is no exception of that class."""


@record
class Raised:
    """One exception as it was printed. `line` is where its last words stand, `first` where its traceback begins."""

    name: str
    words: str
    line: int
    first: int
    frame: str
    package: str
    chained: tuple[str, ...] = ()
    through: tuple[
        str, ...
    ] = ()  # the distributions of its frames, the outermost first, none twice
    own: bool = False  # `frame` is in the user's code
    below: tuple[str, ...] = ()  # the same of the frames below the user's innermost one
    doing: str = ""  # "importing", "weights", "building", or "" (passages/doing.py)
    inside: tuple[
        str, ...
    ] = ()  # the modules of its frames in installed packages, the innermost last
    source: str = ""  # the innermost frame's line, where it is an import
    shadow: str = (
        ""  # the user's own file that an installed module got in place of another of that name
    )
    roots: tuple[
        str, ...
    ] = ()  # the folders that hold installed packages of its frames, the innermost last
    cut: bool = False  # the text ends within its frames: `name` is that of a notebook's heading or "", and there are no words


Numbered = tuple[int, str]


def tracebacks(lines: Iterable[Numbered]) -> Iterator[Raised]:
    """The exceptions of one process, each with those that it was chained to."""
    reading: _Reading | None = None
    chain: tuple[str, ...] = ()
    joined = False
    above: Numbered = (0, "")
    for number, text in lines:
        begins = _BEGINS in text
        opens, notebook = (_OPENS.compiled.match(text), _heading(text)) if begins else (None, None)
        if reading is not None and not (opens or notebook):
            raised = reading.take(number, text)
            if raised is not None:
                chain = chain if joined else ()
                yield _with(raised, chain)
                chain, joined, reading = (
                    (*chain, f"{raised.name}: {raised.words}"[:300]),
                    False,
                    None,
                )
            elif reading.over:
                yield from _unfinished(reading, chain if joined else ())
                reading = None
            continue
        if opens or notebook:
            yield from _unfinished(reading, chain if joined else ())
            heading = opens or notebook
            assert heading is not None
            reading = _Reading(number, notebook["name"] if notebook else "", len(heading["indent"]))
        elif (cut := _without_a_beginning(number, text)) is not None:
            reading = cut
        elif text.lstrip().startswith(CHAINED):
            first = None if joined else _above(above)
            yield from filter(None, (first,))
            chain, joined = _begun(first) or chain, True
        elif text.startswith("E  ") and (found := _PYTEST.compiled.match(text)):
            words = found["raised"]
            if match := _RAISED.compiled.match(words):
                yield Raised(match["name"], _rest(match), number, number, "", "")
        above = (number, text) if text.strip() else above
    yield from _at_the_end(reading, chain if joined else ())


def _is_half(raised: Raised) -> bool:
    """The text ends within the name of an exception of TensorFlow's: each ends in Error (errors_impl.py of 2.21.0)."""
    return (
        not raised.words
        and raised.name.startswith("tensorflow.")
        and not raised.name.endswith("Error")
    )


def _begun(first: Raised | None) -> tuple[str, ...]:
    return (f"{first.name}: {first.words}"[:300],) if first is not None else ()


def _above(line: Numbered) -> Raised | None:
    """The exception right above the sentence that another one came of it, where its own traceback was not pasted."""
    found = _RAISED.compiled.match(line[1].strip())
    return Raised(found["name"], _rest(found), line[0], line[0], "", "") if found else None


def _without_a_beginning(number: int, text: str) -> _Reading | None:
    """A traceback whose heading was cut off: from a frame on, or an error of a graph alone, whose nodes' places follow and are
    no frames of it."""
    framed = is_frame(text)
    text = text.removeprefix(_OF_THE_DEBUGGER)
    of_a_graph = (_OF_A_GRAPH.compiled.search(text) or text.rstrip().endswith(USER_CODE)) and _RAISED.compiled.match(text)  # fmt: skip
    if not framed and not of_a_graph:
        return None
    reading = _Reading(
        number, "", 0 if of_a_graph else len(text) - len(text.lstrip(" \t")), headed=False
    )
    reading.take(number, text)
    return reading


def _heading(text: str) -> re.Match[str] | None:
    """A notebook's: "KeyError      Traceback (most recent call last)"; without the blanks only after the name of an exception."""
    found = _NOTEBOOK.compiled.match(text)
    return found if found and (found["apart"] or _RAISED.compiled.match(found["name"])) else None


def _unfinished(reading: _Reading | None, chain: tuple[str, ...]) -> Iterator[Raised]:
    """An error of a graph, or of traced code, whose own words never came."""
    left = reading.left if reading is not None else None
    if left is not None:
        yield _with(left, chain)


def _at_the_end(reading: _Reading | None, chain: tuple[str, ...]) -> Iterator[Raised]:
    """What the last traceback tells, where the text ends within it."""
    yield from _unfinished(reading, chain)
    cut = reading.cut_off if reading is not None else None
    if cut is not None:
        yield _with(cut, chain)


def _with(raised: Raised, chain: tuple[str, ...]) -> Raised:
    return replace(raised, chained=chain)


class _Reading:
    """A traceback that has begun."""

    def __init__(self, first: int, notebook: str, indent: int, *, headed: bool = True) -> None:
        self._first, self._notebook, self._indent = first, notebook, indent
        self._frames = Frames()
        self._taken = 0
        self.inner: Raised | None = None
        """What stands above the frames of traced code, until its own words come."""
        self.over = False
        self.pending: Raised | None = None
        """An error of a graph whose own words are still to come."""
        self._open: tuple[Raised, Continued] | None = None
        """An error whose words go on below."""
        self._headed = headed
        self._within = 0
        """The line, where it is a frame or stands below one."""
        self._column = 0
        """Where the present line begins: the frames of a heading that was cut off stand deeper than its last line."""

    @property
    def left(self) -> Raised | None:
        """What the end of the text cut off."""
        if self._open is not None:
            raised, more = self._open
            return replace(raised, words=more.words)
        return self.pending or self.inner

    @property
    def cut_off(self) -> Raised | None:
        """Of a traceback whose heading and frames were pasted and whose last line was not."""
        if not (self._headed and self._within) or self.left is not None:
            return None
        return replace(self._made(self._notebook, "", self._within), cut=True)

    def take(self, number: int, text: str) -> Raised | None:
        self._taken += 1
        self.over = self._taken > _MOST_LINES and self.pending is None
        if self.pending is not None:
            return self._of_the_graph(text)
        if self._open is not None:
            return None if self._open[1].take(text[self._indent :]) else self.left
        text = without_link(text)
        self._column = len(text) - len(text.lstrip(" \t"))
        line = text[self._indent :] if not text[: self._indent].strip() else text
        if self._frames.take(line):
            self._within = number
            return None
        if line[:1] in (" ", "\t", "") or line.startswith(("---", "-->", "│", "|", "╭", "╰")):
            self._within = number if line.strip() and self._within else self._within
            return None
        self._within = 0
        if line.startswith("E  ") and (shown := _PYTEST.compiled.match(line)):
            line = shown["raised"]
        found = _RAISED.compiled.match(line)
        if line.startswith(_NODE) and not self._notebook:
            self.pending = replace(self._made(_OF_NODES, "", number), words=_OF_NODES)
            return None
        if found is None and self._taken > 1:
            found = _ANY_RAISED.compiled.match(line)
            found = None if found is not None and _PROGRAM.compiled.match(found["name"]) else found
        if found is None or (
            self._notebook and found["name"].rpartition(".")[2] != self._notebook.rpartition(".")[2]
        ):
            return None
        return self._raised(found, number)

    def _raised(self, found: re.Match[str], number: int) -> Raised | None:
        """None where its own words are still to come."""
        raised = self._made(found["name"], _rest(found), number)
        if _is_half(raised) and self._headed:
            return replace(self._made(self._notebook, "", number), cut=True)
        if raised.words == USER_CODE:
            again = "" if raised.name == _OF_STAGING else raised.name
            self._indent = self._indent if self._headed else self._column
            self._indent, self._notebook, self.inner = self._indent + _DEEPER, again, raised
            return None
        if raised.words == GRAPH or ROOTS.compiled.match(raised.words):
            self.pending = raised
            return None
        if is_open(raised.words):
            self._open = (raised, Continued(raised.words))
            return None
        return raised

    def _made(self, name: str, words: str, number: int) -> Raised:
        frames = self._frames
        return Raised(
            name, words, number, self._first, frames.place, frames.package, through=tuple(frames.through), own=frames.own,
            below=tuple(frames.below), doing=frames.doing.what, inside=tuple(frames.inside[-_MOST_INSIDE:]),
            source=frames.source, roots=tuple(frames.roots), shadow=frames.shadow,
        )  # fmt: skip

    def _of_the_graph(self, text: str) -> Raised | None:
        """The first line that is neither empty nor one of the places of the nodes says what went wrong."""
        pending = self.pending
        assert pending is not None
        root = ROOT.compiled.match(text)
        if (
            root is None
            and (not text.strip() or text[:1] in " \t" or _NODES.compiled.match(text))
            and self._taken <= _MOST_LINES
        ):
            return None
        words = root["words"] if root is not None else text.strip()
        heading = GRAPH if pending.words == GRAPH else ""
        line = f"{heading} {words}".strip() if self._taken <= _MOST_LINES else pending.words
        return replace(pending, words=line)


def _rest(found: re.Match[str]) -> str:
    return (found["rest"] or "").removeprefix(":").strip()
