"""Whoever adds a code says so to those who use it."""

from __future__ import annotations

from pathlib import Path

from tests.unit.documents import ROOT
from tfdoctor.findings.catalog import CODES

OLDER = frozenset(Path(__file__).with_name("older_codes.txt").read_text(encoding="utf-8").split())
"""The codes of 22 November 2026, before a line of its own was asked for."""


def test_each_new_code_has_its_line() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    silent = [code for code in CODES if code not in OLDER and f"`{code}`" not in changelog]
    assert silent == [], "CHANGELOG.md: give each of these codes a line under [Unreleased]"


def test_no_older_code_was_taken_away() -> None:
    """Codes are promised: who ignores or counts one by its name must not lose it."""
    assert set(CODES) >= OLDER
