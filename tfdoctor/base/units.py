"""Sizes and times as people write them. Plain, since the health check has milliseconds."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SIZES = {"K": 10, "M": 20, "G": 30, "T": 40}
_TIMES = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def size(text: str) -> int:
    """Bytes from "512M", "2 GiB", "1.5G" or "1000"; multiples are of 1024. Raises ValueError."""
    number = text.strip().upper().removesuffix("IB").removesuffix("B").strip()
    power = _SIZES.get(number[-1:], 0)
    number = number[:-1].strip() if power else number
    if len(number) > 18 or not number.replace(".", "", 1).isdecimal():
        raise ValueError(f"{text[:40]!r} isn't a size such as 512M or 2G")
    return int(float(number) * (1 << power))


def duration(text: str) -> float:
    """Seconds from "90", "0.9", "10m", "36h" or "7d". Raises ValueError."""
    number, unit = text.strip(), 1.0
    if number[-1:] in _TIMES:
        number, unit = number[:-1], _TIMES[number[-1]]
    try:
        value = float(number) * unit
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ValueError(f"{text!r} isn't a time such as 90, 10m, 36h or 7d")
    return value


def seconds(value: float) -> str:
    """For a person: "4.2 s", "12 min", "3.5 h"."""
    if value < 100:
        return f"{value:.1f} s"
    return f"{value / 60:.0f} min" if value < 6000 else f"{value / 3600:.1f} h"


def shown_size(number: float) -> str:
    """Bytes for a person: "12 kB", "2.7 MB", "944 MB", "1.9 GB"."""
    if number < 1e6:
        return f"{number / 1e3:.0f} kB"
    return (
        f"{number / 1e9:.1f} GB"
        if number >= 1e9
        else f"{number / 1e6:.{0 if number >= 1e7 else 1}f} MB"
    )


def counted(count: int, one: str, many: str = "") -> str:
    """ "1 GPU", "2 GPUs", "1,200 CUDA libraries"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def enumerated(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def first_of(words: Sequence[str], most: int) -> str:
    """ "a, b and 3 more" of five with two at the most."""
    more = len(words) - most
    return f"{', '.join(words[:most])} and {more} more" if more > 0 else ", ".join(words)


def rfc3339(moment: float | None = None) -> str:
    """Seconds since 1970, or now, in UTC: "2026-11-20T12:00:03Z"."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
