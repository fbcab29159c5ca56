"""When memory that grows is said to meet its limit, and what is no growth."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import Random

import pytest

from tests.unit.ask.recorder.timelines import timeline
from tfdoctor.ask.recorder.forecast import Forecast, Forecaster

MB = 1 << 20


def told(
    value: Callable[[float], float], limit: float, seconds: int = 600
) -> list[tuple[float, Forecast]]:
    """What is told, and when, of memory that is looked at once a second until it meets its limit."""
    forecaster, found = Forecaster(), []
    for at in range(seconds):
        if value(at) >= limit:
            break
        if (forecast := forecaster.look(float(at), value(at), limit)) is not None:
            found.append((float(at), forecast))
    return found


def test_a_leak_is_told_a_minute_ahead_and_again_when_the_time_has_halved() -> None:
    """It grows by 2 MB a second and meets 1,000 MB after 350 s."""
    found = told(lambda at: (300 + 2 * at) * MB, 1000 * MB)
    at, first = found[0]
    assert 280 <= at <= 300
    assert first.per_second == pytest.approx(2 * MB)
    assert first.left_s == pytest.approx(350 - at, abs=2)
    left = [each.left_s for _, each in found]
    assert all(later <= earlier / 2 for earlier, later in itertools.pairwise(left))


def test_a_long_leak_in_large_pieces_is_told_though_loading_filled_much_at_the_start() -> None:
    """The allocator takes 16 MB each 55 s, and the files had taken 770 MB in ten seconds."""
    found = told(lambda at: (30 + 77 * min(at, 10) + 16 * (at // 55)) * MB, 1520 * MB, 4000)
    assert found and found[0][0] > 0.97 * 55 * 45  # it dies at 2,475


def test_growth_once_an_epoch_is_told_by_the_whole_run() -> None:
    found = told(lambda at: (300 + 40 * (at // 20)) * MB, 1000 * MB)
    assert 290 <= found[0][0] <= 330  # it dies at 360


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(lambda at: 950.0 * MB, id="level, near the limit"),
        pytest.param(lambda at: (950 - 900 * 0.97**at) * MB, id="warming up to near the limit"),
        pytest.param(lambda at: (500 + 300 * (at > 200)) * MB, id="one jump"),
        pytest.param(lambda at: (400 + 10 * (at % 50)) * MB, id="a sawtooth"),
        pytest.param(lambda at: (100 + 1 * at) * MB, id="far from the limit"),
        pytest.param(lambda at: (900 - 1 * at) * MB, id="falling"),
    ],
)
def test_what_does_not_go_on_growing_is_not_told(value: Callable[[float], float]) -> None:
    assert told(value, 1000 * MB) == []


def test_a_limit_that_is_raised_meanwhile_counts_from_then_on() -> None:
    forecaster, found = Forecaster(), []
    for at in range(300):
        limit = 1000 * MB if at < 270 else 8000 * MB
        found.append(forecaster.look(float(at), (300 + 2 * at) * MB, float(limit)))
    assert found == [None] * 300


@pytest.mark.parametrize("kind", ["flat", "warm"])
def test_made_up_timelines_with_a_fifth_of_air_are_silent(kind: str) -> None:
    chance = Random(7)
    for _ in range(40):
        samples = timeline(kind, 200, chance)
        limit = max(each["anon_bytes"] for each in samples) / 0.8
        forecaster = Forecaster()
        assert not [
            each
            for each in samples
            if forecaster.look(each["t"], float(each["anon_bytes"]), limit) is not None
        ]
