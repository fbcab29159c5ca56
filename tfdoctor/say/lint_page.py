"""What `tfdoctor lint` found in one sentence, and for a page in a browser, which has no library that draws on terminals."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tfdoctor.base.json_text import with_texts
from tfdoctor.knowledge.model import Severity
from tfdoctor.report.lint import Linted, Located
from tfdoctor.say.redact.redactor import hide_secrets


def lint_to_page(linted: Linted, diff: str) -> dict[str, Any]:
    """What a page shows: the headline, each finding with its place and first fix, what could not be read; and `diff`, the edits."""
    document = {
        "headline": headline(linted),
        "tone": _TONES[worst(linted)]
        if linted.findings
        else "healthy"
        if len(linted.files) > len(linted.unread)
        else "unknown",
        "findings": [
            {
                "place": f"{each.file}:{each.line}"
                + (f" ({each.environment})" if each.environment else ""),
                "code": each.code,
                "title": each.title,
                "explanation": each.explanation,
                "fix": f"{each.fixes[0].title}{written(each)}" if each.fixes else "",
                "commands": list(each.fixes[0].commands)
                if each.fixes and each.edit is None
                else [],
            }
            for each in linted.findings
        ],
        "unread": [f"{each.path}: {each.problem}" for each in linted.unread],
        "diff": diff,
    }
    told: dict[str, Any] = with_texts(document, hide_secrets)
    return told


_TONES = {Severity.ERROR: "broken", Severity.WARNING: "degraded", Severity.INFO: "healthy"}


def headline(linted: Linted) -> str:
    """How many of what in how many files."""
    counts = Counter(each.severity for each in linted.findings)
    parts = [counted(counts[each], *words) for each, words in _NAMES.items() if counts[each]]
    read = [each for each in linted.files if each.read]
    files = counted(len(read), "build file", "build files")
    ignored = f", {len(linted.ignored)} ignored" if linted.ignored else ""
    if parts:
        return f"{', '.join(parts)} in {len({each.file for each in linted.findings})} of {files}{ignored}"
    if not linted.files:
        return "No build file found"
    return f"No problem found in {files}{ignored}" if read else "No build file could be read"


_NAMES = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("note", "notes"),
}


def worst(linted: Linted) -> Severity:
    return min(each.severity for each in linted.findings)


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def written(each: Located) -> str:
    """What --fix writes, where the fix's title does not say it."""
    edit, action = each.edit, each.fixes[0].action
    if edit is None or action is None or action.kind != "change-packages":
        return ""
    return f": {'add' if edit.start == edit.end else 'write'} {edit.text.strip().removeprefix(',').strip()}"
