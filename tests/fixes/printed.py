"""All commands that are printed as a fix, by the machines of the scenarios and by the samples of all signatures,
and by the logs that are kept of public threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from tests.logs.judged import judged, log
from tests.public.test_logs import NAMES, log_of
from tests.scenarios.conftest import all_scenarios
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.model import Finding
from tools.build.knowledge import entries


@dataclass(frozen=True)
class Printed:
    """One fix: its commands in order, the code that it is for, and what is known of the machine."""

    code: str
    commands: tuple[str, ...]
    facts: Facts = field(repr=False, compare=False)


def of(finding: Finding, facts: Facts) -> Iterator[Printed]:
    for fix in finding.fixes:
        if fix.commands:
            yield Printed(finding.code, tuple(fix.commands), facts)


@cache
def examined() -> frozenset[Printed]:
    """What `check` prints."""
    found: set[Printed] = set()
    for scenario in all_scenarios():
        if scenario.said["expect"] == "fires":
            facts = scenario.facts()
            own = [each for each in scenario.judged().findings if each.code == scenario.code]
            found.update(*(of(each, facts) for each in own))
    return frozenset(found)


@cache
def diagnosed() -> frozenset[Printed]:
    """What `diagnose` prints."""
    found: set[Printed] = set()
    samples = {log([sample]) for entry in entries() for sample in entry.samples}
    for text in sorted(samples) + [log_of(name) for name in NAMES]:
        diagnosis = judged(text)
        found.update(*(of(each.finding, diagnosis.facts) for each in diagnosis.roots))
    return frozenset(found)


@cache
def commands() -> tuple[tuple[str, str], ...]:
    """Each command once, with a code that prints it."""
    return tuple(
        sorted(
            {
                command: each.code for each in examined() | diagnosed() for command in each.commands
            }.items()
        )
    )
