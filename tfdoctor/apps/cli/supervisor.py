"""Parts the program into two: a child that does the work, and a light parent that always answers.

The child may be stuck in a call that runs no Python code any more, be ended by the system for lack of memory, or
crash. The parent does nothing but wait for it, its time limit and its memory; then it ends the child with all that it has
started (whose own parents end are handed to it), and writes what was known. It costs a fork, about a millisecond; nothing
is imported that Python has not loaded at its start.
"""

from __future__ import annotations

import os
import select
import signal
import time

from tfdoctor.base import supervised
from tfdoctor.base.forked import Messages, pipe
from tfdoctor.base.processes import adopt, any_left, end_all, end_with_parent, memory_of, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

NO_VERDICT, INTERRUPTED = 3, 130
LATE_S = 0.2  # so long behind its limit the child is still waited for
FILE_S = 0.5  # and so long where it is writing a file
ENDING_S = 1.5  # for a child that was asked to end by a signal
REAP_S = 0.3  # for the end of what was killed
LOOK_S = 1.0  # how often its memory is looked at
_PAUSE_MS = 40  # between two looks at what is told: waking at each word costs the examination processor time
MOST_BYTES = 1 << 30  # of memory: an examination needs a twentieth of it


def supervise() -> None:
    """Returns in the child. The parent never returns. Where no process can be made, the work goes on without one."""
    begun = time.monotonic()
    try:
        told, permission, alive = pipe(), pipe(), pipe()
    except OSError:
        return
    os.write(permission[1], b"1")
    adopt()
    # a shell's, whose last command was an `exec`
    spared = frozenset(tree(os.getpid())) if any_left() else frozenset()
    before = {
        number: signal.signal(number, _wake)
        for number in (*FORWARDED, signal.SIGCHLD)
        if number == signal.SIGCHLD or _is_ours(number)
    }
    try:
        child = os.fork()
    except OSError:
        child = -1
    if child == 0:
        for handle in (told[0], permission[1], alive[1]):
            os.close(handle)
        end_with_parent(alive[0])
        supervised.be_supervised(told[1], permission[0])
    if child <= 0:
        for number, handler in before.items():
            signal.signal(number, handler)
        return
    for handle in (told[1], alive[0]):
        os.close(handle)
    status = Supervisor(child, told[0], permission[0], begun, spared).until_the_end()
    end_all(spared)
    os._exit(status)


def _is_ours(number: int) -> bool:
    """Not what somebody wants to be ignored, as nohup does with SIGHUP and a shell with SIGINT of a job behind `&`."""
    return signal.getsignal(number) is not signal.SIG_IGN


def _wake(number: int, frame: FrameType | None) -> None:
    """The number is read from the wake-up pipe (`signal.set_wakeup_fd`)."""


class Supervisor:
    """`known`: the last word on each subject; `facts`: what was found, by group; `made`: paths that must not stay.

    spared: processes that are not the doctor's.
    """

    def __init__(
        self,
        child: int,
        told: int,
        permission: int,
        begun: float,
        spared: frozenset[int] = frozenset(),
    ) -> None:
        self._spared = spared
        self.child, self._told, self._permission, self._begun = child, told, permission, begun
        self.known: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self.made: set[str] = set()
        self._messages = Messages()
        self._status: int | None = None
        self._asked: tuple[int, float] | None = None
        self._wakes, wake = os.pipe()
        for handle in (told, permission, self._wakes, wake):
            os.set_blocking(handle, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def until_the_end(self) -> int:
        """The exit status of the whole program; where it has to die of a signal, it does not return."""
        poll, wakes = select.poll(), select.poll()
        poll.register(self._told, select.POLLIN)
        for each in (poll, wakes):
            each.register(self._wakes, select.POLLIN)
        while True:
            for handle, event in poll.poll(self._wait_ms()):
                if handle == self._told and not self._listen() and event & select.POLLHUP:
                    poll.unregister(self._told)
                elif handle == self._told:
                    wakes.poll(_PAUSE_MS)
                elif handle == self._wakes:
                    self._forward(os.read(self._wakes, 512))
            if self._has_ended():
                self._listen()
                return self._after(os.waitstatus_to_exitcode(self._status or 0))
            answer = self._overdue()
            if answer is not None:
                return answer

    def _deadline(self) -> float:
        begun = self.known.get("begun")
        return self._begun + float(begun["limit_s"]) + LATE_S if begun else float("inf")

    def _wait_ms(self) -> float | None:
        """Until the next thing that may have to be done; None: until something is said."""
        ends = [self._deadline() - time.monotonic(), LOOK_S]
        if self._asked is not None:
            ends.append(self._asked[1] - time.monotonic())
        return max(min(ends), 0.01) * 1000

    def _listen(self) -> bool:
        """Takes in what the child has said. False at the end of it."""
        while True:
            try:
                data = os.read(self._told, 1 << 16)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            for key, value in self._messages.take(data):
                self._keep(key, value)

    def _keep(self, key: str, value: Any) -> None:
        if key == "facts":
            self.facts.update(value)
        elif key == "made":
            self.made.add(value)
        elif key == "gone":
            self.made.discard(value)
        else:
            self.known[key] = value

    def _forward(self, numbers: bytes) -> None:
        """Signals that ask for an end; the child knows what to tidy up and is given the time."""
        for number in numbers:
            if number == signal.SIGCHLD:
                continue
            if self._asked is None:
                self._asked = (number, time.monotonic() + ENDING_S)
            try:
                os.kill(self.child, number)
            except OSError:
                continue  # it has ended, which is seen next

    def _has_ended(self) -> bool:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.child, os.WNOHANG)
            except ChildProcessError:  # ended by us, and waited for with all others
                pid, status = self.child, signal.SIGKILL
            self._status = status if pid else None
        return self._status is not None

    def _after(self, code: int) -> int:
        """What the end of the child means for the whole."""
        end_all(self._spared, REAP_S)
        if code == 0 and "begun" in self.known and "written" not in self.known:
            return self._answer("the examination ended without a report")
        if code >= 0:
            return code
        number = -code
        if number in (*FORWARDED, signal.SIGPIPE) or (self._asked and self._asked[0] == number):
            self._die_of(number)
        if "begun" not in self.known or "written" in self.known:
            self._tidy_up()
            _say(f"internal error (died of {_name(number)}); please report it")
            return int(self.known.get("status", NO_VERDICT)) or NO_VERDICT
        return self._answer(f"the examination died of {_name(number)}")

    def _overdue(self) -> int | None:
        """The status where there is nothing left to wait for; None: the child goes on."""
        now = time.monotonic()
        if self._asked is not None and now >= self._asked[1]:
            self._end()
            if self._asked[0] == signal.SIGINT:
                _say("interrupted; nothing was changed")
                return INTERRUPTED
            self._die_of(self._asked[0])
        if "begun" in self.known and memory_of(self.child)[0] > MOST_BYTES and self._may_answer():
            self._end()
            return self._answer(f"the examination took more than {MOST_BYTES >> 30} GiB of memory")
        return self._too_late(now) if now >= self._deadline() else None

    def _too_late(self, now: float) -> int | None:
        begun = self.known["begun"]
        if self._may_answer():
            self._end()
            doing = f" ({self.known['doing']})" if self.known.get("doing") else ""
            return self._answer(f"the time limit of {begun['limit_s']:g} s was reached{doing}")
        if "written" in self.known:
            self._end()
            _say(
                "the report is written; what was to be kept beside it could not be written in time"
            )
            return int(self.known.get("status", NO_VERDICT))
        if not begun["output"]:  # whoever reads standard output takes the time
            self.known["begun"] = {**begun, "limit_s": float("inf")}
        elif now >= self._deadline() + FILE_S:
            self._end()
            _say(f"-o {begun['output']}: could not be written in time")
            return NO_VERDICT
        return None

    def _may_answer(self) -> bool:
        """Takes the permission to write, where the child has not taken it."""
        try:
            return bool(os.read(self._permission, 1))
        except OSError:
            return False

    def _end(self) -> None:
        """The child with all that it started, and what it left on the disk."""
        _end_tree(self.child)
        end_all(self._spared, REAP_S)
        self._listen()
        self._tidy_up()

    def _tidy_up(self) -> None:
        for path in self.made:
            _remove(path)

    def _answer(self, why: str) -> int:
        from tfdoctor.apps.cli.fallback_report import answer

        self._tidy_up()
        return answer(self.known, self.facts, why)

    def _die_of(self, number: int) -> None:
        """As the child did, so that a shell's loop stops."""
        self._tidy_up()
        end_all(self._spared)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        time.sleep(1)  # never reached: the signal comes before the call returns
        os._exit(128 + number)


def _end_tree(pid: int) -> None:
    """Ends a process with its descendants. It is stopped first, so that it starts nothing while they are looked for."""
    _kill(pid, signal.SIGSTOP)
    for each in reversed(tree(pid)):
        _kill(each, signal.SIGKILL)


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return  # it has ended


def _remove(path: str) -> None:
    """A file or folder that the child had made for itself."""
    import shutil

    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    except OSError:
        return  # it is gone


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _say(words: str) -> None:
    from tfdoctor.apps.cli.fallback_report import clear, say

    clear()
    say(words)
