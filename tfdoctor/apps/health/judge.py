"""What the answers of driver and files mean, with the last examination's verdict where it describes them.

Whether a driver that refuses is a fault is the examination's word (`tfdoctor check --smoke none`): the health check only
looks whether that is still the same machine, and adds what a moment shows (a lost GPU, memory).
"""

from __future__ import annotations

from tfdoctor.apps.health import state as clock
from tfdoctor.apps.health.answer import (
    BUSY,
    FAIL,
    NO_VERDICT,
    NOTE,
    OK,
    UNKNOWN,
    WARNING,
    CheckResult,
)
from tfdoctor.apps.health.options import DEFAULT_MAX_AGE_S
from tfdoctor.base.forked import NO_CPU
from tfdoctor.knowledge.memory_needs import MIB, OWN_NEED, SHM_FULL
from tfdoctor.knowledge.xids import HARDWARE_XIDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.apps.health.options import Options
    from tfdoctor.apps.health.readings import Driver, Files, Gpu
    from tfdoctor.apps.health.state import State

ABSENT = "absent"
NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE, cuda.h of CUDA 12.9
UNRESPONSIVE, HARDWARE, HIDDEN = "driver-unresponsive", "gpu-hardware-fault", "gpu-hidden"
NODE_FAMILIES = ("driver", "devices")
HELD = "gpu-memory-held"  # somebody's work makes no node sick
BROKEN = "broken"
SHM = "/dev/shm"  # noqa: S108  # a name in a sentence, no file is made
SECOND_LOOK_S = 60.0
NEAR_THE_END = 0.05
"""The share of a limit that is left when it is near: TensorFlow's next allocation may be the kernel's last word."""
WORDS = {
    HIDDEN: "CUDA_VISIBLE_DEVICES hides every GPU",
    "gpu-absent": "no NVIDIA GPU is found, and one is required",
    "driver-missing": "no NVIDIA driver is found",
    "driver-library-unreachable": "libcuda.so.1 is not where the loader looks",
    "container-without-gpu": "no GPU was passed to this container or job",
    "driver-module-not-loaded": "the GPU's kernel module is not loaded",
    "mig-misused": "MIG leaves no GPU visible",
    "wsl-driver-shadowed": "WSL's own libcuda is not the one that is found",
}
"""What is said of codes that can stand without any answer of the driver."""


def outdated(driver: Driver, files: Files, options: Options) -> str:
    """Why the last examination does not count here and now; "" where it does."""
    if "state" not in files:
        return files.get("state_error", "") or _unread(files)
    state, age = files["state"], files["state_age"]
    if age < 0:
        return "the clock is behind the last examination"
    if age > (options.max_age if options.max_age >= 0 else DEFAULT_MAX_AGE_S):
        return f"examined {clock.in_words(age)} ago, which is too old"
    if "changed" not in files:
        return "TensorFlow's files can't be looked at in time"
    if files["changed"]:
        return files["changed"][0]
    if "settings" in files and files["settings"] != _settings_of(state):
        return "other settings hold here"
    if "done" in driver and _differs(driver, files):
        return "the driver does not answer as it did at the last examination"
    return ""


def _settings_of(state: State) -> str:
    return next((path for label, path, _, _ in state.files if label == clock.SETTINGS), "")


def _worth_a_second_look(files: Files, options: Options) -> bool:
    """What fails may have been repaired where no file tells: it is examined again after a minute."""
    bad = failing(files, options) or files["state"].verdict == "unknown"
    return bool(bad) and files["state_age"] > SECOND_LOOK_S


def needs_examination(driver: Driver, files: Files, options: Options) -> bool:
    """Whether a new examination is to be made."""
    return bool(outdated(driver, files, options)) or _worth_a_second_look(files, options)


def _differs(driver: Driver, files: Files) -> bool:
    state = files["state"]
    started = driver.get("nvml_code") == 0
    version = driver.get("version", "")
    return (
        _count(driver) != state.cuda_count
        or state.nvml_started != started
        or bool(version and state.driver_version not in ("", version))
    )


def _count(driver: Driver) -> int:
    """The GPUs that programs see, as an examination counts them; -1: not told."""
    if driver.get("cuda_error") == ABSENT or driver.get("cuda_code") == NO_DEVICE:
        return 0
    return (
        -1
        if driver.get("cuda_error") or driver.get("cuda_code")
        else max(driver.get("cuda_count", -1), -1)
    )


def refuses(driver: Driver) -> bool:
    """It answered, and not every program can use it and its GPUs: a library, a call or every GPU is missing."""
    said_no = driver.get("nvml_error") or driver.get("cuda_error") or driver.get("nvml_code")
    return "done" in driver and bool(
        said_no or driver.get("cuda_code") or driver.get("cuda_count", 1) < 1
    )


def _without_libraries(driver: Driver) -> bool:
    """Nobody is there to be asked."""
    return driver.get("cuda_error") == driver.get("nvml_error") == ABSENT


def _hidden(driver: Driver) -> bool:
    return bool(driver.get("hidden")) and driver.get("cuda_code") == NO_DEVICE


def _before(files: Files) -> State | None:
    """The last examination but the one that was made just now."""
    return files.get("before") or files.get("state")


def wanted(driver: Driver, files: Files, options: Options) -> bool:
    """Whether a GPU has to be there: asked for, or programs saw one before and no variable hides it now."""
    before = _before(files)
    seen = before is not None and before.cuda_count != 0 and bool(before.gpus)
    return bool(options.gpus or options.require_gpu) or (seen and not _hidden(driver))


def failing(files: Files, options: Options) -> list[tuple[str, str]]:
    """Code and family of what the examination found at fault and this check is about, the roots first."""
    if "state" not in files:
        return []
    state = files["state"]
    found = [
        (role != "root", as_code(code) or "unreadable", family)
        for code, family, gpu_only, role in state.failing
        if not (options.node and (family not in NODE_FAMILIES or code == HELD))
        and not (gpu_only and options.require_gpu is False)
    ]
    return [(code, family) for _, code, family in sorted(found, key=lambda each: each[0])]


def judge_devices(driver: Driver, files: Files, options: Options) -> list[CheckResult]:
    """The points of driver and devices."""
    said_of_a_gpu = any(gpu["lost"] or gpu["refused"] for gpu in driver.get("gpus", ()))
    of_driver = _driver(driver, files, options)
    explained = refuses(driver) and of_driver.code in (HARDWARE, "gpu-absent", "")
    points = [] if said_of_a_gpu and explained else [of_driver]
    if not _without_libraries(driver):
        points += [
            *_gpus(driver, files, options),
            *_vram(driver, options),
            _xids(files),
            *_ecc(driver, files),
            *_counters(driver),
        ]
    if options.require_gpu is False:
        for point in points:
            point.status = NOTE if point.status == FAIL else point.status
    return points


def _driver(driver: Driver, files: Files, options: Options) -> CheckResult:
    if "done" not in driver:
        return _no_answer(driver)
    if not refuses(driver):
        release = driver.get("version", "of unknown release")
        return CheckResult("driver", OK, f"driver {release}: cuInit and NVML answer")
    code = next((code for code, family in failing(files, options) if family in NODE_FAMILIES), "")
    if code or wanted(driver, files, options):
        none_there = "gpu-absent" if _count(driver) == 0 else ""
        code = code or (HIDDEN if _hidden(driver) else none_there)
        return CheckResult("driver", FAIL, _words(driver, code), code)
    if _hidden(driver):
        return CheckResult("driver", NOTE, WORDS[HIDDEN], HIDDEN)
    if driver.get("cuda_error") == ABSENT:
        return CheckResult("driver", OK, "no GPU: this machine has no NVIDIA driver")
    if _count(driver) == 0:
        return CheckResult("driver", OK, "no GPU: the kernel's side of the driver is not here")
    return CheckResult("driver", NOTE, _words(driver, ""))


def _no_answer(driver: Driver) -> CheckResult:
    """It hung or crashed, or another health check is at it."""
    busy, ended, at = driver.get("busy", ""), driver.get("ended", ""), driver.get("at", "")
    if busy == "overdue":
        return CheckResult(
            "driver", FAIL, "the driver has not answered another health check", UNRESPONSIVE
        )
    if busy:
        return CheckResult("driver", BUSY, "another health check is running")
    if ended == NO_CPU:
        return CheckResult("driver", BUSY, "no CPU time left to ask the driver")
    if at:
        return CheckResult("driver", FAIL, f"the driver {ended} in {at}", UNRESPONSIVE)
    if ended.startswith("hangs"):
        return CheckResult("driver", NO_VERDICT, "no time left to ask the driver")
    words = f"the driver could not be asked: its child {ended or 'was not started'}"
    return CheckResult("driver", FAIL, words)


def _words(driver: Driver, code: str) -> str:
    """What the driver said, or what its silence means."""
    if (
        driver.get("nvml_code") == 18 and code == "driver-versions-differ"
    ):  # NVML_ERROR_LIB_RM_VERSION_MISMATCH
        return "the driver was replaced: reload it or reboot (NVML 18)"
    if code in WORDS:
        return WORDS[code]
    if number := driver.get("cuda_code", 0):
        name = driver.get("cuda_name", "").removeprefix("CUDA_ERROR_")
        return f"cuInit fails: {number}" + (f" {name}" if name else "")
    if driver.get("cuda_count", 0) < 0:
        return f"cuDeviceGetCount fails: {-driver['cuda_count']}"
    if number := driver.get("nvml_code", 0):
        return f"NVML does not start (error {number})"
    return _library(driver) or "the driver shows no GPU"


def _library(driver: Driver) -> str:
    """Which library is missing or can't be loaded; "" where none is."""
    for name, error in (
        ("libcuda.so.1", driver.get("cuda_error", "")),
        ("NVML", driver.get("nvml_error", "")),
    ):
        if error:
            return f"{name} is not found" if error == ABSENT else f"{name} can't be loaded: {error}"
    return ""


def _gpus(driver: Driver, files: Files, options: Options) -> list[CheckResult]:
    gpus = driver.get("gpus", [])
    points = [
        CheckResult(
            "gpus", FAIL, f"GPU {gpu['index']} is lost: it needs a reset or a reboot", HARDWARE
        )
        if gpu["lost"]
        else CheckResult(
            "gpus", FAIL, f"GPU {gpu['index']} does not answer (NVML {gpu['refused'][0]})", HARDWARE
        )
        for gpu in gpus
        if gpu["lost"] or gpu["refused"]
    ]
    if points or "done" not in driver:
        return points
    return _missing(gpus, files) or _too_few(driver, options) or _all_there(driver, gpus)


def _missing(gpus: list[Gpu], files: Files) -> list[CheckResult]:
    """GPUs that the last examination saw."""
    before = _before(files)
    expected = before.gpus if before else ()
    here = {gpu.get("uuid") for gpu in gpus}
    unnamed = sum("uuid" not in gpu for gpu in gpus)  # it did not say which one it is
    gone = [gpu.name for gpu in expected if gpu.uuid not in here][unnamed:]
    if not gone:
        return []
    code = "container-lost-gpu" if not gpus else HARDWARE
    return [
        CheckResult(
            "gpus", FAIL, f"{len(gone)} of {len(expected)} examined GPUs gone: {gone[0]}", code
        )
    ]


def _too_few(driver: Driver, options: Options) -> list[CheckResult]:
    """Fewer than asked for."""
    least = options.gpus or (1 if options.require_gpu else 0)
    told = driver.get("nvml_count", 0) if options.node else driver.get("cuda_count", 0)
    count = max(told, 0)  # below 0 it was not told
    if driver.get("cuda_code") or count >= least:
        return []
    code = "gpu-absent" if not count else HARDWARE
    return [CheckResult("gpus", FAIL, f"programs see {count} of {least} expected GPUs", code)]


def _all_there(driver: Driver, gpus: list[Gpu]) -> list[CheckResult]:
    count = driver.get("cuda_count", 0)
    if driver.get("cuda_code") or count < 0:
        return []
    words = f"{count} GPU" + ("" if count == 1 else "s")
    return [CheckResult("gpus", OK, words + (f" ({gpus[0].get('name', '')})" if gpus else ""))]


def _vram(driver: Driver, options: Options) -> list[CheckResult]:
    """A demand counts whoever holds the memory; without one only others' hold does, and not on a node."""
    points = []
    for gpu in driver.get("gpus", ()):
        if gpu.get("mig") or not gpu.get("total"):
            continue
        if "free" not in gpu:
            words = f"GPU {gpu['index']}: more memory free than it has, which can't be"
            points.append(CheckResult("vram", UNKNOWN, words))
            continue
        free, left = gpu["free"], gpu["free"] + gpu.get("own", 0)
        told = f"GPU {gpu['index']}: {free // MIB} of {gpu['total'] // MIB} MiB free"
        if free < options.min_free_vram:
            points.append(
                CheckResult("vram", FAIL, f"{told}, {options.min_free_vram // MIB} asked", HELD)
            )
        elif options.node or free >= OWN_NEED:
            points.append(CheckResult("vram", OK, told))
        elif gpu.get("unclear"):
            points.append(CheckResult("vram", UNKNOWN, f"{told}; {gpu['unclear']}"))
        elif left < OWN_NEED:
            points.append(CheckResult("vram", FAIL, f"{told}, others hold the rest", HELD))
        else:
            points.append(
                CheckResult("vram", OK, f"{told}, this user's own programs hold the rest")
            )
    return points


def _xids(files: Files) -> CheckResult:
    """New ones since the last examination; without one, those since the machine's start."""
    if "xids" not in files:
        return CheckResult(
            "xid", UNKNOWN, f"the kernel log can't be read ({files.get('xids_error', 'no answer')})"
        )
    examined_xids = files["state"].xids if "state" in files and files["same_boot"] else None
    new = new_ones(files["xids"], examined_xids or ())
    if new:
        number, bus, _ = new[-1]
        return CheckResult("xid", FAIL, f"Xid {number} on {bus}: {HARDWARE_XIDS[number]}", HARDWARE)
    return CheckResult("xid", OK, "no new Xid of the hardware")


def new_ones(
    now: list[tuple[int, str, float]], seen: tuple[tuple[int, str, float], ...]
) -> list[tuple[int, str, float]]:
    """Those that the examination did not see. Where either of the two logs tells no times, number and bus decide."""
    exact = set(seen)
    loose = {(number, bus) for number, bus, _ in seen}
    timed = all(seconds >= 0 for _, _, seconds in seen)
    return [
        xid
        for xid in now
        if not (xid in exact if timed and xid[2] >= 0 else (xid[0], xid[1]) in loose)
    ]


def _ecc(driver: Driver, files: Files) -> list[CheckResult]:
    """Uncorrectable errors since the last reset, less those that the examination judged."""
    known = {gpu.uuid: gpu.ecc for gpu in files["state"].gpus} if "state" in files else {}
    points, counted, silent = [], 0, 0
    for gpu in driver.get("gpus", ()):
        if "ecc" not in gpu:
            silent += gpu["lost"] or bool(gpu["refused"] or gpu.get("unread"))
            continue
        counted += 1
        before = max(known.get(gpu.get("uuid", ""), 0), 0)
        new = gpu["ecc"] - (before if before <= gpu["ecc"] else 0)  # a reset began to count again
        if new:
            words = f"GPU {gpu['index']}: {new} new uncorrectable memory error" + (
                "s" if new > 1 else ""
            )
            points.append(CheckResult("ecc", FAIL, words, HARDWARE))
    if points or not driver.get("gpus"):
        return points
    if silent:
        return [CheckResult("ecc", UNKNOWN, "a GPU does not tell its memory errors")]
    if not counted:
        return [CheckResult("ecc", OK, "these GPUs count no memory errors")]
    return [CheckResult("ecc", OK, "no new uncorrectable memory error")]


def _counters(driver: Driver) -> list[CheckResult]:
    """Counters of worn memory, and those that could not be read: then nobody knows, as in `check`."""
    points = [
        CheckResult(
            "ecc",
            FAIL,
            f"GPU {gpu['index']}: no spare memory is left to replace worn rows",
            HARDWARE,
        )
        for gpu in driver.get("gpus", ())
        if gpu.get("worn")
    ]
    unread = [
        CheckResult(
            "ecc",
            NO_VERDICT,
            f"GPU {gpu['index']}: a hardware counter can't be read (NVML {gpu['unread'][0]})",
        )
        for gpu in driver.get("gpus", ())
        if gpu.get("unread") and not gpu["lost"]
    ]
    return points or unread


def judge_rest(driver: Driver, files: Files, options: Options) -> list[CheckResult]:
    """The points that are not the device's; of a node the examination alone, for its driver and devices."""
    examination = _examination(driver, files, options)
    if options.node:
        return [examination]
    return [*_memory(files, options), *_shm(files), *_tensorflow(files), examination]


def _memory(files: Files, options: Options) -> list[CheckResult]:
    points, left = [], []
    if "memory" in files:
        limit, used = files["memory"]
        left.append(limit - used)
        told = f"memory limit: {used // MIB} of {limit // MIB} MiB used"
        full = limit - used < limit * NEAR_THE_END
        points.append(
            CheckResult(
                "memory", FAIL if full else OK, told, "container-oom-killed" if full else ""
            )
        )
    elif "no_memory_limit" in files:
        points.append(CheckResult("memory", OK, "no memory limit"))
    else:
        points.append(
            CheckResult(
                "memory",
                UNKNOWN,
                f"the memory limit can't be read ({files.get('memory_error', 'no answer')})",
            )
        )
    if "available" in files:
        left.append(files["available"])
    if options.min_free_ram and not left and files.get("ended") != NO_CPU:
        points.append(
            CheckResult("memory", FAIL, "free memory can't be read, and some is asked for")
        )
    elif left and min(left) < options.min_free_ram:
        words = f"{min(left) // MIB} MiB of memory free, {options.min_free_ram // MIB} asked"
        points.append(CheckResult("memory", FAIL, words, "memory-limit-too-small"))
    return points


def _shm(files: Files) -> list[CheckResult]:
    if "shm" not in files:
        if "shm_error" not in files:
            return []
        return [CheckResult("shm", UNKNOWN, f"{SHM} can't be read ({files['shm_error']})")]
    size, free = files["shm"]
    told = f"{SHM}: {free // MIB} of {size // MIB} MiB free"
    full = size > 0 and free < SHM_FULL
    return [
        CheckResult("shm", FAIL if full else OK, told, "shared-memory-too-small" if full else "")
    ]


def _tensorflow(files: Files) -> list[CheckResult]:
    """As the last examination saw it."""
    if "state" not in files or files.get("changed", ["?"]):
        return []
    return [CheckResult("tensorflow", OK, "TensorFlow and its libraries are as examined")]


def _examination(driver: Driver, files: Files, options: Options) -> CheckResult:
    made = files.get("examined", {})
    if refused := files.get("refused") or made.get("refused"):
        return CheckResult("healthcheck", FAIL, refused)
    why = "" if "state" in made else outdated(driver, files, options)
    if why and NO_CPU in (made.get("ended"), files.get("ended")):
        return CheckResult("examination", BUSY, f"the examination {NO_CPU}{_last(files)}")
    if why and "examined" in files:
        ended = made.get("ended", "")
        words = "did not finish" if not ended or ended.startswith("hangs") else ended
        return CheckResult("examination", NO_VERDICT, f"the examination {words}")
    if why:  # the driver was not there to be asked
        return CheckResult("examination", FAIL if options.max_age >= 0 else NOTE, why)
    return _verdict(driver, files, options)


def _last(files: Files) -> str:
    """What the last examination said, and when, where there is one."""
    before = _before(files)
    if before is None or files["state_age"] < 0:
        return ""
    return f"; {clock.in_words(files['state_age'])} ago: {before.verdict}"


def _verdict(driver: Driver, files: Files, options: Options) -> CheckResult:
    """The last examination's, where it counts. What it says of a driver that refuses is the driver's own point."""
    state, made = files["state"], files.get("examined", {})
    when = (
        "examined now" if "state" in made else f"examined {clock.in_words(files['state_age'])} ago"
    )
    if state.plugins:  # none is loaded here, and what it found counts
        when += f", with {' and '.join(state.plugins)}"
    kept = f" (not kept: {made['not_kept']})" if made.get("not_kept") else ""
    spoken = NODE_FAMILIES if refuses(driver) else ()
    found = [code for code, family in failing(files, options) if family not in spoken]
    if found:
        words = f"{when}: {BROKEN}" + (f" ({found[0]})" if found[0] else "")
        return CheckResult("examination", FAIL, words + kept, as_code(found[0]))
    verdict = state.verdict
    if verdict in ("healthy", BROKEN) or options.node:
        return CheckResult("examination", OK, when + kept)
    roots = f" ({state.roots[0]})" if state.roots else ""
    status = NO_VERDICT if verdict == "unknown" else WARNING
    return CheckResult("examination", status, f"{when}: {verdict}{roots}{kept}")


def _unread(files: Files) -> str:
    ended = files.get("ended", "")
    if not ended or ended.startswith("hangs"):
        return "the state file does not answer"
    return f"reading the state {ended}"


def as_code(root: str) -> str:
    """The root, where it is written as a code is: a state is a file, and files hold anything."""
    return root if root.replace("-", "").replace("/", "", 1).isalnum() and root.isascii() else ""
