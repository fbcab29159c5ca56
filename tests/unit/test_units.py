"""Sizes and times as people write them."""

from __future__ import annotations

import pytest

from tfdoctor.base.units import duration, size


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0), ("1000", 1000), ("1k", 1 << 10), ("512M", 512 << 20), ("2 GiB", 2 << 30), ("1.5G", 3 << 29),
        ("1TB", 1 << 40), ("7B", 7), ("2gb", 2 << 30), ("3 m", 3 << 20),
    ],
)  # fmt: skip
def test_sizes(text: str, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize(
    "text", ["", "G", "1X", "-1", "-1G", "1 2", "1e9", "1e400", "nan", "two", "9" * 400]
)
def test_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a size"):
        size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("0.9", 0.9), ("10m", 600), ("36h", 129600), ("7d", 604800), ("5s", 5)],
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5", "nan", "inf", "1w"])
def test_no_durations(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a time"):
        duration(text)
