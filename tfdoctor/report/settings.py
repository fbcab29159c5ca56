"""The user's own demands from a file: `[tool.tfdoctor]` in pyproject.toml, or tfdoctor.toml.

The first of both that is found in the working folder or above it counts; within one folder tfdoctor.toml goes
first. The command line and the environment outrank the file. In a folder that many may write to (/tmp), anybody could
leave settings that switch an error off: so a file counts only where it is this user's or root's, or where its owner
owns its folder and the working folder, too, as in a colleague's checkout.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tfdoctor.base.records import field, record, replace
from tfdoctor.base.safe_open import whole_of
from tfdoctor.base.settings_files import MOST_BYTES, OWN, settings_files
from tfdoctor.base.units import size
from tfdoctor.facts.codec import from_json
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Ignored


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
    unknown = sorted(set(table) - set(KEYS))
    if unknown:
        raise SettingsError(
            f"{file}: unknown setting {unknown[0][:60]!r}; known are {', '.join(KEYS)}"
        )
    read: dict[str, Any] = {}
    for key, value in table.items():
        try:
            read[key] = KEYS[key].convert(value)
        except ValueError:  # DocumentError and InvalidSpecifier are, too
            raise SettingsError(f"{file}: {key} must be {KEYS[key].expected}") from None
    return Settings(
        file=str(file),
        options={field: read[key] for key, field in _OPTIONS.items() if key in read},
        required_tensorflow=read.get("required-tensorflow", ""),
        ignore=tuple(_ignored(file, entry) for entry in read.get("ignore", ())),
        min_free_memory=read.get("min-free-memory", 0),
        min_free_vram=read.get("min-free-vram", 0),
    )


@record
class _Entry:
    code: str
    reason: str = ""


_OF_A_PLUGIN = "^[a-z0-9]+/[a-z0-9-]+$"
"""A code with a prefix: the file is read by commands and machines that don't load its plug-in, too."""


def _ignored(file: Path, entry: _Entry | str) -> Ignored:
    found = _Entry(entry) if isinstance(entry, str) else entry
    if found.code not in CODES and not re.fullmatch(_OF_A_PLUGIN, found.code):
        raise SettingsError(f"{file}: ignore: unknown code {found.code[:60]!r}")
    return Ignored(found.code, found.reason or f"ignored in {file}")


def _specifier(value: Any) -> str:
    from packaging.specifiers import SpecifierSet

    text = from_json(value, str)
    return str(SpecifierSet(text if text.strip()[:1] in "<>=!~" else f"=={text}"))


def _size(value: Any) -> int:
    return size(str(from_json(value, int | str)))


def _timeout(value: Any) -> float:
    limit = from_json(value, float)
    if not 1 <= limit < float("inf"):
        raise ValueError(limit)
    return limit


def _word(*words: str) -> _Form:
    def read(value: Any) -> str:
        if value not in words:
            raise ValueError(value)
        return str(value)

    return _Form(read, f"one of {', '.join(words)}", {"enum": [*words]})


@record
class _Form:
    """How a key's value is read, what is expected of it, and the same as JSON Schema, for editors: what reads it is stricter."""

    convert: Callable[[Any], Any]
    expected: str
    schema: Mapping[str, Any]


_CODE = {"anyOf": [{"enum": [each for each in CODES if "/" not in each]}, {"type": "string", "pattern": _OF_A_PLUGIN}]}  # fmt: skip
_WITH_REASON = {"type": "object", "required": ["code"], "properties": {"code": _CODE, "reason": {"type": "string"}}}  # fmt: skip
_SIZE = _Form(
    _size,
    'a size such as "2G"',
    {
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": "^[0-9.]+ ?[kKMGT]?(i?B)?$"},
        ]
    },
)
KEYS: dict[str, _Form] = {
    "required-tensorflow": _Form(
        _specifier, 'a version specifier such as ">=2.18,<2.22"', {"type": "string", "minLength": 1}
    ),
    "require-gpu": _Form(
        lambda value: from_json(value, bool), "true or false", {"type": "boolean"}
    ),
    "ignore": _Form(
        lambda value: from_json(value, tuple[_Entry | str, ...]),
        'a list of codes or of {code = "…", reason = "…"}',
        {"type": "array", "items": {"anyOf": [_CODE, _WITH_REASON]}},
    ),
    "min-free-memory": _SIZE,
    "min-free-vram": _SIZE,
    "smoke": _word("auto", "none", "driver", "tf"),
    "fail-on": _word("error", "warning"),
    "timeout": _Form(_timeout, "a number of seconds from 1 on", {"type": "number", "minimum": 1}),
}
_OPTIONS = {
    "require-gpu": "require_gpu",
    "smoke": "smoke",
    "fail-on": "fail_on",
    "timeout": "timeout_s",
}
