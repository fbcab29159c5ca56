"""One thread for all kernels of a server: it passes their stderr on, hears which cell runs, looks at their memory, and
learns of a death at once. Everything that takes time after a death happens in a thread of that death."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable

import zmq

from tfdoctor.apps.jupyter.iopub import listen
from tfdoctor.apps.jupyter.last_hour import last_hour
from tfdoctor.apps.jupyter.watched import Launched, WatchedKernel
from tfdoctor.ask.recorder.host_memory import Disks
from tfdoctor.ask.recorder.streams import write_all

_CHUNK = (
    4096  # PIPE_BUF (pipe(7)): a pipe that poll(2) calls writable takes as much without waiting
)
_ROUND = 256
_DEAR = 300  # all looks together cost at most the three-hundredth part of a core
_TICK_S = 15.0
_LAST_MESSAGES_S = 0.05
_LAST_WORDS_S = 0.2


class Listener:
    """`watch` and `forget` may be called from any thread."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._todo: deque[Callable[[], None]] = deque()
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        self._kernels: list[WatchedKernel] = []
        self._speaking: list[
            WatchedKernel
        ] = []  # also dead ones whose stderr another process keeps open
        self._sockets: dict[WatchedKernel, zmq.Socket[bytes]] = {}
        self._disks = Disks(os.environ)
        self._disks.start()
        self._context = zmq.Context(io_threads=1)
        threading.Thread(target=self._run, daemon=True, name="tfdoctor").start()

    def watch(self, launched: Launched) -> WatchedKernel:
        """Raises OSError where the process is gone."""
        kernel = WatchedKernel(launched, self._disks)
        self._do(lambda: self._begin(kernel))
        return kernel

    def forget(self, kernel: WatchedKernel) -> None:
        """Its process has ended and was waited for."""
        self._do(lambda: self._forget(kernel))

    def _do(self, what: Callable[[], None]) -> None:
        self._todo.append(what)
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake, b".")

    def _run(self) -> None:
        while True:
            try:
                self._round()
            except Exception:  # noqa: BLE001  # the one thread of all kernels: it must not end with one of them
                self._log.exception("tfdoctor: watching kernels failed")
                time.sleep(1)

    def _round(self) -> None:
        ready = self._wait()
        if self._woken in ready:
            os.read(self._woken, 4096)
        while self._todo:
            self._todo.popleft()()
        for kernel in list(self._speaking):
            if kernel.launched.errors in ready or kernel.launched.passes_to in ready:
                self._pass_on(kernel)
        for kernel in list(self._kernels):
            if self._sockets.get(kernel) in ready:
                self._hear(kernel)
            if kernel.pidfd in ready:
                self._died(kernel)
        self._look()

    def _wait(self) -> dict[object, int]:
        """Until something happens or a look is due."""
        poll = zmq.Poller()
        poll.register(self._woken, zmq.POLLIN)
        for kernel in self._kernels:
            poll.register(kernel.pidfd, zmq.POLLIN)
        for socket in self._sockets.values():
            poll.register(socket, zmq.POLLIN)
        for kernel in self._speaking:
            if kernel.blocked:
                poll.register(kernel.launched.passes_to, zmq.POLLOUT)
            else:
                poll.register(kernel.launched.errors, zmq.POLLIN)
        now = time.monotonic()
        due = min([each.next_look for each in self._kernels], default=now + _TICK_S)
        return dict(poll.poll(max(min(due - now, _TICK_S), 0) * 1000 + 1))

    def _begin(self, kernel: WatchedKernel) -> None:
        self._kernels.append(kernel)
        if kernel.launched.errors >= 0:
            self._speaking.append(kernel)
        if kernel.launched.address is not None:
            try:
                self._sockets[kernel] = listen(self._context, kernel.launched.address)
            except zmq.ZMQError as error:
                self._log.warning(
                    "tfdoctor: what kernel %s runs can't be heard: %s",
                    kernel.launched.kernel_id,
                    error,
                )

    def _hear(self, kernel: WatchedKernel) -> None:
        socket, before = self._sockets[kernel], kernel.cells.begun
        with contextlib.suppress(zmq.Again):
            for _ in range(_ROUND):
                kernel.cells.update(socket.recv_multipart(zmq.NOBLOCK))
        if kernel.cells.begun is not before and kernel.cells.begun is not None:
            kernel.wake()
        elif kernel.cells.begun is not before:
            kernel.inner.look()  # the cell may have put another pipe there, as the extension does

    def _pass_on(self, kernel: WatchedKernel) -> None:
        """As much as the other side takes without waiting; what it does not take stays in the kernel's pipe."""
        source, target = kernel.launched.errors, kernel.launched.passes_to
        for _ in range(_ROUND):
            if not _is_ready(source, select.POLLIN):
                return
            kernel.blocked = not _is_ready(target, select.POLLOUT)
            if kernel.blocked:
                return
            chunk = os.read(source, _CHUNK)
            kernel.tape.add(chunk)
            if not chunk or not write_all(target, chunk):
                self._close_errors(kernel)
                return

    def _close_errors(self, kernel: WatchedKernel) -> None:
        """Nobody writes any more, or nobody reads: then the kernel meets a closed pipe, as it would without us."""
        self._speaking.remove(kernel)
        os.close(kernel.launched.errors)
        os.close(kernel.launched.passes_to)

    def _died(self, kernel: WatchedKernel) -> None:
        status_known = kernel.peek()
        self._hear_the_last(kernel)
        self._leave(kernel)
        if not status_known or kernel.was_asked() or not kernel.status:
            kernel.tell()
            return
        threading.Thread(
            target=last_hour, args=(kernel, self._log), daemon=True, name="tfdoctor-death"
        ).start()

    def _hear_the_last(self, kernel: WatchedKernel) -> None:
        """What it had sent before its death may still be on its way."""
        socket = self._sockets.get(kernel)
        deadline = time.monotonic() + _LAST_WORDS_S
        while (
            socket is not None
            and socket.poll(_LAST_MESSAGES_S * 1000)
            and time.monotonic() < deadline
        ):
            self._hear(kernel)
        while kernel in self._speaking and not kernel.blocked and time.monotonic() < deadline:
            if not _is_ready(kernel.launched.errors, select.POLLIN):
                break
            self._pass_on(kernel)
        rest = kernel.last_words()
        if kernel in self._speaking and not kernel.blocked:
            write_all(kernel.launched.passes_to, rest)

    def _leave(self, kernel: WatchedKernel) -> None:
        """It is no longer watched; its stderr is still passed on to the end."""
        if kernel in self._kernels:
            self._kernels.remove(kernel)
        socket = self._sockets.pop(kernel, None)
        if socket is not None:
            socket.close()

    def _forget(self, kernel: WatchedKernel) -> None:
        self._leave(kernel)
        kernel.close()

    def _look(self) -> None:
        now = time.monotonic()
        for kernel in self._kernels:
            if now >= kernel.next_look:
                kernel.look(now, len(self._kernels), _DEAR)


_FIRST = threading.Lock()
_LISTENERS: dict[int, Listener] = {}


def the_listener(log: logging.Logger) -> Listener:
    """This process' own: a forked one has no thread of its parent's."""
    with _FIRST:
        if os.getpid() not in _LISTENERS:
            _LISTENERS[os.getpid()] = Listener(log)
        return _LISTENERS[os.getpid()]


def _is_ready(handle: int, event: int) -> bool:
    """An error counts: whoever reads or writes meets it then."""
    poll = select.poll()
    poll.register(handle, event)
    return bool(poll.poll(0))
