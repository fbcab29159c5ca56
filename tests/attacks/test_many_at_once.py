"""Many health checks at once on one processor: a healthy machine stays healthy, a driver that hangs is found."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.unit.apps.health.machine import Machine, Said, run

pytestmark = [pytest.mark.nightly, pytest.mark.slow]  # starts many programs
MANY = 12


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def at_once(machine: Machine, *options: str) -> list[Said]:
    """The answers of `MANY` checks that share a processor."""
    cpu = min(os.sched_getaffinity(0))
    pin = f"import os, sys; os.sched_setaffinity(0, {{{cpu}}}); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-I", "-S", "-c", pin, *machine.command(*options)]
    with ThreadPoolExecutor(MANY) as pool:
        return list(
            pool.map(lambda _: run(command, machine.environment(), timeout=90), range(MANY))
        )


def test_nobody_is_called_unhealthy_for_another_check_simulated(machine: Machine) -> None:
    machine.write_state()
    said = at_once(machine, "--timeout", "20")
    assert {each.status for each in said} == {0}
    assert {each.first for each in said} <= {
        "healthy: 1 GPU, examined 60 min ago",
        "unknown: another health check is running",
    }


def test_those_that_wait_use_the_examination_of_the_first_simulated(machine: Machine) -> None:
    said = at_once(machine, "--node", "--timeout", "60")
    assert {each.status for each in said} == {0}
    assert sum(each.first == "healthy: 1 GPU, examined now" for each in said) == 1


def test_a_driver_that_hangs_is_found_among_them_simulated(machine: Machine) -> None:
    machine.driver.write(Scenario(faults=(Fault.hang("cuInit", deaf=True),)))
    said = at_once(machine, "--timeout", "10")
    assert {each.first for each in said} <= {
        "unhealthy: the driver hangs in cuInit",
        "unknown: another health check is running",
    }
    assert 1 in {each.status for each in said}
