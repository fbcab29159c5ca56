"""The smoke ladder: driver, libraries, TensorFlow. It stops at the first stage that fails.

    stage         what holds when it passed
    driver       a kernel runs on every visible GPU and its numbers are right to the last bit
    libraries    what this TensorFlow opens can be opened from where it looks; cuDNN and cuBLAS make handles
    tensorflow   TensorFlow is imported and computes right on every GPU, else on the CPU

On a machine without an NVIDIA GPU, with a build without CUDA or with hidden GPUs the two lower stages are skipped and
TensorFlow runs on the CPU. Where cuInit itself failed, that counts as the driver stage's failure.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from tfdoctor.ask.probes.messages import ChildRun, Messages, ask_in_turn
from tfdoctor.ask.probes.python.ownership import runs_as
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import Progress, no_progress
from tfdoctor.ask.probes.smoke.results import driver_smoke, libraries_smoke, tensorflow_smoke
from tfdoctor.ask.probes.smoke.scratch import Scratch, environment, memory_bound, program_for
from tfdoctor.ask.probes.workers import in_own_interpreter, program
from tfdoctor.base.child import Child, ChildResult, run_child
from tfdoctor.base.owners import Owner
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Smoke
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.smoke_values import (
    WANTED_BY,
    DriverSmoke,
    LibrariesSmoke,
    Stage,
    TensorFlowSmoke,
    skipped,
)
from tfdoctor.knowledge.driver_errors import NO_DEVICE, STUB_LIBRARY

_HIDING = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def on_the_cpu(facts: Facts, system: System) -> str:
    """Why there is no NVIDIA GPU to try and TensorFlow is tried on the CPU; "" where there is one."""
    driver, build = facts.driver, facts.tensorflow.build
    if isinstance(build, Known) and isinstance(build.value.cuda, Absent):
        return "this TensorFlow is built without CUDA"
    if isinstance(driver.devices, Known):
        return ""
    if isinstance(driver.library, Absent):
        return "there is no NVIDIA driver library on this machine"
    answered = isinstance(driver.init_code, Known) and driver.init_code.value in (0, NO_DEVICE)
    hiding = [name for name in _HIDING if name in system.environ]
    if answered and isinstance(driver.devices, Absent) and hiding:
        return f"the GPUs are hidden by {hiding[0]}"
    nothing_there = isinstance(driver.init_code, Known) and driver.init_code.value in (
        0,
        NO_DEVICE,
        STUB_LIBRARY,
    )
    if nothing_there and not _has_gpu(facts):
        return "there is no NVIDIA GPU on this machine"
    return ""


def _has_gpu(facts: Facts) -> bool:
    bus, nodes = facts.host.gpus_on_bus, facts.host.gpu_device_nodes
    return isinstance(nodes, Known) or (
        isinstance(bus, Known) and any(gpu.vendor == "nvidia" for gpu in bus.value)
    )


def driver_refuses(facts: Facts) -> str:
    """Why the driver can't be tried though there is a GPU; "" where it can. The driver probe's facts say more."""
    driver = facts.driver
    if isinstance(driver.library, Failed):
        return f"libcuda can't be loaded: {driver.library.error}"
    if isinstance(driver.init_code, Failed):
        return f"the driver does not start: {driver.init_code.error}"
    if isinstance(driver.init_code, Known) and driver.init_code.value:
        name = value_or(driver.init_name, "no name")
        return f"cuInit answered {driver.init_code.value} ({name})"
    if isinstance(driver.devices, Absent):
        return driver.devices.reason
    return ""


def no_interpreter(facts: Facts, system: System) -> str:
    """Why no program can be run in the examined interpreter; "" where it can."""
    executable = facts.interpreter.executable
    if isinstance(executable, Absent):
        return f"there is no interpreter: {executable.reason}"
    if isinstance(executable, Failed):
        return f"the interpreter is not known: {executable.error}"
    if not system.live and _below(Path(executable.value), system.root):
        return "an interpreter in the examined folder is read and never run"
    return ""


def _below(path: Path, root: Path) -> bool:
    return path.is_relative_to(root.absolute()) or path.is_relative_to(root.resolve())


# A cold GPU without persistence mode takes up to some seconds for its context.
DRIVER_LIMIT_S, PER_GPU_S = (
    15.0,
    3.0,
)
LIBRARIES_LIMIT_S = 45.0  # about 3 GB of files, which may be on a network


def run_driver_stage(
    request: Request, facts: Facts, deadline: float
) -> tuple[Known[DriverSmoke] | Failed, Stage]:
    """Runs the kernel on every visible GPU."""
    begun = time.monotonic()
    library, devices = facts.driver.library, facts.driver.devices
    path = (
        value_or(library.value.path, "libcuda.so.1")
        if isinstance(library, Known)
        else "libcuda.so.1"
    )
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


def run_libraries_stage(
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
    runs = ask_in_turn(
        start, deadline=limit, announced="library", total=lambda messages: len(sonames)
    )
    if not_started := _not_started("libraries", runs, begun):
        return not_started
    smoke = libraries_smoke(runs, sonames)
    closed = [f"{item.soname}: {item.error}" for item in smoke.libraries if not item.opened]
    refused = [f"{item.soname}: {item.handle.error}" for item in smoke.libraries
               if item.opened and isinstance(item.handle, Failed)]  # fmt: skip
    complaint = runs[-1].complaint if smoke.end.how != "exit" or smoke.end.status else ""
    return Known(smoke, "the libraries stage"), _stage(
        "libraries", begun, [*closed, *refused, complaint], {}
    )


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


PROGRAM = program("compute_tensorflow")


class TensorFlowChild:
    """TensorFlow in a child of the examined interpreter: importing from its start, computing after `go`."""

    def __init__(self, child: Child, messages: Messages) -> None:
        self.child, self.messages = child, messages

    def go(self, facts: Facts, deadline: float) -> tuple[Known[TensorFlowSmoke], Stage]:
        """Lets it compute and waits for its end, no longer than to `deadline` (time.monotonic() seconds)."""
        begun = time.monotonic()
        self.child.memory_bound = memory_bound(facts)
        self.child.send(b"go\n", last=True)
        result = self.child.wait(deadline - time.monotonic(), self.messages.finished)
        smoke = tensorflow_smoke(self.messages, result)
        complaint = self.messages.complaint(result)
        error = _error(smoke, complaint, facts)
        detail: dict[str, object] = {
            "computations": len(smoke.computations),
            "last_step": smoke.last_step,
        }
        if error:
            detail["error"] = error
        elif complaint:
            detail["end"] = complaint
        duration = round(time.monotonic() - begun, 3)
        return Known(smoke, "the TensorFlow stage"), Stage(
            "tensorflow", "failed" if error else "passed", duration, detail
        )

    def end(self) -> ChildResult:
        """Ends it without having it compute."""
        return self.child.end()


def start_tensorflow(
    request: Request, interpreter: str, facts: Facts, scratch: Path
) -> TensorFlowChild | Failed:
    """Starts the import of TensorFlow in the examined interpreter. Failed: the interpreter can't be started."""
    messages = Messages()
    owner = runs_as(request)
    try:
        child = Child(
            [interpreter, "-B", program_for(owner, PROGRAM, scratch), str(os.getpid())],
            env=environment(request.system.environ, scratch, owner),
            owner=owner,
            keep_bytes=256 << 10,
            memory_bound=memory_bound(facts),
            on_stdout=messages.take,
        )
    except (OSError, ValueError) as error:
        words = f"{interpreter} could not be started: {getattr(error, 'strerror', None) or error}"
        return Failed(words, "not-started")
    return TensorFlowChild(child, messages)


def _error(smoke: TensorFlowSmoke, complaint: str, facts: Facts) -> str:
    """Why the stage failed; "" where it held. On a machine with GPUs TensorFlow has to show one."""
    if isinstance(smoke.import_error, Known):
        return smoke.import_error.value
    if complaint and not smoke.finished:
        return complaint
    bad = [
        f"{item.name} on {item.device}: {item.error}"
        for item in smoke.computations
        if item.status != "passed"
    ]
    if bad:
        return bad[0]
    if isinstance(facts.smoke.driver, Known) and not isinstance(smoke.gpus, Known):
        return "TensorFlow shows no GPU though the driver runs kernels"
    return ""


StageResult = tuple[Any, Stage]


class Ladder:
    """One run. `smoke` is "auto", "none", "driver" (that stage alone) or "tf" (TensorFlow whatever is below it).

    `update` may be told what the probes found as they find it, so that TensorFlow's import begins early and runs
    beside them. `run` is called once with all facts. `end` in any case, to leave nothing behind.
    `deadline` is in time.monotonic() seconds.
    """

    def __init__(
        self, request: Request, smoke: str, deadline: float, progress: Progress = no_progress
    ) -> None:
        self._request, self._smoke, self._deadline, self._progress = (
            request,
            smoke,
            deadline,
            progress,
        )
        self._scratch: Scratch | None = None
        self._tensorflow: TensorFlowChild | Failed | None = None
        self._below = ""  # the stage that failed

    def update(self, name: str, facts: Facts) -> None:
        """Starts TensorFlow's import once the interpreter is known."""
        wanted = self._smoke in ("auto", "tf") and name == "interpreter"
        if wanted and not no_interpreter(facts, self._request.system):
            self._start(facts)

    def _start(self, facts: Facts) -> TensorFlowChild | Failed:
        if self._tensorflow is None:
            executable = facts.interpreter.executable
            assert isinstance(executable, Known)
            try:
                folder = self._scratch_folder().folder
                self._tensorflow = start_tensorflow(self._request, executable.value, facts, folder)
            except OSError as error:
                words = f"no folder for temporary files: {error.strerror or error}"
                self._tensorflow = Failed(words, "not-started")
        return self._tensorflow

    def _scratch_folder(self) -> Scratch:
        self._scratch = self._scratch or Scratch()
        return self._scratch

    def run(self, facts: Facts) -> tuple[Smoke, tuple[Stage, ...]]:
        """What the stages showed. A stage that was not climbed is Failed with the kind "skipped"."""
        driver, first = self._driver(facts)
        facts = replace(facts, smoke=Smoke(driver=driver))
        libraries, second = self._libraries(facts)
        tensorflow, third = self._tensorflow_stage(facts)
        return Smoke(driver, libraries, tensorflow), (first, second, third)

    def _driver(self, facts: Facts) -> StageResult:
        if reason := self._not_wanted("driver") or on_the_cpu(facts, self._request.system):
            return skipped("driver", reason)
        if reason := driver_refuses(facts):
            self._below = reason
            return skipped("driver", reason)
        self._progress("smoke: driver", self._at_most(DRIVER_LIMIT_S))
        return self._note(run_driver_stage(self._request, facts, self._deadline))

    def _at_most(self, limit_s: float) -> float:
        return max(min(limit_s, self._deadline - time.monotonic()), 0.0)

    def _note(self, stage: StageResult) -> StageResult:
        self._progress(f"smoke: {stage[1].name}", None)
        if stage[1].status == "failed":
            self._below = f"the {stage[1].name} stage failed"
        return stage

    def _libraries(self, facts: Facts) -> StageResult:
        needed = facts.cuda_libraries.needed
        reason = self._not_wanted("libraries") or on_the_cpu(facts, self._request.system)
        reason = reason or self._below or no_interpreter(facts, self._request.system)
        if reason:
            return skipped("libraries", reason)
        if not isinstance(needed, Known):
            return skipped(
                "libraries", needed.reason if isinstance(needed, Absent) else needed.error
            )
        self._progress("smoke: libraries", self._at_most(LIBRARIES_LIMIT_S))
        try:
            folder = self._scratch_folder().folder
        except OSError as error:
            return skipped("libraries", f"no folder for temporary files: {error.strerror or error}")
        return self._note(
            run_libraries_stage(self._request, facts, folder, needed.value, self._deadline)
        )

    def _not_wanted(self, stage: str) -> str:
        return "" if self._smoke in WANTED_BY[stage] else f"--smoke {self._smoke}"

    def _tensorflow_stage(self, facts: Facts) -> StageResult:
        reason = self._not_wanted("tensorflow") or no_interpreter(facts, self._request.system)
        if not reason and isinstance(facts.tensorflow.location, Absent):
            reason = f"TensorFlow is not installed: {facts.tensorflow.location.reason}"
        if reason or (self._below and self._smoke == "auto"):
            return skipped("tensorflow", reason or self._below)
        self._progress("smoke: tensorflow", self._at_most(self._deadline))
        started = self._start(facts)
        if isinstance(started, Failed):
            return started, Stage("tensorflow", "failed", 0.0, {"error": started.error})
        self._tensorflow = None
        return started.go(facts, self._deadline)

    def end(self) -> None:
        """Ends a TensorFlow that was started and not needed, and removes the scratch folder."""
        if isinstance(self._tensorflow, TensorFlowChild):
            self._tensorflow.end()
        self._tensorflow = None
        if self._scratch is not None:
            self._scratch.remove()


def run(
    request: Request, facts: Facts, *, smoke: str, deadline: float, progress: Progress = no_progress
) -> tuple[Smoke, tuple[Stage, ...]]:
    """The whole ladder on facts that are complete."""
    ladder = Ladder(request, smoke, deadline, progress)
    try:
        return ladder.run(facts)
    finally:
        ladder.end()
