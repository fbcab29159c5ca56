"""Faults that the Linux kernel and NVIDIA's module tell of in their own log, without an Xid; and what they write at every start."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.report.diagnosis import NOISE_ONLY, UNRECOGNISED


@pytest.mark.parametrize(
    "lines",
    [
        ("[1478401.486621] DMAR: DRHD: handling fault status reg 502", "[1478401.486981] DMAR: [DMA Write] Request device [02:00.0] fault addr cd139000 [fault reason 05] PTE Write access is not set"),
        ("DMAR: [DMA Read NO_PASID] Request device [02:00.0] fault addr 0xcd139000 [fault reason 0x06] PTE Read access is not set",),
        ("AMD-Vi: Event logged [IO_PAGE_FAULT device=0a:00.0 domain=0x000e address=0x00000000fed90000 flags=0x0020]",),
        ("nvidia 0000:0a:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000f address=0xf7800000 flags=0x0030]",),
    ],
)  # fmt: skip
def test_an_iommu_that_blocks_a_device_is_a_cause_for_several_gpus(lines: tuple[str, ...]) -> None:
    found = judged(log(lines))
    assert root(found) == "nccl-failed"
    assert "NCCL_P2P_DISABLE=1" in found.roots[0].finding.fixes[0].commands[0]
    assert ":00.0" in found.roots[0].finding.title


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.",
        "nvidia 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)",
        "pcieport 0000:00:03.1: AER: Uncorrected (Fatal) error received: 0000:01:00.0",
        "NVRM: A GPU crash dump has been created. If possible, please run nvidia-bug-report.sh as root",
        "NVRM: rm_init_adapter failed for device bearing minor number 0",
        "NVRM: failed to copy vbios to system memory.",
    ],
)
def test_a_gpu_that_the_machine_lost_or_could_not_start_is_a_hardware_fault(line: str) -> None:
    assert root(judged(log([f"[  100.000000] {line}"]))) == "gpu-hardware-fault"


@pytest.mark.parametrize(
    "line",
    [
        "pcieport 0000:00:03.1: AER: Corrected error received: 0000:01:00.0",
        "nvme 0000:34:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link Layer, (Receiver ID)",
        "mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 0: b200000000100402",
        "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0",
        "NVRM: nvGpuOpsReportFatalError: uvm encountered global fatal error 0x60, requiring os reboot to recover.",
        "BUG: unable to handle page fault for address: ffff9c0c40000000",
        "BUG: kernel NULL pointer dereference, address: 0000000000000008",
        "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:4242]",
        "CPU3: Core temperature above threshold, cpu clock throttled (total events = 1)",
        "thermal thermal_zone0: critical temperature reached (127 C), shutting down",
        "INFO: task python:4242 blocked for more than 120 seconds.",
        "iommu ivhd0: AMD-Vi: Event logged [INVALID_DEVICE_REQUEST device=21:00.0 pasid=0x00000 address=0xfffffffdf8000000 flags=0x0a00]",
        "AMD-Vi: Completion-Wait loop timed out",
        "arm-smmu-v3 arm-smmu-v3.0.auto: event 0x10 received:",
        "dmar_fault: 20 callbacks suppressed",
        "pcieport 0000:00:01.0: DPC: containment event, status:0x1f01 source:0x0000",
        "pcieport 0000:00:01.0: pciehp: Slot(1): Link Down",
        "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!",
        "nouveau 0000:01:00.0: fifo: SCHED_ERROR 0a [CTXSW_TIMEOUT]",
    ],
)
def test_another_fault_of_the_machine_is_shown_and_never_fine(line: str) -> None:
    found = judged(log([f"[  100.000000] {line}"]))
    assert (found.verdict, len(found.suspects)) == (UNRECOGNISED, 1)


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023",
        "ACPI: thermal: Thermal Zone [THRM] (45 C)",
        "mce: CPU supports 10 MCE banks",
        "DMAR: IOMMU enabled",
        "AMD-Vi: Interrupt remapping enabled",
        "nvidia-nvlink: Nvlink Core is being initialized, major device number 234",
        "pcieport 0000:00:01.0: AER: enabled with IRQ 122",
        "RAS: Correctable Errors collector initialized.",
        "BERT: Boot Error Record Table support is disabled. Enable it by using bert_enable as kernel parameter.",
        "EXT4-fs (sda2): re-mounted. Opts: errors=remount-ro. Quota mode: none.",
    ],
)
def test_what_the_kernel_writes_at_every_start_is_fine(line: str) -> None:
    assert judged(log([f"[    1.000000] {line}"])).verdict == NOISE_ONLY
