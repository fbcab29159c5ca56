"""No check finds no fault, so a doctor that lost some of its own must not give a verdict."""

from __future__ import annotations

import pytest

from tests.unit.checks.machines import base, judged
from tfdoctor.checks.engine.case import REGISTRY
from tfdoctor.checks.engine.table import JUDGED_IN
from tools.check_table import judged_in


def test_the_table_of_checks_is_what_the_sources_say() -> None:
    assert judged_in() == JUDGED_IN, "tfdoctor/checks/engine/table.py is out of date: make rings"


def test_a_lost_family_is_no_health(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if an interrupted installation had left its file empty."""
    monkeypatch.delitem(REGISTRY, "driver-too-old")
    with pytest.raises(RuntimeError, match="1 of tfdoctor's own checks are missing; reinstall tfdoctor"):
        judged(base())
