"""Python's tracebacks: plain, chained, of notebooks and of pytest; and where faulthandler saw a crash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record, replace
from tfdoctor.logs.passages.continued import Continued, is_open
from tfdoctor.logs.passages.doing import Doing

_OPENS = Expression(
    r"^(?P<indent>[ \t]{0,60})(?:\+ )?(?:Exception in thread .{0,80}: ?)?Traceback \(most recent call last\)"
)
_NOTEBOOK = Expression(
    r"^(?P<indent>[ \t]{0,60})(?P<name>[A-Za-z_][\w.]{0,80}?)(?P<apart>\s{0,200})Traceback \(most recent call last\)"
)
"""IPython's heading, where a narrow terminal leaves no blank before the second word."""
_BEGINS = "Traceback (most recent call last)"
_FRAME = Expression(
    r'^\s*File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,200}))?'
)
_CELL = Expression(
    r"^(?:Cell |Input )?(?:In ?\[(?P<cell>\d{1,9})\]|<ipython-input-(?P<old>\d{1,9})-[^>]{0,40}>)(?:, line (?P<line>\d{1,9})|, in (?P<function>.{1,100})| in (?P<old_function>.{1,100}))?"
)
_NOTEBOOK_FRAME = Expression(
    r"^File (?P<file>\S.{0,500}?):(?P<line>\d{1,9})(?:, in (?P<function>.{1,200}))?$"
)
_OLD_NOTEBOOK_FRAME = Expression(
    r"^(?P<file>(?:[A-Za-z]:)?[~./\\][^\n]{1,400}?\.(?:py|pyx|pxi)) in (?P<function>[\w<].{0,200})$"
)
"""IPython's before 8.0, and Colab's: the line's number stands at the arrow below."""
_ARROW = Expression(r"^-{2,}> ?(?P<line>\d{1,9})\b")
_LINKED = Expression(r"^\[(?P<shown>[^\]\n]{1,400})\]\(https?://[^)\s]{1,200}\)")
"""A place as Colab's copy of it is written in Markdown."""
_SHORT = Expression(r"^(?P<file>[^\s:]{0,3}[^\s:]{1,400}\.py):(?P<line>\d{1,9}): in (?P<function>\S{1,200})$")
"""A frame as pytest and some launchers write it."""
_RAISED = Expression(
    r"^(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,10}[A-Za-z_]\w{0,80}(?:Error|Exception|Interrupt|Exit|Warning|Iteration|Failure|Timeout|Killed|Exhausted|NotFound|Abort|Fault|Cancelled|Refused|Error_)|KeyboardInterrupt|SystemExit|StopIteration|GeneratorExit)(?P<rest>: ?.{0,4000})?$"
)
_ANY_RAISED = Expression(r"^(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,10}[A-Za-z_]\w{0,80})(?P<rest>: .{0,4000})?$")
_PYTEST = Expression(r"^E {2,7}(?P<raised>\S.{0,4000})$")
_PYTEST_PLACE = Expression(r"^(?P<file>[^\s:]{1,400}\.py):(?P<line>\d{1,9}): (?P<name>\w{1,80})$")
GRAPH = "Graph execution error:"
"""TensorFlow's words for an error inside a tf.function: what went wrong stands some lines below, after the nodes' places."""
ROOTS = Expression(r"(?:Graph execution error:\s{0,4})?\d{1,3} root error\(s\) found\.?$")
"""The same, where several nodes failed: a heading, and the first root error says why."""
_USER_CODE = "in user code:"
"""Keras' words for an error inside of a traced function: frames follow, and then the error once more, four blanks deeper."""
_DEEPER = 4
_NODES = Expression(
    r"^(?:Detected at node|Node: |\(\d\) |\d{1,3} root error|\d{1,3} (?:successful|derived)|Function call stack)"
)
ROOT = Expression(r"^ {2}\((?P<number>\d)\) (?P<words>\S.{0,4000})$")
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_CRASH = Expression(r"Fatal Python error: (?P<what>.{1,200})$")
_CRASH_FRAME = Expression(
    r'^\s*File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9}) in (?P<function>\S{1,200})'
)
_INSTALLED = Expression(
    r"(?:(?:site|dist)-packages|[\\/]tensorflow-\d[\w.]{0,20}[\\/]python\d\.\d{1,2})[\\/](?P<package>\w{1,100})"
)
"""The second is where Colab kept TensorFlow 1."""
_NOT_USERS = Expression(
    r"(?:site|dist)-packages|[\\/]tensorflow-\d[\w.]{0,20}[\\/]python\d|[\\/]lib(?:64)?[\\/]python\d|[\\/]lib[\\/](?:threading|runpy|asyncio|multiprocessing|concurrent|contextlib|importlib|subprocess|traceback|imp)\b|^<frozen|^<__array|^<decorator|[Pp]ython\d{2,3}[\\/]lib[\\/]|^(?:tensorflow|keras)[\\/]|__autograph_generated_file",
)
_DISTRIBUTIONS = {"absl": "absl-py", "google": "protobuf", "pasta": "google-pasta", "sklearn": "scikit-learn"}
_CYTHON = (".pyx", ".pxi", ".pxd")
"""Sources of compiled parts: a frame of theirs belongs to the package of the frame before."""
_PASSING_ON = ("module_wrapper.py", "deprecation_wrapper.py", "lazy_loader.py")
"""TensorFlow's files through which a name is asked for: who asks is the frame before."""
_IMPORTS = Expression(r"(?:import|from) (?P<module>[A-Za-z_][\w.]{0,100})")
_MOST_LINES = 400
_MOST_INSIDE = 30
_UNKNOWN = "?"
"""The number of a line that is told later, or never."""
_SHELLS = ("zsh", "bash", "sh", "dash", "ksh", "fish")
"""What these say after a traceback ("zsh: killed") is no exception of a class of that name."""


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
    through: tuple[str, ...] = ()  # the distributions of its frames, the outermost first, none twice
    doing: str = ""  # "weights", "building", or "" (passages/doing.py)
    inside: tuple[str, ...] = ()  # the modules of its frames in installed packages, the innermost last
    source: str = ""  # the innermost frame's line, where it is an import
    shadow: str = ""  # the user's own file that an installed module got in place of another of that name
    roots: tuple[str, ...] = ()  # the folders that hold installed packages of its frames, the innermost last


@record
class Crash:
    """What faulthandler wrote: the fatal error and the innermost frame that is the user's, else the innermost."""

    what: str
    line: int
    frame: str
    package: str


Numbered = tuple[int, str]


def tracebacks(lines: Iterable[Numbered]) -> Iterator[Raised]:
    """The exceptions of one process, each with those that it was chained to."""
    reading: _Reading | None = None
    chain: tuple[str, ...] = ()
    joined = False
    for number, text in lines:
        begins = _BEGINS in text
        opens, notebook = (_OPENS.compiled.match(text), _heading(text)) if begins else (None, None)
        if reading is not None and not (opens or notebook):
            raised = reading.take(number, text)
            if raised is not None:
                chain = chain if joined else ()
                yield _with(raised, chain)
                chain, joined, reading = (*chain, f"{raised.name}: {raised.words}"[:300]), False, None
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
        elif text.lstrip().startswith(_CHAINED):
            joined = True
        elif text.startswith("E  ") and (found := _PYTEST.compiled.match(text)):
            words = found["raised"]
            if match := _RAISED.compiled.match(words):
                yield Raised(match["name"], _rest(match), number, number, "", "")
    yield from _unfinished(reading, chain if joined else ())


def _of_a_notebook(text: str) -> bool:
    """A frame of IPython's, whose heading was not pasted."""
    if " in " not in text:
        return False
    plain = _LINKED.compiled.sub(r"\g<shown>", text, count=1) if text[:1] == "[" else text
    return bool(_OLD_NOTEBOOK_FRAME.compiled.match(plain) or (plain.startswith("<ipython-input-") and _CELL.compiled.match(plain)))  # fmt: skip


def _without_a_beginning(number: int, text: str) -> _Reading | None:
    """A traceback whose heading was cut off: from a frame on, or an error of a graph alone, whose nodes' places follow and are
    no frames of it."""
    framed = (
        ('File "' in text and _FRAME.compiled.match(text))
        or (".py:" in text and _SHORT.compiled.match(text))
        or _of_a_notebook(text)
    )
    of_a_graph = text.rstrip().endswith(GRAPH) and _RAISED.compiled.match(text)
    if not framed and not of_a_graph:
        return None
    reading = _Reading(number, "", 0 if of_a_graph else len(text) - len(text.lstrip(" \t")))
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


def _with(raised: Raised, chain: tuple[str, ...]) -> Raised:
    return replace(raised, chained=chain)


class _Reading:
    """A traceback that has begun."""

    def __init__(self, first: int, notebook: str, indent: int) -> None:
        self._first, self._notebook, self._indent = first, notebook, indent
        self._users, self._innermost = "", ""
        self._package = ""
        self._through: list[str] = []
        self._inside: list[str] = []
        self._source = self._shadow = self._line = ""
        self._of_others = False
        """Whether the frame before is one of an installed module or of Python's own library."""
        self._roots: list[str] = []
        self._doing = Doing()
        self._taken = 0
        self.inner: Raised | None = None
        """What stands above the frames of traced code, until its own words come."""
        self.over = False
        self.pending: Raised | None = None
        """An error of a graph whose own words are still to come."""
        self._open: tuple[Raised, Continued] | None = None
        """An error whose words go on below."""

    @property
    def left(self) -> Raised | None:
        """What the end of the text cut off."""
        if self._open is not None:
            raised, more = self._open
            return replace(raised, words=more.words)
        return self.pending or self.inner

    def take(self, number: int, text: str) -> Raised | None:
        self._taken += 1
        self.over = self._taken > _MOST_LINES and self.pending is None
        if self.pending is not None:
            return self._of_the_graph(text)
        if self._open is not None:
            return None if self._open[1].take(text[self._indent :]) else self.left
        text = _LINKED.compiled.sub(r"\g<shown>", text, count=1) if text[:1] == "[" else text
        line = text[self._indent :] if not text[: self._indent].strip() else text
        if self._frame(line):
            return None
        self._read_source(line)
        if line[:1] in (" ", "\t", "") or line.startswith(("---", "-->", "│", "|", "╭", "╰")):
            return None
        if line.startswith("E  ") and (shown := _PYTEST.compiled.match(line)):
            line = shown["raised"]
        found = _RAISED.compiled.match(line)
        if found is None and self._taken > 1 and not self._notebook:
            found = _ANY_RAISED.compiled.match(line)
            found = None if found is not None and found["name"] in _SHELLS else found
        if found is None or (
            self._notebook and found["name"].rpartition(".")[2] != self._notebook.rpartition(".")[2]
        ):
            return None
        return self._raised(found, number)

    def _raised(self, found: re.Match[str], number: int) -> Raised | None:
        """None where its own words are still to come."""
        raised = Raised(
            found["name"],
            _rest(found),
            number,
            self._first,
            self._users or self._innermost,
            self._package,
            through=tuple(self._through),
            doing=self._doing.what,
            inside=tuple(self._inside[-_MOST_INSIDE:]),
            source=self._source,
            roots=tuple(self._roots),
            shadow=self._shadow,
        )
        if raised.words == _USER_CODE:
            self._indent, self._notebook, self.inner = self._indent + _DEEPER, raised.name, raised
            return None
        if raised.words == GRAPH or ROOTS.compiled.match(raised.words):
            self.pending = raised
            return None
        if is_open(raised.words):
            self._open = (raised, Continued(raised.words))
            return None
        return raised

    def _read_source(self, line: str) -> None:
        """The frame's own line, as far as it is one."""
        self._doing.source(line)
        if line.startswith("--") and (found := _ARROW.compiled.match(line)):
            self._number(found["line"])
        plain = line.lstrip("->0123456789 ").strip()
        if plain.startswith("from "):
            self._source = plain[:300]
        if plain and line[:1] in " ->|":
            self._line = plain[:300]

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

    def _frame(self, line: str) -> bool:
        if found := _FRAME.compiled.match(line) or _SHORT.compiled.match(line):
            self._note(found["file"], found["line"], found["function"] or "")
            return True
        if found := _CELL.compiled.match(line):
            cell = found["cell"] or found["old"]
            where = f"Cell In[{cell}]" + (f", line {found['line']}" if found["line"] else "")
            self._users, self._package = where, ""
            return True
        if found := _NOTEBOOK_FRAME.compiled.match(line):
            self._note(found["file"], found["line"], found["function"] or "")
            return True
        if " in " in line and (found := _OLD_NOTEBOOK_FRAME.compiled.match(line)):
            self._note(found["file"], _UNKNOWN, found["function"])
            return True
        return False

    def _number(self, line: str) -> None:
        """Of the frame before, where its heading did not tell it."""
        end = f":{_UNKNOWN})"
        if self._innermost.endswith(end):
            numbered = f"{self._innermost.removesuffix(end)}:{line})"
            self._users = numbered if self._users == self._innermost else self._users
            self._innermost = numbered

    def _note(self, file: str, line: str, function: str) -> None:
        if function == "raise_from" or file.endswith(_CYTHON):  # six only passes an exception on
            return
        if function == "__getattr__" and file.endswith(_PASSING_ON):
            return
        self._source = ""
        place = f"{function.split('(')[0] or '<module>'} ({file}:{line})"
        self._innermost = place
        installed = _INSTALLED.compiled.search(file)
        self._doing.frame(file, function, installed=bool(installed))
        if installed:
            package = installed["package"]
            stem = (
                file[installed.start("package") :]
                .replace("\\", "/")
                .removesuffix(".py")
                .removesuffix("/__init__")
            )
            self._inside.append(stem.replace("/", "."))
            root = file[: installed.start("package")]
            self._roots = [*(each for each in self._roots if each != root), root]
            self._package = _DISTRIBUTIONS.get(package, package.replace("_", "-"))
            if self._package not in self._through:
                self._through.append(self._package)
        elif not _NOT_USERS.compiled.search(file):
            self._users, self._package = place, ""
            wanted = _IMPORTS.compiled.match(self._line) if self._of_others else None
            if wanted and _stem(file) == wanted["module"].partition(".")[0]:
                self._shadow = file
        self._of_others = bool(installed or _NOT_USERS.compiled.search(file))
        self._line = ""


def _stem(file: str) -> str:
    """ "numbers" for ".../numbers.py" and ".../numbers/__init__.py"."""
    return file.replace("\\", "/").removesuffix("/__init__.py").rpartition("/")[2].removesuffix(".py")


def _rest(found: re.Match[str]) -> str:
    return (found["rest"] or "").removeprefix(":").strip()


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
            installed = _INSTALLED.compiled.search(frame["file"])
            self._innermost = f"{frame['function']} ({frame['file']}:{frame['line']})"
            self._package = installed["package"].replace("_", "-") if installed else ""
        return False

    def closed(self) -> Crash:
        return Crash(self._what, self._line, self._innermost, self._package)
