"""What a simulated driver shall say and when it shall fail: typed here, written as the file that the C side reads."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field, fields, replace

GIB = 1 << 30
MIB = 1 << 20
EVERY_CALL = (1, 1 << 62)
NOT_SUPPORTED = -1
"""As `mig_mode` or `retired_single`: the device has no such thing, and says so."""


@dataclass(frozen=True)
class Fault:
    """What happens when a function whose name matches `function` is called (shell wildcards: "nvml*").

    Made by the class methods below. `first` and `last` count this fault's own matching calls from 1, in each
    process again. `sticky`: from then on each function that needs a context answers the same error. `trip`: the
    GPUs are gone, also for every later process, until `SimulatedDriver.mend()`.
    """

    function: str
    action: str
    argument: float = 0
    first: int = EVERY_CALL[0]
    last: int = EVERY_CALL[1]
    sticky: bool = False
    trip: bool = False

    @classmethod
    def error(cls, function: str, code: int, *, sticky: bool = False, trip: bool = False) -> Fault:
        """It answers this error code of its library, and does nothing."""
        return cls(function, "error", code, sticky=sticky, trip=trip)

    @classmethod
    def hang(cls, function: str, *, deaf: bool = False) -> Fault:
        """It never returns; where `deaf`, its thread blocks every signal that can be blocked."""
        return cls(function, "deaf" if deaf else "hang")

    @classmethod
    def crash(
        cls, function: str, number: signal.Signals = signal.SIGSEGV, *, trip: bool = False
    ) -> Fault:
        """The process dies of this signal."""
        return cls(function, "crash", number, trip=trip)

    @classmethod
    def leave(cls, function: str, status: int) -> Fault:
        """The library ends the process quietly with this exit status."""
        return cls(function, "exit", status)

    @classmethod
    def slow(cls, function: str, seconds: float) -> Fault:
        """It works, but only after this time."""
        return cls(function, "slow", seconds)

    @classmethod
    def flood(cls, function: str, megabytes: float) -> Fault:
        """It works, but first writes this much nonsense to stderr."""
        return cls(function, "flood", megabytes)

    def at(self, call: int) -> Fault:
        """The same fault at the N-th call alone."""
        return replace(self, first=call, last=call)

    def since(self, call: int) -> Fault:
        """The same fault at the N-th call and every later one."""
        return replace(self, first=call, last=EVERY_CALL[1])

    def line(self) -> str:
        parts = [
            self.function,
            self.action,
            self.argument,
            self.first,
            self.last,
            int(self.sticky),
            int(self.trip),
        ]
        return " ".join(
            str(part if not isinstance(part, signal.Signals) else int(part)) for part in parts
        )


@dataclass(frozen=True)
class Process:
    """Somebody who holds memory on a GPU. `bytes` of -1: NVML does not know how much (as under WSL)."""

    pid: int
    bytes: int
    name: str


@dataclass(frozen=True)
class Mig:
    """One MIG slice."""

    uuid: str
    name: str = "1g.5gb"
    memory_total: int = 5 * GIB
    memory_used: int = 0
    gpu_instance: int = 1
    compute_instance: int = 0


@dataclass(frozen=True)
class Gpu:
    """One GPU; the default is a healthy L4. Bytes, °C, mW, MHz, percent.

    `memory_used` is held by others than the simulated processes. `context_bytes` is what a context itself takes.
    `cuda_rank` orders the devices for CUDA (fastest first), NVML keeps the order of the list. `compute_mode`:
    0 default, 2 prohibited, 3 exclusive process. `mig_mode`: -1 not supported, 0 off, 1 on. `xid` is delivered
    once to each process that waits for events. `virtualization`: 0 none, 1 pass-through, 2 vGPU.
    """

    name: str = "NVIDIA L4"
    uuid: str = "GPU-5a1d0000-0000-4000-8000-000000000001"
    compute_capability: str = "8.9"
    memory_total: int = 23 * GIB
    memory_used: int = 0
    context_bytes: int = 256 * MIB
    serial: str = "1320000000001"
    pci: str = "00000000:3B:00.0"
    multiprocessors: int = 58
    cuda_rank: int = 0
    compute_mode: int = 0
    persistence: int = 1
    mig_mode: int = NOT_SUPPORTED
    mig_pending: int = 0
    mig: tuple[Mig, ...] = ()
    lost: bool = False
    xid: int = 0
    ecc_supported: bool = True
    ecc_mode: int = 1
    ecc_pending: int = 1
    ecc_corrected_volatile: int = 0
    ecc_corrected_aggregate: int = 0
    ecc_uncorrected_volatile: int = 0
    ecc_uncorrected_aggregate: int = 0
    retired_single: int = NOT_SUPPORTED
    retired_double: int = 0
    retired_pending: bool = False
    remapped_supported: bool = True
    remapped_corrected: int = 0
    remapped_uncorrected: int = 0
    remapped_pending: bool = False
    remapped_failed: bool = False
    clock_reasons: int = 0
    temperature: int = 41
    power: int = 17_000
    power_limit: int = 72_000
    utilization_gpu: int = 0
    utilization_memory: int = 0
    link_width: int = 16
    link_width_max: int = 16
    link_generation: int = 4
    link_generation_max: int = 4
    clock_sm: int = 2040
    clock_memory: int = 6251
    virtualization: int = 0
    license_supported: bool = False
    licensed: bool = False
    license: str = ""
    processes: tuple[Process, ...] = ()

    def lines(self) -> list[str]:
        major, minor = self.compute_capability.split(".")
        lines = ["[gpu]", f"major = {major}", f"minor = {minor}"]
        lines += _assignments(self, leave_out={"compute_capability", "mig", "processes"})
        lines += [
            f"process = {one.pid} {one.bytes} {_one_line(one.name)}" for one in self.processes
        ]
        for slice_ in self.mig:
            lines += ["[mig]", *_assignments(slice_)]
        return lines


@dataclass(frozen=True)
class Scenario:
    """A whole machine. Versions are written as the libraries return them: CUDA 12.5 is 12050, cuDNN 9.3.0 is 90300."""

    gpus: tuple[Gpu, ...] = (Gpu(),)
    faults: tuple[Fault, ...] = ()
    driver_version: str = "555.42.02"
    nvml_version: str = "12.555.42.02"
    cuda_version: int = 12050
    runtime_version: int = 12050
    cudnn_version: int = 90300
    cublas_version: int = 120503
    cufft_version: int = 11203
    cusolver_version: int = 11603
    cusparse_version: int = 12501
    nccl_version: int = 22501
    wrong_kernel: bool = False
    wrong_matmul: bool = False
    computes_nothing: bool = False

    def text(self) -> str:
        """The file that the libraries read. Raises ValueError where a text would break its line."""
        lines = _assignments(self, leave_out={"gpus", "faults"})
        lines += [f"fault = {fault.line()}" for fault in self.faults]
        for gpu in self.gpus:
            lines += gpu.lines()
        return "\n".join(lines) + "\n"

    def with_faults(self, *faults: Fault) -> Scenario:
        """The same machine with these faults instead of its own."""
        return replace(self, faults=faults)


@dataclass(frozen=True)
class Call:
    """One line of the trace. `kind`: "call" (a function was entered), "stub" (it has no hand-written
    answer), "launch" (a kernel) or "beyond" (a PTX kernel that is not computed, and its first unknown statement).
    """

    pid: int
    kind: str
    name: str = field(default="")


def _assignments(thing: object, leave_out: frozenset[str] | set[str] = frozenset()) -> list[str]:
    names = [one.name for one in fields(thing) if one.name not in leave_out]  # type: ignore[arg-type]  # mypy can't say "any dataclass"
    return [f"{name} = {_one_line(getattr(thing, name))}" for name in names]


def _one_line(value: object) -> str:
    text = str(int(value) if isinstance(value, bool) else value)
    if "\n" in text:
        raise ValueError(f"{text!r} does not fit on one line of a scenario")
    return text
