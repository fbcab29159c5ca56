"""Which run of a program a line belongs to, where one log holds several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

# What TensorFlow writes while it is imported, in 1.x to 2.21, and what a shell or a service writes before a program
_STARTS = Expression(
    r"oneDNN custom operations are on|cpu_feature_guard|[Ss]uccessfully opened (?:dynamic library|CUDA library) (?:libcudart|cudart64|libcublas)"
    r"|Unable to register cu(?:DNN|FFT|BLAS) factory|cudart_stub\.cc|Could not find cuda drivers|computation placer already registered"
    r"|systemd\[\d+\]: Start(?:ed|ing) |^\S{0,80}[$#%>] (?:\S{0,80}/)?(?:python|srun|mpirun|horovodrun|torchrun|\./)|^\+ python|Restarting .{0,40}(?:attempt|time)"
)


@record
class Mark:
    """A place where a process ended."""

    line: int
    process: str


def run_of(lines: Iterable[tuple[int, str, str]], ends: Iterable[Mark]) -> list[tuple[int, int]]:
    """(first line, number) of each run. A new one begins where a process that had ended starts again."""
    ended: set[str] = set()
    waiting = sorted(ends, key=lambda each: each.line)
    runs = [(0, 0)]
    place = 0
    for number, process, text in lines:
        while place < len(waiting) and waiting[place].line < number:
            ended.add(waiting[place].process)
            place += 1
        if process in ended and _STARTS.search(text):
            runs.append((number, len(runs)))
            ended.clear()
    return runs


def number_at(runs: list[tuple[int, int]], line: int) -> int:
    return runs[bisect_right(runs, (line, len(runs))) - 1][1]
