"""Looks at every GPU by NVML whenever a line comes on stdin, and answers with one. Runs as
`python -I -S -B watch_gpus.py PARENT PYNVML_FILE FOLDER…` as long as its parent lives and stdin is open.

What a GPU does not tell is left out of its answer. Python 3.7 syntax.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.ask.probes.workers.ask_nvml import FUNCTION, SONAME, pynvml_from
    from tfdoctor.ask.probes.workers.opening import as_json, load
    from tfdoctor.ask.probes.workers.preamble import prepare
else:  # this program runs by itself: its folder is on the path for these imports
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from ask_nvml import FUNCTION, SONAME, pynvml_from
    from opening import as_json, load
    from preamble import prepare

    del sys.path[0]

MARK = "@gpus "


def look(n: Any) -> list[dict[str, Any]]:
    """One entry for each GPU, sizes in bytes, utilization in percent, processes as [number, bytes]."""
    return [_gpu(n, index) for index in range(n.nvmlDeviceGetCount())]


def _gpu(n: Any, index: int) -> dict[str, Any]:
    found: dict[str, Any] = {"index": index}
    try:
        handle = n.nvmlDeviceGetHandleByIndex(index)
        memory = n.nvmlDeviceGetMemoryInfo(handle)
        found["used"], found["total"] = int(memory.used), int(memory.total)
    except n.NVMLError:
        return found
    try:  # noqa: SIM105  # contextlib would double the start of this program
        found["utilization"] = int(n.nvmlDeviceGetUtilizationRates(handle).gpu)
    except n.NVMLError:  # a slice of a GPU (MIG) has none
        pass
    try:  # noqa: SIM105  # as above
        found["processes"] = _processes(n, handle)
    except n.NVMLError:
        pass
    return found


def _processes(n: Any, handle: Any) -> list[list[int]]:
    """Those that hold memory; -1 bytes where the driver does not say how much."""
    held: dict[int, int] = {}
    for ask in (n.nvmlDeviceGetComputeRunningProcesses, n.nvmlDeviceGetGraphicsRunningProcesses):
        for process in ask(handle):
            held.setdefault(
                int(process.pid),
                -1 if process.usedGpuMemory is None else int(process.usedGpuMemory),
            )
    return [[pid, size] for pid, size in held.items()]


def main(parent: str, file: str, *folders: str) -> None:
    prepare(int(parent))
    if not load(SONAME, FUNCTION, list(folders), only=False):
        return
    n = pynvml_from(file)
    try:
        n.nvmlInit()
        while os.read(0, 4096):
            os.write(1, f"{MARK}{as_json(look(n))}\n".encode("ascii"))
    except (n.NVMLError, OSError):
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
