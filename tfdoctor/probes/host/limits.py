"""The limits of this process (getrlimit(2))."""

from __future__ import annotations

import importlib

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.light.expressions import Expression
from tfdoctor.probes.text_files import lines_of, number
from tfdoctor.system.sysroot import System

_FILE = "/proc/self/limits"
_ROWS = {  # the names of the rows in /proc/self/limits (proc(5))
    "RLIMIT_AS": "Max address space",
    "RLIMIT_NOFILE": "Max open files",
    "RLIMIT_NPROC": "Max processes",
    "RLIMIT_MEMLOCK": "Max locked memory",
}
_COLUMNS = Expression(r"\s{2,}")


def soft_limit(system: System, name: str) -> Fact[int]:
    """The soft limit `name` ("RLIMIT_AS"): bytes, or a count. Absent: unlimited, or a system without such limits."""
    if not system.live:
        return _from_file(system, _ROWS[name])
    try:
        resource = importlib.import_module("resource")
    except ImportError:
        return Absent("this system has no resource limits of this kind")
    if not hasattr(resource, name):
        return Absent(f"this system has no {name}")
    value = resource.getrlimit(getattr(resource, name))[0]
    if value == resource.RLIM_INFINITY:
        return Absent("unlimited")
    return Known(value, f"getrlimit({name})")


def _from_file(system: System, row: str) -> Fact[int]:
    """From a recorded `Max open files            1024                 4096                 files`."""
    lines = lines_of(system, _FILE)
    if not isinstance(lines, Known):
        return lines
    for line in lines.value:
        columns = _COLUMNS.split(line.strip())
        if columns[0] == row and len(columns) > 1:
            return Absent("unlimited") if columns[1] == "unlimited" else Known(number(columns[1]), _FILE)
    return Failed(f"{_FILE} has no row {row}", "missing")
