"""A command as the shell of this system takes it: nothing but our own runs, and Windows gets its own words.

A log is written by whoever likes to, and people type what they are told. Names, paths and versions go into commands
through `quoted` or a strict pattern where they are read; `shown` is the last look before a command is printed, where
one of these was forgotten. Fixes are written as a POSIX shell reads them; `typed_here` turns them into what Windows'
Command Prompt takes. PowerShell takes that, too, but for `set`.
"""

from __future__ import annotations

import shlex

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.findings.place import Place
from tfdoctor.findings.shells import typed
from tfdoctor.records import replace
from tfdoctor.system.expressions import Expression

LEFT_OUT = "No command is shown: what the log names has characters in it that a shell would act on."
_PIECES = Expression(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|\$\(|`|&&|[;|&<>]+|[^'\"\\;|&<>`$]+|.")
_ASKERS = (
    "brew --prefix ", "brew --prefix)", "cd ", "command -v ", "echo ", "find ", "id -un)", "ls ", "nvidia-smi ", "pgrep ", "python", "readlink ", "uname -r)",
)  # fmt: skip
"""What our own commands have the shell ask, behind $(."""
_NEXT = frozenset((
    "apt-get", "awk", "cat", "cut", "echo", "findstr", "grep", "head", "ldconfig", "ldd", "paste", "python", "sed", "sort", "sudo", "tail",
    "tee", "tr", "ulimit", "uniq", "wc", "xargs", "Set-Content",
))  # fmt: skip
"""What our own commands begin behind a pipe, a semicolon or &&."""
_AWAY = Expression(r"(?:^| )['\"]?--?(?:i|e|(?:extra-)?index(?:-url)?|trusted-host|editable)\b|\bgit\+")
_NO_VERSION = Expression(r"[<>=!~]-")
_PLACES = Expression(
    r"\bdocker://|^curl -sSI https://|--find-links https://storage\.googleapis\.com/libtpu-tf-releases/index\.html$"
)
"""Addresses in our own commands: an image by its name, and a host that is asked whether it answers."""
_INSTALLS = Expression(r"\b(?:pip\d*|uv|conda|mamba|poetry|pdm|pipenv|pipx) ")
_POWERSHELL = ("powershell ", "$env:", "Add-Content ")
_PYTHON = ("import os; os.environ", "from google.colab import drive; drive.mount")
"""What is written into a notebook's cell."""


def shown(fix: Fix) -> Fix:
    """The fix without its commands, and with a word about it, where one of them would run what a log says."""
    if all(map(ours_alone, fix.commands)):
        return fix
    return replace(fix, commands=(), note=f"{LEFT_OUT} {fix.note}".rstrip(), action=None)


def ours_alone(command: str) -> bool:
    """False for one in which the shell would run, join or redirect something else than what we write ourselves, or in which an
    installer is led to another index or gets an option for a version."""
    if "\n" in command or "://" in _PLACES.sub("", command):
        return False
    asked = command.partition("|")[0]
    if _INSTALLS.search(command) and (_AWAY.search(asked) or _NO_VERSION.search(asked)):
        return False
    if command.startswith(_POWERSHELL):
        return "`" not in command.replace("`n", "") and "$(" not in command
    if command.startswith(_PYTHON):
        return command.count(";") == 1
    pieces = _PIECES.finditer(command)
    return all(_harmless(each[0], command[: each.start()], command[each.end() :]) for each in pieces)


def _harmless(piece: str, before: str, after: str) -> bool:
    if piece[0] == "'":
        return True
    if piece[0] == '"' and len(piece) > 1:
        asked = piece.split("$(")[1:]
        return "`" not in piece and all(each.startswith(_ASKERS) for each in asked)
    if piece == "$(":
        return after.startswith(_ASKERS)
    if piece[0] in ";|&<>`":
        return _joins(piece, before, after)
    return True


def _joins(piece: str, before: str, after: str) -> bool:
    """Ours stand apart from other words, and what follows them is known."""
    follows = after.split()[0].strip("'\"()") if after.split() else ""
    if piece in ("|", "&&", ";"):
        apart = after.startswith(" ") and (piece == ";" or before.endswith(" "))
        return apart and follows in _NEXT
    if piece in (">", ">>"):
        return before.endswith((" ", " 2")) and (after.startswith(" ") or follows.startswith("/dev/null"))
    if piece == ">&":
        return before.endswith(" 2") and follows.startswith("1")
    return piece == "&" and not after


_SPECIAL = frozenset(" \t<>|&^%()=;,*'\"!")
_OTHER_NAMES = {"mv": "move", "rm": "del", "cp": "copy", "ls": "dir"}


def typed_here(facts: Facts, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """The fixes with commands for this system; of every other system than Windows they stay as they are."""
    if value_or(facts.host.os, "linux") != "windows":
        return fixes
    here = Place(frozenset({"windows"}))
    return tuple(_typed_in_cmd(typed(fix, here)) for fix in fixes)


def _typed_in_cmd(fix: Fix) -> Fix:
    lines = (line if line.startswith("set ") else for_windows(line) for line in fix.commands)
    return replace(fix, commands=tuple(lines))


def for_windows(command: str) -> str:
    """One command line. What is more than programs joined by && is left as it is."""
    try:
        parts = [_words(part) for part in command.split(" && ")]
    except ValueError:
        return command
    return " && ".join(_part(words) for words in parts)


def _words(command: str) -> list[str]:
    """As a shell splits them, with backslashes kept: they separate the folders of a path here."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", ""
    return list(lexer)


def _part(words: list[str]) -> str:
    if not words:
        return ""
    first, rest = words[0], words[1:]
    if first == "env":
        return _without_variables(rest)
    return " ".join(_quoted(word) for word in (_OTHER_NAMES.get(first, first), *rest))


def _without_variables(words: list[str]) -> str:
    """`env -u NAME … program …`: the variables are taken away for this window."""
    names = []
    while len(words) > 1 and words[0] == "-u":
        names.append(words[1])
        words = words[2:]
    return " && ".join([*(f"set {name}=" for name in names), _part(words)])


def _quoted(word: str) -> str:
    if word and not _SPECIAL & set(word):
        return word
    inner = word.replace('"', "'") if "'" not in word else word.replace('"', '\\"')
    return f'"{inner}"'
