"""What a certain text means and what helps, where that is narrower than what its code's page has to say."""

from __future__ import annotations

from tfdoctor.findings.model import Fix
from tfdoctor.light.records import record

PYTHON = "PYTHON"
"""Stands in a command for the interpreter that the log names."""


@record
class Meaning:
    """`words` "" for those of the code's page, `fixes` () for its commands."""

    words: str = ""
    fixes: tuple[Fix, ...] = ()
