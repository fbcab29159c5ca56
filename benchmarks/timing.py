"""Commands timed in turn, so that a machine whose speed drifts slows all of them alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_LEAST_TURNS = 3


@dataclass(frozen=True)
class Sample:
    """One run: wall-clock seconds, the peak memory in bytes of the largest of its processes, seconds of the processor of all."""

    wall_s: float
    peak_bytes: int
    processor_s: float


def run_once(
    argv: Sequence[str], environ: Mapping[str, str] | None = None, stdin: bytes = b""
) -> Sample:
    """Runs a command to its end. Raises RuntimeError where it fails to run; its exit status does not matter."""
    read, write = os.pipe()
    os.write(write, stdin)
    os.close(write)
    begun = time.monotonic()
    process = subprocess.Popen(
        argv, stdin=read, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    os.close(read)
    if process.returncode < 0:
        raise RuntimeError(f"{argv} died of signal {-process.returncode}")
    return Sample(wall, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)


def in_turn(
    commands: Mapping[str, Sequence[str]],
    runs: int,
    stdin: bytes = b"",
    *,
    budget_s: float = float("inf"),
) -> dict[str, list[Sample]]:
    """Each command once to warm up, then all of them in turn, `runs` times, each first in every second turn.

    budget_s: no turn begins later, but three are taken.
    """
    begun = time.monotonic()
    for argv in commands.values():
        run_once(argv, stdin=stdin)
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    order = list(commands)
    for turn in range(runs):
        if turn >= _LEAST_TURNS and time.monotonic() - begun > budget_s:
            break
        for name in order:
            samples[name].append(run_once(commands[name], stdin=stdin))
        order.reverse()
    return samples


def table(samples: Mapping[str, Sequence[Sample]], reference: str) -> str:
    """Median wall time, its spread, the median of the ratios to the reference run by run, the same of the processor, median of the peak memory."""
    lines = [
        f"{'':34}{'median':>9}{'min':>9}{'max':>9}{'/ ' + reference:>26}{'processor':>11}{'ratio':>7}{'peak':>10}"
    ]
    for name, taken in samples.items():
        walls = [sample.wall_s for sample in taken]
        ratio = statistics.median(
            a.wall_s / b.wall_s for a, b in zip(taken, samples[reference], strict=True)
        )
        busy = statistics.median(sample.processor_s for sample in taken)
        of_it = statistics.median(
            a.processor_s / b.processor_s for a, b in zip(taken, samples[reference], strict=True)
        )
        peak = statistics.median(sample.peak_bytes for sample in taken) / 1e6
        lines.append(
            f"{name:34}{statistics.median(walls):8.3f}s{min(walls):8.3f}s{max(walls):8.3f}s{ratio:26.2f}{busy:10.3f}s{of_it:7.2f}{peak:8.1f}MB"
        )
    return "\n".join(lines)


PYTHON = sys.executable
