"""What `tfdoctor lint` or `tfdoctor check` found as SARIF 2.1.0, which code scanning reads (OASIS, 2020; columns count characters)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tfdoctor import __version__
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Finding, Ignored, Severity, Verdict
from tfdoctor.report.lint import Excused, Linted, Located
from tfdoctor.report.report import Report
from tfdoctor.say.redact.redactor import hide_secrets

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def lint_to_sarif(linted: Linted) -> dict[str, Any]:
    """One run, with a rule for each code that was found."""
    codes = _codes(linted)
    notes = [
        {
            "level": "warning",
            "message": {"text": f"{each.path}: {each.problem}"},
            "locations": [{"physicalLocation": _file(each.path)}],
        }
        for each in linted.unread
    ]
    run = {
        "tool": _tool(codes),
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": not linted.unread, "toolExecutionNotifications": notes}
        ],
        "results": [
            *(_result(each, codes) for each in linted.findings),
            *(_suppressed(each, codes) for each in linted.ignored),
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def report_to_sarif(report: Report) -> dict[str, Any]:
    """One run of `tfdoctor check`. A machine has no files: a finding's place is the fact that shows it, and the interpreter's path."""
    codes = _codes(report)
    where = _file(report.subject.python.replace("\\", "/") or "python")
    notes = [
        {"level": "note", "message": {"text": f"{each.code}: {each.because}"}}
        for each in report.undecided
    ]
    run = {
        "tool": _tool(codes),
        "invocations": [
            {
                "executionSuccessful": report.verdict is not Verdict.UNKNOWN,
                "toolExecutionNotifications": notes,
            }
        ],
        "results": [
            *(_on_machine(each, codes, where) for each in report.findings),
            *(_left_out(each, codes, where) for each in report.ignored),
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _on_machine(each: Finding, codes: list[str], where: dict[str, Any]) -> dict[str, Any]:
    place = [
        {"fullyQualifiedName": fact} for fact in dict.fromkeys(one.fact for one in each.evidence)
    ]
    return {
        "ruleId": each.code,
        "ruleIndex": codes.index(each.code),
        "level": _LEVELS[each.severity],
        "message": {"text": " ".join(filter(None, (each.title, each.explanation)))},
        "locations": [
            {"physicalLocation": where, **({"logicalLocations": place} if place else {})}
        ],
        "partialFingerprints": {"code/v1": each.code},
    }


def _left_out(each: Ignored, codes: list[str], where: dict[str, Any]) -> dict[str, Any]:
    name, level = _called(each.code)
    return {
        "ruleId": each.code,
        "ruleIndex": codes.index(each.code),
        "level": level,
        "message": {"text": name},
        "locations": [{"physicalLocation": where}],
        "suppressions": [{"kind": "external", "justification": each.reason}],
    }


def _codes(found: Linted | Report) -> list[str]:
    return list(dict.fromkeys(each.code for each in (*found.findings, *found.ignored)))


def _tool(codes: list[str]) -> dict[str, Any]:
    return {
        "driver": {
            "name": "tfdoctor",
            "version": __version__,
            "rules": [_rule(code) for code in codes],
        }
    }


def _rule(code: str) -> dict[str, Any]:
    name, level = _called(code)
    return {
        "id": code,
        "shortDescription": {"text": name},
        "help": {"text": f"tfdoctor explain {code}"},
        "defaultConfiguration": {"level": level},
    }


def _called(code: str) -> tuple[str, str]:
    """Its name and level; of a plug-in's code, which the process that answers for one that was ended does not know, itself."""
    known = CODES.get(code)
    return (known.name, _LEVELS[known.severity]) if known else (code, _LEVELS[Severity.WARNING])


def _result(each: Located, codes: list[str]) -> dict[str, Any]:
    region = {
        "startLine": each.line,
        "startColumn": each.column,
        "endLine": each.end_line,
        "endColumn": each.end_column,
    }
    document: dict[str, Any] = {
        "ruleId": each.code,
        "ruleIndex": codes.index(each.code),
        "level": _LEVELS[each.severity],
        "message": {"text": " ".join(filter(None, (each.title, each.explanation)))},
        "locations": [{"physicalLocation": {**_file(each.file), "region": region}}],
    }
    if each.edit is not None:
        edit = each.edit
        deleted = {
            "startLine": edit.line,
            "startColumn": edit.column,
            "endLine": edit.end_line,
            "endColumn": edit.end_column,
        }
        replacement = {"deletedRegion": deleted, "insertedContent": {"text": edit.text}}
        change = {**_file(edit.file), "replacements": [replacement]}
        document["fixes"] = [
            {"description": {"text": each.fixes[0].title}, "artifactChanges": [change]}
        ]
    return document


def _suppressed(each: Excused, codes: list[str]) -> dict[str, Any]:
    name, level = _called(each.code)
    return {
        "ruleId": each.code,
        "ruleIndex": codes.index(each.code),
        "level": level,
        "message": {"text": name},
        "locations": [
            {"physicalLocation": {**_file(each.file), "region": {"startLine": each.line}}}
        ],
        "suppressions": [
            {"kind": "inSource" if each.line else "external", "justification": each.reason}
        ],
    }


def _file(path: str) -> dict[str, Any]:
    return {"artifactLocation": {"uri": quote(hide_secrets(path))}}
