"""The smoke ladder: driver, libraries, TensorFlow. It stops at the first stage that fails.

    stage         what holds when it passed
    driver       a kernel runs on every visible GPU and its numbers are right to the last bit
    libraries    what this TensorFlow opens can be opened from where it looks; cuDNN and cuBLAS make handles
    tensorflow   TensorFlow is imported and computes right on every GPU, else on the CPU

On a machine without an NVIDIA GPU, with a build without CUDA or with hidden GPUs the two lower stages are skipped and
TensorFlow computes on the CPU. Where cuInit itself failed, that counts as the driver stage's failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfdoctor.facts.model import Facts, Smoke
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.light.records import replace
from tfdoctor.probes.request import Request
from tfdoctor.smoke.applicable import driver_refuses, no_interpreter, on_the_cpu
from tfdoctor.smoke.stage import WANTED_BY, Stage, skipped
from tfdoctor.smoke.stages import climb_driver, climb_libraries
from tfdoctor.smoke.surroundings import Scratch
from tfdoctor.smoke.tensorflow_child import TensorFlowChild, start_tensorflow

Progress = Callable[[str], None]
Climbed = tuple[Any, Stage]


class Ladder:
    """One climb. `smoke` is "auto", "none", "driver" (that stage alone) or "tf" (TensorFlow whatever is below it).

    `learn` may be told what the probes found as they find it, so that TensorFlow's import begins early and runs
    beside them. `climb` is called once with all facts. `end` in any case, to leave nothing behind.
    `deadline` is in time.monotonic() seconds.
    """

    def __init__(
        self, request: Request, smoke: str, deadline: float, progress: Progress = lambda what: None
    ) -> None:
        self._request, self._smoke, self._deadline, self._progress = request, smoke, deadline, progress
        self._scratch: Scratch | None = None
        self._tensorflow: TensorFlowChild | Failed | None = None
        self._below = ""  # the stage that failed

    def learn(self, name: str, facts: Facts) -> None:
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

    def climb(self, facts: Facts) -> tuple[Smoke, tuple[Stage, ...]]:
        """What the stages showed. A stage that was not climbed is Failed with the kind "skipped"."""
        driver, first = self._driver(facts)
        facts = replace(facts, smoke=Smoke(driver=driver))
        libraries, second = self._libraries(facts)
        tensorflow, third = self._tensorflow_stage(facts)
        return Smoke(driver, libraries, tensorflow), (first, second, third)

    def _driver(self, facts: Facts) -> Climbed:
        if reason := self._not_wanted("driver") or on_the_cpu(facts, self._request.system):
            return skipped("driver", reason)
        if reason := driver_refuses(facts):
            self._below = reason
            return skipped("driver", reason)
        self._progress("smoke: driver")
        return self._note(climb_driver(self._request, facts, self._deadline))

    def _note(self, stage: Climbed) -> Climbed:
        if stage[1].status == "failed":
            self._below = f"the {stage[1].name} stage failed"
        return stage

    def _libraries(self, facts: Facts) -> Climbed:
        needed = facts.cuda_libraries.needed
        reason = self._not_wanted("libraries") or on_the_cpu(facts, self._request.system)
        reason = reason or self._below or no_interpreter(facts, self._request.system)
        if reason:
            return skipped("libraries", reason)
        if not isinstance(needed, Known):
            return skipped("libraries", needed.reason if isinstance(needed, Absent) else needed.error)
        self._progress("smoke: libraries")
        try:
            folder = self._scratch_folder().folder
        except OSError as error:
            return skipped("libraries", f"no folder for temporary files: {error.strerror or error}")
        return self._note(climb_libraries(self._request, facts, folder, needed.value, self._deadline))

    def _not_wanted(self, stage: str) -> str:
        return "" if self._smoke in WANTED_BY[stage] else f"--smoke {self._smoke}"

    def _tensorflow_stage(self, facts: Facts) -> Climbed:
        reason = self._not_wanted("tensorflow") or no_interpreter(facts, self._request.system)
        if not reason and isinstance(facts.tensorflow.location, Absent):
            reason = f"TensorFlow is not installed: {facts.tensorflow.location.reason}"
        if reason or (self._below and self._smoke == "auto"):
            return skipped("tensorflow", reason or self._below)
        self._progress("smoke: tensorflow")
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


def climb(
    request: Request, facts: Facts, *, smoke: str, deadline: float, progress: Progress = lambda what: None
) -> tuple[Smoke, tuple[Stage, ...]]:
    """The whole ladder on facts that are complete."""
    ladder = Ladder(request, smoke, deadline, progress)
    try:
        return ladder.climb(facts)
    finally:
        ladder.end()
