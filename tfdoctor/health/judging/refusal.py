"""What is said of a driver that refuses, or is not there: the code that the full examination's checks give it.

Where those checks could not be heard in time, the rows of `meaning/driver_answers.py` that need no circumstance decide.
"""

from __future__ import annotations

from tfdoctor.health.asking.forked import STARVED as GOT_NO_PROCESSOR
from tfdoctor.health.judging.devices import ABSENT, wanted, without_libraries
from tfdoctor.health.judging.no_gpu import of_no_gpu, without_gpu
from tfdoctor.health.judging.results import FAULT, NOTE, STARVED, UNSEEN, Point
from tfdoctor.meaning.driver_answers import (
    ALWAYS,
    CU_ANSWERS,
    NO_DEVICE,
    NVML_ANSWERS,
    NVML_VERSIONS_DIFFER,
    UNNAMED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.health.judging.readings import Driver, Files, Judged
    from tfdoctor.health.options import Options
    from tfdoctor.meaning.driver_answers import Row

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
