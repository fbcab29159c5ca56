"""Runs tfdoctor itself in processes that end with the call that asked for them."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import IO

from tfdoctor.base.processes import adopt, end_all, own_process, tree
from tfdoctor.base.records import record

MOST_AT_ONCE = 2
_LOOK_S = 0.5  # between two words on how far it is
_ENDING_S = 1.2  # what was asked to end has this long; all are gone within two seconds


@record
class Ended:
    status: int
    stdout: bytes
    stderr: bytes


class Children:
    """`run` one at a time or two; `end` before this process does."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(MOST_AT_ONCE)
        self._ending: set[asyncio.Task[None]] = set()
        self._running: set[asyncio.subprocess.Process] = set()
        adopt()

    async def run(
        self,
        words: Sequence[str],
        tell: Callable[[float], Awaitable[None]],
        log: int | bytes = b"",
        report: IO[bytes] | None = None,
    ) -> Ended:
        """What it answered. `log` is its standard input; `report` a file that it finds at `path_of`. A cancelled call ends it."""
        async with self._free:
            process = await asyncio.create_subprocess_exec(
                *own_process(words),
                stdin=log if isinstance(log, int) else asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=() if report is None else (report.fileno(),),
            )
            self._running.add(process)
            begun = time.monotonic()
            reading = asyncio.ensure_future(
                process.communicate(None if isinstance(log, int) else log)
            )
            try:
                await tell(0.0)
                while not (await asyncio.wait({reading}, timeout=_LOOK_S))[0]:
                    await tell(time.monotonic() - begun)
            finally:
                if process.returncode is None:
                    self._end_soon(process)
                self._running.discard(process)
            stdout, stderr = await reading
            return Ended(process.returncode or 0, stdout, stderr)

    def _end_soon(self, process: asyncio.subprocess.Process) -> None:
        """Asks it to end, and ends it where it does not; not waited for, since a cancelled call can't wait."""
        with suppress(ProcessLookupError):
            process.terminate()
        task = asyncio.ensure_future(_end(process))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def end(self) -> None:
        """All that is left."""
        for process in set(self._running):
            self._end_soon(process)
        if self._ending:
            await asyncio.wait(self._ending)
        end_all()


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.wait(), _ENDING_S)
    if process.returncode is None:
        for pid in reversed(tree(process.pid)):
            with suppress(OSError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def path_of(file: IO[bytes]) -> str:
    """Where a child finds a file that is passed to it."""
    return f"/dev/fd/{file.fileno()}"
