"""A first try at a check of any fact, by its type: the question of its value, and a value that answers yes (`tools/build/scaffold.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tfdoctor.base.records import is_record
from tfdoctor.facts.codec import hints, keys
from tfdoctor.facts.model import Facts
from tfdoctor.facts.versions import Release
from tools.build.strict_yaml import FILL_IN

_NUMBER, _RELEASE = -1, 99999


@dataclass(frozen=True)
class Try:
    """`when`: an expression that is true of `seen`, where that is `value` (as in JSON); `shown` makes a text of it.

    `at`: the part of the value that is asked, as a scenario names it (tests/scenarios/overlay.py), and `part` what it holds.
    """

    when: str
    shown: str
    value: Any
    at: str
    part: Any


def try_of(path: str, usual: object = None) -> Try:
    """For the fact of this path. `usual`: what a healthy machine answers, if it is known; only a bool needs it."""
    group, name = path.split(".")
    known, *_ = hints(type(getattr(Facts(), group)))[name].__args__
    [kind] = known.__args__
    if kind is bool:
        return Try("not seen" if usual else "seen", "str(seen)", not usual, "", not usual)
    return _try(kind, "seen")


def _try(kind: Any, seen: str) -> Try:
    """`seen`: the expression for a value of this type."""
    value = _value(kind)
    item = _item(kind)
    if item is str or getattr(kind, "__origin__", None) is dict:
        return Try(f'"{FILL_IN}" in {seen}', f'", ".join({seen})', value, "", value)
    if item:
        each = _try(item, "each")
        when, shown = f"any({each.when} for each in {seen})", f"{each.shown} for each in {seen}"
        return Try(when, f'", ".join({shown})', value, f"[*]{each.at}", each.part)
    if _is_fact(kind):
        return Try(f'"{FILL_IN}" in str({seen})', f"str({seen})", value, "", value)
    if kind in (int, float, bool):
        return Try(f"{seen} == {value}", f"str({seen})", value, "", value)
    if kind is str:
        return Try(f'{seen} == "{FILL_IN}"', seen, value, "", value)
    if issubclass(kind, Release):
        return Try(f"{seen}.major == {_RELEASE}", f"{seen}.text", value, "", value)
    types = hints(kind)
    name = next((name for name, each in types.items() if each is str), next(iter(types)))
    field = _try(types[name], f"{seen}.{name}")
    return Try(field.when, field.shown, value, f".{name}{field.at}", field.part)


def _value(kind: Any) -> Any:
    parts = getattr(kind, "__args__", ())
    if item := _item(kind):
        return [_value(item)]
    if getattr(kind, "__origin__", None) is dict:
        return {_value(parts[0]): _value(parts[1])}
    if _is_fact(kind):
        return {"status": "absent", "reason": FILL_IN}
    if kind in (int, float, bool):
        return kind(_NUMBER)
    if not is_record(kind):
        return FILL_IN
    if issubclass(kind, Release):
        return str(_RELEASE)
    types = hints(kind)
    return {
        key: _value(types[name])
        for key, name, _ in keys(kind)
        if name in types and (not hasattr(kind, name) or name == next(iter(types)))
    }


def _item(kind: Any) -> Any:
    """The type of a tuple's items; None of anything else."""
    parts = getattr(kind, "__args__", ())
    return parts[0] if parts and parts[-1] is ... else None


def _is_fact(kind: Any) -> bool:
    return hasattr(next(iter(getattr(kind, "__args__", ())), None), "status")
