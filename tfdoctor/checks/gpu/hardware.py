"""What the GPU says about its own health: memory errors, lost GPUs, Xids of the hardware, heat and power."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.gpu.gpu_use import visible
from tfdoctor.checks.questions.abilities import computed_right, slot
from tfdoctor.checks.questions.driver_codes import cuda_refusal, nvml_refusal
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.values import NvmlDevice, Xid
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.findings.xids import HARDWARE_XIDS, WEAR_XIDS, XID_SOURCE
from tfdoctor.fixes import driver as fixes

FOLLOWS = (
    "driver-unresponsive", "uvm-broken", "nvml-unusable", "gpu-computes-wrong", "gpu-throttled",
    "smoke-driver-failed", "smoke-tensorflow-failed", "smoke-timeout",
)  # fmt: skip


@check("gpu-hardware-fault", prevents=Ability.NOTHING, explains=FOLLOWS)
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
    works = not refused and all(gpu in computed for gpu, _ in faults)  # TensorFlow 2.21 needs NVML, too
    return Found(
        "The GPU or its memory reports a fault of the hardware or firmware. "
        + (
            "It computed right just now, but results and running programs are at risk. "
            if works and grave
            else ""
        )
        + ("Results can be wrong and programs can die on it. " if grave and not works else "")
        + ("Worn memory waits to be replaced by spare memory at the next reset. " if not grave else "")
        + "A process that an Xid names is incidental.",
        (*grave, *wear),
        _ways(case),
        severity=Severity.ERROR if grave and not works else Severity.WARNING,
    )


def _refusals(case: Case) -> Iterator[Evidence]:
    for ask in (cuda_refusal, nvml_refusal):
        try:
            refusal = ask(case)
        except (CantTell, NotApplicable):
            continue  # other codes speak of a driver that does not answer
        if refusal is not None and refusal.code == "gpu-hardware-fault":
            yield answer(case, refusal)


def _devices(case: Case) -> tuple[NvmlDevice, ...]:
    listed = case.facts.nvml.devices
    return listed.value if isinstance(listed, Known) else ()


def _lost_or_uncorrected(case: Case) -> Iterator[tuple[str, Evidence]]:
    """Each with the bus address of its GPU, for what one GPU was seen to do excuses no other."""
    for device in _devices(case):
        gpu = slot(device.pci_bus_id.value) if isinstance(device.pci_bus_id, Known) else "unknown"
        name = f"GPU {device.index} ({device.name})"
        if device.lost:
            yield gpu, Evidence("nvml.devices", f"{name} is lost", "a GPU that answers")
        if isinstance(device.ecc_uncorrected_volatile, Known) and device.ecc_uncorrected_volatile.value > 0:
            count = device.ecc_uncorrected_volatile.value
            yield (
                gpu,
                Evidence(
                    "nvml.devices", f"{name}: {count} uncorrectable memory errors since the last reset", "0"
                ),
            )
        if isinstance(device.remapped_rows, Known) and device.remapped_rows.value == "failure":
            yield (
                gpu,
                Evidence(
                    "nvml.devices", f"{name}: no spare memory is left to replace worn rows", "no failure"
                ),
            )


def _worn(case: Case) -> Iterator[Evidence]:
    for device in _devices(case):
        name = f"GPU {device.index} ({device.name})"
        pending_pages = isinstance(device.retired_pages_pending, Known) and device.retired_pages_pending.value
        pending_rows = isinstance(device.remapped_rows, Known) and device.remapped_rows.value == "pending"
        if pending_pages or pending_rows:
            yield Evidence(
                "nvml.devices", f"{name}: worn memory waits for a reset to be replaced", "nothing pending"
            )


def _xids(case: Case, table: dict[int, str]) -> Iterator[tuple[str, Evidence]]:
    logged = case.facts.kernel_log.xids
    told: set[tuple[int, str]] = set()
    for xid in logged.value if isinstance(logged, Known) else ():
        if xid.number in table and (xid.number, xid.pci_bus_id) not in told:
            told.add((xid.number, xid.pci_bus_id))
            yield slot(xid.pci_bus_id), _xid(xid, table[xid.number])


def _xid(xid: Xid, meaning: str) -> Evidence:
    when = (
        f", {xid.seconds_since_boot.value:.0f} s after the start of the machine"
        if isinstance(xid.seconds_since_boot, Known)
        else ""
    )
    return Evidence(
        "kernel_log.xids", f"Xid {xid.number} ({meaning}) on {xid.pci_bus_id}{when}", "none", XID_SOURCE
    )


def _undecided_where_unread(case: Case) -> None:
    """NVML's counters decide. The kernel log adds to them, and is closed to most users, which leaves nothing open."""
    for device in case.need(case.facts.nvml.devices):
        for counter in (device.ecc_uncorrected_volatile, device.retired_pages_pending, device.remapped_rows):
            if isinstance(counter, Failed):
                case.cant_tell(counter)


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
            "It needs GPUs that nobody uses. A reset clears the counters since the last reset and puts spare memory in place.",
        ),
        fixes.reboot(
            facts, "A GPU that has fallen off the bus comes back only so, often only after the power was off."
        ),
        fix("if-comes-again-check-cooling-power"),
    )


SLOWED = {
    "hw-slowdown": "the hardware halves the clocks (heat or power)",
    "hw-thermal-slowdown": "too hot: the hardware slows the clocks",
    "hw-power-brake": "the power supply asks for less",
    "sw-thermal-slowdown": "too hot: the driver slows the clocks",
}
"""Clock event reasons that take speed away by a fault of cooling or power (nvml.h, nvmlClocksEventReasons). The
power cap (sw-power-cap) is how every busy GPU runs, and no fault."""


@check("gpu-throttled", prevents=Ability.NOTHING)
def gpu_throttled(case: Case) -> Found | None:
    """NVML's clock event reasons that tell of heat or of the supply; the power cap is how every busy GPU runs."""
    proof: list[Evidence] = []
    unread: list[Failed] = []
    for device in visible(case):
        reasons = device.clock_event_reasons
        if isinstance(reasons, Failed):
            unread.append(reasons)
        for reason in reasons.value if isinstance(reasons, Known) else ():
            if reason in SLOWED:
                heat = f" at {device.temperature.value} °C" if isinstance(device.temperature, Known) else ""
                proof.append(
                    Evidence(
                        "nvml.devices",
                        f"GPU {device.index} ({device.name}): {SLOWED[reason]}{heat}",
                        "full clocks",
                    )
                )
    if not proof:
        for fact in unread:
            case.cant_tell(fact)
        return None
    return Found(
        "The GPU runs slower than it could, because it is too hot or gets too little power. Results stay right.",
        tuple(proof),
        (fix("watch-heat-and-power-while-works"),),
    )
