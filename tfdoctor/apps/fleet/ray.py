"""Ray: one task for each live node, tied to it, that starts the examination as a child and claims no CPU.

The task is pickled by value, so that a node without tfdoctor can say so.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from typing import Any

import ray
from ray.exceptions import RayError, TaskUnschedulableError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from tfdoctor.apps.fleet.launch import LATE_S, EngineError, record_in
from tfdoctor.apps.fleet.record import MOST_STDERR, Record, State
from tfdoctor.base.records import record
from tfdoctor.base.units import rfc3339

_STARTING_S = 20.0  # a node's first task waits for a worker, which takes its time on a busy machine
_NO_DOCTOR = ("No module named tfdoctor", "No such file or directory", "no command 'fleet'")


@record
class Ray:
    """`gpus`: how many each task claims; it then sees those alone. `ids` are Ray's of the nodes by their names."""

    doctor: tuple[str, ...]
    check: tuple[str, ...]
    limit_s: float
    wait_s: float
    gpus: float
    ids: dict[str, str]

    name = "ray"

    async def ask(self, node: str) -> Record:
        """One node's record."""
        at, loop = rfc3339(), asyncio.get_running_loop()
        began = loop.time()
        words = [*self.doctor, "fleet", "node", "--node-name", node, *self.check]
        tied = NodeAffinitySchedulingStrategy(self.ids[node], soft=False)
        task: Any = ray.remote(_task()).options(
            num_cpus=0, num_gpus=self.gpus, max_retries=0, scheduling_strategy=tied
        )
        answer = task.remote(words, self.limit_s + LATE_S / 2, bool(self.gpus))
        limit_s = self.limit_s + LATE_S + _STARTING_S + (self.wait_s if self.gpus else 0.0)
        state, reason, status, err = State.SILENT, "", None, ""
        try:
            status, out, err = await asyncio.wait_for(asyncio.wrap_future(answer.future()), limit_s)
            if found := record_in(out, node, "ray"):
                return found
            reason = (err.strip().splitlines() or [f"it ended with status {status} and no record"])[
                -1
            ]
            if status is None:
                state, reason = State.TIMEOUT, f"no answer within {self.limit_s + LATE_S / 2:g} s"
            elif any(sign in err for sign in _NO_DOCTOR):
                state = State.NO_DOCTOR
        except asyncio.TimeoutError:
            state, reason = State.TIMEOUT, f"no answer within {limit_s:g} s"
        except TaskUnschedulableError as error:
            state, reason = State.UNAVAILABLE, _first(error)
        except RayError as error:
            state, reason = State.LOST, _first(error)
        finally:
            ray.cancel(answer, force=True)
        return Record(
            node,
            "ray",
            state,
            reason,
            at,
            round(loop.time() - began, 3),
            status,
            err[-MOST_STDERR:],
        )


def _first(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _task() -> Callable[[list[str], float, bool], tuple[int | None, bytes, str]]:
    """What runs on the node: (status, the last of its output, the last of its errors); no status where it did not end."""

    def examine(words: list[str], limit_s: float, claimed: bool) -> tuple[int | None, bytes, str]:
        import ctypes
        import os
        import signal
        import subprocess
        import tempfile

        libc = ctypes.CDLL(None)
        environ = dict(os.environ)
        if not claimed and not environ.get("CUDA_VISIBLE_DEVICES"):
            # Ray hides all GPUs from a task that claims none.
            environ.pop("CUDA_VISIBLE_DEVICES", None)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                child = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environ, start_new_session=True,
                    preexec_fn=lambda: libc.prctl(1, signal.SIGTERM),  # it ends with this worker (PR_SET_PDEATHSIG)
                )  # fmt: skip
            except OSError as error:
                return 127, b"", str(error)
            status: int | None = None
            try:
                status = child.wait(limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            tails = []
            for stream in (out, err):
                size = stream.seek(0, os.SEEK_END)
                stream.seek(max(0, size - (8 << 20)))
                tails.append(stream.read())
            return status, tails[0], tails[1].decode("utf-8", "replace")[-2000:]

    return examine


@contextlib.contextmanager
def connected(address: str) -> Iterator[dict[str, tuple[str, str]]]:
    """(Ray's id, why it can't be asked) of each node by its name. Raises EngineError."""
    with (
        open(os.devnull, "w") as nothing,
        contextlib.redirect_stdout(nothing),  # a thread of Ray prints there what happens to nodes
    ):
        try:
            ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise EngineError(f"no cluster of Ray can be reached ({_first(error)})") from error
        try:
            yield _nodes()
        finally:
            ray.shutdown()


def _nodes() -> dict[str, tuple[str, str]]:
    nodes: dict[str, tuple[str, str]] = {}
    for each in sorted(ray.nodes(), key=lambda each: (not each["Alive"], each["NodeManagerPort"])):
        name = each["NodeManagerAddress"]
        if name in nodes:
            name = f"{name}:{each['NodeManagerPort']}"  # several on one machine
        nodes.setdefault(
            name, (each["NodeID"], "" if each["Alive"] else "Ray says that it is dead")
        )
    return nodes
