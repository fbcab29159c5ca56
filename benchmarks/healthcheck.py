"""What a health check costs on the simulated driver, beside `python -c pass` in the same run.

    python -m benchmarks.healthcheck

Aims: at most three times the wall time of `python -c pass` and under 30 MB; with --smoke driver under 0.3 s; with a
hanging driver an answer within its limit, exit status 1. The command starts as its installed script does.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import run_once
from tests.driver.scenario import Fault, Scenario
from tests.unit.apps.health.machine import Machine, run

RUNS = 30
SCRIPT = [
    sys.executable,
    "-c",
    "import sys; from tfdoctor.apps.cli.entry import main; sys.exit(main())",
]
PEAKS = """
import os, sys
import tfdoctor.base.forked as child
leave = os._exit
def tell(status=0):
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    os.write(9, peak.split()[1].encode() + b"\\n")
    leave(status)
os._exit = tell
from tfdoctor.apps.cli.healthcheck_command import main
tell(main(sys.argv[2:]))
"""


def peaks(options: list[str], environment: dict[str, str]) -> list[int]:
    """The peak resident memory of the parent and each child in bytes (VmHWM of proc(5))."""
    with tempfile.TemporaryFile() as file:
        shell = [
            "sh",
            "-c",
            f'exec "$@" 9>&{file.fileno()}',
            "sh",
            sys.executable,
            "-c",
            PEAKS,
            *options,
        ]
        subprocess.run(
            shell,
            env=environment,
            pass_fds=(file.fileno(),),
            stdout=subprocess.DEVNULL,
            check=False,
        )
        file.seek(0)
        return [int(line) * 1024 for line in file.read().split()]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        machine.write_state()
        options, environment = machine.command()[3:], machine.environment()
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "healthcheck": [*SCRIPT, *options],
            "healthcheck --json": [*SCRIPT, *options, "--json"],
            "healthcheck --smoke driver": [*SCRIPT, *options, "--smoke", "driver"],
        }
        walls: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, argv in commands.items():
                walls[name].append(run_once(argv, environment).wall_s)
        for name, taken in walls.items():
            ratio = statistics.median(
                a / b for a, b in zip(taken, walls["python -c pass"], strict=True)
            )
            print(
                f"{name:28} median {statistics.median(taken) * 1e3:6.1f} ms  least {min(taken) * 1e3:6.1f} ms  times python -c pass {ratio:.2f}"
            )
        each = peaks(options, environment)
        print(
            f"{'memory':28} "
            + ", ".join(f"{peak / 1e6:.1f} MB" for peak in each)
            + " (two children, which share most of it, and the parent)"
        )
        machine.driver.write(Scenario(faults=(Fault.hang("cuInit", deaf=True),)))
        said = run([*SCRIPT, *options, "--timeout", "0.9"], environment)
        print(
            f"{'a hanging driver':28} {said.seconds:.3f} s of 0.9 s, exit status {said.status}: {said.first}"
        )


if __name__ == "__main__":
    main()
