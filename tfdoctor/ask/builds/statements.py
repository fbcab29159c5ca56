"""What build files say, with the place where each of them says it. Nothing is judged here."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

from tfdoctor.base.records import record
from tfdoctor.base.version_ranges import normalised, of_a_version, parts, range_of

PIP, CONDA = "pip", "conda"


@record
class Span:
    """A part of a file's text: `start` and `end` count characters, lines and columns count from 1."""

    file: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


@record
class Statement:
    """One thing that a build file says.

    kind: "package", "constraint" (bounds a package, installs none), "python", "image", "variable", "option".
    name: the normalised package, the variable, the image without its tag. value: its specifier, value or tag; None where the file
    leaves it to a variable or a URL. form: how another text is written in its place ("line", "shell", "toml", "yaml"); "" where that
    can't be told. step: what is installed later replaces what was there. upgraded: also where what is there is in the range.
    """

    kind: str
    name: str
    value: str | None
    span: Span
    extras: tuple[str, ...] = ()
    marker: str = ""
    installer: str = PIP
    form: str = ""
    step: int = 0
    upgraded: bool = False


@record
class Environment:
    """What the statements of one or more files make together.

    system: "linux" where it is a container, "compose", "kubernetes" or "apptainer" where that starts it, "slurm" for a job; "" where nothing tells. complete: a lock, which lists every package that will be there.
    """

    file: str
    name: str
    statements: tuple[Statement, ...]
    system: str = ""
    complete: bool = False


@record
class Excuse:
    """A comment that takes a finding back: on its own line, or on the line above."""

    file: str
    line: int
    codes: tuple[str, ...]
    reason: str


class UnreadableError(ValueError):
    """A file that is not what its name says; the message says why in one clause."""


Follow = Callable[[str], "Source | None"]
"""The file that another one names, relative to it; None where it is not there or not to be read."""


class Source:
    """A file's text. `path` is how it is called in findings, `follow` reads the files that it names."""

    def __init__(
        self, path: str, text: str, follow: Follow | None = None, encoding: str = "utf-8"
    ) -> None:
        self.path, self.text, self.encoding = path, text, encoding
        self._follow = follow
        self.called: dict[str, str] = {}  # other names of files: a Dockerfile's COPY

    def named(self, path: str) -> Source | None:
        return self._follow(self.called.get(os.path.normpath(path), path)) if self._follow else None

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(each.end() for each in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Of a line and column that count from 0, as YAML's marks do."""
        return self._lines[line] + column if line < len(self._lines) else len(self.text)

    def span(self, start: int, end: int) -> Span:
        return Span(self.path, start, end, *self.position(start), *self.position(end))


_EXCUSE = re.compile(
    r"(?:#|//)\s*tfdoctor:\s*ignore\s+([a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*)[ \t]*(?:because\b[ \t]*([^\n\r]*))?"
)


def excuses(source: Source) -> tuple[Excuse, ...]:
    """The comments `# tfdoctor: ignore CODE because …`, with "//" where JSON has comments; the reason is "" where none is given."""
    if "tfdoctor:" not in source.text:
        return ()
    return tuple(
        Excuse(source.path, source.position(each.start())[0], tuple(re.split(r"\s*,\s*", each[1])), (each[2] or "").strip(' "\\'))
        for each in _EXCUSE.finditer(source.text)
    )  # fmt: skip


_NAME = re.compile(r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[(?P<extras>[^\]]*)\])?")
_LONGEST = 2000  # characters of one requirement
_VARIABLE = re.compile(r"[$%{}]")


def requirement(source: Source, text: str, start: int, *, form: str, kind: str = "package", step: int = 0, end: int = -1) -> Statement | None:  # fmt: skip
    """A requirement as pip reads it (PEP 508), that begins at `start` of the file; None for what is none.

    end: where it ends in the file, quotation marks included; told where they or continued lines make it longer than `text`.
    """
    found = _NAME.match(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    stated, _, marker = text[found.end() :].partition(";")
    stated = stated.strip()
    value: str | None = re.sub(r"\s+", "", stated.strip("()"))
    if stated.startswith("@"):
        value = None
    elif not is_specifier(value or ""):
        if not (_VARIABLE.search(stated) and stated[:1] in "<>=!~"):
            return None
        value = None
    written = text.partition(";")[0].rstrip()
    span = source.span(start, end if end >= 0 else start + len(written))
    return Statement(
        kind,
        normalised(found["name"]),
        value,
        span,
        tuple(
            normalised(each.strip()) for each in (found["extras"] or "").split(",") if each.strip()
        ),
        marker.strip(),
        form=form if span.line == span.end_line and value is not None else "",
        step=step,
    )


def is_specifier(text: str) -> bool:
    """Whether pip takes it for a range of versions; "" is any version."""
    if not text:
        return True
    from packaging.specifiers import InvalidSpecifier  # 20 ms that few answers need

    try:
        range_of(text)
    except InvalidSpecifier:
        return False
    return "===" not in text or all(map(of_a_version, parts((text,))))  # which takes any text


def mentions_tensorflow(text: str) -> bool:
    """Whether the text can be about TensorFlow at all: a file without any of these words has nothing to be judged."""
    lowered = text.lower()
    return any(each in lowered for each in ("tensorflow", "tf-nightly", "tf_nightly"))
