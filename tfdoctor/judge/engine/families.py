"""Loads every family of checks: importing their modules registers them."""

from __future__ import annotations

from importlib import import_module

from tfdoctor.judge.engine.case import REGISTRY, Check
from tfdoctor.knowledge.catalog import CODES, FAMILIES


def load() -> None:
    for family in FAMILIES:
        import_module(f"tfdoctor.judge.{family}")


def in_catalog_order() -> list[Check]:
    """Every check. Raises RuntimeError where a family has none: a verdict without it would be a guess.

    A file that an interrupted installation left empty takes its checks along, and no check finds no fault.
    """
    load()
    checks = [REGISTRY[code] for code in CODES if code in REGISTRY]
    if lost := set(FAMILIES) - {CODES[each.code].family for each in checks}:
        raise RuntimeError(
            f"tfdoctor's own checks of {', '.join(sorted(lost))} are missing; reinstall tfdoctor"
        )
    return checks
