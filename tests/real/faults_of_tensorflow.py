"""Planted faults of a simulated GPU in what TensorFlow's own process calls, under `--smoke tf` and `auto`.

Each error code of the table of answers once, where such a code comes from; and a seeded sample of the functions that a
healthy run was seen to call, each with an error, a crash or a hang. The simulation computes products and convolutions and
nothing else, so a run without a fault has one root, too: what is only added up is called wrong.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import Run, doctor
from tests.real.faults import NUMBERS, OF_A_COMPUTATION, UNKNOWN
from tests.real.test_driver_answers import Answer, machine
from tfdoctor.ask.probes.driver.driver import error_name

LIMIT_S = 120.0
SEED = 20261122
OF_THE_SIMULATION = "gpu-computes-wrong"
IN_A_PRODUCT = "cublasSgemm_v2"
WHERE_WORK_FAILS = {2: "cuMemAlloc_v2", 222: "cuModuleLoadData"}
"""The function that gives such an error of a computation; the others come where its end is waited for."""
OF_A_LIBRARY = {"cublas": 13, "cudnn": 5000, "cuda": UNKNOWN, "cu": UNKNOWN, "nvml": UNKNOWN}
"""An error by the beginning of a function's name: CUBLAS_STATUS_EXECUTION_FAILED, CUDNN_STATUS_EXECUTION_FAILED of cuDNN 9."""


@dataclass(frozen=True)
class PlantedThere:
    """One fault under one way of trying out. `words`: one of them has to stand in what the report says of it."""

    smoke: str
    function: str
    what: str
    fault: Fault
    words: tuple[str, ...]


def one_of_each_code(smoke: str) -> Iterator[PlantedThere]:
    for number in NUMBERS:
        function = "cuInit"
        if number in OF_A_COMPUTATION:
            function = WHERE_WORK_FAILS.get(number, "cuStreamSynchronize")
        words = (str(number), error_name(number))
        yield PlantedThere(smoke, function, f"error {number}", Fault.error(function, number), words)


def sample(
    smoke: str, functions: tuple[str, ...], errors: int, crashes: int, hangs: int
) -> Iterator[PlantedThere]:
    chosen = random.Random(f"{SEED} {smoke}")
    for name in chosen.sample(functions, errors):
        number = next(code for start, code in OF_A_LIBRARY.items() if name.startswith(start))
        words = (
            str(number),
            error_name(number),
            name.partition("_v")[0],
            "STATUS_EXECUTION_FAILED",
        )
        yield PlantedThere(smoke, name, f"error {number}", Fault.error(name, number), words)
    for name in chosen.sample(functions, crashes):
        yield PlantedThere(smoke, name, "crashes", Fault.crash(name, signal.SIGSEGV), ("SIGSEGV",))
    for name in chosen.sample(functions, hangs):
        yield PlantedThere(
            smoke, name, "hangs", Fault.hang(name), (name.partition("_v")[0], "did not end in time")
        )


def examined(
    folder: Path, smoke: str, fault: Fault | None, python: Path, trace: bool = False
) -> tuple[Run, SimulatedDriver]:
    root, env = machine(folder, Answer(None, ""))
    scenario = Scenario(faults=(fault,) if fault else ())
    driver = SimulatedDriver(folder / "lib", scenario, libraries=EVERYTHING)
    if trace:
        env = {**env, "TFSIM_TRACE": str(driver.trace_file)}
    options = (
        "--sysroot",
        root,
        "--smoke",
        smoke,
        "--json",
        "--no-redact",
        "--timeout",
        f"{LIMIT_S:g}",
    )
    return doctor("check", "--python", python, *options, env=env, limit_s=LIMIT_S + 20), driver


def without_a_fault(folder: Path, smoke: str, python: Path) -> tuple[Run, tuple[str, ...]]:
    """What is said then, and which functions TensorFlow's process calls."""
    run, driver = examined(folder, smoke, None, python, trace=True)
    assert run.roots == [OF_THE_SIMULATION], run.report["summary"]
    calls = [each for each in driver.trace() if each.kind == "call"]
    (tensorflow,) = {each.pid for each in calls if each.name == IN_A_PRODUCT}
    return run, tuple(dict.fromkeys(each.name for each in calls if each.pid == tensorflow))


def stages(run: Run) -> list[tuple[str, str]]:
    return [(each["name"], each["status"]) for each in run.report["smoke"]["stages"]]


def complaint(each: PlantedThere, run: Run, healthy: Run) -> str:
    """What is wrong with the answer; "" where it has one root that tells the fault, or the fault changed nothing."""
    own = [code for code in run.roots if code != OF_THE_SIMULATION]
    if not own:
        return "" if stages(run) == stages(healthy) else "no root of its own"
    if len(own) != 1:
        return f"{len(own)} roots: {', '.join(own)}"
    finding = run.finding(own[0])
    told = f"{finding['title']} {finding['explanation']} {finding['evidence']}"
    return (
        ""
        if any(word in told for word in each.words)
        else f"{own[0]} says none of {', '.join(each.words)}"
    )
