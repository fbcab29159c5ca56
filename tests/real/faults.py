"""Planted faults of a simulated driver: each function that an examination calls errs, hangs or crashes.

The functions are those of a traced run, so a call that is added is planted from then on. What the driver stage itself
calls gets one error for each row of the table of answers; what is only asked for a detail gets one error in all.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import Run, doctor
from tests.real.test_driver_answers import Answer, machine
from tfdoctor.knowledge.driver_errors import CU_ANSWERS

LIMIT_S = 60.0  # a call that hangs takes the driver stage's own limit, 18 s with one GPU, and a busy machine its time
OF_A_COMPUTATION = (2, 222, 700, 702, 719)
"""Errors that only work on a GPU gives (cuda.h of CUDA 12.9): no memory, PTX too new, bad address, timeout, failed."""
UNKNOWN = 999
NUMBERS = tuple(
    dict.fromkeys([*(each for row in CU_ANSWERS for each in row[0]), *OF_A_COMPUTATION])
)
KERNEL_STARTS = "cuLaunchKernel"
_OF_THE_LINK = re.compile(r"nvml|cuDeviceGetPCIBusId$")
"""The stage also reads the speed of each GPU's PCIe link, and goes on where it can't."""


@dataclass(frozen=True)
class Planted:
    """One fault. `word`: what the report has to say of it. `needed`: TensorFlow can't do without the function."""

    function: str
    what: str
    fault: Fault
    word: str
    needed: bool


def functions_called(folder: Path, python: Path) -> dict[str, bool]:
    """The functions of a healthy examination in their order; true for those that the driver stage can't do without."""
    root, env = machine(folder, Answer(None, ""))
    driver = SimulatedDriver(folder / "lib", Scenario(), libraries=EVERYTHING)
    run = examine(root, {**env, "TFSIM_TRACE": str(driver.trace_file)}, python)
    assert (run.report["verdict"], run.roots) == ("healthy", []), run.report["summary"]
    calls = [each for each in driver.trace() if each.kind == "call"]
    (stage,) = {each.pid for each in calls if each.name == KERNEL_STARTS}
    of_the_stage = {each.name for each in calls if each.pid == stage}
    return {
        each.name: each.name in of_the_stage and not _OF_THE_LINK.match(each.name) for each in calls
    }


def planted(functions: dict[str, bool]) -> Iterator[Planted]:
    for name, needed in functions.items():
        for number in NUMBERS if needed else (UNKNOWN,):
            yield Planted(name, f"error {number}", Fault.error(name, number), str(number), needed)
        yield Planted(name, "hangs", Fault.hang(name), _as_announced(name), needed)
        yield Planted(name, "crashes", Fault.crash(name, signal.SIGSEGV), "SIGSEGV", needed)


def _as_announced(name: str) -> str:
    """NVML's functions are announced without the suffixes that tell their variants apart."""
    return re.sub(r"(?<=^nvmlInit)WithFlags$|_v\d$", "", name) if name.startswith("nvml") else name


def examine(root: Path, env: dict[str, str], python: Path) -> Run:
    options = (
        "--sysroot",
        root,
        "--smoke",
        "driver",
        "--json",
        "--no-redact",
        "--timeout",
        f"{LIMIT_S:g}",
    )
    return doctor("check", "--python", python, *options, env=env, limit_s=LIMIT_S + 10)


def examined(folder: Path, each: Planted, python: Path) -> Run:
    root, env = machine(folder, Answer(each.fault, ""))
    return examine(root, env, python)


def complaint(each: Planted, run: Run) -> str:
    """What is wrong with the answer; "" where it has one root, which is the planted fault.

    A detail that could not be asked is told where it is needed, and nothing is broken.
    """
    if not run.roots and not each.needed:
        return "" if run.report["verdict"] in ("healthy", "unknown") else "no root"
    if len(run.roots) != 1:
        return f"{len(run.roots)} roots: {', '.join(run.roots)}"
    told = json.dumps(run.finding(run.roots[0]))
    return "" if each.word in told else f"{run.roots[0]} says nothing of {each.word}"
