"""The GPUs' part of a sample, from a child that NVML may hang alone: no look waits for it longer than a moment.

What the child needs is imported when it is started: the first look at the command must not wait for that.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from typing import TYPE_CHECKING, Any

from tfdoctor.ask.recorder.timeline import Sample

if TYPE_CHECKING:
    import subprocess

_FROM_S = 0.5  # a command that ends earlier has no time to use a GPU
_MOMENT_S = 0.05
_PATIENCE_S = 30.0


class Gpus:
    """`look` gives {"gpus": […]}, or nothing where there is none, or no answer came in time. `error`: why none comes."""

    def __init__(self, started: float) -> None:
        self._began, self.error = started, ""
        self._child: subprocess.Popen[bytes] | None = None
        self._over = False
        self._heard = b""
        self._asked_at = 0.0

    def look(self, pids: set[int]) -> Sample:
        """`pids` are the command's processes."""
        if self._over or time.monotonic() - self._began < _FROM_S:
            return {}
        try:
            self._child = self._child or self._start()
            answer = self._answer(self._child) if self._child is not None else None
        except (OSError, ValueError):
            self.end()
            return {}
        return {"gpus": [_entry(each, pids) for each in answer]} if answer else {}

    def _start(self) -> subprocess.Popen[bytes] | None:
        import importlib.util
        import subprocess

        from tfdoctor.ask.probes.driver.libcuda import places_to_ask
        from tfdoctor.ask.probes.workers import in_own_interpreter
        from tfdoctor.base.sysroot import System

        module = importlib.util.find_spec("pynvml")
        if module is None or module.origin is None:
            self._over, self.error = (
                True,
                "nvidia-ml-py is not installed beside tfdoctor, so GPUs are not watched",
            )
            return None
        command = in_own_interpreter("watch_gpus", module.origin)
        child = subprocess.Popen(
            [*command, *places_to_ask(System())], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0,
        )  # fmt: skip
        assert child.stdin is not None and child.stdout is not None
        os.set_blocking(child.stdout.fileno(), False)
        os.set_blocking(child.stdin.fileno(), False)
        return child

    def _answer(self, child: subprocess.Popen[bytes]) -> list[dict[str, Any]] | None:
        """What it says now; an answer that came too late for the look that asked is passed over."""
        assert child.stdin is not None and child.stdout is not None
        now = time.monotonic()
        if self._asked_at and not self._lines(child.stdout.fileno(), 0):
            if now - self._asked_at > _PATIENCE_S and not self._over:
                self.error = f"NVML did not answer for {_PATIENCE_S:.0f} s, so GPUs were not watched any more"
                self.end()
            return None
        os.write(child.stdin.fileno(), b"\n")
        self._asked_at = now
        lines = self._lines(child.stdout.fileno(), _MOMENT_S)
        if not lines:
            return None
        self._asked_at = 0.0
        import json

        found = json.loads(lines[-1])
        return found if isinstance(found, list) else None

    def _lines(self, stream: int, wait_s: float) -> list[str]:
        """The whole answers that are there by now. Ends with OSError where the child has ended: no NVML here."""
        if not select.select([stream], [], [], wait_s)[0]:
            return []
        piece = os.read(stream, 1 << 20)
        if not piece:
            raise OSError("the child has ended")
        from tfdoctor.ask.probes.workers.watch_gpus import MARK

        *whole, self._heard = (self._heard + piece).split(b"\n")
        texts = [line.decode("ascii", "replace") for line in whole]
        return [line[len(MARK) :] for line in texts if line.startswith(MARK)]

    def end(self) -> None:
        """It is killed: NVML may hold it for ever, and is not waited for."""
        self._over = True
        child, self._child = self._child, None
        if child is not None:
            for stream in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):
                    stream.close() if stream is not None else None
            with contextlib.suppress(OSError):
                child.kill()
            child.poll()


def _entry(told: dict[str, Any], pids: set[int]) -> Sample:
    """One GPU in the form of the report. Own and others' memory stand there only where NVML's numbers are this system's."""
    found: Sample = {"index": told["index"]}
    if "used" in told:
        found["used_bytes"], found["total_bytes"] = told["used"], told["total"]
    if "utilization" in told:
        found["utilization"] = told["utilization"] / 100
    processes = told.get("processes", [])
    if processes and all(size >= 0 and os.path.exists(f"/proc/{pid}") for pid, size in processes):
        found["own_bytes"] = sum(size for pid, size in processes if pid in pids)
        found["others_bytes"] = sum(size for pid, size in processes if pid not in pids)
    return found
