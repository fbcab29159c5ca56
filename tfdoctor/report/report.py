"""The report of one examination: every renderer, `diff` and `fleet` read this and nothing else.

The JSON form is the contract's, `schema_version` "1.0". Reading asks for the facts alone and takes a default for
everything else, so that a report of an older or newer tfdoctor, or a bare set of facts, can be judged again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from tfdoctor import __version__
from tfdoctor.base.records import field, record
from tfdoctor.base.units import rfc3339
from tfdoctor.facts.codec import DocumentError, from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.probe_run import ProbeRun
from tfdoctor.facts.smoke_values import (
    Stage as Stage,  # the report's own part, made where the ladder is climbed
)
from tfdoctor.knowledge.model import CODE, Finding, Fix, Ignored, Role, Undecided, Verdict

if TYPE_CHECKING:
    from tfdoctor.knowledge.matrix.query import Matrix

SCHEMA_VERSION = "1.0"
VERSION_AND_TIME = {
    "schema_version": {"type": "string", "pattern": "^1\\.[0-9]+$"},
    "generated_at": {"format": "date-time", "description": "RFC 3339, UTC."},
}
"""What a schema says of both in every report."""


class ReportError(ValueError):
    """A document that is no report that this version can read; the message says why in one clause."""


@record
class Tool:
    """What wrote the report."""

    JSON: ClassVar = "name version"
    SCHEMA: ClassVar = {"name": {"const": "tfdoctor"}}

    version: str = ""
    name: str = "tfdoctor"


@record
class MatrixInForce:
    """The matrix that it was judged by. `origin` is "bundled", "file" or "cache"."""

    SCHEMA: ClassVar = {
        "sha256": {"pattern": "^[0-9a-f]{64}$"},
        "origin": {"enum": ["bundled", "file", "cache"]},
    }

    version: str = ""
    sha256: str = ""
    origin: str = ""


@record
class Subject:
    """What was examined. `chosen_by` says why this interpreter. "" where it could not be found out.

    settings: the settings file in force; note: as whom it was run where that is worth a word; "" where there is none.
    """

    JSON: ClassVar = "python python_version environment chosen_by settings? note?"
    SCHEMA: ClassVar = {
        "settings": "The settings file in force; left out where there is none.",
        "note": "As whom its code was run, where root examined what another user can change.",
    }

    python: str = ""
    python_version: str = ""
    environment: str = ""
    chosen_by: str = ""
    settings: str = ""
    note: str = ""


@record
class SmokeReport:
    """`requested` is what --smoke asked for: "auto", "none", "driver" or "tf"."""

    SCHEMA: ClassVar = {"requested": {"enum": ["auto", "none", "driver", "tf"]}}

    requested: str = "none"
    stages: tuple[Stage, ...] = ()


@record
class Report:
    """One examination. `generated_at` is RFC 3339 in UTC; `summary` one sentence a person can act on.

    `unconfirmed`, of a saved report: codes of its findings that its facts don't show to this tfdoctor.
    """

    JSON: ClassVar = """schema_version $schema=schema_id? tool matrix generated_at duration_s subject verdict summary findings apply? undecided passed
        not_applicable? ignored smoke facts probes"""
    SCHEMA: ClassVar = {
        **VERSION_AND_TIME,
        "duration_s": {"minimum": 0},
        "summary": {"minLength": 1, "description": "One sentence a person can act on."},
        "apply": "What applies the first fix and can undo it; left out where `tfdoctor fix` can't.",
        "undecided": "Codes that could be neither found nor ruled out.",
        "passed": {"items": CODE, "description": "Codes that were looked for and are not there."},
        "not_applicable": {"items": CODE, "description": "Codes that can't occur here."},
        "ignored": "They count neither for the verdict nor for the exit code.",
        "facts": 'Everything that was asked, by "<probe>.<fact>". Sizes are bytes, times are seconds.',
    }
    schema_version: ClassVar = SCHEMA_VERSION
    schema_id: ClassVar = "urn:tfdoctor:schema:check:1.0"

    tool: Tool = Tool()
    matrix: MatrixInForce = MatrixInForce()
    generated_at: str = ""
    duration_s: float = 0.0
    subject: Subject = Subject()
    verdict: Verdict = Verdict.UNKNOWN
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    passed: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    smoke: SmokeReport = SmokeReport()
    facts: Facts = field(default_factory=Facts)
    probes: tuple[ProbeRun, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    apply: Fix | None = None

    @property
    def roots(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.role is Role.ROOT)

    @property
    def notes(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.role is Role.NOTE)

    def consequences_of(self, code: str) -> tuple[Finding, ...]:
        """What follows from a root; each consequence stands under the first of its roots alone."""
        return tuple(
            finding
            for finding in self.findings
            if finding.role is Role.CONSEQUENCE
            and finding.caused_by
            and finding.caused_by[0] == code
        )


def in_force(matrix: Matrix) -> MatrixInForce:
    return MatrixInForce(matrix.version, matrix.sha256, matrix.origin)


def failed_report(words: str, smoke: str, matrix: Matrix) -> Report:
    """The report of an examination that tfdoctor could not complete: no facts, no verdict."""
    return Report(
        tool=Tool(__version__),
        matrix=in_force(matrix),
        generated_at=rfc3339(),
        summary=f"No verdict: tfdoctor itself failed: {words}",
        undecided=(Undecided("probe-failed", words),),
        smoke=SmokeReport(smoke),
    )


def report_to_json(report: Report) -> dict[str, Any]:
    """The contract's document, not redacted."""
    document: dict[str, Any] = to_json(report)
    return document


_OTHERS = {
    "outcome": "a report of `tfdoctor run`",
    "diagnoses": "a diagnosis by `tfdoctor diagnose`",
}
"""What tells other documents of tfdoctor, by a field that reports of an examination do not have."""


def is_code(text: str) -> bool:
    """Whether it has the form of a code. Each stands in a command, `tfdoctor explain CODE`."""
    return re.fullmatch(CODE["pattern"], text) is not None


def report_from_json(document: Any) -> Report:
    """Reads what `report_to_json` wrote, also redacted. Only "facts" must be there; unknown fields are ignored.

    Raises ReportError where the document is no report, is of another major version, or has a form that a
    report can't have.
    """
    if not isinstance(document, dict) or not isinstance(document.get("facts"), dict):
        raise ReportError('not a tfdoctor report: it has no "facts"')
    for key, kind in _OTHERS.items():
        if key in document:
            raise ReportError(f"it is {kind}; a report of `tfdoctor check` is needed")
    version = str(document.get("schema_version", SCHEMA_VERSION))
    if version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise ReportError(f"its schema_version is {version}, this tfdoctor reads {SCHEMA_VERSION}")
    try:
        report: Report = from_json(document, Report)
    except DocumentError as error:
        raise ReportError(f"it has a form that can't be read ({error})") from error
    if not all(is_code(each.code) for each in report.findings):
        raise ReportError("a finding's code has a form that can't be read")
    return report
