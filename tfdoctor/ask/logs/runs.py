"""Which run of a program a line belongs to, where one log holds several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

_PROMPT = (
    r"(?:\([\w.-]{1,40}\) ?){0,2}(?:(?:PS )?[A-Z]:\\[^\s<>|]{0,120}> {0,2}|(?:[^\s\"'=<>|]{1,80} ){0,2}[^\s\"'=<>|]{0,80} ?[$#%>] {1,2})"
    r"|[➜❯λ] {1,3}(?:\S{1,80} {1,3}){0,3}"
)
"""bash's, also of conda and of Red Hat; zsh's, fish's, Command Prompt's, PowerShell's, and those of oh-my-zsh and starship."""
# What TensorFlow writes while it is imported, in 1.x to 2.21, and what a shell or a service writes before a program
_STARTS = Expression(
    r"oneDNN custom operations are on|cpu_feature_guard|[Ss]uccessfully opened (?:dynamic library|CUDA library) (?:libcudart|cudart64|libcublas)"
    r"|Unable to register cu(?:DNN|FFT|BLAS) factory|cudart_stub\.cc|Could not find cuda drivers|computation placer already registered"
    rf"|systemd\[\d+\]: Start(?:ed|ing) |^(?:{_PROMPT})(?:\w{{1,40}}=\S{{0,80}} |sudo |nohup |time ){{0,3}}(?:\S{{0,80}}[/\\])?(?:python(?!\w*[-:])|srun|mpirun|horovodrun|torchrun|\./)"
    r"|^\+ python|Restarting .{0,40}(?:attempt|time)"
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
