"""Many health checks at once on too few processors: none calls a machine unhealthy that is not, and one that is, still is.

`make starved` starts sixty (TFDOCTOR_STARVED); docs/results/starved.md has what came of it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.unit.health.machine import Machine, Said, run

pytestmark = pytest.mark.slow  # starts many programs
MANY = int(os.environ.get("TFDOCTOR_STARVED", "12"))
PROCESSORS = 2 if "TFDOCTOR_STARVED" in os.environ else 1


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def at_once(machine: Machine, *options: str) -> list[Said]:
    """The answers of `MANY` checks that share a few processors."""
    few = ",".join(map(str, sorted(os.sched_getaffinity(0))[:PROCESSORS]))
    pin = f"import os, sys; os.sched_setaffinity(0, {{{few}}}); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-I", "-S", "-c", pin, *machine.command(*options)]
    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(lambda _: run(command, machine.environment()), range(MANY)))


def told(name: str, said: list[Said]) -> None:
    """For the page of results (`pytest -s`)."""
    words = Counter((each.status, each.first.partition(" since ")[0]) for each in said)
    slowest = max(each.seconds for each in said)
    for (status, first), count in words.most_common():
        sys.stdout.write(f"{name} | {count} of {MANY} | {first} | {status} | slowest {slowest:.1f} s\n")


@pytest.mark.parametrize("options", [("--timeout", "0.9"), ("--timeout", "4.5")], ids=" ".join)
def test_nobody_is_called_unhealthy_for_want_of_a_processor_simulated(
    machine: Machine, options: tuple[str, ...]
) -> None:
    machine.write_state()
    said = at_once(machine, *options)
    told("a working driver " + " ".join(options), said)
    assert {each.status for each in said} == {0}
    assert {each.first.partition(":")[0] for each in said} <= {"healthy", "starved"}


def test_a_driver_that_hangs_is_found_among_them_simulated(machine: Machine) -> None:
    """By those at the least that came to ask it."""
    machine.driver.write(Scenario(faults=(Fault.hang("cuInit", deaf=True),)))
    said = at_once(machine, "--timeout", "10")
    told("a driver that hangs --timeout 10", said)
    assert {each.first.partition(":")[0] for each in said} <= {"unhealthy", "starved"}
    assert 1 in {each.status for each in said}
