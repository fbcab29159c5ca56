"""One health check: two children that ask, a parent that waits no longer than its clock, then the judge."""

from __future__ import annotations

import os
import time

from tfdoctor.health import clock
from tfdoctor.health.answer import FAULT, STARVED, Answer, Point
from tfdoctor.health.child import Child, Clock, listen
from tfdoctor.health.judge import judge_devices, judge_rest, refuses, wanted, without_libraries
from tfdoctor.health.options import WHEN_STARVED
from tfdoctor.light.descendants import adopt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tfdoctor.health.child import Send
    from tfdoctor.health.options import Options
    from tfdoctor.health.readings import Driver, Files, Judged

ANSWER_S = 0.1
"""What is kept of the time to end the children and to write."""
LATE_S = 0.2
"""A process of that age has only come so far: on a machine with a free processor it takes a fifth of that."""


def probe(options: Options, smoke: Callable[[Driver, Files, float], Point | None]) -> Answer:
    """The answer, within `options.limit` of this process' start. `smoke` climbs the stage that was asked for."""
    age = clock.age_of_process()
    begun = time.monotonic() - age
    until = _clock(options, begun, age)
    driver, files, trouble = _asked(options, until)
    judged = {} if trouble else _judged(driver, files, options, until)
    points = trouble or [*judge_devices(driver, files, options, judged), *judge_rest(files, options)]
    if not any(point.check == "driver" and point.status in (FAULT, STARVED) for point in points):
        climbed = smoke(driver, files, until.deadline)
        points += [climbed] if climbed else []
    return Answer(
        points,
        seconds=time.monotonic() - begun,
        at=time.time(),
        extra=_extra(driver, files),
        starved_is_healthy=options.when_starved == WHEN_STARVED[0],
    )


def _clock(options: Options, begun: float, age: float) -> Clock:
    """Where this process itself was kept waiting, its answer will be, too: more of the time is kept for it."""
    kept = ANSWER_S
    if age > LATE_S:
        from tfdoctor.health.starved import life

        waited = min(life("self", begun).waited, age)
        kept = ANSWER_S * age / max(age - waited, ANSWER_S)
    deadline, latest = (
        begun + max(each - min(kept, max(each / 4, ANSWER_S)), each / 2)
        for each in (options.limit, options.patience(os.environ))
    )
    return Clock(deadline, latest, begun)


def _asked(options: Options, until: Clock) -> tuple[Driver, Files, list[Point]]:
    parent = os.getpid()
    children: list[Child] = []
    _import_for_both()
    adopt()
    try:
        children.append(Child(lambda send: _ask_driver(options, send, parent), ("gpus",)))
        children.append(Child(lambda send: _read_files(options, send)))
    except OSError as error:
        for child in children:
            child.bury()
        words = f"no process can be started ({error.strerror}): the machine or its limit is full"
        return {}, {}, [Point("driver", FAULT, words, "threads-exhausted")]
    listen(children, until)
    return children[0].answers, children[1].answers, []  # type: ignore[return-value]  # the children say what the types list


def _import_for_both() -> None:
    """What each of the two children needs, once in their parent instead of once in each."""
    import ctypes  # noqa: F401  # for the driver and the kernel log


def _judged(driver: Driver, files: Files, options: Options, until: Clock) -> Judged:
    """What is around a driver that refuses, and what the examination's checks say of it; {} where it works."""
    if not refuses(driver):
        return {}
    if "around" in driver:
        from tfdoctor.health.judge import of_no_gpu

        if of_no_gpu(driver, files, options, driver["around"]):
            return driver["around"]
    try:
        child = Child(lambda send: look_and_judge(driver, files, options, send), ("found", "unsure"))
    except OSError as error:
        return {"ended": f"no process can be started: {error.strerror}"}
    listen([child], until)
    return child.answers  # type: ignore[return-value]  # the child says what the type lists


def look_and_judge(driver: Driver, files: Files, options: Options, send: Send) -> None:
    from tfdoctor.health.judge import of_no_gpu

    around = _look_around(options)
    for key, value in around.items():
        send(key, value)
    if of_no_gpu(driver, files, options, around):
        return
    from tfdoctor.health.by_the_checks import judge_refusal

    if options.node:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    judge_refusal(driver, files, options.sysroot, required=bool(wanted(files, options)), send=send)


def _look_around(options: Options) -> Judged:
    from tfdoctor.health.presence import gpu_shown

    shown, trouble = gpu_shown(options.sysroot)
    return {"shown": shown, "bus_error": trouble} if trouble else {"shown": shown}


def _ask_driver(options: Options, send: Send, parent: int) -> None:
    """What only the one that asks needs (ctypes) is imported when it may ask."""
    from tfdoctor.health.lock import alone

    found: Driver = {}

    def ask(tell: Send) -> None:
        from tfdoctor.children.preamble import prepare
        from tfdoctor.health import driver

        prepare(parent)
        driver.ask(tell, live=not options.sysroot)

    def tell(key: str, value: Any) -> None:
        send(key, value)
        if key.endswith("_error"):
            found[key] = value  # type: ignore[literal-required]  # nvml_error and cuda_error

    if options.node:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)  # a node's GPUs are all of them
    alone(ask, tell, parent)
    if without_libraries(found):  # mostly a machine without a GPU, which needs no third child
        send("around", _look_around(options))


def _read_files(options: Options, send: Send) -> None:
    from tfdoctor.health.files import read

    read(options, send)


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
        extra["examined_at"] = files["state"]["written_at"]
        extra["verdict"] = files["state"]["verdict"]
    if driver.get("alone"):
        extra["not_alone"] = driver["alone"]
    return extra
