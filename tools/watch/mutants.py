"""How many small faults in the judging code the tests notice: `make mutants`, or `python -m tools.watch.mutants --sample 40`.

Each mutant of `judge/` and `knowledge/` changes one thing: a comparison, an `and`, a number, a severity. One process
collects the tests and runs each once, writing down which lines of these rooms it reaches. A mutant is then a fork of that
process in which the one function or table is another; it runs the tests that reach the line, the most particular ones
first, up to the first that fails. Every threshold is tried and a sample of the others, always the same one by its seed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tools.watch.mutate import Mutant, mutants
from tools.watch.reached import Reached
from tools.watch.tried import begin, failing, noticed

ROOT = Path(__file__).parents[2]
ROOMS = ("judge", "knowledge")
READERS = ("apps/health",)  # reads the tables of knowledge/, too
TESTS = (
    "tests/unit/judge",
    "tests/unit/knowledge",
    "tests/unit/ask/logs",
    "tests/scenarios/test_scenarios.py",
    "tests/scenarios/test_machines.py",
    "tests/scenarios/test_shown.py",
    "tests/machines",
    "tests/public",
    "tests/logs",
    "tests/knowledge",
    "tests/unit/fix",
    "tests/unit/report",
    "tests/unit/apps/cli/test_plugins.py",
    "tests/unit/test_pages.py",
)
ENOUGH = 90  # percent


def every_mutant() -> list[Mutant]:
    files = [file for room in ROOMS for file in sorted((ROOT / "tfdoctor" / room).rglob("*.py"))]
    found: list[Mutant] = []
    for file in files:
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        if file.stem not in ("__init__", "table"):
            found += mutants(module, file.read_text(encoding="utf-8"))
    return found


def chosen(size: int, seed: int) -> list[Mutant]:
    """Every threshold, and `size` of the others."""
    every = every_mutant()
    others = [each for each in every if not each.threshold]
    sample = random.Random(seed).sample(others, min(size, len(others)))  # noqa: S311  # a sample that can be repeated
    return [*(each for each in every if each.threshold), *sample]


class Loop:
    """A pytest plugin that tries mutants in place of running the tests once."""

    def __init__(self, todo: list[Mutant], jobs: int) -> None:
        self.todo, self.jobs = todo, jobs
        self.survivors: list[Mutant] = []
        self.ended = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        begun = time.monotonic()
        reached = Reached.by(
            session.items, [ROOT / "tfdoctor" / room for room in (*ROOMS, *READERS)]
        )
        fails_by_itself = failing(reached.items)
        reached = reached.without(fails_by_itself)
        say(
            f"{len(session.items)} tests were run once, in {time.monotonic() - begun:.0f} s; {len(reached.lines)} count"
        )
        running: dict[int, Mutant] = {}
        for number, mutant in enumerate(self.todo, 1):
            while len(running) == self.jobs:
                self.one_ends(running)
            running[begin(mutant, reached.tests_for(mutant))] = mutant
            if number % 50 == 0:
                say(
                    f"{number} of {len(self.todo)}, {len(self.survivors)} survived, {time.monotonic() - begun:.0f} s"
                )
        while running:
            self.one_ends(running)
        self.ended = True
        return True

    def one_ends(self, running: dict[int, Mutant]) -> None:
        child, status = os.wait()
        mutant = running.pop(child, None)  # None: something that a test had left behind
        if mutant is not None and not noticed(status):
            self.survivors.append(mutant)
            say(f"- `{mutant.module}`, line {mutant.line}: {mutant.what}")


def say(text: str) -> None:
    sys.__stdout__.write(f"{text}\n")  # type: ignore[union-attr]  # pytest captures the other one
    sys.__stdout__.flush()  # type: ignore[union-attr]  # as above


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--module", default="", help="only mutants of modules whose names contain this"
    )
    parser.add_argument("tests", nargs="*", help="other tests than those that judge")
    given = parser.parse_args()
    todo = [each for each in chosen(given.sample, given.seed) if given.module in each.module]
    loop, begun = Loop(todo, given.jobs), time.process_time()
    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist"]
    pytest.main(
        [*options, "-m", "not slow and not real and not nightly", *(given.tests or TESTS)],
        plugins=[loop],
    )
    if not loop.ended:
        raise SystemExit("the tests could not be run; nothing is known of any mutant")
    share = 100 * (1 - len(loop.survivors) / len(todo))
    say(
        f"\n{datetime.now(timezone.utc).date()}: {len(todo)} mutants ({sum(each.threshold for each in todo)} thresholds; seed "
        f"{given.seed}), {share:.1f} % noticed, {len(loop.survivors)} survived; {time.process_time() - begun:.0f} s of the first process"
    )
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
