"""Codes are promised: who ignores or counts one by its name must not lose it."""

from __future__ import annotations

from pathlib import Path

from tfdoctor.knowledge.catalog import CODES

PROMISED = frozenset(
    Path(__file__).with_name("promised_codes.txt").read_text(encoding="utf-8").split()
)
"""The codes of 22 November 2026."""


def test_no_promised_code_was_taken_away() -> None:
    assert set(CODES) >= PROMISED
