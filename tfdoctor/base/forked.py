"""A forked child that says what it finds as it finds it, and a parent that never waits longer than its limit.

Everything that can hang or die (a driver, a file on a dead network) runs in such a child. Records cross the pipe
as `marshal`, which costs no import and is read by the same interpreter that wrote it.
"""

from __future__ import annotations

import marshal
import os
import time

from tfdoctor.base.processes import end_with_parent, tree, waited_for_cpu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    Send = Callable[[str, Any], None]

SIGKILL = 9
REAP_S = 0.05
NO_CPU = "got no CPU"
"""How a child ended that did not come to its work: what it was at does not hang."""
_STARVED = 0.5  # of its time
_HEAD = 4  # bytes of a message's length
_LONGEST = 64 << 20  # bytes of a message


def write_message(handle: int, key: str, value: Any) -> None:
    """Plain values alone: None, booleans, numbers, texts, lists and dictionaries of them. Raises OSError, and ValueError for what is
    none, or is longer than a listener takes.
    """
    data = marshal.dumps((key, value))
    if len(data) + _HEAD > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST >> 20} MiB")
    data = len(data).to_bytes(_HEAD, "little") + data
    while data:
        data = data[os.write(handle, data) :]


class Messages:
    """Puts together the messages that arrive in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def take(self, data: bytes) -> list[tuple[str, Any]]:
        """Those that are whole now."""
        self._buffer += data
        found = []
        while len(self._buffer) >= _HEAD:
            end = _HEAD + int.from_bytes(self._buffer[:_HEAD], "little")
            if end > _LONGEST:
                self._buffer.clear()
            if len(self._buffer) < end:
                break
            found.append(marshal.loads(self._buffer[_HEAD:end]))  # noqa: S302  # written by our own fork
            del self._buffer[:end]
        return found


class Child:
    """`answers` collects what the child says by `send(key, value)`; "gpus" and the like are lists that grow."""

    def __init__(
        self, work: Callable[[Send], None], lists: tuple[str, ...] = (), *, silent: bool = True
    ) -> None:
        """Raises OSError where no process can be made. `silent`: it has none of the standard streams."""
        self._begun = time.monotonic()
        self.answers: dict[str, Any] = {name: [] for name in lists}
        self.ended = ""
        self._messages = Messages()
        self.pipe, write_end = pipe()
        ours, self._alive = pipe()
        try:
            self.pid = os.fork()
        except OSError:
            for handle in (self.pipe, write_end, ours, self._alive):
                os.close(handle)
            raise
        if self.pid == 0:
            os.close(self.pipe)
            os.close(self._alive)
            end_with_parent(ours)
            self._run(work, write_end, silent)
        os.close(write_end)
        os.close(ours)

    def _run(self, work: Callable[[Send], None], write_end: int, silent: bool) -> NoReturn:
        def send(key: str, value: Any) -> None:
            write_message(write_end, key, value)

        status = 70  # EX_SOFTWARE of sysexits.h
        try:
            if silent:
                _silence()
            work(send)
            send("done", True)
            status = 0
        except BrokenPipeError:
            status = 0  # nobody listens any more
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is told, and no second copy of the parent runs on
            send("ended", f"failed ({type(error).__name__}: {error})"[:200])
        finally:
            os._exit(status)

    def take(self) -> bool:
        """Reads what is there. False: the child has closed its end."""
        try:
            data = os.read(self.pipe, 65536)
        except OSError:
            return False
        for key, value in self._messages.take(data):
            self._keep(key, value)
        return bool(data)

    def take_the_rest(self) -> None:
        """What it has said and nobody had the time to read."""
        os.set_blocking(self.pipe, False)
        while self.take():
            pass

    def _keep(self, key: str, value: Any) -> None:
        if isinstance(self.answers.get(key), list):
            self.answers[key].append(value)
        else:
            self.answers[key] = value

    def wait(self) -> None:
        """Ends a child that still runs and says in `answers["ended"]` how it ended, unless it ended well."""
        late = not self.dead()
        if late:
            lived = time.monotonic() - self._begun
            starved = sum(map(waited_for_cpu, tree(self.pid))) > _STARVED * lived
            os.kill(self.pid, SIGKILL)
            until = time.monotonic() + REAP_S
            while not self.dead() and time.monotonic() < until:
                time.sleep(0.002)
        os.close(self.pipe)
        os.close(self._alive)
        if self.answers.get("done") and not late:
            return
        if late and starved:
            self.ended = NO_CPU
        elif late:
            self.ended = "hangs" if self._status is not None else "hangs and can't be ended"
        elif os.WIFSIGNALED(self._status or 0):
            self.ended = f"crashed (signal {os.WTERMSIG(self._status or 0)})"
        else:
            self.ended = (
                self.answers.get("ended")
                or f"was left with status {os.WEXITSTATUS(self._status or 0)}"
            )
        self.answers["ended"] = self.ended

    _status: int | None = None

    def dead(self) -> bool:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody set SIGCHLD to be ignored
                pid, status = self.pid, 0
            if pid:
                self._status = status
        return self._status is not None


def pipe() -> tuple[int, int]:
    """Reading and writing end, none of them under the number of a standard stream. Raises OSError."""
    reading, writing = map(_beyond_standard, os.pipe())
    return reading, writing


def _beyond_standard(handle: int) -> int:
    """The same file under a number above 2, where a caller had closed one of the standard three."""
    if handle > 2:
        return handle
    import fcntl  # of POSIX alone, as forking is; whoever only writes a message needs none

    moved = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(handle)
    return moved


def _silence() -> None:
    """What a driver writes is not the probe's output. Without /dev/null it meets a pipe that can't be written to."""
    try:
        nothing = os.open("/dev/null", os.O_RDWR)
    except OSError:
        nothing = os.pipe()[0]
    for number in range(3):
        os.dup2(nothing, number)


def listen(children: list[Child], deadline: float) -> None:
    """Reads what the children say until all have ended or `deadline` (time.monotonic()) has come; then ends them."""
    import select  # a browser imports this module, and forks nothing

    poll = select.poll()
    open_pipes = {child.pipe: child for child in children}
    for pipe in open_pipes:
        poll.register(pipe, select.POLLIN | select.POLLHUP)
    while open_pipes and (left := deadline - time.monotonic()) > 0:
        for pipe, _ in poll.poll(left * 1000):
            if not open_pipes[pipe].take():
                poll.unregister(pipe)
                del open_pipes[pipe]
    for child in children:
        if child.pipe in open_pipes:
            child.take_the_rest()
        while not child.dead() and time.monotonic() < deadline:
            time.sleep(0.001)  # it has said all; a driver's exit handlers may take a moment longer
        child.wait()


def all_said(
    works: Mapping[str, Callable[[Send], None]], limit_s: float
) -> dict[str, tuple[dict[str, Any], str]]:
    """What each says from a child of its own within the time, with "answers" as a list, and how it ended; "" for well."""
    told: dict[str, tuple[dict[str, Any], str]] = {}
    children = {}
    for name, work in works.items():
        try:
            children[name] = Child(work, ("answers",))
        except (OSError, AttributeError) as error:  # Windows can't fork
            told[name] = {"answers": []}, f"could not be run ({error})"
    if children:
        listen([*children.values()], time.monotonic() + limit_s)
    return told | {name: (child.answers, child.ended) for name, child in children.items()}
