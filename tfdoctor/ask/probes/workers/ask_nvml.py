"""Asks NVML. Runs as `python -I -S -B ask_nvml.py PARENT PYNVML_FILE FIRST_DEVICE [--only] FOLDER…`.

Each value is asked for on its own and said at once (`messages.py` reads the lines), so that a call that hangs or
dies loses nothing of what was said before; with FIRST_DEVICE the questions go on behind the device at which an
earlier child stopped. The outcomes are the three of `facts/outcome.py` in their JSON form. Python 3.7 syntax.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tfdoctor.ask.probes.workers.opening import load, write
    from tfdoctor.ask.probes.workers.preamble import prepare
else:  # this program runs by itself: its folder is on the path for these imports
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from opening import load, write
    from preamble import prepare

    del sys.path[0]

SONAME = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
FUNCTION = "nvmlInit_v2"
NOT_SUPPORTED = "not supported by this GPU"
COMPUTE_MODES = {0: "default", 1: "exclusive-thread", 2: "prohibited", 3: "exclusive-process"}
CLOCK_REASONS = {
    0x1: "gpu-idle", 0x2: "applications-clocks-setting", 0x4: "sw-power-cap", 0x8: "hw-slowdown", 0x10: "sync-boost",
    0x20: "sw-thermal-slowdown", 0x40: "hw-thermal-slowdown", 0x80: "hw-power-brake", 0x100: "display-clock-setting",
}  # fmt: skip
"""nvmlClocksEventReasons, nvml.h 12.9 (June 2025)."""


def known(value: Any, source: str) -> dict[str, Any]:
    return {"status": "known", "value": value, "from": source}


def absent(reason: str) -> dict[str, Any]:
    return {"status": "absent", "reason": reason}


def failed(error: str, kind: str, code: int = 0) -> dict[str, Any]:
    return {"status": "failed", "kind": kind, "error": error, "code": code}


def text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


class Nvml:
    """The module pynvml, and each question with its outcome."""

    def __init__(self, module: Any) -> None:
        self.n = module

    def code_name(self, code: int) -> str:
        names = (
            name
            for name, value in vars(self.n).items()
            if name.startswith("NVML_ERROR_") and value == code
        )
        return next(names, "NVML_SUCCESS" if code == 0 else f"NVML error {code}")

    def attempt(self, call: str, ask: Callable[[], Any]) -> dict[str, Any]:
        """`ask` returns a value or an outcome. `call` names it, should it hang or die."""
        write(at=call)
        try:
            answer = ask()
        except self.n.NVMLError as error:
            return self.refusal(call, int(error.value))
        except (AttributeError, TypeError, ValueError, KeyError, IndexError, UnicodeError) as error:
            return failed(f"{call}: {type(error).__name__}: {error}", "unreadable")
        return answer if isinstance(answer, dict) else known(answer, call)

    def refusal(self, call: str, code: int) -> dict[str, Any]:
        if code == self.n.NVML_ERROR_NOT_SUPPORTED:
            return absent(NOT_SUPPORTED)
        if code == self.n.NVML_ERROR_FUNCTION_NOT_FOUND:
            return absent(f"this driver has no {call}")
        kinds = {self.n.NVML_ERROR_NO_PERMISSION: "refused", self.n.NVML_ERROR_GPU_IS_LOST: "lost"}
        return failed(
            f"{call} answered {code} ({self.code_name(code)})", kinds.get(code, "call-failed"), code
        )

    def init(self) -> int:
        write(at="nvmlInit")
        try:
            self.n.nvmlInit()
        except self.n.NVMLError as error:
            code = int(error.value)
        else:
            code = 0
        write(say="init", code=code, name=self.code_name(code))
        return code

    def system(self) -> int:
        """Says what concerns the whole driver; returns the number of GPUs."""
        n = self.n
        version = self.attempt(
            "nvmlSystemGetDriverVersion", lambda: text(n.nvmlSystemGetDriverVersion())
        )
        cuda = self.attempt("nvmlSystemGetCudaDriverVersion", n.nvmlSystemGetCudaDriverVersion)
        count = self.attempt("nvmlDeviceGetCount", n.nvmlDeviceGetCount)
        for name, outcome in (
            ("driver_version", version),
            ("cuda_version", cuda),
            ("count", count),
        ):
            write(say="system", name=name, outcome=outcome)
        return int(count.get("value", 0))

    def device(self, index: int) -> None:
        """Says one GPU's values, one by one; a GPU that is lost answers nothing more."""
        write(say="device", index=index)
        handle = self.attempt(
            f"nvmlDeviceGetHandleByIndex({index})",
            lambda: [self.n.nvmlDeviceGetHandleByIndex(index)],
        )
        if handle["status"] != "known":
            write(say="value", device=index, name="handle", outcome=handle)
            return
        for name, call, ask in self.questions(handle["value"][0]):
            outcome = self.attempt(f"{call} of GPU {index}", ask)
            write(say="value", device=index, name=name, outcome=outcome)
            if outcome.get("code") == self.n.NVML_ERROR_GPU_IS_LOST:
                return

    def questions(self, h: Any) -> list[tuple[str, str, Callable[[], Any]]]:
        """The field of `NvmlDevice`, the call, and the question."""
        n = self.n
        return [
            ("name", "nvmlDeviceGetName", lambda: text(n.nvmlDeviceGetName(h))),
            ("uuid", "nvmlDeviceGetUUID", lambda: text(n.nvmlDeviceGetUUID(h))),
            ("pci_bus_id", "nvmlDeviceGetPciInfo", lambda: text(n.nvmlDeviceGetPciInfo(h).busId)),
            ("compute_capability", "nvmlDeviceGetCudaComputeCapability", lambda: self.capability(h)),
            ("memory_total", "nvmlDeviceGetMemoryInfo", lambda: int(n.nvmlDeviceGetMemoryInfo(h).total)),
            ("memory_used", "nvmlDeviceGetMemoryInfo", lambda: int(n.nvmlDeviceGetMemoryInfo(h).used)),
            ("memory_free", "nvmlDeviceGetMemoryInfo", lambda: int(n.nvmlDeviceGetMemoryInfo(h).free)),
            ("compute_mode", "nvmlDeviceGetComputeMode", lambda: COMPUTE_MODES[n.nvmlDeviceGetComputeMode(h)]),
            ("mig_enabled", "nvmlDeviceGetMigMode", lambda: bool(n.nvmlDeviceGetMigMode(h)[0])),
            ("mig_instances", "nvmlDeviceGetMigDeviceHandleByIndex", lambda: self.slices(h)),
            ("ecc_uncorrected_volatile", "nvmlDeviceGetTotalEccErrors", lambda: self.ecc(h, n.NVML_VOLATILE_ECC)),
            ("ecc_uncorrected_aggregate", "nvmlDeviceGetTotalEccErrors", lambda: self.ecc(h, n.NVML_AGGREGATE_ECC)),
            ("retired_pages_pending", "nvmlDeviceGetRetiredPagesPendingStatus",
             lambda: bool(n.nvmlDeviceGetRetiredPagesPendingStatus(h))),
            ("remapped_rows", "nvmlDeviceGetRemappedRows", lambda: self.rows(h)),
            ("clock_event_reasons", "nvmlDeviceGetCurrentClocksThrottleReasons", lambda: self.clocks(h)),
            ("temperature", "nvmlDeviceGetTemperature",
             lambda: int(n.nvmlDeviceGetTemperature(h, n.NVML_TEMPERATURE_GPU))),
            ("utilization", "nvmlDeviceGetUtilizationRates", lambda: int(n.nvmlDeviceGetUtilizationRates(h).gpu)),
            ("vgpu_license", "nvmlDeviceGetVirtualizationMode", lambda: self.license(h)),
            ("link_width", "nvmlDeviceGetCurrPcieLinkWidth", lambda: int(n.nvmlDeviceGetCurrPcieLinkWidth(h))),
            ("link_width_max", "nvmlDeviceGetMaxPcieLinkWidth", lambda: int(n.nvmlDeviceGetMaxPcieLinkWidth(h))),
            ("processes", "nvmlDeviceGetComputeRunningProcesses", lambda: self.processes(h)),
        ]  # fmt: skip

    def capability(self, h: Any) -> str:
        major, minor = self.n.nvmlDeviceGetCudaComputeCapability(h)
        return f"{major}.{minor}"

    def slices(self, h: Any) -> Any:
        """The UUIDs of the MIG instances."""
        if not self.n.nvmlDeviceGetMigMode(h)[0]:
            return absent("MIG is off")
        uuids = []
        for index in range(self.n.nvmlDeviceGetMaxMigDeviceCount(h)):
            try:
                uuids.append(
                    text(
                        self.n.nvmlDeviceGetUUID(
                            self.n.nvmlDeviceGetMigDeviceHandleByIndex(h, index)
                        )
                    )
                )
            except self.n.NVMLError as error:
                if error.value != self.n.NVML_ERROR_NOT_FOUND:  # a place without an instance
                    raise
        return uuids or absent("MIG is on and there is no instance")

    def ecc(self, h: Any, counter: int) -> int:
        return int(
            self.n.nvmlDeviceGetTotalEccErrors(
                h, self.n.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, counter
            )
        )

    def rows(self, h: Any) -> str:
        corrected, uncorrected, pending, failure = self.n.nvmlDeviceGetRemappedRows(h)
        if failure:
            return "failure"
        return "pending" if pending else "remapped" if corrected or uncorrected else "none"

    def clocks(self, h: Any) -> Any:
        bits = self.n.nvmlDeviceGetCurrentClocksThrottleReasons(h)
        return [name for bit, name in CLOCK_REASONS.items() if bits & bit] or absent(
            "nothing slows the clocks"
        )

    def license(self, h: Any) -> Any:
        if self.n.nvmlDeviceGetVirtualizationMode(h) != self.n.NVML_GPU_VIRTUALIZATION_MODE_VGPU:
            return absent("this is no virtual GPU")
        features = self.n.nvmlDeviceGetGridLicensableFeatures(h)
        listed = features.gridLicensableFeatures[: features.licensableFeaturesCount]
        return "licensed" if any(feature.featureState for feature in listed) else "unlicensed"

    def processes(self, h: Any) -> Any:
        """All that hold memory, the computing ones first."""
        found: dict[int, Any] = {}
        for ask in (
            self.n.nvmlDeviceGetComputeRunningProcesses,
            self.n.nvmlDeviceGetGraphicsRunningProcesses,
        ):
            for process in ask(h):
                found.setdefault(int(process.pid), process.usedGpuMemory)
        listed = [
            {"pid": pid, "name": self.process_name(pid), "memory": used_memory(used)}
            for pid, used in found.items()
        ]
        return listed or absent("no process uses this GPU")

    def process_name(self, pid: int) -> str:
        """The program alone: its arguments are nobody's business."""
        try:
            name = text(self.n.nvmlSystemGetProcessName(pid))
        except self.n.NVMLError:
            return "unknown"
        return name.split(" ")[0].replace("\\", "/").rsplit("/", 1)[-1] or "unknown"


def used_memory(used: int | None) -> dict[str, Any]:
    if used is None:
        return absent("the driver does not say how much")
    return known(int(used), "nvmlDeviceGetComputeRunningProcesses")


def pynvml_from(file: str) -> Any:
    import importlib.util  # 5 ms that a machine without NVML need not spend

    write(at="importing pynvml")
    spec = importlib.util.spec_from_file_location("pynvml", file)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # a file that exists has a spec
    sys.modules["pynvml"] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]  # as above
    return module


def main(parent: str, file: str, first: str, *places: str) -> None:
    prepare(int(parent))
    only = places[:1] == ("--only",)
    if load(SONAME, FUNCTION, list(places[1:] if only else places), only):
        nvml = Nvml(pynvml_from(file))
        if nvml.init() == 0:
            for index in range(int(first), nvml.system()):
                nvml.device(index)
    write(done=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
