"""The two lower stages: a kernel by the driver API, and the CUDA libraries as TensorFlow's code would open them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.facts.smoke_values import DriverSmoke, LibrariesSmoke
from tfdoctor.probes.messages import ChildRun, Messages, ask_in_turn
from tfdoctor.probes.python.ownership import runs_as
from tfdoctor.probes.request import Request
from tfdoctor.probes.workers import in_own_interpreter, program
from tfdoctor.smoke.protocol import driver_smoke, libraries_smoke
from tfdoctor.smoke.stage import Stage
from tfdoctor.smoke.surroundings import environment, memory_bound, program_for
from tfdoctor.system.child import ChildResult, run_child
from tfdoctor.system.owners import Owner

DRIVER_LIMIT_S, PER_GPU_S = (
    15.0,
    3.0,
)  # a cold GPU without persistence mode takes up to some seconds for its context
LIBRARIES_LIMIT_S = 45.0  # about 3 GB of files, which may be on a network


def climb_driver(
    request: Request, facts: Facts, deadline: float
) -> tuple[Known[DriverSmoke] | Failed, Stage]:
    """Runs the kernel on every visible GPU."""
    begun = time.monotonic()
    library, devices = facts.driver.library, facts.driver.devices
    path = value_or(library.value.path, "libcuda.so.1") if isinstance(library, Known) else "libcuda.so.1"
    count = len(devices.value) if isinstance(devices, Known) else 1
    env = {**request.system.environ, "CUDA_CACHE_DISABLE": "1"}

    def start(index: int, limit_s: float, messages: Messages) -> ChildResult:
        argv = in_own_interpreter("compute_driver", path, str(index))
        return _run(argv, limit_s, env, messages, facts)

    limit = min(begun + DRIVER_LIMIT_S + PER_GPU_S * count, deadline)
    runs = ask_in_turn(start, deadline=limit, announced="gpu", total=lambda messages: count)
    if not_started := _not_started("driver", runs, begun):
        return not_started
    smoke = driver_smoke(runs, count)
    bad = [
        f"GPU {item.index}: {item.step} {item.message}".strip()
        for item in smoke.devices
        if item.status != "passed"
    ]
    complaint = runs[-1].complaint if smoke.end.how != "exit" or smoke.end.status else ""
    detail: dict[str, Any] = {"gpus": len(smoke.devices)}
    return Known(smoke, "the driver stage"), _stage("driver", begun, [*bad, complaint], detail)


def climb_libraries(
    request: Request, facts: Facts, scratch: Path, sonames: tuple[str, ...], deadline: float
) -> tuple[Known[LibrariesSmoke] | Failed, Stage]:
    """Opens what this TensorFlow opens, in its interpreter, and makes handles of cuDNN and cuBLAS."""
    begun = time.monotonic()
    runpath = value_or(facts.cuda_libraries.runpath, ())
    order = {
        "sonames": sonames,
        "runpath": runpath,
        "handles": True,
        "scratch": str(scratch / "tmp"),
        "parent": os.getpid(),
    }
    owner = runs_as(request)
    env = environment(request.system.environ, scratch, owner)
    program_path = program_for(owner, program("open_libraries"), scratch)

    def start(index: int, limit_s: float, messages: Messages) -> ChildResult:
        text = json.dumps({**order, "first": index})
        interpreter = value_or(facts.interpreter.executable, "")
        argv = [interpreter, "-I", "-S", "-B", program_path, text]
        return _run(argv, limit_s, env, messages, facts, owner)

    limit = min(begun + LIBRARIES_LIMIT_S, deadline)
    runs = ask_in_turn(start, deadline=limit, announced="library", total=lambda messages: len(sonames))
    if not_started := _not_started("libraries", runs, begun):
        return not_started
    smoke = libraries_smoke(runs, sonames, handles=True)
    closed = [f"{item.soname}: {item.error}" for item in smoke.libraries if not item.opened]
    refused = [f"{item.soname}: {item.handle.error}" for item in smoke.libraries
               if item.opened and isinstance(item.handle, Failed)]  # fmt: skip
    complaint = runs[-1].complaint if smoke.end.how != "exit" or smoke.end.status else ""
    return Known(smoke, "the libraries stage"), _stage("libraries", begun, [*closed, *refused, complaint], {})


def _run(
    argv: list[str],
    limit_s: float,
    env: dict[str, str],
    messages: Messages,
    facts: Facts,
    owner: Owner | None = None,
) -> ChildResult:
    return run_child(
        argv,
        timeout_s=max(limit_s, 0.1),
        env=env,
        keep_bytes=128 << 10,
        memory_bound=memory_bound(facts),
        on_stdout=messages.take,
        owner=owner,
    )


def _not_started(name: str, runs: list[ChildRun], begun: float) -> tuple[Failed, Stage] | None:
    result = runs[0].result
    if result.how != "not-started":
        return None
    error = f"the program of the {name} stage {result.describe()}"
    return Failed(error, result.kind), _stage(name, begun, [error], {})


def _stage(name: str, begun: float, errors: list[str], detail: dict[str, Any]) -> Stage:
    """Passed where no error is named."""
    named = [error for error in errors if error]
    if named:
        detail = {**detail, "error": named[0], "errors": len(named)}
    return Stage(name, "failed" if named else "passed", round(time.monotonic() - begun, 3), detail)
