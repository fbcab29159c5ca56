"""Takes out of a report what a ticket must not hold, and nothing else.

Works on the records, so that every form of a report is redacted alike. Codes and statuses
are never touched. The own home becomes `~`; any other private value becomes a placeholder, the same one all through
the report. A fix whose commands can't be typed as they then are says so in its note.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from tfdoctor.base.records import is_record, names, replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import Release
from tfdoctor.knowledge.model import Fix
from tfdoctor.say.redact import keys, patterns
from tfdoctor.say.redact.identity import Identity, words_of
from tfdoctor.say.redact.named import LIKELY, is_no_secret, is_secret_variable, strength_of
from tfdoctor.say.redact.redactor import Redactor, Values, secrets_in


class Document(Protocol):
    """The report of an examination or a run, or the diagnosis of a log."""

    @property
    def facts(self) -> Facts: ...


D = TypeVar("D", bound=Document)
_OURS = {
    "tool", "matrix", "generated_at", "verdict", "code", "severity", "confidence", "role", "caused_by",
    "passed", "not_applicable", "unconfirmed", "status", "kind", "requested", "fact",
}  # fmt: skip
_VERSION_KEYS = {
    "version", "specifier", "expected", "driver_version", "cuda_version", "cuda", "cudnn", "nccl", "rocm", "installed",
}  # fmt: skip
_QUOTED_HOME = re.compile(r"(?<![^\s=:])(['\"])~/")
_PLACEHOLDER = re.compile(r"<(?:user|host|secret|gpu-uuid|uuid|gpu-serial|ip|mac)-\d+>")
_KEY_BEGINS, _KEY, _KEY_ENDS = "-----BEGIN ", "PRIVATE KEY", "-----END"
_WORD = re.compile(r"[^\s;&|()`]+")


def redacted(report: D, identity: Identity) -> D:
    """The report without private values."""
    texts: list[tuple[str, str]] = []
    _take_texts(texts, "", report)
    distinct = dict.fromkeys(text for _, text in texts)
    values = _values(report.facts, texts)
    values.secrets.extend(identity.secrets)
    if command := getattr(report, "command", ()):
        values.secrets.extend(_secret_arguments(command))
    if keys.stand_in("\n".join(distinct)):
        values.secrets.extend(keys.lines_of_keys(text for _, text in texts))
    own = value_or(report.facts.host.name, "")
    hosts = {*identity.hosts, own, own.partition(".")[0]}
    whose = replace(identity, hosts=tuple(sorted(filter(None, hosts))))
    redactor = Redactor(whose, values, distinct)
    hidden: D = _walk("", report, redactor)
    return hidden


def _walk(key: str, value: Any, redactor: Redactor) -> Any:
    """The value without what is private; the same one where nothing is."""
    if key in _OURS:
        return value
    if key == "host.name" and isinstance(value, Known):
        return replace(value, value=redactor.hide_host(value.value))
    if isinstance(value, str):
        hidden = redactor.hide(value)
        return value if hidden == value else hidden
    if isinstance(value, (tuple, list)):
        items = [_walk(key, item, redactor) for item in _without_keys(value)]
        return value if all(map(operator.is_, items, value)) else type(value)(items)
    if isinstance(value, dict):
        if key == "environment.variables":
            return {name: redactor.hide_variable(name, each) for name, each in value.items()}
        return {name: _walk(name, item, redactor) for name, item in value.items()}
    if not is_record(value) or isinstance(value, Release):
        return value
    parts = ((name, part, _walk(path, part, redactor)) for name, path, part in _parts(key, value))
    changed = {name: new for name, old, new in parts if new is not old}
    hidden = replace(value, **changed) if changed else value
    return _typeable(hidden) if isinstance(hidden, Fix) else hidden


def _parts(key: str, record: Any) -> Iterator[tuple[str, str, Any]]:
    """(field, key, value) of a record. The key of a fact is its path in reports, and its value's key is the fact's."""
    for name in names(record):
        if isinstance(record, Facts):
            yield name, f"{name}.", getattr(record, name)
        elif key.endswith("."):
            yield name, key + name, getattr(record, name)
        else:
            yield name, key if name == "value" else name, getattr(record, name)


def _typeable(fix: Fix) -> Fix:
    """The redacted fix with "~" where a shell takes it for the home, and with what is left to fill in."""
    commands, undo, verify = (
        tuple(_QUOTED_HOME.sub(r"~/\1", line) for line in lines)
        for lines in (fix.commands, fix.undo, fix.verify)
    )
    found = dict.fromkeys(gap for line in (*commands, *undo, *verify) for gap in gaps(line))
    what = "your user name" if all(gap.startswith("<user-") for gap in found) else "the real value"
    said = f"Replace {', '.join(found)} with {what}." if found else ""
    note = fix.note if said in fix.note else f"{fix.note} {said}".lstrip()
    return replace(fix, commands=commands, note=note, undo=undo, verify=verify)


def gaps(command: str) -> list[str]:
    """Placeholders, and a "~" where no shell takes it for the home."""
    found = _PLACEHOLDER.findall(command)
    for word in _WORD.findall(command):
        name, assigned, value = word.partition("=")
        paths = value.split(":") if assigned and name.isidentifier() else [word]
        before = word[: word.rfind("~/") + 1]
        if any("~/" in path[1:] for path in paths) or "'" in before or '"' in before:
            found.append("~")
    return found


def _without_keys(items: Sequence[Any]) -> Sequence[Any]:
    """The lines of a log without those of a private key, whose beginning and end are lines of their own."""
    if not any(isinstance(item, str) and _KEY_BEGINS in item for item in items):
        return items
    out, inside = [], False
    for item in items:
        line = item if isinstance(item, str) else ""
        out.append("(a line of a private key)" if inside and _KEY_ENDS not in line else item)
        begins, ends = line.rfind(_KEY_BEGINS), line.rfind(_KEY_ENDS)
        inside = (inside and ends < 0) or (begins > ends and _KEY in line[begins:])
    return out


def _values(facts: Facts, texts: list[tuple[str, str]]) -> Values:
    """What must be known of the whole report before its first line can be redacted. `texts` with their keys."""
    values = Values(
        installed=words_of([each.name for each in value_or(facts.packages.installed, ())])
    )
    for key, value in texts:
        if key in _VERSION_KEYS or key.endswith((".version", "_version")):
            values.versions.update(patterns.FOUR_NUMBERS.findall(value))
        elif key in ("uuid", "mig_instances") and len(value) >= 8:
            values.gpu_uuids.append(value)
        elif key == "serial" and len(value) >= 6:
            values.serials.append(value)
    _take_commands_of_processes(facts, values)
    _take_secrets(facts, values)
    return values


def _take_texts(found: list[tuple[str, str]], key: str, value: Any) -> None:
    """Every text of the report that is not ours, with its key; a fact's value under the fact's path."""
    if key in _OURS:
        return
    if isinstance(value, str):
        found.append((key, value))
    elif isinstance(value, (tuple, list)):
        for item in value:
            _take_texts(found, key, item)
    elif isinstance(value, dict):
        for name, item in value.items():
            _take_texts(found, str(name), item)
    elif isinstance(value, Release):
        found.append((key, value.text))
    elif is_record(value):
        for _, path, part in _parts(key, value):
            _take_texts(found, path, part)


def _take_commands_of_processes(facts: Facts, values: Values) -> None:
    """Of other people's processes the program's name alone is told (NVML gives the start of the command line)."""
    for gpu in value_or(facts.nvml.devices, ()):
        for process in value_or(gpu.processes, ()):
            words = process.name.split()
            short = words[0].replace("\\", "/").rsplit("/", 1)[-1] if words else ""
            if short != process.name and short:
                values.process_names[process.name] = (
                    "(arguments)" if short.startswith("...") else short
                )


def _secret_arguments(command: Sequence[str]) -> Iterator[str]:
    """What follows an option such as --password as an argument of its own, and what else is hidden in the whole line.

    Of a phrase that a shell has parted each word.
    """
    named = (
        value
        for option, value in pairwise(command)
        if option.startswith("-") and strength_of(option) >= LIKELY and not value.startswith("-")
    )
    told = secrets_in(" ".join(command))
    parted = (
        word
        for value in told
        if not any(value in each for each in command)
        for word in value.split()
    )
    found = dict.fromkeys((*named, *told, *parted))
    yield from (value for value in found if len(value) >= _SHORTEST and not is_no_secret(value))


_SHORTEST = 4  # characters of a secret that is looked for in all texts


def _take_secrets(facts: Facts, values: Values) -> None:
    for name, value in value_or(facts.environment.variables, {}).items():
        if is_secret_variable(name) and len(value) >= _SHORTEST and not is_no_secret(value):
            values.secrets.append(value)
