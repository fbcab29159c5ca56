"""What `tfdoctor run` costs: its start, a busy command, a talkative one, and the recorder beside many processes.

    make bench-run

Each figure compares with the bare command of the same turn; medians, since other work on the machine comes and goes.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.timing import PYTHON, in_turn, table

STARTS, BUSY, TALKATIVE, BESIDE_S = 20, 5, 3, 60.0
BUSY_PROGRAM = "n = 0\nfor i in range(20_000_000): n += i"
LINES = 2_000_000
TALKING = f"import sys\nfor i in range({LINES}): sys.stderr.write('step %d of {LINES}: loss 0.1234\\n' % i)"
MANY = 200
SLEEPING = f"import subprocess, time\nall = [subprocess.Popen(['sleep', '1000']) for _ in range({MANY})]\ntime.sleep(1000)"
ALONE = "import time; time.sleep(1000)"
_TICKS = os.sysconf("SC_CLK_TCK")


def _watched(*command: str) -> tuple[str, ...]:
    return (PYTHON, "-m", "tfdoctor", "run", "--", *command)


def start() -> None:
    """A command that does nothing: wall time, and processor time, which other work on the machine leaves as it is."""
    taken = in_turn({"bare": ("true",), "run": _watched("true")}, STARTS)
    more = [run.wall_s - bare.wall_s for run, bare in zip(taken["run"], taken["bare"], strict=True)]
    cpu = [_children_cpu_s(_watched("true")) - _children_cpu_s(("true",)) for _ in range(STARTS)]
    print(f"start-up: {1e3 * statistics.median(more):.0f} ms more than bare (least {1e3 * min(more):.0f} ms)")
    print(
        f"          {1e3 * statistics.median(cpu):.0f} ms of processor time more (least {1e3 * min(cpu):.0f} ms)"
    )


def _children_cpu_s(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def busy() -> None:
    command = (PYTHON, "-c", BUSY_PROGRAM)
    print(table(in_turn({"bare": command, "run": _watched(*command)}, BUSY), "bare"))


def talkative() -> None:
    """Lines to one pipe for both streams, which is the dearest way: all of them are passed on."""
    command = (PYTHON, "-c", TALKING)
    shell = {
        name: ("sh", "-c", '"$@" 2>&1 | cat >/dev/null', "sh", *each)
        for name, each in {"bare": command, "run": _watched(*command)}.items()
    }
    print(table(in_turn(shell, TALKATIVE), "bare"))


def beside(program: str, name: str) -> None:
    """CPU of the recorder and of what it keeps beside it, after the first ten seconds; its memory at the most."""
    with subprocess.Popen(_watched(PYTHON, "-c", program), stderr=subprocess.DEVNULL) as process:
        time.sleep(10)
        before = _cpu_s(process.pid)
        time.sleep(BESIDE_S)
        used = _cpu_s(process.pid) - before
        peak = max(_peak_bytes(pid) for pid in _own(process.pid))
        process.terminate()
    print(f"beside {name}: {100 * used / BESIDE_S:.2f} % of a core, {peak / 1e6:.0f} MB at the most")


def _own(pid: int) -> list[int]:
    """The recorder and its helpers: its children whose command line is its own, so not the command."""
    own = Path(f"/proc/{pid}/cmdline").read_bytes()
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            words = Path(f"/proc/{child}/cmdline").read_bytes()
            if words == own or b"watch_gpus" in words:
                found.append(int(child))
    return found


def _cpu_s(pid: int) -> float:
    fields = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in _own(pid)]
    return sum(int(each[11]) + int(each[12]) for each in fields) / _TICKS


def _peak_bytes(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) * 1024


PARTS = {
    "start": start,
    "busy": busy,
    "talkative": talkative,
    "alone": lambda: beside(ALONE, "one process"),
    "many": lambda: beside(SLEEPING, f"{MANY} processes"),
}


def main() -> None:
    """All parts, or those that are named."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}")
        for name in sys.argv[1:] or PARTS:
            PARTS[name]()


if __name__ == "__main__":
    main()
