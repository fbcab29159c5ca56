"""A finding: a code, how bad, how sure, how it is known, and what to type.

Severity says what it does to the user, confidence how it is known; the two never mix. `certain` is measured
on this machine, `likely` inferred from what was measured, `possible` a rule of thumb.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from tfdoctor.light.records import record


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return ("error", "warning", "info").index(self.value)


class Confidence(Enum):
    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """0 is the surest."""
        return ("certain", "likely", "possible").index(self.value)


class Role(Enum):
    ROOT = "root"
    CONSEQUENCE = "consequence"
    NOTE = "note"


class Verdict(Enum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    BROKEN = "broken"
    UNKNOWN = "unknown"


@record
class Evidence:
    """One observation against what was expected. `fact` is a path of `facts/model.py`; `source` says who expects it."""

    fact: str
    observed: str
    expected: str = ""
    source: str = ""


@record
class Fix:
    """A way out. `commands` run unedited in a shell, in order; `note` says what they change and how to see it helped."""

    title: str
    commands: tuple[str, ...] = ()
    note: str = ""


@record
class Finding:
    """What is wrong. `explanation` says what it does to the user; `fixes` come least invasive first."""

    JSON: ClassVar = "code severity confidence role caused_by title explanation evidence fixes docs"

    code: str
    severity: Severity
    confidence: Confidence
    title: str
    explanation: str
    evidence: tuple[Evidence, ...]
    fixes: tuple[Fix, ...] = ()
    role: Role = Role.ROOT
    caused_by: tuple[str, ...] = ()
    explains: frozenset[str] | None = (
        None  # the codes that follow from it here; None: all that its check declares
    )

    @property
    def docs(self) -> str:
        """The code's page, as a command that prints it anywhere."""
        return f"tfdoctor explain {self.code}"


@record
class Undecided:
    """A code that could be neither found nor ruled out. `not_live`: only because the system is an unpacked one.

    `settled`: its worst case was seen not to be there (TensorFlow computed right), so no verdict waits for it.
    """

    JSON: ClassVar = "code because not_live? settled?"

    code: str
    because: str
    not_live: bool = False
    settled: bool = False


@record
class Ignored:
    """A finding that the user chose not to hear of."""

    code: str
    reason: str
