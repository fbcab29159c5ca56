"""Requirements and constraints, as pip reads them (its reference, "Requirements File Format", 2026-11).

A reader of our own: pip-requirements-parser, which reads the same, had no release since 2022 and brings pyparsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdoctor.ask.builds.statements import Environment, Source, Statement, requirement

_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_CONTINUED = re.compile(r"\\\r?\n")
# --hash=…, behind a requirement.
_OPTIONS = re.compile(r"\s--?[a-z][a-z-]*(?:[=\s].*)?$", re.DOTALL)
_NAMES_A_FILE = re.compile(
    r"(?P<option>-r|--requirement|-c|--constraint)(?:\s*=\s*|\s*)(?P<file>\S.*)", re.DOTALL
)
_DEEPEST = 50
_EXPLICIT = re.compile(r"^@EXPLICIT\s*$", re.MULTILINE)


def environments(source: Source) -> tuple[Environment, ...]:
    """One; none for conda's list of URLs, which only looks like requirements."""
    if _EXPLICIT.search(source.text):
        return ()
    name = source.path.rpartition("/")[2].lower()
    kind = "constraint" if "constraint" in name else "package"
    return (Environment(source.path, "", tuple(statements(source, kind=kind))),)


def statements(source: Source, *, kind: str = "package", step: int = 0) -> Iterator[Statement]:
    """What the file says, and the files that it names, each read once, however many name it."""
    return _statements(source, kind, step, {(source.path, kind)}, _DEEPEST)


def _statements(
    source: Source, kind: str, step: int, read: set[tuple[str, str]], deeper: int
) -> Iterator[Statement]:
    """`read`: the files that were begun, each as packages or as constraints."""
    for start, line in _logical_lines(source.text):
        named = _NAMES_A_FILE.match(line)
        if named:
            other = source.named(named["file"].strip().strip("\"'"))
            bounds = kind == "constraint" or named["option"] in ("-c", "--constraint")
            how = "constraint" if bounds else kind
            if other is None or not deeper:
                yield Statement("option", "unread-file", named["file"].strip(), source.span(start, start), step=step)  # fmt: skip
            elif (other.path, how) not in read:
                read.add((other.path, how))
                yield from _statements(other, how, step, read, deeper - 1)
            continue
        if line.startswith("-"):
            continue
        told = requirement(
            source, _OPTIONS.sub("", line).rstrip(), start, form="line", kind=kind, step=step
        )
        if told is not None:
            yield told


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Where each begins, and its text: comments and line ends within it are blanks, so that places stay right."""
    plain = _CONTINUED.sub(_blank, _COMMENT.sub(_blank, text))
    at = 0
    for line in plain.split("\n"):
        stripped = line.strip().lstrip("\ufeff")
        if stripped:
            yield at + line.index(stripped), stripped
        at += len(line) + 1


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
