"""One word as each shell takes it, and a POSIX shell's line in its words again."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.lines import requirement


class UnwritableError(ValueError):
    """A shell has no way to write this as one word."""


_BARE = frozenset("_./\\:=+-")
_CURLY = frozenset("‘’‚‛“”„")
"""PowerShell takes them for quotation marks."""


def _stays(word: str) -> bool:
    """Whether both of Windows' shells hand it on as it is, without quotes; PowerShell ends an option at a dot or a colon."""
    parted = word.startswith("-") and not word[1:2].isdigit() and not set(word).isdisjoint(".:")
    return (
        not parted
        and any(each.isalnum() for each in word)
        and all(each in _BARE or (each.isascii() and each.isalnum()) for each in word)
    )


def _doubled(word: str) -> str:
    # One before the closing quotation mark would make that a part of the word.
    at_the_end = word[len(word.rstrip("\\")) :]
    return f'"{word}{at_the_end}"'


def cmd(word: str) -> str:
    """For Command Prompt, and for PowerShell where somebody types it there: nobody knows which of the two a log was written in. Raises
    UnwritableError.
    """
    return word if _stays(word) else windows(word)


def windows(word: str) -> str:
    """The same always in quotes. Raises UnwritableError for what one of both expands within quotes, too, or ends the word at."""
    if not word.isprintable() or set(word) & (_CURLY | set('"%$`')):
        raise UnwritableError(word)
    return _doubled(word)


def powershell(word: str) -> str:
    """For PowerShell. Raises UnwritableError for a quotation mark, which Windows PowerShell hands on to no program."""
    return word if _stays(word) else powershell_string(word)


def powershell_string(word: str) -> str:
    """The same always in quotes, as behind a `=`, where a bare word is a command's name. Raises UnwritableError."""
    if not word.isprintable() or '"' in word:
        raise UnwritableError(word)
    if set(word) & (_CURLY | set("$`")):
        return "'" + "".join(each * 2 if each in "'‘’‚‛" else each for each in word) + "'"
    return _doubled(word)


def cell(word: str) -> str:
    """For a line of a notebook's cell that begins with %, which fills in `$name` and `{expression}` everywhere; it has no quotes
    for a variable's value. Raises UnwritableError.
    """
    if not word.isprintable() or set(word) & set("${}"):
        raise UnwritableError(word)
    return word


QUOTES: dict[str, Callable[[str], str]] = {
    "": requirement,
    "cmd": cmd,
    "powershell": powershell,
    "cell": cell,
}
"""By the name that a row of `data/knowledge/variables.yaml` gives; POSIX' without one."""

_PIECE = Expression(
    r"(?P<space>\s+)|(?P<join>2>&1|&&|[|;><])|'(?P<single>[^']*)'|\"(?P<double>[^\"`$]*)\"|(?P<bare>[^\s'\"|;><&`$()]+)"
)


def split(line: str) -> list[list[str] | str] | None:
    """A POSIX shell's line in its commands, each in its words, with what joins them. None where the shell would expand something."""
    found: list[list[str] | str] = []
    end, apart = 0, True
    for piece in _PIECE.finditer(line):
        if piece.start() != end:
            return None
        end, words = piece.end(), found[-1] if found else ""
        if piece["join"]:
            found.append(piece["join"])
        elif not piece["space"]:
            text = piece[piece.lastgroup or 0]
            if not isinstance(words, list):
                found.append([text])
            elif apart:
                words.append(text)
            else:
                words[-1] += text
        apart = bool(piece["space"] or piece["join"])
    return found if end == len(line) else None
