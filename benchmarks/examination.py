"""What `tfdoctor check` costs beside what it examines.

    python -m benchmarks.examination [PYTHON-WITH-TENSORFLOW]

Without an argument the environment of the tests is used (made where it is not there yet). Compared in one run:
the static check with starting Python and with importing TensorFlow, and the full check with the bare smoke program.
"""

from __future__ import annotations

import sys

from benchmarks.timing import PYTHON, in_turn, table
from tfdoctor.ask.probes.workers import program

STATIC_RUNS, FULL_RUNS = 9, 5
SMOKE_PROGRAM = program("compute_tensorflow")


def main() -> None:
    if len(sys.argv) > 1:
        examined = sys.argv[1]
    else:
        from tests.real.environments import environment

        examined = str(environment("tensorflow==2.21.0"))
    check = [PYTHON, "-m", "tfdoctor", "check", "--python", examined, "--json"]
    print("The static check: nothing computed, TensorFlow not imported")
    static = {
        "python -c pass": [examined, "-c", "pass"],
        "check --smoke none": [*check, "--smoke", "none"],
        "python -c 'import tensorflow'": [examined, "-c", "import tensorflow"],
    }
    print(table(in_turn(static, STATIC_RUNS), "python -c 'import tensorflow'"))
    print("\nThe full check, on the CPU")
    full = {"the bare smoke program": [examined, "-B", SMOKE_PROGRAM], "check": check}
    print(table(in_turn(full, FULL_RUNS, stdin=b"go\n"), "the bare smoke program"))


if __name__ == "__main__":
    main()
