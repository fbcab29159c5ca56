"""Judges what the driver's child said: does the driver start, are the GPUs there and sound, is there memory.

`required` (`--require-gpu`, `--gpus`, or GPUs at the last examination) decides whether a machine without a driver
is at fault; `--no-require-gpu` makes every fault of the GPU a note.
"""

from __future__ import annotations

from tfdoctor.health.asking.forked import STARVED as GOT_NO_PROCESSOR
from tfdoctor.health.asking.owners import little_free
from tfdoctor.health.asking.xids import new_ones
from tfdoctor.health.judging.results import FAULT, NOTE, OK, STARVED, UNSEEN, Point
from tfdoctor.meaning.vital_signs import HARDWARE_XIDS, MIB, OWN_NEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.health.judging.readings import Driver, Files, Gpu, Judged
    from tfdoctor.health.options import Options

ABSENT = "absent"
NO_PROCESSOR = "no processor was free to ask the driver in time"
OVERLOADED = "no time left to ask the driver: this machine is overloaded"
UNRESPONSIVE, HARDWARE = "driver-unresponsive", "gpu-hardware-fault"


def judge_devices(driver: Driver, files: Files, options: Options, judged: Judged) -> list[Point]:
    """The points of driver and devices. `judged`: the full examination's word on a driver that refuses."""
    points, without_gpu = _driver(driver, files, options, judged)
    if not without_libraries(driver):
        points += [*_gpus(driver, files, options), *_memory(driver, options)]
    if not without_gpu:
        points += [_xids(files), *_ecc(driver, files)]
    if options.require_gpu is False:
        for point in points:
            point.status = NOTE if point.status in (FAULT, STARVED) else point.status
    return points


def refuses(driver: Driver) -> bool:
    """It answered, and not every program can use it and its GPUs: a library, a call or every GPU is missing."""
    said_no = driver.get("nvml_error") or driver.get("cuda_error") or driver.get("nvml_code")
    return "done" in driver and bool(said_no or driver.get("cuda_code") or driver.get("cuda_count", 1) < 1)


def without_libraries(driver: Driver) -> bool:
    """Nobody is there to be asked."""
    return driver.get("cuda_error") == driver.get("nvml_error") == ABSENT


def wanted(files: Files, options: Options) -> int:
    """How many GPUs have to be there at the least."""
    known_before = len(files["state"]["gpus"]) if "state" in files else 0
    return options.gpus or max(known_before, 1 if options.require_gpu else 0)


def _driver(driver: Driver, files: Files, options: Options, judged: Judged) -> tuple[list[Point], bool]:
    """Its points, and whether this is a machine without a GPU that needs none."""
    if "done" not in driver:
        return [_no_answer(driver)], False
    if not refuses(driver):
        release = driver.get("version", "of unknown release")
        return [Point("driver", OK, f"driver {release}: cuInit and NVML answer")], False
    from tfdoctor.health.judging.no_gpu import of_no_gpu, points_without_gpu  # not while it works

    if of_no_gpu(driver, files, options, judged):
        return points_without_gpu(driver, judged), True
    from tfdoctor.health.judging.refusal import judge_refusal

    points = judge_refusal(driver, files, options, judged)
    said_of_the_gpu = any(gpu["lost"] or gpu["refused"] for gpu in driver.get("gpus", ()))
    others = [point for point in points if not (said_of_the_gpu and point.code == HARDWARE)]
    return others, False


def _no_answer(driver: Driver) -> Point:
    """It hung, crashed, or another probe's child has been in it all the time."""
    ended, at, busy = driver.get("ended", ""), driver.get("at", ""), driver.get("busy", "")
    if ended == GOT_NO_PROCESSOR:
        return Point("driver", STARVED, NO_PROCESSOR)
    if busy:
        since, _, call = busy.partition(" ")
        return Point("driver", FAULT, f"driver busy since {since} UTC ({call or 'starting'})", UNRESPONSIVE)
    if not at and driver.get("queued"):
        return Point("driver", FAULT, "the driver has not answered another probe", UNRESPONSIVE)
    if not at and ended.startswith("hangs"):
        return Point("driver", FAULT, OVERLOADED)
    if not at:
        return Point(
            "driver", FAULT, f"the driver could not be asked: its child {ended or 'was not started'}"
        )
    return Point("driver", FAULT, f"the driver {ended} in {at}", UNRESPONSIVE)


def _gpus(driver: Driver, files: Files, options: Options) -> list[Point]:
    gpus = driver.get("gpus", [])
    points = [
        Point("gpus", FAULT, f"GPU {gpu['index']} is lost: it needs a reset or a reboot", HARDWARE)
        if gpu["lost"]
        else Point("gpus", FAULT, f"GPU {gpu['index']} does not answer (NVML {gpu['refused'][0]})", HARDWARE)
        for gpu in gpus
        if gpu["lost"] or gpu["refused"]
    ]
    if points or "done" not in driver:
        return points
    return _missing(gpus, files) or _too_few(driver, files, options) or _all_there(driver, gpus)


def _missing(gpus: list[Gpu], files: Files) -> list[Point]:
    """GPUs that the last examination saw."""
    examined_gpus = files["state"]["gpus"] if "state" in files else []
    here = {gpu.get("uuid") for gpu in gpus}
    gone = [str(gpu["name"]) for gpu in examined_gpus if gpu["uuid"] not in here]
    if not gone:
        return []
    code = "container-lost-gpu" if not gpus else HARDWARE
    return [Point("gpus", FAULT, f"{len(gone)} of {len(examined_gpus)} examined GPUs gone: {gone[0]}", code)]


def _too_few(driver: Driver, files: Files, options: Options) -> list[Point]:
    """Fewer than asked for, or fewer for programs than there are."""
    count, least = driver.get("cuda_count", 0), wanted(files, options)
    if options.node:
        count = driver.get("nvml_count", 0)
    elif "state" in files and files["state"]["cuda_count"] >= 0 and not options.gpus:
        least = max(files["state"]["cuda_count"], 1 if options.require_gpu else 0)
    if driver.get("cuda_code") or count >= least:
        return []
    return [
        Point(
            "gpus",
            FAULT,
            f"programs see {count} of {least} expected GPUs",
            "gpu-absent" if not count else HARDWARE,
        )
    ]


def _all_there(driver: Driver, gpus: list[Gpu]) -> list[Point]:
    if driver.get("cuda_code"):
        return []
    count = driver.get("cuda_count", 0)
    words = f"{count} GPU" + ("" if count == 1 else "s")
    return [Point("gpus", OK, words + (f" ({gpus[0].get('name', '')})" if gpus else ""))]


def _memory(driver: Driver, options: Options) -> list[Point]:
    """A demand counts whoever holds the memory; without one only others' hold does, and not on a node."""
    points = []
    for gpu in driver.get("gpus", ()):
        if gpu.get("mig") or not gpu.get("total"):
            continue
        if "free" not in gpu:
            words = f"GPU {gpu['index']}: more memory free than it has, which can't be"
            points.append(Point("vram", UNSEEN, words))
            continue
        free, left = gpu["free"], gpu["free"] + gpu.get("own", 0)
        told = f"GPU {gpu['index']}: {free // MIB} of {gpu['total'] // MIB} MiB free"
        if free < options.min_free_vram:
            points.append(
                Point("vram", FAULT, f"{told}, {options.min_free_vram // MIB} asked", "gpu-memory-held")
            )
        elif options.node or not little_free(gpu):
            points.append(Point("vram", OK, told))
        elif gpu.get("unclear"):
            points.append(Point("vram", UNSEEN, f"{told}; {gpu['unclear']}"))
        elif left < OWN_NEED:
            points.append(Point("vram", FAULT, f"{told}, others hold the rest", "gpu-memory-held"))
        else:
            points.append(Point("vram", OK, f"{told}, this user's own programs hold the rest"))
    return points


def _xids(files: Files) -> Point:
    """New ones since the last examination; without one, those since the machine's start."""
    if "xids" not in files:
        return Point("xid", UNSEEN, f"the kernel log can't be read ({files.get('xids_error', 'no answer')})")
    examined_xids = files["state"]["xids"] if files.get("same_boot") else None
    new = new_ones(files["xids"], examined_xids or [])
    if new:
        number, bus, _ = new[-1]
        return Point("xid", FAULT, f"Xid {number} on {bus}: {HARDWARE_XIDS[number]}", HARDWARE)
    return Point("xid", OK, "no new Xid of the hardware")


def _ecc(driver: Driver, files: Files) -> list[Point]:
    """Uncorrectable errors since the last reset, less those that the examination judged."""
    known = {str(gpu["uuid"]): int(gpu["ecc"]) for gpu in files["state"]["gpus"]} if "state" in files else {}
    points, counted, silent = [], 0, 0
    for gpu in driver.get("gpus", ()):
        if "ecc" not in gpu:
            silent += gpu["lost"] or bool(gpu["refused"])
            continue
        counted += 1
        before = max(known.get(gpu.get("uuid", ""), 0), 0)
        new = gpu["ecc"] - (before if before <= gpu["ecc"] else 0)  # a reset began to count again
        if new:
            words = f"GPU {gpu['index']}: {new} new uncorrectable memory error" + ("s" if new > 1 else "")
            points.append(Point("ecc", FAULT, words, HARDWARE))
    if points or not driver.get("gpus"):
        return points
    if silent:
        return [Point("ecc", UNSEEN, "a GPU does not tell its memory errors")]
    if not counted:
        return [Point("ecc", OK, "these GPUs count no memory errors")]
    return [Point("ecc", OK, "no new uncorrectable memory error")]
