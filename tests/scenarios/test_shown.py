"""Every `explains` and every `blocks` does something: a machine shows it, and changing the declaration fails here.

All of it is listed in shown.yaml, which `make rings` writes after a declaration changed.
"""

from __future__ import annotations

import pytest

from tests.scenarios.shown import (
    CANT_BE_TOLD,
    ENDS,
    edge_of,
    edges,
    edges_shown,
    ends_of,
    listed,
    machine,
    told_apart,
)
from tfdoctor.judge.engine.case import Ability
from tfdoctor.judge.engine.families import in_catalog_order

AGAIN = "run make rings and look at what changed in tests/scenarios/shown.yaml"
CHECKS = {check.code: check for check in in_catalog_order()}


SHOWN = {name: {edge_of(each) for each in texts} for name, texts in listed()["explains"].items()}
UNSHOWN = {edge_of(each) for each in listed()["unshown"] or ()}


@pytest.mark.parametrize("name", SHOWN)
def test_without_the_edge_the_machine_would_have_other_roots(name: str) -> None:
    assert SHOWN[name] <= edges_shown(machine(name).judged().findings), AGAIN


def test_every_edge_that_is_declared_is_listed_and_every_one_listed_is_declared() -> None:
    told = set().union(*SHOWN.values()) | UNSHOWN
    declared = {edge for edge in edges() if edge[1] not in ENDS}
    assert sorted(told ^ declared) == [], AGAIN


def test_how_a_program_ends_follows_from_the_causes_that_are_listed() -> None:
    assert listed()["ends"] == ends_of(CHECKS.values()), AGAIN


@pytest.mark.parametrize("code", CHECKS)
def test_another_ability_would_be_judged_otherwise(code: str) -> None:
    assert code in listed()["blocks"], AGAIN
    [(declared, names)] = listed()["blocks"][code].items()
    assert declared == CHECKS[code].blocks.value, AGAIN
    others = {each.value for each in Ability} - {declared} - CANT_BE_TOLD.get(code, set())
    told = {ability.value for name in names for ability in told_apart(code, machine(name))}
    assert others <= told, AGAIN
