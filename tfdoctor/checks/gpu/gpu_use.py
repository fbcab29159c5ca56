"""Whether somebody else is on the GPU: its memory, and two frameworks that each take it all."""

from __future__ import annotations

import re

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.abilities import (
    memory_refused_on,
    slot,
    tensorflow_computed,
    tensorflow_failed_on,
)
from tfdoctor.checks.questions.last_words import last_words
from tfdoctor.checks.questions.visibility import cuda_request, variable
from tfdoctor.facts.outcome import Fact, Failed, Known
from tfdoctor.facts.values import GpuProcess, NvmlDevice
from tfdoctor.findings.fix import fix
from tfdoctor.findings.memory_needs import MIB, OWN_NEED
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes

MUCH = 0.5
"""A share of the memory that is worth a warning when others hold it: TensorFlow then starts with less than half."""
JAX_SHARE = (0.72, 0.78)
"""JAX reserves 75 % of a GPU at its first use (JAX documentation, GPU memory allocation, read 2026-11-20)."""


def visible(case: Case) -> tuple[NvmlDevice, ...]:
    """The GPUs that this process would use, as NVML shows them: those that the driver offers, where that is known."""
    listed = case.need(case.facts.nvml.devices)
    offered = case.facts.driver.devices
    if not isinstance(offered, Known):
        return listed
    uuids = {device.uuid for device in offered.value}
    buses = {_bus(device.pci_bus_id) for device in offered.value}
    mine = tuple(each for each in listed if each.uuid in uuids or _bus_of(each) in buses)
    return mine or listed


def _bus_of(device: NvmlDevice) -> str:
    return _bus(device.pci_bus_id.value) if isinstance(device.pci_bus_id, Known) else "?"


def _bus(text: str) -> str:
    """NVML writes the PCI domain with eight digits, the driver API with four."""
    return text.lower().lstrip("0:")


def _used_share(device: NvmlDevice) -> Fact[float]:
    total, free = device.memory_total, device.memory_free
    if not isinstance(total, Known):
        return total
    if not isinstance(free, Known):
        return free
    return (
        Known(1 - free.value / total.value, free.source)
        if total.value
        else Failed("it reports no memory", "unreadable")
    )


def _processes(device: NvmlDevice) -> tuple[GpuProcess, ...]:
    return device.processes.value if isinstance(device.processes, Known) else ()


@check(
    "gpu-memory-held", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed", "smoke-driver-failed")
)
def gpu_memory_held(case: Case) -> Found | None:
    """NVML's free memory of a GPU that this process would use, before anything was started on it: more than half in use, or
    less left than TensorFlow leaves for CUDA. A sliced GPU's sum says nothing.
    """
    held = None
    for device in visible(case):
        if isinstance(device.mig_enabled, Known) and device.mig_enabled.value:
            continue  # a sliced GPU's sum says nothing about the slice
        share = case.need(_used_share(device))
        least = case.policy.min_free_vram
        free = case.need(device.memory_free)
        if share > MUCH or free < max(OWN_NEED, least):
            held = held or device
    return None if held is None else _held(case, held)


def _held(case: Case, device: NvmlDevice) -> Found:
    free, total = case.need(device.memory_free), case.need(device.memory_total)
    holders = users(device)
    computed = slot_of(device) in tensorflow_computed(case.facts)
    refused = slot_of(device) in memory_refused_on(case.facts)
    failed = refused or slot_of(device) in tensorflow_failed_on(case.facts)
    too_little = (free < OWN_NEED and not computed) or failed
    return Found(
        f"Of {total // MIB} MiB of GPU {device.index} ({device.name}) only {free // MIB} MiB are free: {holders}. "
        + (
            "A kernel that needs next to nothing got no memory on this GPU just now, so TensorFlow gets none either."
            if refused
            else "TensorFlow's computation on this GPU failed just now: what is left is too little for it."
            if failed
            else "That is less than TensorFlow leaves for CUDA alone, so it can make no device."
            if too_little
            else "TensorFlow computed on it just now; a larger model can run out of memory."
            if computed
            else "TensorFlow starts and has only the rest, from which CUDA takes some hundred MB for itself."
        ),
        (
            Evidence(
                "nvml.devices",
                f"GPU {device.index}: {free // MIB} of {total // MIB} MiB free",
                f">={OWN_NEED // MIB} MiB",
            ),
            *(Evidence("nvml.devices", _told(each)) for each in _processes(device)),
            *(last_words(case.facts) if failed else ()),
        ),
        _ways_to_memory(case, device, too_little=too_little),
        Confidence.CERTAIN if free < OWN_NEED or not failed else Confidence.LIKELY,
        severity=Severity.ERROR if too_little else None,
    )


def slot_of(device: NvmlDevice) -> str:
    return slot(device.pci_bus_id.value) if isinstance(device.pci_bus_id, Known) else "unknown"


def users(device: NvmlDevice) -> str:
    processes = _processes(device)
    if not processes:
        return "the driver names no process that holds the rest (it may be outside this container, or of another user)"
    return "held by " + ", ".join(f"process {each.pid} ({each.name})" for each in processes[:5])


def _told(each: GpuProcess) -> str:
    memory = f"{each.memory.value // MIB} MiB" if isinstance(each.memory, Known) else "memory unknown"
    return f"process {each.pid} ({each.name}): {memory}"


def _ways_to_memory(case: Case, device: NvmlDevice, *, too_little: bool) -> tuple[Fix, ...]:
    ways = []
    free = {
        each.index: each.memory_free.value
        for each in case.need(case.facts.nvml.devices)
        if isinstance(each.memory_free, Known)
    }
    other = max(free, key=lambda index: free[index], default=device.index)
    if other != device.index and cuda_request(case.facts) is None:
        note = f"GPU {other} has {free[other] // MIB} MiB free. It holds in this shell."
        ways.append(Fix(f"Use GPU {other}", (f"export CUDA_VISIBLE_DEVICES={other}",), note))
    if not too_little:
        note = "It holds in this shell, and helps where the model fits into what is free."
        ways.append(
            Fix("Let TensorFlow take only what it needs", ("export TF_FORCE_GPU_ALLOW_GROWTH=true",), note)
        )
    processes = _processes(device)
    if processes:
        kills = tuple(f"kill {each.pid}" for each in processes)
        ways.append(
            Fix(
                "End what holds it, if it is yours",
                kills,
                f"{_whose(case)}Whatever these processes have not saved is lost.",
            )
        )
    else:
        note = "It changes nothing. The driver names processes to their own user and to the host alone: ask there, with more rights, or whoever shares this GPU."
        ways.append(
            Fix(
                "See who holds it" + (" (type it on the host)" if fixes.in_container(case.facts) else ""),
                ("sudo nvidia-smi",),
                note,
            )
        )
    return tuple(ways)


def _whose(case: Case) -> str:
    if not fixes.in_container(case.facts):
        return "Where it is somebody else's, ask them. "
    return "The numbers are the host's, not this container's: type it on the host, for processes of your own alone. "


@check("gpu-preallocation-clash", prevents=Ability.NOTHING, explains=("gpu-memory-held",))
def gpu_preallocation_clash(case: Case) -> Found | None:
    """A Python process holds the very share of a GPU that JAX reserves; both frameworks in one environment are only worth
    knowing.
    """
    for device in visible(case):
        reserving = [each for each in _processes(device) if _looks_reserved(each, device)]
        if reserving:
            return _clash(case, device, reserving[0])
    return _both_installed(case)


def _both_installed(case: Case) -> Found | None:
    """Both in one environment: worth knowing, for a program that uses both."""
    installed = case.need(case.facts.packages.installed)
    jax = [each for each in installed if re.fullmatch(r"jax-cuda\d+-(plugin|pjrt)", each.name)]
    switched_off = variable(case.facts, "XLA_PYTHON_CLIENT_PREALLOCATE") in ("false", "0")
    if not jax or switched_off:
        return None
    return Found(
        "JAX for CUDA and TensorFlow are in one environment. A program that uses both on one GPU has to keep each from "
        "reserving it all; apart they do no harm.",
        (evidence(case, "packages.installed", observed=f"{jax[0].name} {jax[0].version} beside TensorFlow"),),
        (fix("let-jax-reserve-nothing"),),
        Confidence.POSSIBLE,
        Severity.INFO,
    )


def _looks_reserved(process: GpuProcess, device: NvmlDevice) -> bool:
    """A Python process that holds the very share that JAX reserves, whatever it computes."""
    if not isinstance(process.memory, Known) or not isinstance(device.memory_total, Known):
        return False
    share = process.memory.value / max(device.memory_total.value, 1)
    return JAX_SHARE[0] <= share <= JAX_SHARE[1] and "python" in process.name.lower()


def _clash(case: Case, device: NvmlDevice, process: GpuProcess) -> Found:
    limit = "XLA_PYTHON_CLIENT_PREALLOCATE"
    return Found(
        f"Process {process.pid} ({process.name}) holds three quarters of GPU {device.index}, which is what JAX reserves at its "
        "first use, whether it needs it or not. TensorFlow reserves all of a GPU by default, so one of the two gets too little.",
        (Evidence("nvml.devices", _told(process), "a process that takes only what it needs"),),
        (
            fix("start-jax-program-without-reservation", limit=limit),
            fix("let-tensorflow-take-only-what-needs"),
        ),
        Confidence.LIKELY,
    )
