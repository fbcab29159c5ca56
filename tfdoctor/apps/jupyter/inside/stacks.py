"""The Python stacks that a kernel writes when it crashes: to its stderr, or to a file where it loaded the extension.

Writing them takes a millisecond or two. In that time ipykernel's own thread passes on what native code said last, which
else mostly dies with it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

FAULTHANDLER = "PYTHONFAULTHANDLER"  # "Setting environment variables" in Python's manual
_MOST_BYTES = 256 << 10


def with_stacks(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a kernel that says where it crashed, unless that was chosen already."""
    return {FAULTHANDLER: "1", **environ}


def stack_file(folder: Path, pid: int) -> Path:
    """`pid` is the kernel's own."""
    return folder / f".kernel-{pid}.stacks"


def beat_file(folder: Path, pid: int) -> Path:
    """Where a kernel that loaded the extension says that it lives."""
    return folder / f".kernel-{pid}.beat"


def take_stacks(folder: Path, pid: int) -> bytes:
    """What it wrote, b"" where it wrote nothing; its files are gone afterwards. A link or a pipe is not followed."""
    path = stack_file(folder, pid)
    with contextlib.suppress(OSError):
        beat_file(folder, pid).unlink()
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(handle, _MOST_BYTES)
        finally:
            os.close(handle)
            path.unlink()
    return b""
