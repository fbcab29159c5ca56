"""What a run is given and what comes of it: the values that the recorder's parts hand to each other."""

from __future__ import annotations

import os

from tfdoctor.ask.recorder.signals import DYING_OF
from tfdoctor.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdoctor.ask.recorder.launch import Sent
    from tfdoctor.ask.recorder.timeline import Sample
    from tfdoctor.facts.death import Death, MemoryWarning


@record
class RunConfig:
    """What to start and how to watch it. Times in seconds; `stall_after` is when standing still counts as a stall.

    warn: say it when memory is going to meet its limit, and send the command the signal `warn_signal`, too, if it is not 0.
    require_gpu: end it where TensorFlow computes on the CPU. live: keep a line about it on the terminal.
    """

    argv: tuple[str, ...]
    environ: Mapping[str, str]
    run_id: str
    interval: float
    stall_after: float
    kill_stalled: bool
    warn: bool
    warn_signal: int
    require_gpu: bool
    live: bool


@record
class RunContext:
    """What is known of a watched command apart from its processes: its words and environment, when it started by both
    clocks (`at`: time.monotonic(), `started_at`: time.time()), the signals that came for it, whether we ended it, also for
    want of a GPU, and what we warned of."""

    argv: tuple[str, ...]
    environ: Mapping[str, str]
    at: float
    started_at: float
    sent: tuple[Sent, ...] = ()
    stopped_by_us: bool = False
    without_gpu: bool = False
    warned: tuple[MemoryWarning, ...] = ()


@record
class RunResult:
    """`status` is what to exit with; `dies_of` the signal to die of instead, 0 where none. `notes`: what watching lacked.

    lines: all words that were kept. python: the interpreter to examine, "" where it is the active one, None where no
    Python took part.
    """

    death: Death
    samples: list[Sample]
    status: int
    dies_of: int
    notes: tuple[str, ...]
    lines: tuple[str, ...]
    python: str | None


@record
class CleanExit:
    """It ended with status 0, no process of it was seen to end badly, and nobody wants more to be said. Times in seconds."""

    after_s: float
    peak_rss: int  # bytes, wait4(2)'s own


def exit_of(wait_status: int) -> tuple[int, int]:
    """The status to exit with, and the signal to die of instead (0: none), from the status of wait(2)."""
    if os.WIFSIGNALED(wait_status):
        number = os.WTERMSIG(wait_status)
        return 128 + number, number if number in DYING_OF else 0
    return os.WEXITSTATUS(wait_status), 0
