"""On a machine without libcuda one child answers for NVML, too, and says what a child of NVML's own says (simulated)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.driver.simulated import SimulatedDriver
from tfdoctor.ask.probes.driver import driver, nvml
from tfdoctor.ask.probes.driver.libcuda import libcuda_child
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Nvml
from tfdoctor.facts.outcome import Absent, Failed, Known


def neither(simulated: SimulatedDriver) -> None:
    simulated.remove("libcuda")
    simulated.remove("libnvidia-ml")


def nvml_alone(simulated: SimulatedDriver) -> None:
    simulated.remove("libcuda")


def broken_nvml_alone(simulated: SimulatedDriver) -> None:
    neither(simulated)
    (simulated.folder / "libnvidia-ml.so.1").write_text("not a library")


def libcuda_alone(simulated: SimulatedDriver) -> None:
    simulated.remove("libnvidia-ml")


def both(simulated: SimulatedDriver) -> None:
    """As it comes."""


MACHINES = (neither, nvml_alone, broken_nvml_alone, libcuda_alone, both)


def request_of(simulated: SimulatedDriver) -> Request:
    return Request(system=System(environ=simulated.environment({"PATH": "/usr/bin:/bin"})))


@pytest.mark.parametrize("machine", MACHINES)
def test_both_ways_to_simulated_nvml_tell_the_same(
    tmp_path: Path, machine: Callable[[SimulatedDriver], None]
) -> None:
    simulated = SimulatedDriver(tmp_path)
    machine(simulated)
    alone, shared = request_of(simulated), request_of(simulated)
    driver.ask(shared, Facts())
    assert nvml.ask(shared, Facts()) == nvml.ask(alone, Facts())


@pytest.mark.parametrize(
    ("machine", "answered", "kind"),
    [
        (neither, True, Absent),
        (nvml_alone, False, Known),
        (broken_nvml_alone, True, Failed),
        (both, False, Known),
    ],
)
def test_only_a_simulated_machine_without_libcuda_is_spared_the_second_child(
    tmp_path: Path, machine: Callable[[SimulatedDriver], None], answered: bool, kind: type[object]
) -> None:
    simulated = SimulatedDriver(tmp_path)
    machine(simulated)
    request = request_of(simulated)
    driver.ask(request, Facts())
    assert (libcuda_child(request).without_nvml() is not None) is answered
    group: Nvml = nvml.ask(request, Facts())
    assert isinstance(group.library, kind)
