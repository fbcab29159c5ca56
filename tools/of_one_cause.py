"""Writes what is generated, runs what the tests have on one code and the rules of the source that are quickly tried: `make cause
CODE=my-cause`. A slip that keeps something from being written is named by the tests, so these run all the same."""

from __future__ import annotations

import subprocess
import sys

RINGS = ("tools.check_table", "tools.coverage_table", "tools.shown")
RULES = (
    "tests/unit/test_arrows.py",
    "tests/unit/checks/test_every_check_is_there.py",
    "tests/unit/checks/test_thresholds.py",
    "tests/unit/signatures/test_catalogue.py",
    "tests/unit/test_pages.py",
)
OF_CODES = ("tests/scenarios",)


def main(code: str) -> int:
    unwritten = [ring for ring in RINGS if subprocess.call([sys.executable, "-m", ring])]
    words = " or ".join(f"({name})" for name in (code, *(rule.rpartition("/")[2] for rule in RULES)))
    failed = subprocess.call(
        [sys.executable, "-m", "pytest", "-n", "0", "-m", "not real", *RULES, *OF_CODES, "-k", words]
    )
    for ring in unwritten:
        sys.stderr.write(f"python -m {ring} found something, too: see above\n")
    return failed or len(unwritten)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
