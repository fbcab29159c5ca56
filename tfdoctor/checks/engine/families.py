"""Loads every family of checks: importing their modules registers them."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module

from tfdoctor.checks.engine.case import REGISTRY, Check
from tfdoctor.checks.engine.table import JUDGED_IN
from tfdoctor.findings.catalog import CODES

OF_A_MACHINE = frozenset(
    code for code, module in JUDGED_IN.items() if not module.startswith("tfdoctor.checks.death.")
)
"""The codes that show without a program that was watched while it died."""


def load(codes: Collection[str] = JUDGED_IN.keys()) -> None:
    for module in dict.fromkeys(JUDGED_IN[code] for code in codes):
        import_module(module)


def in_catalog_order(codes: Collection[str] = JUDGED_IN.keys()) -> list[Check]:
    """The checks of these codes, by default every one. Raises RuntimeError where some are missing: a verdict without them would be a guess.

    A file that an interrupted installation left empty takes its checks along, and no check finds no fault.
    """
    load(codes)
    missing = set(codes) - REGISTRY.keys()
    if missing:
        raise RuntimeError(f"{len(missing)} of tfdoctor's own checks are missing; reinstall tfdoctor")
    return [REGISTRY[code] for code in CODES if code in codes]
