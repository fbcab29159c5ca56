"""How long loading and asking the compatibility matrix takes, and how much memory it holds.

    python benchmarks/matrix_load.py

Each figure is the median of many runs in a fresh interpreter; `import` is what the process pays once.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

RUNS = 15
PROGRAM = """
import json, time, tracemalloc
start = time.perf_counter()
from tfdoctor.facts.versions import CudaRelease
from tfdoctor.knowledge.matrix.load import load_bundled
imported = time.perf_counter()
matrix = load_bundled()
loaded = time.perf_counter()
matrix.release("2.21.0")
first = time.perf_counter()
matrix.releases()
every = time.perf_counter()
matrix.driver_floor(CudaRelease("12.5"), "linux")
floor = time.perf_counter()
matrix.gpu("NVIDIA GeForce RTX 3090")
gpu = time.perf_counter()
tracemalloc.start()
again = load_bundled()
again.releases()
print(json.dumps({
    "import": imported - start, "load": loaded - imported, "first release": first - loaded,
    "58 releases": every - first, "driver floor": floor - every, "GPU by name": gpu - floor,
    "memory": tracemalloc.get_traced_memory()[0],
}))
"""


def main() -> None:
    runs = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", PROGRAM], capture_output=True, check=True, text=True
            ).stdout
        )
        for _ in range(RUNS)
    ]
    for name in runs[0]:
        middle = statistics.median(run[name] for run in runs)
        print(
            f"{name:>14}: "
            + (f"{middle / 1e6:.2f} MB" if name == "memory" else f"{middle * 1000:.2f} ms")
        )


if __name__ == "__main__":
    main()
