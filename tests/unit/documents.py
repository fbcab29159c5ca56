"""Reads the documentation as data: its headings, links, fenced blocks, and the commands that it names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

from tfdoctor.apps.cli.app import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Link:
    """`text` leads to `target`, as written; `file` holds it."""

    file: Path
    text: str
    target: str

    @property
    def relative(self) -> bool:
        return not re.match(r"[a-z]+:", self.target) and not self.target.startswith("#")

    @property
    def path(self) -> Path:
        return (self.file.parent / self.target.partition("#")[0]).resolve()


def documents() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def fences(text: str, *languages: str) -> list[str]:
    """The content of the fenced blocks in one of these languages."""
    return [content for language, content in _FENCE.findall(text) if language in languages]


def links(file: Path) -> list[Link]:
    text = _SPAN.sub("", _FENCE.sub("", file.read_text(encoding="utf-8")))
    return [Link(file, shown, target) for shown, target in _LINK.findall(text)]


def commands(text: str) -> Iterator[list[str]]:
    """Each `tfdoctor …` that a reader could type, from code spans and console blocks, as words without tfdoctor."""
    console = fences(text, "console")
    for code in [
        *_SPAN.findall(_FENCE.sub("", text)),
        *(line for block in console for line in block.splitlines()),
    ]:
        for found in re.finditer(
            r"(?:^|[;|&] *|\btime |\bdo )tfdoctor((?: +[^\s|;&]+)*)", code.partition("  #")[0]
        ):
            yield shlex.split(found[1])


@cache
def command_line() -> Any:
    """All commands, made once: making them takes as long as reading a page."""
    return typer.main.get_command(app)


def fault_of(words: list[str]) -> str:
    """What is wrong with a command line as far as names go; "" where command and options exist."""
    command = command_line()
    # What follows is another program's.
    ours = words[: words.index("--")] if "--" in words else words
    for word in ours:
        if word == "-":  # standard input
            continue
        if word.startswith("-"):
            name = word.partition("=")[0]
            if name not in _options(command):
                return f"tfdoctor {' '.join(words)}: {command.name} has no option {name}"
        elif hasattr(command, "list_commands"):
            inner = _inner(command, word)
            if inner is None:
                return f"tfdoctor {' '.join(words)}: there is no command {word}"
            command = inner
    return ""


@cache
def _inner(command: Any, word: str) -> Any:
    """None where there is none. Each call would make it again."""
    return command.get_command(None, word)


def _options(command: Any) -> set[str]:
    return {
        "--help",
        *(name for param in command.params for name in (*param.opts, *param.secondary_opts)),
    }
