"""Whether TensorFlow computes in the command's processes, and whether a GPU's driver is loaded there.

TensorFlow names the threads that it starts for its first device, and loads the driver before that (2.21.0, 2026-11): a program
that only imports it has neither. A TensorFlow that names no threads is not seen at work, and nothing is said of it.
"""

from __future__ import annotations

import os

from tfdoctor.ask.recorder import proc
from tfdoctor.base.printable import plain
from tfdoctor.facts.death import CpuOnly
from tfdoctor.facts.outcome import Absent, Fact, Known, value_or

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tfdoctor.ask.recorder.timeline import Sample
    from tfdoctor.knowledge.messages.signature import Signature

_AT_WORK = b"tf_Compute\n"
_DRIVERS = (b"/libcuda.so", b"/libamdhip64.so")
_FIRST_S, _LONGEST_S = 1.0, 4.0  # between two looks at a process
_MOST_PROCESSES, _MOST_THREADS, _MOST_BYTES = 16, 400, 4 << 20
_CHOOSING, _CHOSEN = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"), ("", "-1")
_HANDED_OUT, _NOTHING = ("NVIDIA_VISIBLE_DEVICES", "SLURM_JOB_GPUS"), ("", "void", "none")
_GRACE_S = 2.0  # from its threads to its driver
_CREATED = ("gpu-created", "gpu-created-old")
# Codes: no process has its GPU back after them.
LOST_BY = (
    "cuda-context-poisoned",
    "gpu-hardware-fault",
)
_SKIPPED = ("gpu-libraries-not-opened", "cudart-not-found", "cuinit-answer")


class GpuUse:
    """`look` from time to time; `at_work` are the processes in which TensorFlow computes, the first one first."""

    def __init__(self) -> None:
        self._next: dict[
            int, tuple[float, float]
        ] = {}  # when to look at a process again, and the pause after that
        self.at_work: dict[int, _Process] = {}

    def look(self, pids: Iterable[int], now: float) -> None:
        """`now` in seconds of any steady clock."""
        due = [pid for pid in pids if self._next.get(pid, (0.0, 0.0))[0] <= now]
        for pid in due[:_MOST_PROCESSES]:
            pause = min(2 * self._next.get(pid, (0.0, _FIRST_S / 2))[1], _LONGEST_S)
            self._next[pid] = (now + pause, pause)
            seen = self.at_work.get(pid)
            if seen is None and _computes(pid):
                name = plain(
                    proc.read_bytes(f"/proc/{pid}/comm").decode("utf-8", "replace").strip()
                )
                seen = self.at_work[pid] = _Process(pid, name, now)
            if seen is not None and not seen.driver:
                seen.driver = _has_driver(pid)

    def lacks_gpu(
        self, lines: Fact[tuple[str, ...]], samples: Sequence[Sample], told: Fact[int], now: float
    ) -> bool:
        """TensorFlow itself said that it goes on without, or it has been at work for a while and loaded no driver.

        `told`: how many GPUs it has by the program's own callback.
        """
        if _uses_gpu(lines, samples, told):
            return False
        if isinstance(told, Known) or _says(lines, _SKIPPED):
            return True
        return any(
            not each.driver and now - each.since > _GRACE_S for each in self.at_work.values()
        )

    def cpu_only(
        self,
        lines: Fact[tuple[str, ...]],
        samples: Sequence[Sample],
        told: Fact[int],
        *,
        ended: bool,
    ) -> Fact[CpuOnly]:
        """Whether it computed without a GPU, or lost the one it had; `ended`: the command was ended for it."""
        lost = False
        if _uses_gpu(lines, samples, told):
            lost = _lost_it(lines)
            if not lost:
                return Absent("TensorFlow used a GPU")
        seen = next(iter(sorted(self.at_work.values(), key=lambda each: each.driver)), None)
        if seen is None and not ended and not lost:
            return Absent("TensorFlow was not seen to compute")
        if seen is None or lost:
            pid, name = (0, "") if seen is None else (seen.pid, seen.name)
            return Known(CpuOnly(pid, name, lost, ended, lost), "what the command wrote to stderr")
        return Known(CpuOnly(seen.pid, seen.name, seen.driver, ended), f"/proc/{seen.pid}/maps")


def misses_gpu(
    cpu_only: Fact[CpuOnly], samples: Sequence[Sample], environ: Mapping[str, str]
) -> bool:
    """It computed on the CPU or lost its GPU, nobody chose that, and a GPU is here or was handed out for it."""
    from tfdoctor.ask.probes.host.gpu_hardware import gpus_on_bus
    from tfdoctor.base.sysroot import System

    if not isinstance(cpu_only, Known):
        return False
    if cpu_only.value.ended or cpu_only.value.lost:
        return True
    if any(environ.get(name, "0").strip() in _CHOSEN for name in _CHOOSING):
        return False
    handed_out = any(environ.get(name, "void") not in _NOTHING for name in _HANDED_OUT)
    unasked = Absent("not asked")
    return handed_out or any("gpus" in each for each in samples) or isinstance(gpus_on_bus(System(), Known("linux", ""), unasked), Known)  # fmt: skip


class _Process:
    def __init__(self, pid: int, name: str, since: float) -> None:
        self.pid, self.name, self.since, self.driver = pid, name, since, False


def _computes(pid: int) -> bool:
    folder = f"/proc/{pid}/task"
    try:
        threads = os.listdir(folder)[:_MOST_THREADS]
    except OSError:
        return False
    return any(proc.read_bytes(f"{folder}/{thread}/comm") == _AT_WORK for thread in threads)


def _has_driver(pid: int) -> bool:
    """Also where it can't be read: nothing may be said of it then."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as file:
            maps = file.read(_MOST_BYTES)
    except OSError:
        return True
    return not maps or any(each in maps for each in _DRIVERS)


def _uses_gpu(lines: Fact[tuple[str, ...]], samples: Sequence[Sample], told: Fact[int]) -> bool:
    if isinstance(told, Known) and told.value > 0:
        return True
    own = any(gpu.get("own_bytes", 0) > 0 for each in samples for gpu in each.get("gpus", ()))
    return own or _says(lines, _CREATED)


def _says(lines: Fact[tuple[str, ...]], names: Sequence[str]) -> bool:
    from tfdoctor.knowledge.messages.catalogue import chosen

    return any(_fits(line, chosen(*names)) for line in value_or(lines, ()))


def _lost_it(lines: Fact[tuple[str, ...]]) -> bool:
    """TensorFlow said that its GPU failed, and no process got one after that."""
    from tfdoctor.knowledge.messages.catalogue import chosen

    lost = False
    for line in value_or(lines, ()):
        if _fits(line, chosen(*_CREATED)):
            lost = False
        elif _fits(line, chosen(*LOST_BY)):
            lost = True
    return lost


def _fits(line: str, wanted: Sequence[Signature]) -> bool:
    return any(each.hit(line) for each in wanted)
