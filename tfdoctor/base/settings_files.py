"""Where a team's settings may be: tfdoctor.toml, or a pyproject.toml that speaks of tfdoctor."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 256 << 10  # pyproject.toml files of large projects have 50 kB
OWN, SHARED = "tfdoctor.toml", "pyproject.toml"


def settings_files(folder: str) -> Iterator[str]:
    """From the folder upwards; within one folder tfdoctor.toml goes first."""
    while True:
        for name in (OWN, SHARED):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (name == OWN or _speaks_of_us(path)):
                yield path
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def are_there_any() -> bool:
    """Whether the working folder has settings; not where it was removed."""
    try:
        return any(settings_files(os.getcwd()))
    except FileNotFoundError:
        return False


def _speaks_of_us(path: str) -> bool:
    """True also where that can't be read: whoever needs it tells why."""
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError:
        return True
    return b"tfdoctor" in content or len(content) > MOST_BYTES
