"""No check finds no fault, so a doctor that lost some of its own must not give a verdict."""

from __future__ import annotations

import pytest

from tests.unit.checks.machines import base, judged
from tfdoctor.checks import families
from tfdoctor.checks.case import REGISTRY
from tfdoctor.checks.judge import in_catalog_order


def test_the_families_say_how_many_they_are() -> None:
    assert len(in_catalog_order()) == families.CHECKS == len(REGISTRY)


def test_a_lost_family_is_no_health(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if an interrupted installation had left its file empty."""
    monkeypatch.delitem(REGISTRY, "driver-too-old")
    with pytest.raises(RuntimeError, match="1 of tfdoctor's own checks are missing; install tfdoctor anew"):
        judged(base())
