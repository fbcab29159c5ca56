"""Judges what the driver's child said: does the driver start, are the GPUs there and sound, is there memory.

`required` (`--require-gpu`, `--gpus`, or GPUs at the last examination) decides whether a machine without a driver
is at fault; `--no-require-gpu` makes every fault of the GPU a note.
"""

from __future__ import annotations

from tfdoctor.health import clock
from tfdoctor.health.answer import FAULT, NOTE, OK, STARVED, UNSEEN, WARNING, Point
from tfdoctor.health.child import STARVED as GOT_NO_PROCESSOR
from tfdoctor.health.driver import little_free
from tfdoctor.health.files import new_ones
from tfdoctor.health.options import DEFAULT_MAX_AGE_S
from tfdoctor.meaning.driver_answers import (
    ALWAYS,
    CU_ANSWERS,
    NO_DEVICE,
    NVML_ANSWERS,
    NVML_VERSIONS_DIFFER,
    UNNAMED,
)
from tfdoctor.meaning.vital_signs import HARDWARE_XIDS, MIB, OWN_NEED, SHM_FULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.health.options import Options
    from tfdoctor.health.readings import Driver, Files, Gpu, Judged
    from tfdoctor.meaning.driver_answers import Row


ABSENT = "absent"
NO_PROCESSOR = "no processor was free to ask the driver in time"
OVERLOADED = "no time left to ask the driver: this machine is overloaded"
UNRESPONSIVE, HARDWARE = "driver-unresponsive", "gpu-hardware-fault"


def judge_devices(driver: Driver, files: Files, options: Options, judged: Judged) -> list[Point]:
    """The points of driver and devices. `judged`: the full examination's word on a driver that refuses."""
    points, without_gpu = _driver(driver, files, options, judged)
    if not without_libraries(driver):
        points += [*_gpus(driver, files, options), *_vram(driver, options)]
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

    if of_no_gpu(driver, files, options, judged):
        return points_without_gpu(driver, judged), True

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


def _vram(driver: Driver, options: Options) -> list[Point]:
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


def of_no_gpu(driver: Driver, files: Files, options: Options, judged: Judged) -> bool:
    """Whether these are the answers of such a machine: nothing shows a GPU, and none is asked for."""
    if judged.get("shown") != "" or wanted(files, options):
        return False
    return without_libraries(driver) or _only_the_kernel_lacks_it(driver)


def _only_the_kernel_lacks_it(driver: Driver) -> bool:
    """The libraries are installed, as an image has them, and both say that no driver answers."""
    from tfdoctor.meaning.driver_answers import NVML_NOT_LOADED, SAY_NOTHING_OF_A_GPU

    no_nvml = driver.get("nvml_error") == ABSENT or driver.get("nvml_code") == NVML_NOT_LOADED
    no_cuda = driver.get("cuda_error") == ABSENT or driver.get("cuda_code") in SAY_NOTHING_OF_A_GPU
    return no_nvml and no_cuda


def points_without_gpu(driver: Driver, judged: Judged) -> list[Point]:
    """What is said where `of_no_gpu` holds."""
    bus = [Point("gpus", UNSEEN, judged["bus_error"])] if "bus_error" in judged else []
    return [without_gpu(driver), *bus]


def without_gpu(driver: Driver) -> Point:
    if driver.get("cuda_error") == ABSENT:
        return Point("driver", OK, "no GPU: this machine has no NVIDIA driver")
    return Point("driver", OK, "no GPU: the kernel's side of the driver is not here")


UNREACHABLE, HIDDEN, NVML_UNUSABLE = "driver-library-unreachable", "gpu-hidden", "nvml-unusable"
WORDS = {
    HIDDEN: "an environment variable hides every GPU",
    "gpu-absent": "no NVIDIA GPU is found, and one is required",
    "container-without-gpu": "no GPU was handed into this container or job",
    "driver-module-not-loaded": "the GPU's kernel module is not loaded",
    "mig-misused": "MIG leaves no GPU visible",
    "wsl-driver-shadowed": "WSL's own libcuda is not the one that is found",
}
"""What is said of codes that can stand without any answer of the driver."""


def judge_refusal(driver: Driver, files: Files, options: Options, judged: Judged) -> list[Point]:
    """The points of a driver for which `refuses` holds."""
    unseen: Judged = {"shown": judged.get("shown", "")}
    if judged.get("ended") == GOT_NO_PROCESSOR and of_no_gpu(driver, files, options, unseen):
        return [Point("driver", STARVED, "no processor was free to see in time whether there is a GPU")]
    found, shown = judged.get("found", []), judged.get("shown", "")
    codes = [code for code, role, _ in found if role == "root"]
    notes = [code for code, role, _ in found if role == "note"]
    sure = "done" in judged and not judged.get("unsure") and driver.get("cuda_count", 0) >= 0
    if not codes and sure and not wanted(files, options):
        if "gpu-absent" in notes:
            return [without_gpu(driver)]
        code = notes[0] if notes else ""
        return [Point("driver", NOTE, _words(driver, code, shown), code)]
    code = codes[0] if codes else code_alone(driver, shown)
    title = next((title for each, _, title in found if each == code), "")
    point = Point("driver", _status(code, files, options), _words(driver, code, shown, title), code)
    if "done" in judged:
        return [point]
    words = f"container, bus and device nodes can't be looked at in time ({judged.get('ended', 'no answer')})"
    return [point, Point("driver", UNSEEN, words)]


def _status(code: str, files: Files, options: Options) -> str:
    """A GPU that was hidden, or one that the last examination did well without, is no fault unless it is asked for."""
    if options.require_gpu or options.gpus:
        return FAULT
    did_without = (
        "state" in files
        and files["state"]["verdict"] in ("healthy", "degraded")
        and not wanted(files, options)
    )
    return NOTE if code == HIDDEN or did_without else FAULT


def code_alone(driver: Driver, shown: str) -> str:
    """What the answers mean without a look at the machine around."""
    if driver.get("hidden") and driver.get("cuda_code") == NO_DEVICE:
        return HIDDEN
    if without_libraries(driver) and not shown:
        return "driver-missing"
    found = []
    if driver.get("nvml_code"):
        found.append(_always(NVML_ANSWERS, driver["nvml_code"]))
    if driver.get("cuda_error"):
        found.append(UNREACHABLE)
    elif number := driver.get("cuda_code") or max(-driver.get("cuda_count", 0), 0):
        found.append(_always(CU_ANSWERS, number))
    telling = [code for code in found if code not in (NVML_UNUSABLE, UNNAMED)]
    return [*telling, *found, NVML_UNUSABLE if driver.get("nvml_error") else UNNAMED][0]


def _always(table: tuple[Row, ...], number: int) -> str:
    return next(
        code for numbers, when, code, _ in table if when == ALWAYS and (not numbers or number in numbers)
    )


def _words(driver: Driver, code: str, shown: str, title: str = "") -> str:
    """What the driver said, and what it means. `shown`: what shows a GPU here."""
    if driver.get("nvml_code") == NVML_VERSIONS_DIFFER and code == "driver-versions-differ":
        return "the driver was replaced: reload it or reboot (NVML 18)"
    if driver.get("hidden") and code == HIDDEN:
        return "CUDA_VISIBLE_DEVICES hides every GPU"
    if driver.get("cuda_error") == ABSENT and code in (UNREACHABLE, "driver-missing"):
        return (
            f"no libcuda.so.1, though {shown} is there"
            if shown
            else "no NVIDIA driver is found, and a GPU is required"
        )
    for answered, number, table in _answers(driver):
        if code == _always(table, number):
            return answered
        why = next((why for numbers, _, each, why in table if each == code and number in numbers), "")
        if why:
            return f"{answered}: {why}"
    if code in WORDS:
        return WORDS[code]
    said = [answered for answered, _, _ in _answers(driver)]
    return said[0] if said else _library(driver) or title


def _answers(driver: Driver) -> list[tuple[str, int, tuple[Row, ...]]]:
    """The failing calls in words, with the number and the table that explains it."""
    found = []
    if number := driver.get("cuda_code", 0):
        name = driver.get("cuda_name", "").removeprefix("CUDA_ERROR_")
        found.append((f"cuInit fails: {number}" + (f" {name}" if name else ""), number, CU_ANSWERS))
    elif driver.get("cuda_count", 0) < 0:
        found.append((f"cuDeviceGetCount fails: {-driver['cuda_count']}", -driver["cuda_count"], CU_ANSWERS))
    if number := driver.get("nvml_code", 0):
        found.append((f"NVML does not start (error {number})", number, NVML_ANSWERS))
    return found


def _library(driver: Driver) -> str:
    """Which library is missing or can't be loaded; "" where none is."""
    for name, error in (
        ("libcuda.so.1", driver.get("cuda_error", "")),
        ("NVML", driver.get("nvml_error", "")),
    ):
        if error:
            return f"{name} is not found" if error == ABSENT else f"{name} can't be loaded: {error}"
    return ""
