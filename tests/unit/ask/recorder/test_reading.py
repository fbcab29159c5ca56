"""What the samples come to."""

from __future__ import annotations

import pytest

from tfdoctor.ask.recorder.growth import reading_of
from tfdoctor.facts.death import Reading
from tfdoctor.facts.outcome import Failed, Known


def read(*samples: dict[str, float]) -> Reading:
    found = reading_of(samples)
    assert isinstance(found, Known)
    return found.value


@pytest.mark.parametrize(
    ("counts", "most"),
    [
        ([70.0 + 2000 * at for at in range(12)], 2000.0),
        (
            [0, 0, 0, 5000, 5000, 5000, 5000, 5000, 5000],
            1000.0,
        ),  # a moment is spread over five seconds
        (
            [0] * 20 + [30_000 * number for number in range(1, 7)],
            30_000.0,
        ),  # the worst time, not the mean
    ],
)
def test_pages_read_back_from_swap_count_over_five_seconds_and_more(
    counts: list[float], most: float
) -> None:
    told = read(*({"t": float(at), "swapped_in_pages": count} for at, count in enumerate(counts)))
    assert told.most_swapped_in == Known(most, "samples")


@pytest.mark.parametrize(
    "samples",
    [[{"t": 0.0}], [{"t": 0.0, "swapped_in_pages": 1}, {"t": 4.0, "swapped_in_pages": 90_000}]],
)
def test_where_nothing_was_counted_for_long_enough_the_rate_is_not_known(
    samples: list[dict[str, float]],
) -> None:
    assert isinstance(read(*samples).most_swapped_in, Failed)
