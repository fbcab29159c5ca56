"""Takes out of a report what a ticket must not hold, and nothing else.

Works on the JSON document, so that every form of a report is redacted alike. Keys, codes and statuses
are never touched. The own home becomes `~`; any other private value becomes a placeholder, the same one all through
the report. A fix whose commands can't be typed as they then are says so in its note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tfdoctor.examine.report import Report, report_from_json, report_to_json
from tfdoctor.render.redact import patterns
from tfdoctor.render.redact.identity import Identity, words_of
from tfdoctor.render.redact.redactor import Redactor, Values

_OURS = {
    "schema_version", "tool", "matrix", "generated_at", "verdict", "code", "severity", "confidence", "role", "caused_by",
    "docs", "passed", "status", "kind", "requested", "fact",
}  # fmt: skip
_VERSION_KEYS = {
    "version", "specifier", "expected", "driver_version", "cuda_version", "cuda", "cudnn", "nccl", "rocm", "installed",
}  # fmt: skip
_QUOTED_HOME = re.compile(r"(?<![^\s=:])(['\"])~/")
_PLACEHOLDER = re.compile(r"<(?:user|host|secret|gpu-uuid|uuid|gpu-serial|ip|mac)-\d+>")
_WORD = re.compile(r"[^\s;&|()`]+")


def redacted(report: Report, identity: Identity) -> Report:
    """The report without private values."""
    return report_from_json(redact(report_to_json(report), identity))


def redact(document: dict[str, Any], identity: Identity) -> dict[str, Any]:
    """The same document without private values; `document` itself stays as it is."""
    told = list(_strings("", document))
    values = _values(document, told)
    values.secrets.extend(identity.secrets)
    redactor = Redactor(identity, values, "\n".join(text for _, text in told))
    return {key: _walk(key, value, redactor) for key, value in document.items()}


def _walk(key: str, value: Any, redactor: Redactor) -> Any:
    if key in _OURS:
        return value
    if key == "fixes" and isinstance(value, list):
        return [_fix(_walk("", item, redactor)) for item in value]
    if key == "environment.variables" and isinstance(value, dict):
        return _environment(value, redactor)
    if isinstance(value, dict):
        return {name: _walk(name, item, redactor) for name, item in value.items()}
    if isinstance(value, list):
        return [_walk(key, item, redactor) for item in _without_keys(value)]
    return redactor.hide(value) if isinstance(value, str) else value


def _fix(fix: Any) -> Any:
    """The redacted fix with "~" where a shell takes it for the home, and with what is left to fill in."""
    if not isinstance(fix, dict) or not isinstance(fix.get("commands"), list):
        return fix
    commands = [_QUOTED_HOME.sub(r"~/\1", str(command)) for command in fix["commands"]]
    gaps = dict.fromkeys(gap for command in commands for gap in _gaps(command))
    said = f"Put the real value in place of {', '.join(gaps)}." if gaps else ""
    note = str(fix.get("note", ""))
    if said and said not in note:
        note = f"{note} {said}".lstrip()
    return {**fix, "commands": commands, "note": note}


def _gaps(command: str) -> list[str]:
    """Placeholders, and a "~" where no shell takes it for the home."""
    gaps = _PLACEHOLDER.findall(command)
    for word in _WORD.findall(command):
        name, assigned, value = word.partition("=")
        paths = value.split(":") if assigned and name.isidentifier() else [word]
        before = word[: word.rfind("~/") + 1]
        if any("~/" in path[1:] for path in paths) or "'" in before or '"' in before:
            gaps.append("~")
    return gaps


def _without_keys(items: list[Any]) -> list[Any]:
    """The lines of a log without those of a private key, whose beginning and end are lines of their own."""
    if not any(isinstance(item, str) and patterns.KEY_BEGINS in item for item in items):
        return items
    out, inside = [], False
    for item in items:
        line = item if isinstance(item, str) else ""
        out.append("(a line of a private key)" if inside and patterns.KEY_ENDS not in line else item)
        begins, ends = line.rfind(patterns.KEY_BEGINS), line.rfind(patterns.KEY_ENDS)
        inside = (inside and ends < 0) or (begins > ends and patterns.KEY in line[begins:])
    return out


def _environment(fact: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """The variables by their names; where they were read, or why they were not, as any other text."""
    told = {name: _walk(name, item, redactor) for name, item in fact.items() if name != "value"}
    variables = fact.get("value")
    if isinstance(variables, dict):
        told["value"] = {name: redactor.hide_variable(name, str(value)) for name, value in variables.items()}
    return {name: told[name] for name in fact if name in told}


def _values(document: dict[str, Any], told: list[tuple[str, str]]) -> Values:
    """What must be known of the whole report before its first line can be redacted. `told`: its texts with their keys."""
    facts = document.get("facts", {})
    values = Values(
        installed=words_of([str(item.get("name", "")) for item in _known(facts, "packages.installed")])
    )
    for key, value in told:
        if key in _VERSION_KEYS or key.endswith((".version", "_version")):
            values.versions.update(patterns.FOUR_NUMBERS.findall(value))
        elif key in ("uuid", "mig_instances") and len(value) >= 8:
            values.gpu_uuids.append(value)
        elif key == "serial" and len(value) >= 6:
            values.serials.append(value)
    _take_commands_of_processes(facts, values)
    _take_secrets(facts, values)
    return values


def _strings(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text of the document with the key that it stands under; a fact's value under the fact's path."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _strings(key if name == "value" else str(name), item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(key, item)
    elif isinstance(value, str):
        yield key, value


def _known(facts: Any, path: str) -> list[dict[str, Any]]:
    fact = facts.get(path, {}) if isinstance(facts, dict) else {}
    value = fact.get("value") if isinstance(fact, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _take_commands_of_processes(facts: Any, values: Values) -> None:
    """Of other people's processes the program's name alone is told (NVML gives the start of the command line)."""
    for gpu in _known(facts, "nvml.devices"):
        processes = gpu.get("processes", {})
        for process in processes.get("value", []) if isinstance(processes, dict) else []:
            name = str(process.get("name", ""))
            short = name.split()[0].replace("\\", "/").rsplit("/", 1)[-1] if name.split() else ""
            if short != name and short:
                values.process_names[name] = "(arguments)" if short.startswith("...") else short


def _take_secrets(facts: Any, values: Values) -> None:
    fact = facts.get("environment.variables", {}) if isinstance(facts, dict) else {}
    variables = fact.get("value") if isinstance(fact, dict) else None
    for name, value in variables.items() if isinstance(variables, dict) else ():
        if patterns.SECRET_NAME.search(str(name)) and len(str(value)) >= 4:
            values.secrets.append(str(value))
