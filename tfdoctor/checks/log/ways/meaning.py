"""What a certain text means and what helps, where that is narrower than what its code's page has to say."""

from __future__ import annotations

from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: the word in a command that stands for the interpreter
from tfdoctor.light.records import record

PYTHON = "PYTHON"
"""Stands in a command for the interpreter that the log names."""
_WORD = Expression(r"\bPYTHON\b")
"""By itself: XLA_PYTHON_CLIENT_MEM_FRACTION is a variable."""


@record
class Meaning:
    """`words` "" for those of the code's page, `fixes` () for its commands."""

    words: str = ""
    fixes: tuple[Fix, ...] = ()


def typed_with(python: str, line: str) -> str:
    """The command with that interpreter in it."""
    return _WORD.compiled.sub(lambda _: python, line)
