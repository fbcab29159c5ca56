"""Made-up stories of a training's memory up to its limit, by kinds and a seed: what is used at each look, once a second or so.

Written as a second generator without a look at the forecast's code and constants, and not to be tuned to them: what it finds is
docs/results/before.md. A training loads its files, builds its model, and then does what its kind says; the allocator takes memory
in pieces, and a busy machine looks late.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

MB = 1e6
Shape = Callable[[float], float]
"""What is used beyond the start at a time since the training began, as a share of all that it comes to: 1 is its most."""


class Story:
    """`looks`: (seconds, bytes in use), the last one below `limit`; `dies_at`: when the limit is met, None where it never is."""

    def __init__(
        self, looks: list[tuple[float, float]], limit: float, dies_at: float | None
    ) -> None:
        self.looks, self.limit, self.dies_at = looks, limit, dies_at


def _steady(span: float, chance: Random) -> Shape:
    return lambda at: at / span


def _under_a_sawtooth(span: float, chance: Random) -> Shape:
    period, tooth = chance.uniform(4, max(5.0, span / 8)), chance.uniform(0.05, 0.4)
    return lambda at: (1 - tooth) * at / span + tooth * (at % period) / period


def _by_epochs(span: float, chance: Random) -> Shape:
    epochs = chance.randint(4, 25)
    return lambda at: math.floor(epochs * at / span + 1e-9) / epochs


def _faster_and_faster(span: float, chance: Random) -> Shape:
    power = chance.uniform(1.3, 2.5)
    return lambda at: float((at / span) ** power)


def _slower_and_slower(span: float, chance: Random) -> Shape:
    power = chance.uniform(0.4, 0.8)
    return lambda at: float((at / span) ** power)


def _late(span: float, chance: Random) -> Shape:
    begins = chance.uniform(0.3, 0.7) * span
    return lambda at: max(0.0, at - begins) / (span - begins)


def _at_once(span: float, chance: Random) -> Shape:
    when = chance.uniform(0.2, 1.0) * span
    return lambda at: 1.5 if at >= when else 0.2


def _flat(span: float, chance: Random) -> Shape:
    return lambda at: 1.0


def _warms_up(span: float, chance: Random) -> Shape:
    settles = chance.uniform(0.02, 0.4) * span
    return lambda at: 1 - math.exp(-at / settles)


def _jumps(span: float, chance: Random) -> Shape:
    moments = sorted(chance.uniform(0, span) for _ in range(chance.randint(1, 4)))
    heights = [chance.uniform(0.2, 1) for _ in moments]
    return lambda at: sum(high for when, high in zip(moments, heights, strict=True) if at >= when) / sum(heights)  # fmt: skip


def _sawtooth(span: float, chance: Random) -> Shape:
    period, low = chance.uniform(4, max(5.0, span / 4)), chance.uniform(0.1, 0.9)
    return lambda at: low + (1 - low) * (at % period) / period


def _evaluates(span: float, chance: Random) -> Shape:
    """Each epoch ends with an evaluation that takes more and gives it back."""
    epoch, low = span / chance.randint(3, 15), chance.uniform(0.4, 0.8)
    return lambda at: 1.0 if at % epoch > 0.85 * epoch else low


def _fills_and_stops(span: float, chance: Random) -> Shape:
    full = chance.uniform(0.1, 0.7) * span
    return lambda at: min(1.0, at / full)


def _caches_an_epoch(span: float, chance: Random) -> Shape:
    """The first epoch is slower than the others and fills a cache; some wobble stays."""
    full, wobble = chance.uniform(0.2, 0.5) * span, chance.uniform(0, 0.03)
    return lambda at: (1 - wobble) * min(1.0, at / full) + wobble * (0.5 + 0.5 * math.sin(at / 3))


def _wanders(span: float, chance: Random) -> Shape:
    waves = [
        (chance.uniform(5, span), chance.uniform(0, 7), chance.uniform(0.1, 1)) for _ in range(5)
    ]
    whole = sum(each[2] for each in waves)
    return lambda at: 0.5 + 0.5 * sum(w * math.sin(6.283 * at / p + s) for p, s, w in waves) / whole


DIE = {
    "steady leak": _steady,
    "leak under a sawtooth": _under_a_sawtooth,
    "leak once an epoch": _by_epochs,
    "leak that gets faster": _faster_and_faster,
    "leak that gets slower": _slower_and_slower,
    "leak that begins late": _late,
    "all at once": _at_once,
}
LIVE = {
    "flat": _flat,
    "warm-up": _warms_up,
    "jumps": _jumps,
    "sawtooth": _sawtooth,
    "evaluates each epoch": _evaluates,
    "buffer that fills and stops": _fills_and_stops,
    "cache that fills in the first epoch": _caches_an_epoch,
    "wanders": _wanders,
}


def story(kind: str, chance: Random, air: float = 0.0) -> Story:
    """One of `DIE`, or one of `LIVE` that leaves the share `air` of its limit free."""
    limit = math.exp(chance.uniform(math.log(500), math.log(32_000))) * MB
    span = math.exp(chance.uniform(math.log(30), math.log(3_600)))
    start = min(chance.uniform(250, 900) * MB, 0.6 * limit)
    loading, piece = chance.uniform(2, 15), chance.choice([0.1, 1.0, 4.0, 16.0]) * MB
    noise = chance.choice([0.0, 0.5, 3.0, 10.0]) * MB
    busy = chance.random() < 0.3
    shape = (DIE | LIVE)[kind](span, chance)
    most = limit if kind in DIE else (1 - air) * limit - 3 * noise - piece
    looks: list[tuple[float, float]] = []
    at = 0.0
    while True:
        since = at - loading
        used = 30 * MB + (start - 30 * MB) * min(1.0, at / loading)
        if since > 0:
            used += (most - start) * shape(since)
        used = math.ceil(used / piece) * piece + abs(chance.gauss(0, noise) if noise else 0.0)
        if kind in LIVE:
            used = min(used, (1 - air) * limit)
            if since > span:
                return Story(looks, limit, None)
        elif used >= limit:
            return Story(looks, limit, at)
        looks.append((at, used))
        at += chance.uniform(1, 6) if busy and chance.random() < 0.2 else chance.uniform(0.98, 1.05)
