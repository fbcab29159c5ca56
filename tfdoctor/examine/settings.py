"""The user's own demands from a file: `[tool.tfdoctor]` in pyproject.toml, or tfdoctor.toml.

The first of both that is found in the working folder or above it counts; within one folder tfdoctor.toml goes
first. The command line and the environment outrank the file. In a folder that many may write to (/tmp), anybody could
leave settings that switch an error off: so a file counts only where it is this user's or root's, or where its owner
owns its folder and the working folder, too, as in a colleague's checkout.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Ignored
from tfdoctor.records import field, record, replace
from tfdoctor.system.safe_open import whole_of
from tfdoctor.system.settings_files import MOST_BYTES, OWN, settings_files
from tfdoctor.system.units import size

_WORDS = {"smoke": ("auto", "none", "driver", "tf"), "fail-on": ("error", "warning")}
_KEYS = (
    "required-tensorflow",
    "require-gpu",
    "ignore",
    "min-free-memory",
    "min-free-vram",
    *_WORDS,
    "timeout",
)


class SettingsError(ValueError):
    """A settings file that can't be used; the message says which, where and what is expected."""


@record
class Settings:
    """What the file says. Sizes are bytes. `file` is "" where there is none.

    options: what it says in place of an option of `check`, by the option's field.
    foreign: files that were passed over since they are another user's.
    """

    file: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    required_tensorflow: str = ""
    ignore: tuple[Ignored, ...] = ()
    min_free_memory: int = 0
    min_free_vram: int = 0
    foreign: tuple[str, ...] = ()


def find_settings(folder: Path) -> Settings:
    """The settings in force in `folder`. Raises SettingsError where their file is broken."""
    foreign: list[str] = []
    for file in map(Path, settings_files(str(folder))):
        if not _counts(file, folder):
            foreign += [str(file)] if file.name == OWN else []
        elif (table := _table(file)) is not None:
            return replace(_settings(file, table), foreign=tuple(foreign))
    return Settings(foreign=tuple(foreign))


def _counts(file: Path, working: Path) -> bool:
    """Whether nobody but those who may decide for this user can have put the file there."""
    if not hasattr(os, "geteuid"):
        return True
    owners = {file.lstat().st_uid, file.stat().st_uid}
    if owners <= {0, os.geteuid()}:
        return True
    return owners == {file.parent.stat().st_uid} == {working.stat().st_uid}


def _table(file: Path) -> Any:
    """The file's own table; None for a pyproject.toml that does not speak of tfdoctor."""
    try:
        content = whole_of(file, MOST_BYTES)
    except OSError as error:
        raise SettingsError(f"{file}: can't be read ({error.strerror})") from error
    document = _parse(file, content)
    if file.name == OWN:
        return document
    tool = document.get("tool")
    return tool.get("tfdoctor") if isinstance(tool, dict) else None


def _parse(file: Path, content: bytes) -> dict[str, Any]:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        document: dict[str, Any] = toml.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are both
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)[:200]
        raise SettingsError(f"{file}: invalid TOML ({why})") from error
    return document


def _settings(file: Path, table: Any) -> Settings:
    if not isinstance(table, dict):
        raise SettingsError(f"{file}: tool.tfdoctor must be a table")
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise SettingsError(f"{file}: unknown setting {unknown[0][:60]!r}; known are {', '.join(_KEYS)}")
    return Settings(
        file=str(file),
        options=_options(file, table),
        required_tensorflow=_specifier(file, table.get("required-tensorflow", "")),
        ignore=_ignored(file, table.get("ignore", [])),
        min_free_memory=_size(file, table, "min-free-memory"),
        min_free_vram=_size(file, table, "min-free-vram"),
    )


def _options(file: Path, table: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "require-gpu" in table:
        if not isinstance(table["require-gpu"], bool):
            _refuse(file, "require-gpu", "true or false")
        found["require_gpu"] = table["require-gpu"]
    for key, words in _WORDS.items():
        if key in table:
            if table[key] not in words:
                _refuse(file, key, f"one of {', '.join(words)}")
            found[key.replace("-", "_")] = table[key]
    if "timeout" in table:
        limit = table["timeout"]
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 1 <= limit < float("inf"):
            _refuse(file, "timeout", "a number of seconds from 1 on")
        found["timeout_s"] = float(limit)
    return found


def _refuse(file: Path, key: str, expected: str) -> NoReturn:
    raise SettingsError(f"{file}: {key} must be {expected}")


def _specifier(file: Path, value: Any) -> str:
    if value == "":
        return ""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    if not isinstance(value, str):
        _refuse(file, "required-tensorflow", 'a version specifier such as ">=2.18,<2.22"')
    text = value if value.strip()[:1] in "<>=!~" else f"=={value}"
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        _refuse(file, "required-tensorflow", 'a version specifier such as ">=2.18,<2.22"')


def _size(file: Path, table: dict[str, Any], key: str) -> int:
    value = table.get(key, 0)
    try:
        return size(str(value)) if not isinstance(value, bool) else _refuse(file, key, 'a size such as "2G"')
    except ValueError as error:
        if isinstance(error, SettingsError):
            raise
        _refuse(file, key, 'a size such as "2G"')


def _ignored(file: Path, entries: Any) -> tuple[Ignored, ...]:
    """Each entry is a code, or {code, reason}."""
    form = 'a list of codes or of {code = "…", reason = "…"}'
    if not isinstance(entries, list):
        _refuse(file, "ignore", form)
    found = []
    for entry in entries:
        entry = {"code": entry} if isinstance(entry, str) else entry
        if not isinstance(entry, dict) or not isinstance(entry.get("code"), str):
            _refuse(file, "ignore", form)
        if entry["code"] not in CODES:
            raise SettingsError(f"{file}: ignore: unknown code {entry['code'][:60]!r}")
        found.append(Ignored(entry["code"], str(entry.get("reason", f"ignored in {file}"))))
    return tuple(found)
