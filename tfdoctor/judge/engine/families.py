"""Loads every family of checks: importing their modules registers them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tfdoctor.judge.engine.case import REGISTRY, Check
from tfdoctor.knowledge.catalog import CODES


def _own() -> list[str]:
    """The families of tfdoctor's own codes; a plug-in's have a slash."""
    return list(dict.fromkeys(each.family for each in CODES.values() if "/" not in each.code))


def load() -> None:
    for family in _own():
        import_module(f"tfdoctor.judge.{family}")


@cache
def in_catalog_order() -> tuple[Check, ...]:
    """Every check. Raises RuntimeError where a family has none: a verdict without it would be a guess.

    A file that an interrupted installation left empty takes its checks along, and no check finds no fault.
    """
    load()
    checks = tuple(REGISTRY[code] for code in CODES if code in REGISTRY and "/" not in code)
    if lost := set(_own()) - {CODES[each.code].family for each in checks}:
        raise RuntimeError(
            f"tfdoctor's own checks of {', '.join(sorted(lost))} are missing; reinstall tfdoctor"
        )
    return checks
