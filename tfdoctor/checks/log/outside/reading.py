"""What a reader of an exception's last line gives back."""

from __future__ import annotations

from tfdoctor.findings.model import Fix
from tfdoctor.light.records import record

OF_THE_PROGRAM = "python-exception"


@record
class Meant:
    """`title` and `words` take the place of those that only repeat the line."""

    code: str
    title: str
    words: str
    fixes: tuple[Fix, ...]
