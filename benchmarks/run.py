"""What `tfdoctor run` costs, in pieces that each end within six minutes.

    python -m benchmarks.run [startup] [cpu] [lines] [crowd] [day]        # make bench-run: all of them

The bare command and the watched one take turns, each first in every second turn; a figure is the median of what the turns
gave. Beside it stand the quartiles: where they lie far apart, other work on the machine was measured, not tfdoctor.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.run_beside import beside
from benchmarks.run_day import day
from benchmarks.timing import PYTHON, Sample, in_turn

STARTS = 40
TURNS, BUDGET_S = 40, 280.0
BUSY = "n = 0\nfor i in range(40_000_000): n += i"
LINES = 2_000_000
PRINTING = "for i in range({}): print(f'step {{i}}: loss 0.1234')"
WRITING = "import sys\nfor i in range({}): sys.stderr.write(f'step {{i}}: loss 0.1234\\n')"
ON_TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])"


def watched(*command: str) -> tuple[str, ...]:
    return (PYTHON, "-m", "tfdoctor", "run", "--", *command)


def startup() -> None:
    """A command that does nothing: wall time, and processor time, which other work on the machine leaves as it is."""
    taken = in_turn({"bare": ("true",), "run": watched("true")}, STARTS)
    more = [run.wall_s - bare.wall_s for run, bare in zip(taken["run"], taken["bare"], strict=True)]
    cpu = [_cpu_of(watched("true")) - _cpu_of(("true",)) for _ in range(STARTS)]
    said("start-up, wall time over bare", more, "ms", 1e3, "under 100 ms")
    said("start-up, processor time over bare", cpu, "ms", 1e3, "none")


def _cpu_of(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu() -> None:
    """Processor time depends less on what else is at work; the recorder's own part of it is mostly its start."""
    command = (PYTHON, "-c", BUSY)
    taken = in_turn({"bare": command, "run": watched(*command)}, TURNS, budget_s=BUDGET_S)
    said("CPU-bound, wall time by bare", _ratios(taken), "", 1.0, "at most 1.01")
    by_cpu = [
        run.processor_s / bare.processor_s for run, bare in zip(taken["run"], taken["bare"], strict=True)
    ]
    said("CPU-bound, processor time with the recorder's by bare", by_cpu, "", 1.0, "none")


def lines() -> None:
    """Printed to a pipe; written one by one to a pipe that both streams share, all of which is passed on; on a terminal."""
    pipe, both = '"$@" | cat >/dev/null', '"$@" 2>&1 | cat >/dev/null'
    forms = {
        "printed to a pipe": (LINES, PRINTING, ("sh", "-c", pipe, "sh")),
        "written one by one to stderr, one pipe for both": (LINES, WRITING, ("sh", "-c", both, "sh")),
        "printed on a terminal": (LINES // 10, PRINTING, (PYTHON, "-c", ON_TERMINAL)),
    }
    for name, (count, program, into) in forms.items():
        command = (PYTHON, "-c", program.format(count))
        pair = {"bare": (*into, *command), "run": (*into, *watched(*command))}
        said(f"{count:,} lines {name}, wall time by bare", _ratios(in_turn(pair, TURNS, budget_s=BUDGET_S / 3)), "", 1.0, "at most 1.05")  # fmt: skip


def _ratios(taken: dict[str, list[Sample]]) -> list[float]:
    return [run.wall_s / bare.wall_s for run, bare in zip(taken["run"], taken["bare"], strict=True)]


def said(name: str, values: Sequence[float], unit: str, times: float, aim: str) -> None:
    low, middle, high = (times * each for each in statistics.quantiles(values, n=4))
    form = ".0f" if unit else ".3f"
    print(
        f"{name}: {middle:{form}} {unit} (quartiles {low:{form}} and {high:{form}}, {len(values)} turns; aim: {aim})",
        flush=True,
    )


def crowd() -> None:
    for many in (0, 200):
        print(beside(watched, many), flush=True)


def simulated_day() -> None:
    print(day(Path(os.environ["XDG_STATE_HOME"])), flush=True)


PIECES: dict[str, Callable[[], None]] = {
    "startup": startup,
    "cpu": cpu,
    "lines": lines,
    "crowd": crowd,
    "day": simulated_day,
}


def main() -> None:
    """All pieces, or those that are named."""
    if unknown := set(sys.argv[1:]) - PIECES.keys():
        sys.exit(f"no such piece: {', '.join(sorted(unknown))}; there are {', '.join(PIECES)}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        os.environ.pop("PYTHONUNBUFFERED", None)  # print() is measured as it is by default
        for name in sys.argv[1:] or PIECES:
            began = time.monotonic()
            load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            print(f"{name}: {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {load}")
            PIECES[name]()
            print(f"  took {time.monotonic() - began:.0f} s, load then {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main()
