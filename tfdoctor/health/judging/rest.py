"""Judges memory, /dev/shm, TensorFlow's files and the last examination."""

from __future__ import annotations

from tfdoctor.health.asking import clock
from tfdoctor.health.asking.forked import STARVED as GOT_NO_PROCESSOR
from tfdoctor.health.judging.results import FAULT, NOTE, OK, STARVED, UNSEEN, WARNING, Point
from tfdoctor.health.options import DEFAULT_MAX_AGE_S
from tfdoctor.meaning.vital_signs import MIB, SHM_FULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.health.judging.readings import Files
    from tfdoctor.health.options import Options

SHM = "/dev/shm"  # noqa: S108  # a name in a sentence, no file is made
NEAR_THE_END = 0.05
"""The share of a limit that is left when it is near: TensorFlow's next allocation may be the kernel's last word."""


def judge_rest(files: Files, options: Options) -> list[Point]:
    """The points that are not the device's. None of them concerns a node."""
    if options.node:
        return []
    return [*_memory(files, options), *_shm(files), *_tensorflow(files), _examination(files, options)]


def _memory(files: Files, options: Options) -> list[Point]:
    points, left = [], []
    if "memory" in files:
        limit, used = files["memory"]
        left.append(limit - used)
        told = f"memory limit: {used // MIB} of {limit // MIB} MiB used"
        full = limit - used < limit * NEAR_THE_END
        points.append(Point("memory", FAULT if full else OK, told, "container-oom-killed" if full else ""))
    elif "no_memory_limit" in files:
        points.append(Point("memory", OK, "no memory limit"))
    else:
        points.append(
            Point(
                "memory", UNSEEN, f"the memory limit can't be read ({files.get('memory_error', 'no answer')})"
            )
        )
    if "available" in files:
        left.append(files["available"])
    if options.min_free_ram and not left:
        status = STARVED if _starved(files) else FAULT
        points.append(Point("memory", status, "free memory can't be read, and some is asked for"))
    elif left and min(left) < options.min_free_ram:
        words = f"{min(left) // MIB} MiB of memory free, {options.min_free_ram // MIB} asked"
        points.append(Point("memory", FAULT, words, "memory-limit-too-small"))
    return points


def _shm(files: Files) -> list[Point]:
    if "shm" not in files:
        if "shm_error" not in files:
            return []
        return [Point("shm", UNSEEN, f"{SHM} can't be read ({files['shm_error']})")]
    size, free = files["shm"]
    told = f"{SHM}: {free // MIB} of {size // MIB} MiB free"
    full = size > 0 and free < SHM_FULL
    return [Point("shm", FAULT if full else OK, told, "shared-memory-too-small" if full else "")]


def _tensorflow(files: Files) -> list[Point]:
    """As the last examination saw it; without one nothing is said here."""
    if "state" not in files:
        return []
    if "changed" not in files and _starved(files):
        return [Point("tensorflow", STARVED, "no processor was free to look at TensorFlow's files in time")]
    if "changed" not in files:
        return [Point("tensorflow", UNSEEN, "TensorFlow's files can't be looked at in time")]
    changed = files["changed"]
    if changed:
        more = f" (+{len(changed) - 1})" if len(changed) > 1 else ""
        return [Point("tensorflow", FAULT, f"{changed[0]}{more}", "tensorflow-install-broken")]
    if not files["state"]["files"]:
        return [Point("tensorflow", NOTE, "the last examination found no TensorFlow to compare")]
    return [Point("tensorflow", OK, "TensorFlow and its libraries are as examined")]


def _examination(files: Files, options: Options) -> Point:
    """Asked for by --max-age, a usable and young one is a demand; else its lack is told, and the rest is judged."""
    demanded = options.max_age >= 0
    if "state" not in files and "state_error" not in files and _starved(files):
        return Point("examination", STARVED, "no processor was free to read the last verdict in time")
    if "state" not in files:
        words = files.get("state_error", "") or _unread(files)
        return Point("examination", FAULT if demanded else NOTE, words)
    state, age = files["state"], files["state_age"]
    if age < 0:
        words = "the clock is behind the last examination"
        broken = state["verdict"] == "broken"
        return Point("examination", FAULT if demanded or broken else NOTE, words)
    told = f"examined {clock.in_words(age)} ago"
    if state["verdict"] == "broken":
        return Point("examination", FAULT, f"{told}: broken" + _roots(state["roots"]), _code(state["roots"]))
    if age > (options.max_age if demanded else DEFAULT_MAX_AGE_S):
        return Point("examination", FAULT if demanded else NOTE, f"{told}, which is too old")
    if state["verdict"] == "healthy":
        return Point("examination", OK, told)
    level = WARNING if state["verdict"] == "degraded" else NOTE
    return Point("examination", level, f"{told}: {state['verdict']}" + _roots(state["roots"]))


def _starved(files: Files) -> bool:
    return files.get("ended") == GOT_NO_PROCESSOR


def _unread(files: Files) -> str:
    ended = files.get("ended", "")
    return (
        "the state file does not answer"
        if ended.startswith("hangs") or not ended
        else f"reading the state {ended}"
    )


def _code(roots: list[str]) -> str:
    """The first root, where it is written as a code is: a state is a file, and files hold anything."""
    first = roots[0] if roots else ""
    return first if first.replace("-", "").isalnum() and first.isascii() else ""


def _roots(roots: list[str]) -> str:
    return f" ({roots[0]})" if roots else ""
