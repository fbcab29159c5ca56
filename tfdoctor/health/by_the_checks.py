"""What a driver that refuses means: the full examination's own checks say it, so that there is one judgement.

It runs in a child, on a machine whose driver does not work or shows no GPU, and is imported nowhere else: these
checks, and the probes that look at container, bus and device nodes for them, take 100 ms where all of a
health check takes 36 (Python 3.11, 2026-11-22). The driver is not asked again; its answers are handed over.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfdoctor.asking.request import Request
from tfdoctor.asking.system import System
from tfdoctor.checks.engine.case import Case, Policy
from tfdoctor.checks.engine.judge import explains, judge
from tfdoctor.checks.engine.table import JUDGED_IN
from tfdoctor.children.messages import Messages
from tfdoctor.facts.model import Facts, KernelLog, Nvml
from tfdoctor.facts.outcome import NOT_ASKED, Absent, Known
from tfdoctor.facts.values import NvmlDevice, Xid
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.resolve import resolve
from tfdoctor.health.driver import CUDA, NVML
from tfdoctor.light.records import names
from tfdoctor.matrix.load import load_bundled
from tfdoctor.meaning.driver_answers import UNNAMED
from tfdoctor.probes.driver.driver import from_answers
from tfdoctor.probes.driver.driver_library import library_from
from tfdoctor.probes.driver.nvml import refused, started
from tfdoctor.probes.driver.release import joined
from tfdoctor.probes.host import environment, host

if TYPE_CHECKING:
    from tfdoctor.health.child import Send
    from tfdoctor.health.readings import Driver, Files, Gpu

FAMILIES = ("driver", "devices")
OF_THE_DRIVER = frozenset(
    code for code in JUDGED_IN if CODES[code].family in FAMILIES or code in (UNNAMED, "wsl-driver-shadowed")
)
"""The codes that speak of the driver and of whether GPUs reach this process."""


DECIDING = (
    "gpu-absent", "driver-missing", "driver-library-unreachable", "driver-module-not-loaded", "driver-versions-differ",
    "container-without-gpu", "nvml-unusable",
)  # fmt: skip
"""Codes that need nothing of TensorFlow. Where one of them is undecided, finding nothing proves nothing."""


def judge_refusal(driver: Driver, files: Files, root: str, *, required: bool, send: Send) -> None:
    """Says what the checks find, the first root first."""
    request = Request(System(Path(root or "/"), dict(os.environ)))
    facts = facts_of(driver, files, request)
    case = Case(facts, load_bundled(), Policy(require_gpu=required or None))
    judgement = judge(case, OF_THE_DRIVER)
    for undecided in judgement.undecided:
        if undecided.code in DECIDING:
            send("unsure", undecided.code)
    for each in resolve(judgement.findings, explains(OF_THE_DRIVER)):
        if each.code in OF_THE_DRIVER:
            send("found", (each.code, each.role.value, each.title))


def facts_of(driver: Driver, files: Files, request: Request) -> Facts:
    """What is known of driver and machine as the facts of a full examination. TensorFlow's are not among them."""
    return joined(
        Facts(
            host=host.ask(request, Facts()),
            driver=from_answers(request.system, _libcuda(driver), None),
            nvml=_nvml(driver, request.system),
            kernel_log=_log(files),
            environment=environment.ask(request, Facts()),
        )
    )


def _libcuda(driver: Driver) -> Messages:
    """The answers in the words of the examination's own child."""
    said: list[dict[str, Any]] = _loaded(
        driver.get("cuda_error", ""), driver.get("cuda_place", ""), driver.get("cuda_file", ""), CUDA
    )
    if "cuda_code" in driver:
        said.append({"say": "init", "code": driver["cuda_code"], "name": driver.get("cuda_name", "")})
    if "cuda_count" in driver:
        count = driver["cuda_count"]
        said.append({"say": "count", "code": max(-count, 0), "count": max(count, 0)})
    return _messages(said)


def _loaded(error: str, place: str, file: str, soname: str) -> list[dict[str, Any]]:
    if error == "absent":
        return []
    if error:
        return [{"say": "refused", "place": soname, "error": error}]
    return [{"say": "loaded", "place": place or soname, "path": file}]


def _messages(said: list[dict[str, Any]]) -> Messages:
    messages = Messages()
    messages.answers = said
    return messages


def _nvml(driver: Driver, system: System) -> Nvml:
    said = _loaded(driver.get("nvml_error", ""), "", driver.get("nvml_file", ""), NVML)
    library = library_from(_messages(said), None, NVML, system)
    if not isinstance(library, Known):
        return Nvml(**dict.fromkeys(names(Nvml), library))
    if driver.get("nvml_code"):
        return refused(library, driver["nvml_code"], "")
    gpus = tuple(_device(gpu, driver) for gpu in driver.get("gpus", ()))
    return started(library, driver.get("version", ""), gpus)


def _device(gpu: Gpu, driver: Driver) -> NvmlDevice:
    unasked = dict.fromkeys(names(NvmlDevice), NOT_ASKED)
    known: dict[str, Any] = {
        "index": gpu["index"],
        "name": gpu.get("name", "unknown"),
        "uuid": gpu.get("uuid", "unknown"),
        "lost": gpu["lost"],
    }
    if bus := driver.get("buses", {}).get(gpu["index"]):
        known["pci_bus_id"] = Known(bus, "NVML")
    if "mig" in gpu:
        known["mig_enabled"] = Known(gpu["mig"], "NVML")
        slices = driver.get("slices", {})
        own = slices.get(gpu["index"], [])
        if gpu["index"] in slices or not gpu["mig"]:
            known["mig_instances"] = Known(tuple(own), "NVML") if own else Absent("there is no instance")
    return NvmlDevice(**{**unasked, **known})


def _log(files: Files) -> KernelLog:
    """The Xids that were read already. Other words of the driver are left: programs would have to be run for them."""
    if "xids" not in files:
        return KernelLog()
    xids = tuple(Xid(number, bus, "", Known(when, "the kernel log")) for number, bus, when in files["xids"])
    return KernelLog(
        xids=Known(xids, "the kernel log") if xids else Absent("the kernel log has no Xid of the hardware")
    )
