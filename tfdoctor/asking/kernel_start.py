"""Which program a kernel's argv really starts: past `env`, past a shell's line and past launchers such as `conda run`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import field, record

_PYTHON = Expression(r"(?:python|pypy)[\w.-]{0,20}(?:\.exe)?", re.IGNORECASE)
_ASSIGNMENT = Expression(r"(?P<name>[A-Za-z_]\w{0,100})=(?P<value>.{0,4000})", re.DOTALL)
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_WITH_WORD = (
    "-u",
    "--unset",
    "-C",
    "--chdir",
    "--argv0",
    "-a",
)  # env's options that take the next word (coreutils 9.1)
_DEEPEST = 4


@record
class Started:
    """`program` is "" where only the launcher knows it; `why` says so. `added` is what `env` sets."""

    program: str
    at_first: bool
    """It is argv[0], for which Jupyter puts its own Python where "python" stands bare."""
    why: str = ""
    added: dict[str, str] = field(default_factory=dict)


def started(argv: Sequence[str]) -> Started:
    """The program of an argv of at least one word."""
    return _started(list(argv), 0)


def _started(words: list[str], depth: int) -> Started:
    name = _name(words[0]) if words else ""
    if depth > _DEEPEST or not name:
        return Started("", False, "its argv is too deep to follow")
    if name in ("env", "env.exe"):
        return _by_env(words[1:], depth)
    if name in _SHELLS and (line := _line_of(words[1:])):
        return _by_shell(line, depth)
    if not _PYTHON.fullmatch(name) and (python := _before_ipykernel(words[1:])):
        if "/" in python or "\\" in python:
            return Started(python, False)
        return Started("", False, f"it is started through {name}, which chooses the Python")
    return Started(words[0], depth == 0)


def _by_env(words: list[str], depth: int) -> Started:
    added, rest = dict[str, str](), words
    while rest:
        word = rest[0]
        if found := _ASSIGNMENT.fullmatch(word):
            added[found["name"]] = found["value"]
            rest = rest[1:]
        elif word in ("-S", "--split-string") and len(rest) > 1:
            rest = [*_split(rest[1]), *rest[2:]]
        elif word.startswith("-"):
            rest = rest[2:] if word in _WITH_WORD else rest[1:]
        else:
            break
    inner = _started(rest, depth + 1) if rest else Started("", False, "env is given no program")
    return Started(inner.program, False, inner.why, {**added, **inner.added})


def _line_of(words: list[str]) -> str:
    """What follows -c, also of `-l -c` and `-lc`; "" for a script in a file, which is started as it is."""
    for number, word in enumerate(words[:-1]):
        if not word.startswith("-"):
            return ""
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[number + 1]
    return ""


def _by_shell(line: str, depth: int) -> Started:
    """The last command of the line: what stands before it prepares (source, module load, export)."""
    last = re.split(r"&&|;|\n", line.strip().rstrip(";"))[-1]
    words = _split(last)
    words = words[1:] if words[:1] == ["exec"] else words
    unknown = Started(
        "", False, "it is started by a shell's line, and only the shell knows which Python that is"
    )
    if not words or "$" in words[0] or (last != line and not words[0].startswith(("/", "~"))):
        return unknown
    if _ASSIGNMENT.fullmatch(words[0]):
        return _by_env(words, depth)
    return _started(words, depth + 1)


def _before_ipykernel(words: list[str]) -> str:
    """The word before `-m ipykernel…`, which is the Python."""
    for number in range(1, len(words) - 1):
        if words[number] == "-m" and words[number + 1].startswith("ipykernel"):
            return words[number - 1] if _PYTHON.fullmatch(_name(words[number - 1])) else ""
    return ""


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _name(word: str) -> str:
    return re.split(r"[\\/]", word)[-1]
