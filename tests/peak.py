"""The peak memory of a program, however large the process is that starts it.

Linux counts for a program what its process had before it began, so a program that pytest starts has at least the peak
of pytest. Here a small interpreter starts it, waits for it, and ends as it ended.
"""

from __future__ import annotations

import sys
from pathlib import Path

_STARTER = """
import os, sys
pid = os.fork()
if not pid:
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(f"{used.ru_maxrss * 1024} {used.ru_utime + used.ru_stime:.3f}")
code = os.waitstatus_to_exitcode(status)
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


def measured(command: list[str], into: Path) -> list[str]:
    """The command that runs this one and leaves its peak, and that of children it waited for, in a file."""
    return [sys.executable, "-I", "-S", "-c", _STARTER, str(into), *command]


def peak(file: Path) -> int:
    """Bytes."""
    return int(file.read_text(encoding="ascii").split()[0])


def processor_time(file: Path) -> float:
    """Seconds, of the program and the children that it waited for: what it takes on whatever machine."""
    return float(file.read_text(encoding="ascii").split()[1])
