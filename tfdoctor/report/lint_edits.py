"""What a fix means in the file that brought the fault about: a part of its text to be replaced, where that is certain to help."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from typing import ClassVar

from tfdoctor.ask.builds.statements import PIP, Source, Statement, is_specifier
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.records import record
from tfdoctor.base.version_ranges import contains
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.knowledge.model import Finding, Fix


@record
class Edit:
    """Replaces what stands between two places of a file; `start` and `end` count the characters of its text."""

    JSON: ClassVar = "file line column end_line end_column text"
    SCHEMA: ClassVar = {"line": {"minimum": 1}, "column": {"minimum": 1}}

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    start: int = 0
    end: int = 0


def changes(fix: Fix) -> dict[str, str]:
    """What a fix changes, by name: of packages the requirement, of variables the value. {} where its action does not say all, and
    where it makes an environment of its own.
    """
    if fix.action is None or fix.action.kind == "new-environment":
        return {}
    found: dict[str, str] = {}
    for each in fix.parameter("install"):
        name = re.match(r"[A-Za-z0-9._-]+", each)
        if name is not None:
            found[name[0]] = each
    for each in fix.parameter("set"):
        variable, _, value = each.partition("=")
        found[variable] = value
    return found


def wanted_by(finding: Finding, facts: Facts) -> dict[str, str]:
    """What the first fix changes that is not so already, by name: a requirement, or a variable's value."""
    found = changes(finding.fixes[0]) if finding.fixes else {}
    return {name: text for name, text in found.items() if not _is_so(name, text, facts)}


def removed_by(finding: Finding) -> tuple[str, ...]:
    """The packages that the first fix uninstalls."""
    return finding.fixes[0].parameter("remove") if finding.fixes else ()


def edit_for(
    finding: Finding,
    changed: Mapping[str, str],
    named: list[Statement],
    main: Statement | None,
    sources: Mapping[str, Source],
) -> Edit | None:
    """The first fix's, where it changes one package or variable and nothing else: in the one statement that names it, or behind the
    one that the finding is about. `tensorflow` takes that one's place: it is discontinued, or holds none."""
    if len(changed) != 1 or removed_by(finding):
        return None
    (text,) = changed.values()
    places = list(dict.fromkeys(each.span for each in named))
    if places:
        return (
            _replaced(named[-1], text, sources[named[-1].span.file])
            if len(places) == 1 and named[-1].form
            else None
        )
    if main is None or not main.form or (main.kind, main.installer) != ("package", PIP):
        return None
    if not finding.fixes[0].parameter("install"):
        return None
    if text == "tensorflow":
        text += main.value or "" if main.name in TENSORFLOW_NAMES else ""
        return _replaced(main, text, sources[main.span.file])
    return _added(main, text, sources[main.span.file])


def _is_so(name: str, text: str, facts: Facts) -> bool:
    """Whether the files bring it already: what is named to keep it as it is. An extra, or one of conda's builds, is always asked for
    again."""
    specifier = re.sub(r"^[A-Za-z0-9._-]+", "", text)
    installed = value_or(facts.packages.installed, ())
    return (
        bool(specifier)
        and is_specifier(specifier)
        and any(each.name == name and contains(specifier, each.version) for each in installed)
    )


def _replaced(own: Statement, text: str, source: Source) -> Edit:
    extras = f"[{','.join(own.extras)}]" if own.extras and "[" not in text else ""
    text = text if not extras else text.replace(own.name, f"{own.name}{extras}", 1)
    if own.form == "toml" and own.marker:
        text = f"{text} ; {own.marker}"
    return _edit(source, own.span.start, own.span.end, _WRITTEN[own.form](text))


def _added(beside: Statement, text: str, source: Source) -> Edit:
    """A further package behind one that is there."""
    at, written = beside.span.end, _WRITTEN[beside.form](text)
    if beside.form in ("line", "yaml"):
        line_end = source.text.find("\n", at)
        line_end = len(source.text) if line_end < 0 else line_end
        line_end -= source.text[:line_end].endswith("\r")
        newline = "\r\n" if "\r\n" in source.text else "\n"
        begin = source.text.rfind("\n", 0, at) + 1
        lead = re.match(r"[ \t]*(?:-[ \t]+)?", source.text[begin:at])
        return _edit(
            source,
            line_end,
            line_end,
            f"{newline}{lead[0] if lead and beside.form == 'yaml' else ''}{written}",
        )
    return _edit(source, at, at, f"{', ' if beside.form == 'toml' else ' '}{written}")


def _edit(source: Source, start: int, end: int, text: str) -> Edit:
    span = source.span(start, end)
    return Edit(
        source.path, span.line, span.column, span.end_line, span.end_column, text, start, end
    )


_WRITTEN: dict[str, Callable[[str], str]] = {
    "line": str,
    "yaml": str,
    "shell": shlex.quote,
    "toml": json.dumps,
    "value": shlex.quote,
}


def edited(text: str, edits: list[Edit]) -> str:
    """The text with all of the edits that don't overlap."""
    last = len(text) + 1
    for each in sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end), reverse=True):
        if each.end <= last:
            text = text[: each.start] + each.text + text[each.end :]
            last = each.start
    return text
