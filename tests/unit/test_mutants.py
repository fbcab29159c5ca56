"""The faults that `make mutants` makes: what each is, where it is, and that nothing else of the source changes."""

from __future__ import annotations

import ast

import pytest

from tools.mutate import mutants, mutated

SOURCE = """LIMIT = 5


def full(used, most):
    if used > LIMIT and not most:
        return Severity.ERROR
    return None
"""
FAULTS = {
    "another number: 5": "LIMIT = 6",
    "compares otherwise: used > LIMIT": "used >= LIMIT and (not most)",
    "and for or: used > LIMIT and (not most)": "used > LIMIT or not most",
    "without not: not most": "used > LIMIT and (not not most)",
    "never: if used > LIMIT and (not most)": "if False:",
    "Severity.WARNING for ERROR": "return Severity.WARNING",
}


def test_every_fault_is_found() -> None:
    assert {each.what for each in mutants("m", SOURCE)} == set(FAULTS)


@pytest.mark.parametrize("mutant", mutants("m", SOURCE), ids=lambda each: each.what)
def test_a_mutant_has_its_fault_and_no_other(mutant: object) -> None:
    [wanted] = [each for each in mutants("m", SOURCE) if each == mutant]
    source = ast.unparse(mutated(SOURCE, wanted.number)).splitlines()
    differing = set(source) - set(ast.unparse(ast.parse(SOURCE)).splitlines())
    assert len(differing) == 1
    assert FAULTS[wanted.what] in differing.pop()


def test_a_number_at_the_top_is_a_threshold_and_has_its_name() -> None:
    assert {(each.name, each.threshold) for each in mutants("m", SOURCE)} == {("LIMIT", True), ("", False)}


def test_a_fault_knows_the_lines_of_its_own_statement() -> None:
    lines = {each.what: list(each.lines) for each in mutants("m", SOURCE)}
    assert lines["compares otherwise: used > LIMIT"] == [5]
    assert lines["Severity.WARNING for ERROR"] == [6]
