"""No check finds no fault, so a doctor that lost some of its own must not give a verdict."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from tests.unit.judge.machines import base, judged
from tfdoctor.judge.engine.case import REGISTRY, Check
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.knowledge.catalog import CODES


@pytest.mark.parametrize("check", in_catalog_order(), ids=lambda check: check.code)
def test_a_codes_family_is_its_module(check: Check) -> None:
    assert f'"{check.code}"' in inspect.getsource(import_module(check.module))


def test_a_lost_family_is_no_health(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if an interrupted installation had left its file empty."""
    for code in [code for code in REGISTRY if CODES[code].family == "driver"]:
        monkeypatch.delitem(REGISTRY, code)
    in_catalog_order.cache_clear()
    with pytest.raises(
        RuntimeError, match="tfdoctor's own checks of driver are missing; reinstall tfdoctor"
    ):
        judged(base())


def test_the_pages_of_what_only_logs_show_say_so() -> None:
    found = {each.code for each in in_catalog_order() if not each.watched}
    assert {code for code, said in CODES.items() if said.logs_only} == set(CODES) - found
