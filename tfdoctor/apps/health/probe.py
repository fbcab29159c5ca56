"""One health check: children that ask, a parent that waits no longer than its limit, then the verdict.

Driver and files are asked each time. Where no examination describes what they answer, one is made.
"""

from __future__ import annotations

import fcntl
import os
import time

from tfdoctor.apps.health import state as clock
from tfdoctor.apps.health.answer import FAIL, Answer, CheckResult
from tfdoctor.apps.health.state import State, runtime_folder
from tfdoctor.base.forked import Child, listen
from tfdoctor.base.processes import adopt, is_older
from tfdoctor.facts.codec import from_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tfdoctor.apps.health.options import Options
    from tfdoctor.apps.health.readings import Driver, Files
    from tfdoctor.base.forked import Send

    Examine = Callable[[Options, bool | None, State | None, Send], None]
    Settings = Callable[[], tuple[str, str]]
    Smoke = Callable[[Driver, Files, float], CheckResult | None]


POLL_S = 0.02


class Lock:
    """`held`: whether this process may ask. `trouble`: why at most one at a time can't be promised.

    overdue: whoever holds it should have answered long ago. waited: whether another one had it first.
    """

    def __init__(self, limit: float, until: float) -> None:
        """Waits for it until `until` (time.monotonic()). `limit`: the seconds that this check may take."""
        self.held, self.waited, self.overdue, self.trouble = True, False, False, ""
        self._file = -1
        try:
            folder, _ = runtime_folder(dict(os.environ))
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open("driver.lock", flags, 0o600, dir_fd=folder)
            os.close(folder)
        except OSError as error:
            self.trouble = (
                f"no private folder for a lock ({error.filename or 'none'}: {error.strerror})"
            )
            return
        while not self._taken():
            self.waited = True
            if time.monotonic() >= until:
                self.held, self.overdue = False, self._holder_is_overdue()
                return
            time.sleep(POLL_S)
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, b"%f %f %d\n" % (clock.since_boot(), limit, os.getpid()), 0)

    def release(self) -> None:
        if self._file >= 0 and self.held:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def share(self) -> None:
        """Programs that are started from now on have it, too."""
        if self._file >= 0:
            os.set_inheritable(self._file, True)

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder_is_overdue(self) -> bool:
        """By when it began and the time that it had, which it wrote into the file.

        One that is late is still at it: where CPUs are scarce, it comes to its end as everybody comes to anything.
        """
        try:
            since, limit, pid = os.pread(self._file, 100, 0).split()
            held = clock.since_boot() - float(since)
            return held > float(limit) and not is_older(int(pid), held)
        except (OSError, ValueError):
            return False


ANSWER_S = 0.1
"""What is kept of the time to end the children and to write."""


def probe(
    options: Options, smoke: Smoke, examine: Examine, settings: Settings = lambda: ("", "")
) -> Answer:
    """The answer, within `options.limit` of this process' start.

    smoke: runs the test that was asked for. examine: says the `state` of a new examination, in a child.
    settings: the file of those in force, and what is wrong with it, read in a child; "" for none.
    """
    begun = time.monotonic() - clock.age_of_process()
    deadline = begun + max(options.limit - ANSWER_S, options.limit / 2)
    import ctypes  # noqa: F401  # for the driver and the kernel log: once here instead of once in each child

    adopt()
    driver: Driver = {}
    files: Files = {}
    try:
        lock = _ask(options, driver, files, begun, deadline, settings)
        from tfdoctor.apps.health.judge import judge_devices, judge_rest

        if "done" in driver:
            _examine_if_needed(options, driver, files, examine, deadline)
        points = [*judge_devices(driver, files, options), *judge_rest(driver, files, options)]
        if lock.held and not any(
            point.check == "driver" and point.status == FAIL for point in points
        ):
            (lock.share if options.smoke == "driver" else lock.release)()
            tested = smoke(driver, files, deadline)
            points += [tested] if tested else []
    except OSError as error:
        words = f"no process can be started ({error.strerror}): the machine or its limit is full"
        points = [CheckResult("driver", FAIL, words, "threads-exhausted")]
    return Answer(
        points, seconds=time.monotonic() - begun, at=time.time(), extra=_extra(driver, files)
    )


def _ask(
    options: Options,
    driver: Driver,
    files: Files,
    begun: float,
    deadline: float,
    settings: Settings,
) -> Lock:
    """Fills `driver` and `files`. Raises OSError where no process can be made."""
    children = [Child(lambda send: _read_files(options, send, settings))]
    # Who gets it has half of its time left at the least.
    lock = Lock(options.limit, begun + options.limit / 2)
    try:
        if lock.held:
            parent = os.getpid()
            children.append(Child(lambda send: _ask_driver(options, send, parent), ("gpus",)))
            if lock.waited:  # the one before may have examined
                children.append(Child(lambda send: _read_state(options, send)))
    finally:
        import tfdoctor.apps.health.judge  # noqa: F401  # here, since the children already work: before them it costs a whole millisecond

        listen(children, deadline)
    for child in (children[0], *children[2:]):
        files.update(_with_state(child.answers))  # type: ignore[typeddict-item]  # the child says what the type lists
    if lock.held:
        driver.update(children[1].answers)  # type: ignore[typeddict-item]  # as above
    if not lock.held:
        driver["busy"] = "overdue" if lock.overdue else "young"
    if lock.trouble:
        driver["alone"] = lock.trouble
    return lock


def _examine_if_needed(
    options: Options, driver: Driver, files: Files, examine: Examine, deadline: float
) -> None:
    """Puts a new examination in the place of one that does not describe this machine, or that there is not."""
    from tfdoctor.apps.health.judge import needs_examination, refuses, wanted

    if "refused" in files or not needs_examination(driver, files, options):
        return
    before = files.get("state")
    if before is not None:
        files["before"] = before
    required = True if refuses(driver) and wanted(driver, files, options) else options.require_gpu
    child = Child(lambda send: examine(options, required, before, send))
    listen([child], deadline)
    files["examined"] = made = _with_state(child.answers)  # type: ignore[typeddict-item]  # as above
    if "state" in made:
        files["state"], files["state_age"] = made["state"], 0.0
        files["same_boot"], files["changed"] = True, []


def _with_state(answers: dict[str, Any]) -> dict[str, Any]:
    """A child's answers; its state crossed the pipe as JSON."""
    return (
        answers | {"state": from_json(answers["state"], State)} if "state" in answers else answers
    )


def _ask_driver(options: Options, send: Send, parent: int) -> None:
    from tfdoctor.apps.health import driver
    from tfdoctor.ask.probes.workers.preamble import prepare

    if options.node:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)  # a node's GPUs are all of them
    prepare(parent)
    driver.ask(send, live=not options.sysroot)


def _read_files(options: Options, send: Send, settings: Settings) -> None:
    from tfdoctor.apps.health.files import read

    read(options, send)
    file, trouble = settings()
    send("settings", file)
    if trouble:
        send("refused", trouble)


def _read_state(options: Options, send: Send) -> None:
    from tfdoctor.apps.health.files import read_last_examination

    read_last_examination(options, send)


def _extra(driver: Driver, files: Files) -> dict[str, Any]:
    """What the machine-readable forms carry beside the points."""
    extra: dict[str, Any] = {}
    if "cuda_count" in driver:
        extra["gpus"] = max(driver["cuda_count"], 0)
    elif driver.get("cuda_error") == "absent":
        extra["gpus"] = 0
    if "version" in driver:
        extra["driver_version"] = driver["version"]
    if driver.get("gpus"):
        keys = ("index", "name", "uuid", "total", "free", "ecc", "lost")
        extra["devices"] = [{key: gpu[key] for key in keys if key in gpu} for gpu in driver["gpus"]]  # type: ignore[literal-required]  # keys of Gpu
    if "state" in files:
        extra["examined_at"] = files["state"].written_at
        from tfdoctor.apps.health.judge import as_code

        extra["ignored"] = [as_code(each) or "unreadable" for each in files["state"].ignored]
        extra["verdict"] = files["state"].verdict
        if files["state"].plugins:
            extra["plugins"] = list(files["state"].plugins)
    if driver.get("alone"):
        extra["not_alone"] = driver["alone"]
    return extra
