"""The table that nvidia-smi prints, of drivers from 375 to R610: versions, GPUs, memory, processes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Nvml
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import GpuProcess, NvmlDevice
from tfdoctor.facts.versions import CudaRelease, DriverRelease

_BANNER = Expression(
    r"NVIDIA-SMI\s{1,8}[\d.]{3,12}.{0,60}?(?:Driver|KMD|UMD) Version: ?(?P<driver>\d{3}(?:\.\d{1,3}){1,2})(?:.{0,40}CUDA (?:UMD )?Version: ?(?P<cuda>[\d.]{1,6}))?"
)
_GPU = Expression(
    r"^\|\s{1,4}(?P<index>\d{1,3})\s{1,4}(?P<name>\S.{1,40}?)\s{1,30}(?:On|Off|TCC|WDDM|N/A|MCDM)?\s{0,4}\|\s{1,4}(?P<bus>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d)"
)
_MEMORY = Expression(
    r"\|\s{1,10}(?P<used>\d{1,9})MiB ?/ ?(?P<total>\d{1,9})MiB\s{0,10}\|\s{0,10}(?P<busy>\d{1,3})?%?"
)
_MODE = Expression(r"(?P<mode>Default|E\. ?Process|Exclusive_Process|Prohibited)\s{0,4}\|")
_PROCESS = Expression(
    r"^\|\s{1,6}(?P<gpu>\d{1,3})\s{1,6}(?:(?:N/A|\d{1,3})\s{1,6}(?:N/A|\d{1,3})\s{1,6})?(?P<pid>\d{1,9})\s{1,6}(?:C|G|C\+G|M\+C)\s{1,6}(?P<name>\S.{0,80}?)\s{1,40}(?:(?P<memory>\d{1,9})MiB|N/A)\s{0,6}\|"
)
_MODES = {"Default": "default", "E. Process": "exclusive-process", "E.Process": "exclusive-process", "Exclusive_Process": "exclusive-process", "Prohibited": "prohibited"}  # fmt: skip
_MIB = 1 << 20
_UNASKED = Failed("the table does not tell it", "missing")


def nvidia_smi(lines: Iterable[tuple[int, str]], where: Callable[[int], str], known: Nvml) -> Nvml:
    """`known` with what the last table in the log says."""
    gpus: dict[int, NvmlDevice] = {}
    processes: dict[int, list[GpuProcess]] = {}
    now, at = -1, 0
    for number, text in lines:
        if found := _BANNER.search(text):
            gpus, processes, now, at = {}, {}, -1, number
            known = _versions(known, found, where(number))
        elif at and (found := _GPU.match(text)):
            now = int(found["index"])
            gpus[now] = _gpu(now, found["name"].strip(), found["bus"], where(number))
        elif now in gpus and (found := _MEMORY.search(text)):
            gpus[now] = _with_memory(gpus[now], found, where(number))
            if mode := _MODE.search(text):
                gpus[now] = replace(
                    gpus[now], compute_mode=Known(_MODES[mode["mode"]], where(number))
                )
        elif at and (found := _PROCESS.match(text)):
            memory: Fact[int] = (
                Known(int(found["memory"]) * _MIB, where(number)) if found["memory"] else _UNASKED
            )
            processes.setdefault(int(found["gpu"]), []).append(
                GpuProcess(int(found["pid"]), found["name"], memory)
            )
    if not gpus:
        return known
    source = where(at)
    devices = tuple(
        replace(gpu, processes=Known(tuple(processes.get(index, ())), source))
        for index, gpu in sorted(gpus.items())
    )
    return replace(known, devices=Known(devices, source), init_code=Known(0, source))


def _versions(known: Nvml, found: re.Match[str], source: str) -> Nvml:
    cuda: Fact[CudaRelease] = (
        Known(CudaRelease.parse(found["cuda"].strip(".")), source)
        if found["cuda"]
        else known.cuda_version
    )
    return replace(
        known, driver_version=Known(DriverRelease.parse(found["driver"]), source), cuda_version=cuda
    )


def _gpu(index: int, name: str, bus: str, source: str) -> NvmlDevice:
    ask: Failed = _UNASKED
    return NvmlDevice(
        index=index, name=name.rstrip(". "), uuid="", compute_capability=ask, memory_total=ask, memory_used=ask, memory_free=ask,
        processes=ask, compute_mode=ask, mig_enabled=ask, mig_instances=ask, ecc_uncorrected_volatile=ask, ecc_uncorrected_aggregate=ask,
        retired_pages_pending=ask, remapped_rows=ask, clock_event_reasons=ask, temperature=ask, utilization=ask,
        pci_bus_id=Known(bus.lower(), source), vgpu_license=Absent("the table shows none"), lost=False,
    )  # fmt: skip


def _with_memory(gpu: NvmlDevice, found: re.Match[str], source: str) -> NvmlDevice:
    used, total = int(found["used"]) * _MIB, int(found["total"]) * _MIB
    return replace(
        gpu, memory_used=Known(used, source), memory_total=Known(total, source), memory_free=Known(max(0, total - used), source)
    )  # fmt: skip
