"""The GPU itself: too old, too new, busy, faulty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdoctor.base.records import record, replace
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, value_or
from tfdoctor.facts.values import GpuProcess, NvmlDevice, Xid
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.fix import driver as fixes
from tfdoctor.fix.architecture import Service
from tfdoctor.fix.containers import nvidias_container
from tfdoctor.fix.libraries import on_cpu, release_that_fits
from tfdoctor.fix.machine import machine_from_facts
from tfdoctor.fix.variables import unset
from tfdoctor.judge.driver import answer
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, NotApplicable, check
from tfdoctor.judge.engine.evidence import evidence
from tfdoctor.judge.libraries import loaded_version, main_library
from tfdoctor.judge.questions import visibility as hiding
from tfdoctor.judge.questions.abilities import (
    computed_right,
    memory_refused_on,
    slot,
    tensorflow_computed,
    tensorflow_failed_on,
)
from tfdoctor.judge.questions.architecture import Served, served, served_at_all, unknown
from tfdoctor.judge.questions.build import platform_of
from tfdoctor.judge.questions.driver_codes import answered_as, cuda_refusal, nvml_refusal
from tfdoctor.judge.questions.gpu import driver_starts, listed, need_gpu
from tfdoctor.judge.questions.last_words import last_words
from tfdoctor.judge.questions.stage_output import first_of, tensorflow_said, texts_of
from tfdoctor.judge.questions.visibility import cuda_request, variable
from tfdoctor.judge.smoke import result_of, told, wrong_computations
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words, setting
from tfdoctor.knowledge.memory_needs import MIB, OWN_NEED
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says
from tfdoctor.knowledge.xids import HARDWARE_XIDS, WEAR_XIDS, XID_SOURCE

_DEFAULT_CACHE = 1 << 30
"""Bytes that the driver keeps of what it compiled (CUDA programming guide, CUDA environment variables, 2026-11-20)."""
BAD = (Service.TOO_OLD, Service.TOO_NEW)


def _of(case: Case, service: Service) -> tuple[list[Served], bool]:
    """The GPUs that are served so, and whether another one is served well. Inconclusive where none is and one is unknown."""
    every = served(case)
    hit = [
        each for each in every if isinstance(each.fit, Known) and each.fit.value.service is service
    ]
    doubts = [unknown(each.fit) for each in every if unknown(each.fit)]
    if not hit and doubts:
        raise Inconclusive(doubts[0])
    others = any(
        isinstance(each.fit, Known) and each.fit.value.service not in BAD for each in every
    )
    return hit, others


def _another_gpu(case: Case) -> tuple[Fix, ...]:
    """A GPU of this machine that the build serves and that CUDA_VISIBLE_DEVICES hides. NVML counts in the order of the bus."""
    if cuda_request(case.facts) is None:
        return ()
    mine = {slot(each.pci_bus_id) for each in value_or(case.facts.driver.devices, ())}
    hidden = [
        each
        for each in value_or(case.facts.nvml.devices, ())
        if slot(value_or(each.pci_bus_id, "")) not in mine
    ]
    for each in hidden:
        if isinstance(each.compute_capability, Known) and served_at_all(case, listed(case, each)):
            note = f"It is {each.name}, which this build serves. Lasts for this shell; correct the line that sets CUDA_VISIBLE_DEVICES."
            command = setting(
                {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(each.index)}
            )
            return (Fix("Let this process see the other GPU", (command,), note),)
    return ()


def _shown(case: Case, each: Served, expected: str) -> tuple[Evidence, ...]:
    source = each.fit.source if isinstance(each.fit, Known) else ""
    return (
        evidence(case, each.device.path, expected, source, observed=each.device.shown),
        evidence(case, "tensorflow.build", observed=each.says),
    )


@check("compute-capability-too-low", blocks=Ability.GPU)
def compute_capability_too_low(case: Case) -> Found | None:
    """The GPU's compute capability against the architectures in the build's files: below the lowest. A warning where
    another GPU is served.
    """
    hit, others = _of(case, Service.TOO_OLD)
    if not hit:
        return None
    gpu = hit[0].device
    return Found(
        says("compute-capability-too-low", "beside-others", gpu=gpu.name, capability=gpu.capability)
        if others
        else says("compute-capability-too-low", "alone", gpu=gpu.name, capability=gpu.capability),
        _shown(case, hit[0], "an architecture of the build"),
        (
            *_another_gpu(case),
            *release_that_fits(
                case.facts, case.matrix, f"has code for compute capability {gpu.capability}"
            ),
            on_cpu(),
        ),
        severity=Severity.WARNING if others else None,
    )


@check("gpu-too-new-for-build", blocks=Ability.GPU)
def gpu_too_new_for_build(case: Case) -> Found | None:
    """The GPU's compute capability is above every binary of the build, and the matrix or the stage's words say that its
    PTX does not load there. A warning where another GPU is served.
    """
    hit, others = _of(case, Service.TOO_NEW)
    if not hit:
        return None
    gpu = hit[0].device
    return Found(
        says("gpu-too-new-for-build", "found", gpu=gpu.name, capability=gpu.capability),
        _shown(case, hit[0], "an architecture of the build"),
        (
            *_another_gpu(case),
            *release_that_fits(
                case.facts, case.matrix, f"runs on compute capability {gpu.capability}"
            ),
            *_vendor_container(case),
            on_cpu(),
        ),
        Confidence.CERTAIN if tensorflow_said(case, "gpu-too-new-for-build") else Confidence.LIKELY,
        Severity.WARNING if others else None,
    )


def _vendor_container(case: Case) -> tuple[Fix, ...]:
    if not value_or(platform_of(case.facts), "").startswith("linux"):
        return ()
    return nvidias_container(machine_from_facts(case.facts), case.matrix)


@check("ptx-jit-slow-start", blocks=Ability.NOTHING)
def ptx_jit_slow_start(case: Case) -> Found | None:
    """The build has no binary for the GPU's compute capability and its PTX is compiled there. A wait that comes once is
    worth knowing; it is a warning where it was seen, where it comes at every start since the driver's cache is off or small,
    and where XLA may abort on this GPU and was not tried.
    """
    whole, _ = _of(case, Service.COMPILED)
    partly, _ = _of(case, Service.PARTLY_COMPILED)
    if not whole and not partly:
        return None
    each = (whole or partly)[0]
    xla = _xla_may_abort(case, each)
    forgets = _forgets(case) if whole else []
    again = (
        " at every start, for the driver's cache does not keep them"
        if forgets
        else " once; nothing is broken meanwhile"
    )
    effect = (
        f"This build holds no binary for it. The driver compiles every kernel at its first use, which can take half an hour{again}."
        if whole
        else "Some kernels of this build have no binary for it: each is compiled at its first use, so the first step is slower, once."
    )
    return Found(
        f"{each.device.name} has compute capability {each.device.capability}. {effect}{xla}{_of_cudnn(case, each) if whole else ''}",
        (*_shown(case, each, "a binary for it"), *forgets),
        (
            act("set-variable", "enlarge-kernel-cache") if whole else None,
            act("edit-program", "turn-off-xla-for-new-gpu") if xla else None,
        ),
        severity=None
        if whole and (forgets or _seen_compiling(case) or (xla and not _xla_tested(case)))
        else Severity.INFO,
    )


def _xla_may_abort(case: Case, each: Served) -> str:
    """What the matrix knows of XLA on such a GPU in this release; "" where it knows no defect."""
    for defect in case.matrix.defects(str(value_or(case.facts.tensorflow.version, ""))):
        if defect.kind == "xla-aborts-on-blackwell" and each.device.capability >= ComputeCapability(
            defect.detail["from"]
        ):
            return " Code that XLA generates (jit_compile=True) may abort on this GPU in this version (TensorFlow issue 111958)."
    return ""


def _xla_tested(case: Case) -> bool:
    """XLA was tried on a GPU; where it failed, the finding about that failure speaks of it."""
    smoke = known(case.facts.smoke.tensorflow)
    done = smoke.computations if smoke else ()
    return any(item.name == "xla" and item.device.startswith("GPU") for item in done)


def _of_cudnn(case: Case, each: Served) -> str:
    """What is compiled at first use is TensorFlow's own code; cuDNN brings its own."""
    try:
        loaded = case.need(loaded_version(case, main_library(case)))
        highest = case.need(case.need(case.matrix.cudnn_support(loaded)).highest)
    except (Inconclusive, NotApplicable):
        return ""
    if each.device.capability.major <= highest.major:
        return ""
    return f" But cuDNN {loaded}, which is loaded, was made for GPUs up to {highest}: convolutions can fail on this one."


def _seen_compiling(case: Case) -> bool:
    smoke = known(case.facts.smoke.tensorflow)
    return smoke is not None and bool(first_of(smoke.log, "ptx-jit-slow-start"))


def _forgets(case: Case) -> list[Evidence]:
    """What makes the driver drop compiled kernels: a cache that is off, or smaller than what it has by default."""
    off = variable(case.facts, "CUDA_CACHE_DISABLE") or "0"
    if off != "0":
        return [Evidence("environment.variables", f"CUDA_CACHE_DISABLE={off}", "not set")]
    size = variable(case.facts, "CUDA_CACHE_MAXSIZE") or ""
    if size.isdecimal() and int(size) < _DEFAULT_CACHE:
        return [
            Evidence(
                "environment.variables", f"CUDA_CACHE_MAXSIZE={size}", f"at least {_DEFAULT_CACHE}"
            )
        ]
    return []


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
    return value_or(device.processes, ())


@check("gpu-memory-held", blocks=Ability.NOTHING)
def gpu_memory_held(case: Case) -> Found | None:
    """NVML's free memory of a GPU that this process would use, before anything was started on it: more than half in use, or
    less left than TensorFlow leaves for CUDA. A sliced GPU's sum says nothing.
    """
    held = None
    for device in visible(case):
        if value_or(device.mig_enabled, False):
            continue  # a sliced GPU's sum says nothing about the slice
        share = case.need(_used_share(device))
        least = case.policy.min_free_vram
        free = case.need(device.memory_free)
        if share > MUCH or free < max(OWN_NEED, least):
            held = held or device
    return None if held is None else _held(case, held)


def _held(case: Case, device: NvmlDevice) -> Found:
    free, total = case.need(device.memory_free), case.need(device.memory_total)
    computed = slot_of(device) in tensorflow_computed(case.facts)
    refused = slot_of(device) in memory_refused_on(case.facts)
    failed = refused or slot_of(device) in tensorflow_failed_on(case.facts)
    too_little = (free < OWN_NEED and not computed) or failed
    left = says(
        "gpu-memory-held",
        "found",
        total=total // MIB,
        index=device.index,
        name=device.name,
        free=free // MIB,
        holders=users(device),
    )
    effect = (
        says("gpu-memory-held", "refused")
        if refused
        else says("gpu-memory-held", "failed")
        if failed
        else says("gpu-memory-held", "too-little")
        if too_little
        else says("gpu-memory-held", "computed")
        if computed
        else says("gpu-memory-held", "starts")
    )
    return Found(
        f"{left} {effect}",
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


def _named(device: NvmlDevice) -> str:
    return f"GPU {device.index} ({device.name})"


def users(device: NvmlDevice) -> str:
    processes = _processes(device)
    if not processes:
        return "the driver names no process that holds the rest (it may be outside this container, or of another user)"
    return "held by " + ", ".join(f"process {each.pid} ({each.name})" for each in processes[:5])


def _told(each: GpuProcess) -> str:
    memory = (
        f"{each.memory.value // MIB} MiB" if isinstance(each.memory, Known) else "memory unknown"
    )
    return f"process {each.pid} ({each.name}): {memory}"


def _ways_to_memory(case: Case, device: NvmlDevice, *, too_little: bool) -> tuple[Fix, ...]:
    ways, inside = [], fixes.in_container(case.facts)
    free = {
        each.index: each.memory_free.value
        for each in case.need(case.facts.nvml.devices)
        if isinstance(each.memory_free, Known)
    }
    other = max(free, key=lambda index: free[index], default=device.index)
    if other != device.index and cuda_request(case.facts) is None:
        note = f"GPU {other} has {free[other] // MIB} MiB free. Lasts for this shell."
        ways.append(Fix(f"Use GPU {other}", (setting({"CUDA_VISIBLE_DEVICES": str(other)}),), note))
    if not too_little:
        note = "Lasts for this shell; helps if the model fits into what is free."
        ways.append(replace(act("set-variable", "allow-memory-growth"), note=note))
    processes = _processes(device)
    if processes:
        kills = tuple(f"kill {each.pid}" for each in processes)
        whose = " Run it on the host: the process ID is the host's." if inside else ""
        note = f"Only if it is yours; unsaved work is lost.{whose}"
        ways.append(Fix("End the process that holds the GPU", kills, note))
    else:
        note = "The driver shows processes only to their own user and on the host: ask there, as administrator, or ask who shares this GPU."
        where = " (type it on the host)" if inside else ""
        ways.append(Fix(f"See who holds it{where}", ("sudo nvidia-smi",), note))
    return tuple(ways)


@check("gpu-preallocation-clash", blocks=Ability.NOTHING)
def gpu_preallocation_clash(case: Case) -> Found | None:
    """A Python process holds the share of a GPU that JAX reserves; both frameworks in one environment are only worth
    knowing.
    """
    for device in visible(case):
        reserving = [each for each in _processes(device) if _looks_reserved(each, device)]
        if reserving:
            return _clash(device, reserving[0])
    return _both_installed(case)


def _both_installed(case: Case) -> Found | None:
    """Both in one environment: worth knowing, for a program that uses both."""
    installed = case.need(case.facts.packages.installed)
    jax = [each for each in installed if re.fullmatch(r"jax-cuda\d+-(plugin|pjrt)", each.name)]
    switched_off = variable(case.facts, "XLA_PYTHON_CLIENT_PREALLOCATE") in ("false", "0")
    if not jax or switched_off:
        return None
    return Found(
        says("gpu-preallocation-clash", "both-installed"),
        (
            evidence(
                case,
                "packages.installed",
                observed=f"{jax[0].name} {jax[0].version} beside TensorFlow",
            ),
        ),
        (act("set-variable", "let-jax-allocate-as-needed"),),
        Confidence.POSSIBLE,
        Severity.INFO,
    )


def _looks_reserved(process: GpuProcess, device: NvmlDevice) -> bool:
    """A Python process that holds the share that JAX reserves, whatever it computes."""
    if not isinstance(process.memory, Known) or not isinstance(device.memory_total, Known):
        return False
    share = process.memory.value / max(device.memory_total.value, 1)
    return JAX_SHARE[0] <= share <= JAX_SHARE[1] and "python" in process.name.lower()


def _clash(device: NvmlDevice, process: GpuProcess) -> Found:
    limit = "XLA_PYTHON_CLIENT_PREALLOCATE"
    return Found(
        says(
            "gpu-preallocation-clash",
            "held",
            pid=process.pid,
            name=process.name,
            index=device.index,
        ),
        (Evidence("nvml.devices", _told(process), "a process that takes only what it needs"),),
        (
            act("set-variable", "restart-jax-without-preallocation", limit=limit),
            act("set-variable", "allow-memory-growth"),
        ),
        Confidence.LIKELY,
    )


MPS_SERVER = "nvidia-cuda-mps-server"


@check("gpu-busy-exclusive", blocks=Ability.DRIVER)
def gpu_busy_exclusive(case: Case) -> Found | None:
    """The driver's answer that means it, or a compute mode that lets in one process while NVML names another one there.
    The server of MPS is no other one.
    """
    refusal = answered_as(case, "gpu-busy-exclusive")
    measured = refusal is not None
    said = (answer(refusal),) if refusal else ()
    for device in (
        visible(case) if not measured or isinstance(case.facts.nvml.devices, Known) else ()
    ):
        mode = device.compute_mode if measured else case.need_outcome(device.compute_mode)
        if isinstance(mode, Known) and _forbids(case, device, mode.value, measured=measured):
            seen = f"GPU {device.index}: compute mode {mode.value}, {users(device)}"
            return _exclusive(
                case, (*said, Evidence("nvml.devices", seen, "default")), measured=measured
            )
    if not measured:
        return None
    return _exclusive(
        case, (*said, evidence(case, "nvml.devices", observed="mode unknown")), measured=True
    )


def _forbids(case: Case, device: NvmlDevice, mode: str, *, measured: bool) -> bool:
    """Exclusive mode lets one process in: it is a fault only where another one is in already."""
    if mode == "prohibited" or (measured and mode != "default"):
        return True
    if not mode.startswith("exclusive"):
        return False
    if isinstance(device.processes, Absent):
        return False
    return any(MPS_SERVER not in each.name for each in case.need(device.processes))


def _exclusive(case: Case, proof: tuple[Evidence, ...], *, measured: bool) -> Found:
    return Found(
        says("gpu-busy-exclusive", "found"),
        proof,
        (
            act("look", "gpu-processes"),
            Fix(
                "Allow several processes on the GPU",
                (fixes.sudo(case.facts, "nvidia-smi -c 0"),),
                "It sets the compute mode of every GPU to default, until the next boot. On a cluster the mode is often set on purpose.",
            ),
        ),
        Confidence.CERTAIN if measured else Confidence.LIKELY,
    )


@check("gpu-hardware-fault", blocks=Ability.NOTHING)
def gpu_hardware_fault(case: Case) -> Found | None:
    """What NVML counts (lost, uncorrected errors, no spare rows), Xids of the hardware in the kernel log, and answers of
    the driver that mean it. A warning where each GPU concerned computed right, or only worn memory waits for a reset.
    """
    refused = list(_refusals(case))
    faults = [*_lost_or_uncorrected(case), *_xids(case, HARDWARE_XIDS)]
    grave = [*refused, *(proof for _, proof in faults)]
    wear = [*_worn(case), *(proof for _, proof in _xids(case, WEAR_XIDS))]
    if not grave and not wear:
        _undecided_where_unread(case)
        return None
    computed = computed_right(case.facts)
    # TensorFlow 2.21 needs NVML, too.
    works = not refused and all(gpu in computed for gpu, _ in faults)
    return Found(
        says("gpu-hardware-fault", "worn")
        if not grave
        else says("gpu-hardware-fault", "computed")
        if works
        else says("gpu-hardware-fault", "grave"),
        (*grave, *wear),
        _ways(case),
        severity=Severity.ERROR if grave and not works else Severity.WARNING,
    )


def _refusals(case: Case) -> Iterator[Evidence]:
    for ask in (cuda_refusal, nvml_refusal):
        try:
            refusal = ask(case)
        except (Inconclusive, NotApplicable):
            continue  # other codes speak of a driver that does not answer
        if refusal is not None and refusal.code == "gpu-hardware-fault":
            yield answer(refusal)


def _devices(case: Case) -> tuple[NvmlDevice, ...]:
    return value_or(case.facts.nvml.devices, ())


def _lost_or_uncorrected(case: Case) -> Iterator[tuple[str, Evidence]]:
    """Each with the bus address of its GPU, for what one GPU was seen to do excuses no other."""
    for device in _devices(case):
        gpu, name = slot_of(device), _named(device)
        if device.lost:
            yield gpu, Evidence("nvml.devices", f"{name} is lost", "a GPU that answers")
        count = value_or(device.ecc_uncorrected_volatile, 0)
        if count > 0:
            yield (
                gpu,
                Evidence(
                    "nvml.devices",
                    f"{name}: {count} uncorrectable memory errors since the last reset",
                    "0",
                ),
            )
        if known(device.remapped_rows) == "failure":
            yield (
                gpu,
                Evidence(
                    "nvml.devices",
                    f"{name}: no spare memory is left to replace worn rows",
                    "no failure",
                ),
            )


def _worn(case: Case) -> Iterator[Evidence]:
    for device in _devices(case):
        if (
            value_or(device.retired_pages_pending, False)
            or known(device.remapped_rows) == "pending"
        ):
            seen = f"{_named(device)}: worn memory waits for a reset to be replaced"
            yield Evidence("nvml.devices", seen, "nothing pending")


def _xids(case: Case, table: dict[int, str]) -> Iterator[tuple[str, Evidence]]:
    told: set[tuple[int, str]] = set()
    for xid in value_or(case.facts.kernel_log.xids, ()):
        if xid.number in table and (xid.number, xid.pci_bus_id) not in told:
            told.add((xid.number, xid.pci_bus_id))
            yield slot(xid.pci_bus_id), _xid(xid, table[xid.number])


def _xid(xid: Xid, meaning: str) -> Evidence:
    after = known(xid.seconds_since_boot)
    when = "" if after is None else f", {after:.0f} s after the start of the machine"
    seen = f"Xid {xid.number} ({meaning}) on {xid.pci_bus_id}{when}"
    return Evidence("kernel_log.xids", seen, "none", XID_SOURCE)


def _undecided_where_unread(case: Case) -> None:
    """NVML's counters decide. The kernel log adds to them, and is closed to most users, which leaves nothing open."""
    for device in case.need(case.facts.nvml.devices):
        case.need_outcome(device.ecc_uncorrected_volatile)
        case.need_outcome(device.retired_pages_pending)
        case.need_outcome(device.remapped_rows)


def _ways(case: Case) -> tuple[Fix, ...]:
    facts = case.facts
    where = " (on the host)" if fixes.in_container(facts) else ""
    return (
        Fix(
            "Look at the counters and the log" + where,
            (
                "nvidia-smi -q -d ECC,PAGE_RETIREMENT,ROW_REMAPPER,TEMPERATURE,POWER",
                fixes.sudo(facts, "dmesg | grep -E 'NVRM|Xid' | tail -n 20"),
            ),
            "They change nothing.",
        ),
        Fix(
            "Move the work away and reset the GPU" + where,
            (fixes.sudo(facts, "nvidia-smi --gpu-reset"),),
            "The GPUs must be unused. A reset clears the counters since the last reset and puts spare memory in place.",
        ),
        fixes.reboot(
            facts,
            "A GPU that has fallen off the bus comes back only so, often only after the power was off.",
        ),
        act("words", "check-cooling-power-and-seating"),
    )


SLOWED = {
    "hw-slowdown": "the hardware halves the clocks (heat or power)",
    "hw-thermal-slowdown": "too hot: the hardware slows the clocks",
    "hw-power-brake": "the power supply asks for less",
    "sw-thermal-slowdown": "too hot: the driver slows the clocks",
}
"""Clock event reasons that take speed away by a fault of cooling or power (nvml.h, nvmlClocksEventReasons). The
power cap (sw-power-cap) is how every busy GPU runs, and no fault."""


@check("gpu-throttled", blocks=Ability.NOTHING)
def gpu_throttled(case: Case) -> Found | None:
    """NVML's clock event reasons that tell of heat or of the supply; the power cap is how every busy GPU runs."""
    proof: list[Evidence] = []
    for device in visible(case):
        heat = f" at {device.temperature.value} °C" if isinstance(device.temperature, Known) else ""
        for reason in value_or(device.clock_event_reasons, ()):
            if reason in SLOWED:
                seen = f"{_named(device)}: {SLOWED[reason]}{heat}"
                proof.append(Evidence("nvml.devices", seen, "full clocks"))
    if not proof:
        for device in visible(case):
            case.need_outcome(device.clock_event_reasons)
        return None
    return Found(says("gpu-throttled", "found"), tuple(proof), (act("look", "heat-under-load"),))


_SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
"""GT/s of one lane by PCIe generation (PCI-SIG, PCI Express base specification 6.0, January 2022)."""
_ENOUGH = 0.5
"""Of what the link can carry: many boards give a second slot half of the lanes."""


@check("gpu-link-degraded", blocks=Ability.NOTHING)
def gpu_link_degraded(case: Case) -> Found | None:
    """PCIe lanes in use against those that GPU and slot have; their speed only as the GPU test saw it: an idle GPU lowers it."""
    proof: list[Evidence] = []
    titles: list[str] = []
    for device in visible(case):
        lanes, speed = _lanes(device), _speed(case, device)
        if lanes.share * speed.share >= _ENOUGH:
            continue
        slow = [each for each in (lanes, speed) if each.share < 1]
        proof += [Evidence(each.fact, f"{_named(device)}: {each.seen}", each.most) for each in slow]
        seen = " and ".join(each.seen for each in slow)
        titles.append(says("gpu-link-degraded", "title", index=device.index, seen=seen))
    if not proof:
        for device in visible(case):
            case.need_outcome(device.link_width)
            case.need_outcome(device.link_width_max)
        return None
    return Found(
        says("gpu-link-degraded", "found"),
        tuple(proof),
        (act("look", "pcie-link"), act("words", "reseat-gpu")),
        Confidence.CERTAIN
        if all(each.fact == "nvml.devices" for each in proof)
        else Confidence.LIKELY,
        title=titles[0],
    )


@record
class _PartOfLink:
    """How much of what it can be is in use, in numbers and in words; `fact` shows it."""

    fact: str
    share: float = 1.0
    seen: str = ""
    most: str = ""


def _lanes(device: NvmlDevice) -> _PartOfLink:
    now, most = value_or(device.link_width, 0), value_or(device.link_width_max, 0)
    if not 0 < now < most:
        return _PartOfLink("nvml.devices")
    return _PartOfLink("nvml.devices", now / most, f"{now} of {most} lanes", f"{most} lanes")


def _speed(case: Case, device: NvmlDevice) -> _PartOfLink:
    """While the GPU test ran; the whole where it did not run."""
    smoke, offered = case.facts.smoke.driver, case.facts.driver.devices
    whole = _PartOfLink("smoke.driver")
    if not isinstance(smoke, Known) or not isinstance(offered, Known):
        return whole
    places = [each.index for each in offered.value if each.uuid == device.uuid]
    for tested in (each for each in smoke.value.devices if each.index in places):
        now, most = value_or(tested.link_generation, 0), value_or(tested.link_generation_max, 0)
        if 0 < now < most and {now, most} <= _SPEEDS.keys():
            return _PartOfLink(
                "smoke.driver",
                _SPEEDS[now] / _SPEEDS[most],
                f"generation {now} of {most}",
                f"generation {most}",
            )
    return whole


@check("mig-misused", blocks=Ability.DRIVER)
def mig_misused(case: Case) -> Found | None:
    """CUDA_VISIBLE_DEVICES names a slice that does not exist, or more than one; or MIG is on and NVML shows no slice."""
    facts = case.facts
    need_gpu(case)
    request = hiding.cuda_request(facts)
    asks_mig = request is not None and request.mig
    listed = facts.nvml.devices
    if not asks_mig and not isinstance(listed, Known):
        if driver_starts(facts):
            raise NotApplicable("the driver offers a GPU or a slice of one")
        case.need(listed)
    if hiding.no_slices(facts) and not driver_starts(facts):
        return _mig_without_slice(case)
    if request is None or not asks_mig:
        return None
    if request.why and not request.usable:
        return None if driver_starts(facts) else _stale_slice(case, request)
    return _several(case, request) if len(request.usable) > 1 else None


def _mig_without_slice(case: Case) -> Found:
    facts = case.facts
    return Found(
        says("mig-misused", "no-slice"),
        (
            evidence(
                case,
                "nvml.devices",
                "at least one MIG slice",
                observed="MIG is on, no slice exists",
            ),
        ),
        (
            Fix(
                "Create one slice of the whole GPU",
                (fixes.sudo(facts, "nvidia-smi mig -cgi 0 -C"),),
                "`nvidia-smi -L` then lists its MIG UUID.",
            ),
            Fix(
                "Turn off MIG",
                (fixes.sudo(facts, "nvidia-smi -mig 0"),),
                "The GPU must be unused. This affects every user of the machine.",
            ),
        ),
        title=says("mig-misused", "no-slice-title"),
    )


def _stale_slice(case: Case, request: hiding.Request) -> Found:
    slices = hiding.mig_slices(case.facts) or ()
    fix = (unset(hiding.CUDA_VARIABLE, slices[0]),) if slices else ()
    return Found(
        says("mig-misused", "stale", slice=request.bad),
        (
            Evidence(
                "environment.variables",
                f"CUDA_VISIBLE_DEVICES={request.text}",
                "a slice that nvidia-smi -L lists",
            ),
            evidence(case, "nvml.devices", observed=f"slices: {', '.join(slices) or 'none'}"),
        ),
        (*fix, unset(hiding.CUDA_VARIABLE)),
    )


def _several(case: Case, request: hiding.Request) -> Found:
    return Found(
        says("mig-misused", "several"),
        (
            Evidence(
                "environment.variables",
                f"CUDA_VISIBLE_DEVICES={request.text}",
                "one MIG slice",
                "NVIDIA MIG User Guide",
            ),
        ),
        (unset(hiding.CUDA_VARIABLE, request.usable[0]),),
        severity=Severity.WARNING,
    )


@check("gpu-computes-wrong", blocks=Ability.NOTHING)
def gpu_computes_wrong(case: Case) -> Found | None:
    """The driver stage's kernel, or a computation of TensorFlow on a GPU, came back with other numbers than the reference."""
    proof: list[Evidence] = []
    unknown: list[Inconclusive] = []
    for stage in (_wrong_kernels, _wrong_computations):
        try:
            proof += stage(case)
        except Inconclusive as reason:
            unknown = unknown or [reason]
        except NotApplicable:
            continue  # did not run
    if not proof and unknown:
        raise unknown.pop()  # a frame that kept its own exception would keep the whole case
    if not proof:
        return None
    return Found(
        _where_wrong(proof),
        tuple(proof),
        (
            Fix("Repeat the test", (Words("tfdoctor check --smoke auto"),)),
            act("look", "test-hardware"),
            fixes.kernel_log(case.facts),
        ),
    )


def _where_wrong(proof: list[Evidence]) -> str:
    """Which stage's numbers were wrong."""
    stages = {each.fact for each in proof}
    if stages == {"smoke.tensorflow"}:
        return says("gpu-computes-wrong", "tensorflow")
    if stages == {"smoke.driver"}:
        return says("gpu-computes-wrong", "driver")
    return says("gpu-computes-wrong", "both")


def _wrong_kernels(case: Case) -> list[Evidence]:
    smoke = result_of(case, case.facts.smoke.driver)
    return [
        Evidence(
            "smoke.driver",
            f"GPU {each.index}: the kernel's numbers are wrong",
            "the reference's numbers",
        )
        for each in smoke.devices
        if each.status == "wrong"
    ]


def _wrong_computations(case: Case) -> list[Evidence]:
    smoke = result_of(case, case.facts.smoke.tensorflow)
    return [told(each) for each in wrong_computations(smoke) if each.device.startswith("GPU")]


@check("rocm-gpu-unsupported", blocks=Ability.GPU)
def rocm_gpu_unsupported(case: Case) -> Found | None:
    """By the words of the TensorFlow stage, for a ROCm build."""
    build = case.need(case.facts.tensorflow.build)
    case.need(build.rocm)
    smoke = result_of(case, case.facts.smoke.tensorflow)
    said = first_of(texts_of(smoke), "rocm-gpu-unsupported")
    if not said:
        return None
    note = (
        "Only where the GPU is a near relative of a supported one: gfx1031 and gfx1032 run code for gfx1030. It holds in this "
        "shell."
    )
    return Found(
        says("rocm-gpu-unsupported", "found"),
        (Evidence("smoke.tensorflow", said[:300], "a code object for this GPU"),),
        (
            act("look", "amd-architecture"),
            Fix(
                "Override the GPU's architecture",
                (setting({"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}),),
                note,
            ),
        ),
    )
