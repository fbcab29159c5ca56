"""How far ahead the forecast tells of memory that runs out, and how often of memory that does not: made-up stories, by kinds."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.unit.ask.recorder.memory_stories import DIE, LIVE, Story, story
from tfdoctor.ask.recorder.forecast import Forecaster

STORIES, SEED = 300, 48
AHEAD_S, LONG_S = 20.0, 100.0
AIR = {"20 % of air": (0.2, 0.2), "2 to 10 % of air": (0.02, 0.1)}


def first_told(made: Story) -> float | None:
    """When the first warning came."""
    forecaster = Forecaster()
    return next(
        (at for at, used in made.looks if forecaster.look(at, used, made.limit) is not None), None
    )


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} of {whole}" if whole else "none"


def main() -> None:
    # made-up data, no secret.
    chance, looks, began = (
        Random(int(sys.argv[1]) if sys.argv[1:] else SEED),
        0,
        time.process_time(),
    )
    print(
        "| dies | told 20 s ahead | of those of over 100 s | told at all |\n| --- | --- | --- | --- |"
    )
    for kind in DIE:
        made = [story(kind, chance) for _ in range(STORIES)]
        left = [
            (each.dies_at or 0.0) - told if (told := first_told(each)) is not None else -1.0
            for each in made
        ]
        long = [
            ahead for ahead, each in zip(left, made, strict=True) if (each.dies_at or 0.0) > LONG_S
        ]
        early, late = (
            sum(ahead >= AHEAD_S for ahead in left),
            sum(ahead >= AHEAD_S for ahead in long),
        )
        print(f"| {kind} | {share(early, STORIES)} | {share(late, len(long))} | {share(sum(ahead >= 0 for ahead in left), STORIES)} |")  # fmt: skip
        looks += sum(len(each.looks) for each in made)
    print(f"\n| lives | {' | '.join(AIR)} |\n| --- | --- | --- |")
    for kind in LIVE:
        false = []
        for least, most in AIR.values():
            made = [story(kind, chance, chance.uniform(least, most)) for _ in range(STORIES)]
            false.append(share(sum(first_told(each) is not None for each in made), STORIES))
            looks += sum(len(each.looks) for each in made)
        print(f"| {kind} | {' | '.join(false)} |")
    took = time.process_time() - began
    print(
        f"\n{looks:,} looks, {1e3 * took / looks:.2f} ms each with the making: {took / looks:.3%} of a core at one a second"
    )


if __name__ == "__main__":
    main()
