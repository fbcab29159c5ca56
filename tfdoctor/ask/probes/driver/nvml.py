"""What NVML says: the library behind nvidia-smi. It is asked in children alone, value by value.

A child that hangs or dies at one GPU is followed by another that goes on behind it, so that one sick GPU hides
neither its own other values nor the other GPUs.
"""

from __future__ import annotations

import os
import time
from importlib.machinery import PathFinder
from typing import Any, TypeAlias, get_type_hints

from tfdoctor.ask.probes.driver.libcuda import libcuda_child, library_from, places_to_ask
from tfdoctor.ask.probes.messages import ChildRun, Messages, ask_in_turn, silence_or
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.workers import in_own_interpreter
from tfdoctor.base.child import ChildResult, run_child
from tfdoctor.base.records import names, replace
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts, Nvml
from tfdoctor.facts.outcome import (
    NOT_ASKED,
    Absent,
    AnyFact,
    Fact,
    Failed,
    Known,
    map_known,
    part_of,
    value_or,
)
from tfdoctor.facts.values import Library, NvmlDevice
from tfdoctor.facts.versions import CudaRelease, DriverRelease, read_release
from tfdoctor.knowledge.driver_errors import (
    NVML_GPU_IS_LOST,
    NVML_NOT_LOADED,
    NVML_RESET_REQUIRED,
    SUCCESS,
)

SONAME = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
Release: TypeAlias = Fact[DriverRelease]
Number: TypeAlias = Fact[int]

_MOST_GPUS = 256
_LONGEST_NAME = 200  # NVML_DEVICE_NAME_V2_BUFFER_SIZE is 96
_SILENT = Failed("NVML was not asked", "missing")


def ask(request: Request, facts: Facts) -> Nvml:
    """The group `nvml`."""
    module = PathFinder.find_spec("pynvml")
    if module is None or module.origin is None:
        return _all(
            Failed(
                "the Python package nvidia-ml-py, by which NVML is asked, is not installed beside tfdoctor",
                "missing",
            )
        )
    missing = libcuda_child(request).without_nvml()
    if missing is not None:
        library = library_from(missing, None, SONAME, request.system)
        if not isinstance(library, Known):
            return _all(library)
    runs = _listen(request, module.origin)
    first = runs[0]
    library = library_from(first.messages, first.silence, SONAME, request.system)
    if not isinstance(library, Known):
        return _all(library)
    return _answers(runs, library)


def _all(outcome: Absent | Failed) -> Nvml:
    return Nvml(**dict.fromkeys(names(Nvml), outcome))


def _listen(request: Request, pynvml: str) -> list[ChildRun]:
    def start(index: int, limit_s: float, messages: Messages) -> ChildResult:
        return run_child(
            in_own_interpreter("ask_nvml", pynvml, str(index), *places_to_ask(request.system)),
            timeout_s=limit_s,
            env=request.system.environ,
            keep_bytes=64 << 10,
            on_stdout=messages.take,
        )

    deadline = time.monotonic() + request.child_limit_s
    return ask_in_turn(start, deadline=deadline, announced="device", total=_count)


def _count(messages: Messages) -> int:
    return int(value_or(_system(messages, "count", _SILENT, Number), 0))


def _answers(runs: list[ChildRun], library: Fact[Library]) -> Nvml:
    messages, silent = runs[0].messages, silence_or(runs[0].silence, _SILENT)
    init = messages.first("init")
    if init is None:
        return replace(_all(silent), library=library)
    code, name = int(init["code"]), str(init["name"])
    if code:
        return refused(library, code, name)
    return Nvml(
        library=library,
        init_code=Known(code, "nvmlInit"),
        init_name=Known(name, "nvmlInit"),
        driver_version=_system(messages, "driver_version", silent, Release),
        cuda_version=_cuda(_system(messages, "cuda_version", silent, Number)),
        devices=_devices(runs, silent),
    )


def refused(library: Fact[Library], code: int, name: str) -> Nvml:
    """The group where nvmlInit's answer is no."""
    words = f"nvmlInit answered {code} ({name})"
    none = Absent(words) if code == NVML_NOT_LOADED else Failed(words, "call-failed")
    group = Nvml(
        library=library, init_code=Known(code, "nvmlInit"), init_name=Known(name, "nvmlInit")
    )
    return replace(group, driver_version=none, cuda_version=none, devices=none)


def started(library: Fact[Library], release: str, devices: tuple[NvmlDevice, ...]) -> Nvml:
    """The group where NVML starts, from what somebody else asked it. `release` "": it did not tell."""
    return Nvml(
        library=library,
        init_code=Known(SUCCESS, "nvmlInit"),
        driver_version=read_release(DriverRelease, release, "NVML") if release else NOT_ASKED,
        devices=Known(devices, "nvmlDeviceGet…") if devices else Absent("NVML knows no GPU"),
    )


def _system(messages: Messages, name: str, silent: Failed, hint: Any) -> AnyFact:
    said = [item["outcome"] for item in messages.said("system") if item["name"] == name]
    answer: AnyFact = from_json(said[0], hint) if said else silent
    return answer


def _cuda(number: Fact[int]) -> Fact[CudaRelease]:
    return map_known(number, CudaRelease.from_integer)


def _devices(runs: list[ChildRun], silent: Failed) -> Fact[tuple[NvmlDevice, ...]]:
    count: Fact[int] = _system(runs[0].messages, "count", silent, Number)
    if not isinstance(count, Known):
        return count
    if count.value > _MOST_GPUS:
        return Failed(
            f"nvmlDeviceGetCount answered {count.value}, and no machine has so many", "unreadable"
        )
    if count.value == 0:
        return Absent("NVML knows no GPU")
    return Known(tuple(_device(index, runs) for index in range(count.value)), "nvmlDeviceGet…")


def _device(index: int, runs: list[ChildRun]) -> NvmlDevice:
    """One GPU from the child that asked it. What was not said failed for the reason for which that child stopped."""
    of_it = next((run for run in runs if run.asked_about(index, "device")), runs[-1])
    said = {
        item["name"]: item["outcome"]
        for item in of_it.messages.said("value")
        if item["device"] == index
    }
    lost = any(
        outcome.get("code") in (NVML_GPU_IS_LOST, NVML_RESET_REQUIRED) for outcome in said.values()
    )
    missing = _unsaid(said, of_it, lost=lost)
    hints = get_type_hints(NvmlDevice)
    facts: dict[str, Any] = {
        name: from_json(said.get(name, missing), hints[name])
        for name in hints
        if name not in ("index", "name", "uuid", "lost")
    }
    for name in ("memory_free", "memory_used"):
        facts[name] = part_of(facts["memory_total"], facts[name], f"{name} of memory_total")
    texts = (str(said.get(item, {}).get("value", "unknown")) for item in ("name", "uuid"))
    name, uuid = (text[:_LONGEST_NAME] for text in texts)
    return NvmlDevice(index=index, name=name, uuid=uuid, lost=lost, **facts)


def _unsaid(said: dict[str, Any], run: ChildRun, *, lost: bool) -> Any:
    """What stands for a value that was not said, in its JSON form: the GPU refused, is lost, or the child stopped."""
    handle = said.get("handle", {})
    if handle.get("error"):
        return handle
    if lost:
        return to_json(Failed("the GPU is lost", "lost"))
    return to_json(silence_or(run.silence, Failed("not asked", "missing")))
