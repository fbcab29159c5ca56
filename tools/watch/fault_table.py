"""Plants every fault into the simulated driver and writes what the examination made of it: docs/results/fault-table.md."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path

from tests.real.environments import environment
from tests.real.faults import Planted, complaint, examined, functions_called, planted

RESULT = Path(__file__).parents[2] / "docs" / "results" / "fault-table.md"
TENSORFLOW = "tensorflow==2.21.0"
HEAD = """# Planted faults

`make fault-table`: one fault in one function of the simulated driver, then `tfdoctor check --smoke driver`. {date}, {where}.
{tried} faults in {functions} functions: {right} have one root, which is the planted fault, or, where a mere detail could
not be asked, none.

A cell counts how often a code was the root. Functions with a star are called by the driver stage itself; the others are
asked for details alone.

| function | errors | hangs | crashes | wrong |
| --- | --- | --- | --- | --- |
"""


def main() -> None:
    python = environment(TENSORFLOW)
    with tempfile.TemporaryDirectory() as folder:
        every = list(planted(functions_called(Path(folder) / "healthy", python)))

        def judged(place: int) -> tuple[Planted, str, str]:
            each = every[place]
            try:
                run = examined(Path(folder) / str(place), each, python)
            except AssertionError as error:  # no end in time, or no document
                return each, "none", str(error).splitlines()[0][:120]
            sys.stderr.write("." if place % 10 else str(place))
            return each, ", ".join(run.roots) or run.report["verdict"], complaint(each, run)

        with ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
            answers = list(pool.map(judged, range(len(every))))
    RESULT.write_text(_table(answers), encoding="utf-8")
    sys.stderr.write(f"\n{RESULT}\n")


def _table(answers: list[tuple[Planted, str, str]]) -> str:
    functions = list(dict.fromkeys(each.function for each, _, _ in answers))
    where = f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"
    head = HEAD.format(
        date=datetime.now(timezone.utc).date(), where=where, tried=len(answers), functions=len(functions),
        right=sum(not wrong for _, _, wrong in answers),
    )  # fmt: skip
    return head + "".join(
        _row(name, [each for each in answers if each[0].function == name]) for name in functions
    )


def _row(name: str, answers: list[tuple[Planted, str, str]]) -> str:
    def cell(kind: str) -> str:
        found = Counter(root for each, root, _ in answers if each.what.startswith(kind))
        return ", ".join(
            f"{root} {count}" if count > 1 else root for root, count in found.most_common()
        )

    wrong = "; ".join(f"{each.what}: {words}" for each, _, words in answers if words)
    star = " \\*" if answers[0][0].needed else ""
    return f"| `{name}`{star} | {cell('error')} | {cell('hangs')} | {cell('crashes')} | {wrong or 'none'} |\n"


if __name__ == "__main__":
    main()
