"""Made-up timelines of memory, one sample a look: leaks, warm-up, sawtooth, ramps, jumps, loading and noise, by a seed."""

from __future__ import annotations

import itertools
import math
from random import Random

from tfdoctor.ask.recorder.timeline import Sample

MB = 1 << 20
LENGTHS = (60, 80, 120, 200, 400, 1000)  # looks
KINDS = ("leak", "flat", "warm", "sawtooth", "jump", "ramp", "loading")


def timeline(kind: str, count: int, chance: Random) -> list[Sample]:
    """A leak rises by 0.08 to 2 % of the base at each look, and by no less than a third of the noise and 0.4 MB.

    Half of them are of a busy machine, where a look in five comes late. "loading" dies before all of its files are in memory.
    """
    moments = _moments(count, chance)
    count = math.ceil(moments[-1]) + 1
    base = chance.uniform(300, 8000) * MB
    noise = chance.choice([0.0, 0.002, 0.01, 0.03]) * base
    pause = min(0.25, 280 / count) if kind == "loading" else chance.choice([0.25, 1.0, 5.0])
    rate = max(chance.uniform(0.0008, 0.02) * base, 0.35 * noise, 0.4 * MB)
    settle, height = chance.uniform(0.02, 0.2) * count, chance.uniform(0.1, 1.5) * base
    period, tooth = chance.uniform(3, count / 6), chance.uniform(0.05, 0.8) * base
    jumps = [
        (chance.randrange(count), chance.uniform(0.05, 0.6) * base)
        for _ in range(chance.randint(1, 3))
    ]
    start = chance.uniform(0, 0.1) * count
    files_after = chance.uniform(0.95, 1.2) if kind == "loading" else chance.uniform(0.01, 0.1)
    one_sided = chance.random() < 0.5
    samples = []
    for at in moments:
        value = base
        if kind != "flat":
            value += height * (1 - math.exp(-at / settle))
        if kind == "leak":
            value += rate * max(at - start, 0)
        if kind == "sawtooth":
            value += tooth * ((at % period) / period)
        if kind == "jump":
            value += sum(rise for when, rise in jumps if at >= when)
        if kind == "ramp":
            value += height * min(1.0, at / (0.3 * count))
        if kind == "loading":
            value += 3 * height * at / count
        wobble = chance.gauss(0, noise)
        anon = int(max(value + (abs(wobble) if one_sided else wobble), MB))
        files = 400 * MB * min(1.0, at / (files_after * count))
        samples.append({"t": at * pause, "anon_bytes": anon, "rss_bytes": anon + int(files)})
    return samples


def _moments(count: int, chance: Random) -> list[float]:
    """When the looks come, in pauses since the first: evenly, or as on a busy machine."""
    busy = chance.random() < 0.5
    late = [
        chance.uniform(1, 10) if busy and chance.random() < 0.2 else 1.0 for _ in range(count - 1)
    ]
    return [0.0, *itertools.accumulate(late)]
