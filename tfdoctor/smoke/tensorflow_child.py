"""The TensorFlow stage: started as early as the interpreter is known, told to compute when the stages below held."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.smoke_values import TensorFlowSmoke
from tfdoctor.probes.messages import Messages
from tfdoctor.probes.python.ownership import runs_as
from tfdoctor.probes.request import Request
from tfdoctor.probes.workers import program
from tfdoctor.smoke.protocol import tensorflow_smoke
from tfdoctor.smoke.stage import Stage
from tfdoctor.smoke.surroundings import environment, memory_bound, program_for
from tfdoctor.system.child import Child, ChildResult

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
        detail: dict[str, object] = {"computations": len(smoke.computations), "last_step": smoke.last_step}
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
