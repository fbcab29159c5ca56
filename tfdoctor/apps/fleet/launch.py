"""Asks many nodes at once through an engine: so many at a time, each record as it comes, all steps ended at an interrupt."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

from tfdoctor.apps.fleet.record import MOST_STDERR, Record, State, record_line
from tfdoctor.base.processes import end_with_creator
from tfdoctor.base.records import record, replace
from tfdoctor.base.units import rfc3339

LATE_S = 6.0  # behind check's own limit: for starting, and for the word to come back
_MOST_BYTES = 8 << 20  # of a node's output, its last
_CHUNK = 1 << 16
_ENDING_S = 3.0  # for a launcher's own program that was asked to end
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Ask = Callable[[str], Awaitable[Record]]


class EngineError(Exception):
    """The engine can't be used; the message says why and what to do."""


@record(eq=False)
class Ended:
    """How a program ended: the last of what it wrote. `late`: it was ended at its limit."""

    status: int
    out: bytes
    err: str
    late: bool
    duration_s: float = 0.0
    started_at: str = ""


async def run_program(command: Sequence[str], limit_s: float) -> Ended:
    """Runs a program that ends with this one. Raises FileNotFoundError."""
    loop = asyncio.get_running_loop()
    began, at = loop.time(), rfc3339()
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the launcher, which ends it
        preexec_fn=end_with_creator,
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    out, err = _Tail(), _Tail()
    tasks = [
        asyncio.ensure_future(each)
        for each in (out.read(process.stdout), err.read(process.stderr), process.wait())
    ]
    try:
        _, pending = await asyncio.wait(tasks, timeout=limit_s)
    finally:
        await _end(process)
        for task in tasks:
            task.cancel()
    text = err.content.decode("utf-8", "replace")[-MOST_STDERR:]
    return Ended(
        process.returncode or 0, out.content, text, bool(pending), round(loop.time() - began, 3), at
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), _ENDING_S)
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class _Tail:
    """The last of a stream of any length."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0

    async def read(self, stream: asyncio.StreamReader) -> None:
        while chunk := await stream.read(_CHUNK):
            self._chunks.append(chunk)
            self._size += len(chunk)
            while self._size - len(self._chunks[0]) > _MOST_BYTES:
                self._size -= len(self._chunks.popleft())

    @property
    def content(self) -> bytes:
        return b"".join(self._chunks)


def record_in(out: bytes, node: str, engine: str) -> Record | None:
    """The node's own record, the last one in its output; None where it wrote none."""
    for line in reversed(out.splitlines()):
        if found := record_line(line):
            return replace(found, node=node, engine=engine)
    return None


async def examine(
    nodes: Iterable[str], ask: Ask, parallel: int, engine: str, done: Callable[[Record], None]
) -> bool:
    """Asks every node, and gives each record to `done` as it comes. False where it was interrupted: the rest were not asked."""
    stop = asyncio.Event()
    waiting = iter(nodes)
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, stop.set)
    try:
        await asyncio.gather(*(_work(waiting, ask, stop, engine, done) for _ in range(parallel)))
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
    return not stop.is_set()


async def _work(
    waiting: Iterator[str],
    ask: Ask,
    stop: asyncio.Event,
    engine: str,
    done: Callable[[Record], None],
) -> None:
    for node in waiting:
        if stop.is_set():
            done(Record(node, engine, State.SILENT, "interrupted before it was asked", rfc3339()))
            continue
        asking = asyncio.ensure_future(ask(node))
        stopped = asyncio.ensure_future(stop.wait())
        await asyncio.wait((asking, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if asking.done():
            done(asking.result())
            continue
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
        done(Record(node, engine, State.SILENT, "interrupted before it answered", rfc3339()))
