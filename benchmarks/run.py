"""What `tfdoctor run` costs, in pieces that each end within six minutes on a quiet machine.

    python -m benchmarks.run [startup] [cpu] [lines] [crowd] [day]        # make bench-run: all of them

The bare command and the watched one take turns, each first in every second turn; a figure is the median of what the turns
gave. Beside it stand the quartiles: where they are far apart, other work on the machine was measured, not tfdoctor. Root can
keep it off: echo -15 > /proc/self/autogroup (nice does nothing against other sessions where the kernel groups by them).
"""

from __future__ import annotations

import compileall
import os
import resource
import shlex
import shutil
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
TURNS, SLICES, BUDGET_S = 40, 600, 280.0
COMPUTING = """
import sys, time
for _ in sys.stdin:
    own, wall, n = time.process_time(), time.perf_counter(), 0
    for i in range(2_000_000): n += i
    print(time.process_time() - own, time.perf_counter() - wall, flush=True)
"""
LINES = 2_000_000
PRINTING = "for i in range({}): print(f'step {{i}}: loss 0.1234')"
WRITING = "import sys\nfor i in range({}): sys.stderr.write(f'step {{i}}: loss 0.1234\\n')"
ON_TERMINAL = """
import contextlib, os, pty, sys
pid, shown = pty.fork()
if not pid: os.execvp(sys.argv[1], sys.argv[1:])
with contextlib.suppress(OSError):  # its end
    while os.read(shown, 1 << 16): pass
os.waitpid(pid, 0)
"""


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
    """A bare and a watched program compute in turn, a tenth of a second each: the processor's speed drifts more slowly."""
    command = (PYTHON, "-c", COMPUTING)
    own, wall = [], []
    begun = time.monotonic()
    with _computing(command) as bare, _computing(watched(*command)) as run:
        for turn in range(SLICES):
            if time.monotonic() - begun > BUDGET_S:
                break
            told = {each: _slice(each) for each in ((bare, run) if turn % 2 else (run, bare))}
            own.append(told[run][0] / told[bare][0])
            wall.append(told[run][1] / told[bare][1])
    said("CPU-bound, its own processor time by bare", own, "", 1.0, "at most 1.01")
    said("CPU-bound, wall time by bare without the start", wall, "", 1.0, "at most 1.01")


def _computing(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _slice(process: subprocess.Popen[str]) -> tuple[float, float]:
    """Seconds of the processor and of the wall that it took, as it tells them."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    own, wall = process.stdout.readline().split()
    return float(own), float(wall)


def lines() -> None:
    """Printed to a pipe and to a file, which the command inherits; written one by one to a pipe that both streams share, all of
    which is passed on; on a terminal, where script(1), which also makes an inner one, is the reference."""
    pipe, file, both = (
        '"$@" | cat >/dev/null',
        '"$@" >"$XDG_STATE_HOME/lines"',
        '"$@" 2>&1 | cat >/dev/null',
    )
    forms = {
        "printed to a pipe": (PRINTING, ("sh", "-c", pipe, "sh")),
        "printed to a file": (PRINTING, ("sh", "-c", file, "sh")),
        "written one by one to stderr, one pipe for both": (WRITING, ("sh", "-c", both, "sh")),
        "printed on a terminal": (PRINTING, (PYTHON, "-c", ON_TERMINAL)),
    }
    for name, (program, into) in forms.items():
        command = (PYTHON, "-c", program.format(LINES))
        ways = {"bare": (*into, *command), "run": (*into, *watched(*command))}
        if "terminal" in name and shutil.which("script"):
            ways["script"] = (*into, "script", "-qc", shlex.join(command), "/dev/null")
        taken = in_turn(ways, TURNS, budget_s=BUDGET_S / 4)
        said(
            f"{LINES:,} lines {name}, wall time by bare",
            _ratios(taken, "run"),
            "",
            1.0,
            "at most 1.05",
        )
        if "script" in taken:
            said(
                "  the same under script(1), for comparison",
                _ratios(taken, "script"),
                "",
                1.0,
                "none",
            )


def _ratios(taken: dict[str, list[Sample]], way: str) -> list[float]:
    return [run.wall_s / bare.wall_s for run, bare in zip(taken[way], taken["bare"], strict=True)]


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
    for package in (
        "tfdoctor",
        "benchmarks",
    ):  # as an installed one is: PYTHONDONTWRITEBYTECODE would have it compiled at each start
        compileall.compile_dir(Path(__file__).parents[1] / package, quiet=1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        os.environ.pop("PYTHONUNBUFFERED", None)  # print() is measured as it is by default
        for name in sys.argv[1:] or PIECES:
            began = time.monotonic()
            load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            print(f"{name}: {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {load}")
            PIECES[name]()
            print(
                f"  took {time.monotonic() - began:.0f} s, load then {os.getloadavg()[0]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
