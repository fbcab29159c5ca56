"""What a log tells of the machine: versions, GPUs, the driver's answers, packages. Each fact names its line.

The first telling counts, except where a later one is nearer to the end: what nvidia-smi shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tfdoctor.ask.logs.machine import clues
from tfdoctor.ask.logs.machine.line_index import LineIndex, LogLine
from tfdoctor.ask.logs.machine.releases_told import interpreter_told, tensorflow_told
from tfdoctor.ask.probes.host import kernel_messages
from tfdoctor.base.records import replace
from tfdoctor.base.version_ranges import normalised
from tfdoctor.facts.model import Driver, Facts, Host, KernelLog, Packages
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import CudaDevice, Distribution, Library, SchedulerJob, Xid
from tfdoctor.facts.versions import ComputeCapability, DriverRelease, LibraryRelease

Where = Callable[[int], str]
Lines = LineIndex[LogLine]


# CUresult in cuda.h of CUDA 12.9 (read 2026-11-20): what cuInit can answer
NUMBERS = {
    "CUDA_ERROR_INVALID_VALUE": 1, "CUDA_ERROR_OUT_OF_MEMORY": 2, "CUDA_ERROR_NOT_INITIALIZED": 3, "CUDA_ERROR_DEINITIALIZED": 4,
    "CUDA_ERROR_STUB_LIBRARY": 34, "CUDA_ERROR_INSUFFICIENT_DRIVER": 35, "CUDA_ERROR_DEVICE_UNAVAILABLE": 46,
    "CUDA_ERROR_NO_DEVICE": 100, "CUDA_ERROR_INVALID_DEVICE": 101, "CUDA_ERROR_DEVICE_NOT_LICENSED": 102,
    "CUDA_ERROR_ECC_UNCORRECTABLE": 214, "CUDA_ERROR_NVLINK_UNCORRECTABLE": 220, "CUDA_ERROR_OPERATING_SYSTEM": 304, "CUDA_ERROR_NOT_FOUND": 500,
    "CUDA_ERROR_SYSTEM_NOT_READY": 802, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": 803,
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": 804, "CUDA_ERROR_UNKNOWN": 999,
}  # fmt: skip


def machine_facts(facts: Facts, lines: Lines, where: Where) -> Facts:
    """`facts` with what these lines add. What was told before stays."""
    told = (tensorflow_told, interpreter_told, _host, _packages, _distributions, _kernel, _smi)
    for read in (_driver, _devices, *told):
        facts = read(facts, lines, where)
    return facts


def _answer(found: re.Match[str]) -> str:
    """CUDA's name for what the driver answered, whichever framework tells it."""
    if found["unknown"]:
        return "CUDA_ERROR_UNKNOWN"
    return "CUDA_ERROR_NO_DEVICE" if found["none"] else found["name"] or found["numba"]


def _driver(facts: Facts, lines: Lines, where: Where) -> Facts:
    driver: Driver = facts.driver
    if isinstance(driver.init_code, Failed) and (told := lines.first(clues.ANSWER)):
        line, found = told
        name = _answer(found)
        number = int(found["number"]) if found["number"] else NUMBERS.get(name)
        if (
            number == 303
        ):  # not cuInit's answer but TensorFlow's word for a libcuda that could not be loaded
            why = f"{where(line.number)}: UNKNOWN ERROR (303): libcuda can't be loaded"
            driver = replace(driver, library=Absent(why))
        elif number is not None:
            source = where(line.number)
            driver = replace(driver, init_code=Known(number, source), init_name=Known(name, source))
    if isinstance(driver.library, Failed) and (told := lines.first(clues.LIBCUDA)):
        line, found = told
        source = where(line.number)
        version = Known(LibraryRelease.parse(found["version"]), source)
        library = Library("libcuda.so.1", Known("libcuda.so.1", source), "", version)
        driver = replace(driver, library=Known(library, source))
    if isinstance(driver.module_version, Failed) and (told := lines.first(clues.MODULE)):
        line, found = told
        release = DriverRelease.parse(found["version"] or found["beside"] or found["proc"])
        driver = replace(driver, module_version=Known(release, where(line.number)))
    if isinstance(driver.version, Failed) and isinstance(driver.module_version, Known):
        driver = replace(driver, version=driver.module_version)
    return replace(facts, driver=driver)


def _devices(facts: Facts, lines: Lines, where: Where) -> Facts:
    if isinstance(facts.driver.devices, Known):
        return facts
    found: dict[int, CudaDevice] = {}
    source, number = "", 0
    for line in lines.holding(clues.OF_DEVICES):
        if match := clues.NUMBERED.compiled.search(line.text):
            number = int(match["index"])
        if match := clues.DEVICE.compiled.search(line.text):
            index = int(match["index"])
            found.setdefault(
                index, _gpu(index, match["name"], match["capability"], match["bus"].lower())
            )
        elif match := clues.STREAM.compiled.search(line.text):
            index = int(match["index"])
            found.setdefault(index, _gpu(index, match["name"], match["capability"]))
        elif (match := clues.FOUND.compiled.search(line.text)) and number not in found:
            name = match["name"] or match["old"]
            capability = match["capability"] or f"{match['major']}.{match['minor']}"
            found[number] = _gpu(number, name, capability)
        else:
            continue
        source = source or where(line.number)
    if not found and (told := lines.first(clues.CAPABILITY)):
        line, match = told
        text = match["capability"]
        capability = text if "." in text else f"{text[:-1]}.{text[-1]}"
        found[0], source = (
            _gpu(0, f"a GPU of compute capability {capability}", capability),
            where(line.number),
        )
    if not found:
        return facts
    devices = tuple(found[index] for index in sorted(found))
    return replace(facts, driver=replace(facts.driver, devices=Known(devices, source)))


def _gpu(index: int, name: str, capability: str, bus: str = "") -> CudaDevice:
    return CudaDevice(index, name, ComputeCapability.parse(capability), 0, "", bus)


def _host(facts: Facts, lines: Lines, where: Where) -> Facts:
    host = _processor(facts.host, lines, where)
    if isinstance(host.wsl, Failed):
        shown = lines.first(clues.SMI)
        differing = shown if shown and shown[1]["smi"] != shown[1]["driver"] else None
        if told := lines.first(clues.WSL) or differing:
            host = replace(host, wsl=Known(2, where(told[0].number)))
    hosts = ((clues.CONTAINER_HOST, "docker"), (clues.POD_HOST, "kubernetes"))
    for form, kind in (*hosts, *clues.CONTAINERS):
        if isinstance(host.container, Failed) and (told := lines.first(form)):
            host = replace(host, container=Known(kind, where(told[0].number)))
    if isinstance(host.scheduler, Failed) and (told := lines.first(clues.SLURM)):
        gpus = Failed("the log does not tell which GPUs were granted", "missing")
        host = replace(host, scheduler=Known(SchedulerJob("slurm", gpus), where(told[0].number)))
    return replace(facts, host=_system(host, lines, where))


def _processor(host: Host, lines: Lines, where: Where) -> Host:
    if isinstance(host.cpu_flags, Failed) and (told := lines.first(clues.FLAGS)):
        host = replace(
            host, cpu_flags=Known(tuple(told[1]["flags"].split()), where(told[0].number))
        )
    if isinstance(host.cpu_model, Failed) and (told := lines.first(clues.MODEL)):
        host = replace(host, cpu_model=Known(told[1]["model"].strip(), where(told[0].number)))
    return host


def _system(host: Host, lines: Lines, where: Where) -> Host:
    if not isinstance(host.os, Failed):
        return host
    windows, macos = lines.first(clues.WINDOWS), lines.first(clues.MACOS)
    boxed = isinstance(host.container, Known)
    if not windows and not macos and not boxed and lines.first(clues.OF_LINUX) is None:
        windows = lines.first(clues.WINDOWS_IN_WORDS)
    if windows and not isinstance(host.wsl, Known):
        return replace(host, os=Known("windows", where(windows[0].number)))
    if macos is None and lines.first(clues.LINUX) is None:
        macos = lines.first(clues.ZSH)
    return replace(host, os=Known("macos", where(macos[0].number))) if macos else host


def _packages(facts: Facts, lines: Lines, where: Where) -> Facts:
    """A `pip list` or `pip freeze` of more than a few lines."""
    asked: Packages = facts.packages
    if isinstance(asked.installed, Known):
        return facts
    found: dict[str, Distribution] = {}
    start, headed = 0, False
    for line in lines.holding(("==", "  ")):
        headed = headed or bool(clues.PIP_HEAD.compiled.match(line.text))
        match = clues.PIP_LINE.compiled.match(line.text.rstrip())
        if match is None or (match["name"] and not headed):
            continue
        name = normalised(match["name"] or match["frozen"])
        found.setdefault(
            name, Distribution(name, match["version"] or match["pinned"], "", "", False)
        )
        start = start or line.number
    if len(found) < 3:
        return facts
    source = where(start)
    facts = replace(facts, packages=replace(asked, installed=Known(tuple(found.values()), source)))
    names = ("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tf-nightly")
    own = next((found[name] for name in names if name in found), None)
    if own and not isinstance(facts.tensorflow.version, Known):
        version, distribution = Known(own.version, source), Known(own.name, source)
        asked_too = replace(facts.tensorflow, version=version, distribution=distribution)
        facts = replace(facts, tensorflow=asked_too)
    return facts


_OF_ONE_SYSTEM = ("tensorflow-intel", "tensorflow-macos", "tensorflow-cpu-aws")
"""What "tensorflow" of the same version only pulls in there, and owns no file itself (METADATA of 2.11 to 2.15)."""
_OWNERS = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm", "tf-nightly", "tf-nightly-gpu", "tf-nightly-cpu")  # fmt: skip


def _distributions(facts: Facts, lines: Lines, where: Where) -> Facts:
    """Several that own TensorFlow's directory, from rows of `pip list` or `pip freeze`, however few are shown."""
    found: dict[str, Distribution] = {}
    source = ""
    for line in lines.holding(("tensorflow", "nightly")):
        match = clues.PIP_LINE.compiled.match(line.text.rstrip())
        name = normalised(match["name"] or match["frozen"]) if match else ""
        if match and name in (*_OWNERS, *_OF_ONE_SYSTEM):
            found.setdefault(
                name, Distribution(name, match["version"] or match["pinned"], "", "", False)
            )
            source = source or where(line.number)
    plain = found.get("tensorflow")
    if plain and any(
        found[name].version == plain.version for name in _OF_ONE_SYSTEM if name in found
    ):
        del found["tensorflow"]
    if len(found) < 2 or isinstance(facts.tensorflow.distributions, Known):
        return facts
    distributions = Known(tuple(found.values()), source)
    return replace(facts, tensorflow=replace(facts.tensorflow, distributions=distributions))


def _kernel(facts: Facts, lines: Lines, where: Where) -> Facts:
    """Messages of the kernel, read as `probes/host/kernel_log.py` reads the ring buffer."""
    asked: KernelLog = facts.kernel_log
    telling = lines.holding(("NVRM", "oom", "ut of memory: Kill"))
    if not telling:
        return facts
    messages = [
        kernel_messages.Message(line.text, Failed("the log tells no time since boot", "missing"))
        for line in telling
    ]
    source = where(telling[0].number)
    xids: list[Xid] = kernel_messages.xids(messages)
    kills, others = kernel_messages.oom_lines(messages), kernel_messages.nvidia_lines(messages)
    if xids and not isinstance(asked.xids, Known):
        asked = replace(asked, xids=Known(tuple(xids), source))
    if kills and not isinstance(asked.oom_kills, Known):
        asked = replace(asked, oom_kills=Known(tuple(kills), source))
    if others and not isinstance(asked.nvidia_messages, Known):
        asked = replace(asked, nvidia_messages=Known(tuple(others), source))
    return replace(facts, kernel_log=asked)


def _smi(facts: Facts, lines: Lines, where: Where) -> Facts:
    if not lines.holding(("NVIDIA-SMI",)):
        return facts
    from tfdoctor.ask.logs.passages.nvidia_smi import nvidia_smi

    nvml = nvidia_smi(((line.number, line.text) for line in lines), where, facts.nvml)
    facts = replace(facts, nvml=nvml)
    if isinstance(nvml.driver_version, Known) and isinstance(facts.driver.version, Failed):
        facts = replace(facts, driver=replace(facts.driver, version=nvml.driver_version))
    return facts
