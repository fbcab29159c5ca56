"""A command that runs nothing but what tfdoctor writes itself.

A log is written by whoever likes to, and people type what they are told. Names, paths and versions are quoted where a command is
drawn; `shown` is the last look before one is printed, where one of these was forgotten.
"""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.shells import LEFT_OUT, without_commands

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
    return without_commands(fix, LEFT_OUT)


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
