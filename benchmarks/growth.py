"""How often a leak is found, and how often something else is taken for one: 4,000 made-up timelines."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.unit.ask.recorder.timelines import KINDS, LENGTHS, timeline
from tfdoctor.ask.recorder.growth import LEAKS, growth_of
from tfdoctor.facts.outcome import Known

TIMELINES, SEEDS = 4000, (1, 2, 3)


def rates(seed: int, count: int) -> tuple[float, float]:
    """The share of leaks that were found, and the share of all else that was taken for one."""
    chance = Random(seed)  # made-up data, no secret
    leaks = told = others = wrong = 0
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        fact = growth_of(timeline(kind, chance.choice(LENGTHS), chance))
        leak = isinstance(fact, Known) and fact.value.kind in LEAKS
        if kind == "leak":
            leaks, told = leaks + 1, told + leak
        else:
            others, wrong = others + 1, wrong + leak
    return told / leaks, wrong / others


def main() -> None:
    for seed in SEEDS:
        found, false = rates(seed, TIMELINES)
        print(
            f"seed {seed}: {found:.1%} of the steady leaks found, {false:.2%} of the others called one"
        )


if __name__ == "__main__":
    main()
