"""Plants faults into what TensorFlow itself calls and writes what the examination made of it: docs/results/fault-table-tensorflow.md."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from tests.real.environments import environment
from tests.real.faults_of_tensorflow import (
    PlantedThere,
    complaint,
    examined,
    one_of_each_code,
    sample,
    without_a_fault,
)

RESULT = Path(__file__).parents[2] / "docs" / "results" / "fault-table-tensorflow.md"
TENSORFLOW = "tensorflow==2.21.0"
HEAD = """# Planted faults in what TensorFlow calls

`make fault-table-tensorflow`: one fault in one function of the simulated GPU, then `tfdoctor check` with a real TensorFlow 2.21.0
computing on it. {date}, {where}. {tried} faults: {right} have one root, which tells the fault, or changed nothing.

The simulation computes products and convolutions alone, so without any fault the root is `gpu-computes-wrong`, which is not
counted here.

| smoke | function | fault | roots | wrong |
| --- | --- | --- | --- | --- |
"""
SAMPLED = {"tf": (14, 6, 2), "auto": (6, 3, 1)}
"""Errors, crashes and hangs; each hang takes the stage's own limit."""


def rows_of(smoke: str, folder: Path, python: Path) -> list[tuple[PlantedThere, str, str]]:
    healthy, functions = without_a_fault(folder / f"healthy {smoke}", smoke, python)
    found = []
    for number, each in enumerate(
        (*one_of_each_code(smoke), *sample(smoke, functions, *SAMPLED[smoke]))
    ):
        try:
            run, _ = examined(folder / f"{smoke} {number}", smoke, each.fault, python)
            roots, wrong = (
                ", ".join(run.roots) or run.report["verdict"],
                complaint(each, run, healthy),
            )
        except AssertionError as error:  # no end in time, or no document
            roots, wrong = "none", str(error).splitlines()[0][:120]
        sys.stderr.write(f"{smoke} {each.function} {each.what}: {roots} {wrong}\n")
        found.append((each, roots, wrong))
    return found


def main() -> None:
    python = environment(TENSORFLOW)
    with tempfile.TemporaryDirectory() as name:
        rows = [row for smoke in SAMPLED for row in rows_of(smoke, Path(name), python)]
    where = f"{os.cpu_count()} cores, {platform.system()} {platform.release().partition('-')[0]}, Python {platform.python_version()}"
    head = HEAD.format(
        date=datetime.now(timezone.utc).date(),
        where=where,
        tried=len(rows),
        right=sum(not wrong for _, _, wrong in rows),
    )
    lines = [
        f"| {each.smoke} | `{each.function}` | {each.what} | {roots} | {wrong or 'no'} |\n"
        for each, roots, wrong in rows
    ]
    RESULT.write_text(head + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
