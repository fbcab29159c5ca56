"""Messages of several lines: what stands behind a colon, or under a sentence that only says where something failed."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.messages.expressions import WRAPPED

_WHERE = Expression(
    r"^Exception encountered when calling (?:layer|\w{1,60}\.call\b|[Ll]ambda)[^\n]{0,200}\.$"
)
"""Keras: the layer is named, and what went wrong stands below an empty line."""
_OTHER = Expression(
    r"^(?:During handling|The above exception|Traceback|Call arguments|Arguments received|\d{4}-\d\d-\d\d|\$ |>>> |---|In \[|NOTE: )"
)
_BEGINS = "Traceback (most recent call last)"
"""An exception that holds another one's traceback: its frames follow."""
_MOST, _LONGEST = 8, 600


def is_open(words: str) -> bool:
    """Whether an exception's words go on below."""
    return (words.endswith(":") and _BEGINS not in words) or bool(_WHERE.compiled.match(words))


def _with_one_wrapper(words: str) -> str:
    """Of several modules on the way to an error the first one's sentence."""
    found = WRAPPED.compiled.search(words)
    if found is None:
        return words
    first, end, _ = found[0].partition("traceback): ")
    return f"{words[: found.start()]}{first}{end or ' '}{words[found.end() :]}"


class Continued:
    """Words that go on, line by line."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._lines = 0
        self._indented = False
        self._empty = not words.endswith(":")
        """Whether an empty line may come first."""

    def take(self, text: str) -> bool:
        """Whether the line belongs to them."""
        self._lines += 1
        if not text.strip():
            allowed, self._empty = self._empty, False
            return allowed
        if self._lines > _MOST or len(self.words) > _LONGEST or _OTHER.match(text):
            return False
        indented = text[:1] in " \t"
        if self._indented:
            if not indented:
                return False
            self.words = f"{self.words}, {text.strip()}"
            return True
        if not (self.words.endswith(":") or self._lines <= 2):
            return False
        self._indented, self._empty = indented, False
        if (
            text.strip() not in self.words
        ):  # a line that was joined with the one before stands here once more
            self.words = _with_one_wrapper(f"{self.words} {text.strip()}")
        return indented or text.rstrip().endswith(":") or self._last()

    def _last(self) -> bool:
        """The line is taken, and nothing more after it."""
        self._lines = _MOST
        return True
