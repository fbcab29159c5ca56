"""A memory cgroup of our own, of version 1 or 2."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import MEMORY_GROUP
from tests.waiting import until

TOP = Path("/sys/fs/cgroup")
_NUMBERS = itertools.count()


class MemoryGroup:
    """`enter` is a shell command that puts its shell into the group; swap counts against the limit, too."""

    def __init__(self, folder: Path, version: int, limit: int) -> None:
        self.folder, self.version = folder, version
        self.enter = f"echo $$ > {folder}/cgroup.procs"
        folder.mkdir()
        self._write("memory.limit_in_bytes", "memory.max", limit)
        with contextlib.suppress(OSError):  # a kernel that does not count swap
            self._write(
                "memory.memsw.limit_in_bytes", "memory.swap.max", limit if version == 1 else 0
            )

    def inside(self, *command: str) -> tuple[str, ...]:
        return ("sh", "-c", f'{self.enter}; exec "$@"', "sh", *command)

    def allow_swap(self) -> None:
        self._write(
            "memory.memsw.limit_in_bytes", "memory.swap.max", "-1" if self.version == 1 else "max"
        )

    def child(self) -> Path:
        """A group below this one, without a limit of its own."""
        if self.version == 2:
            (self.folder / "cgroup.subtree_control").write_text("+memory")
        inner = self.folder / "inner"
        inner.mkdir()
        return inner

    def most_used(self) -> int:
        return int(self._file("memory.max_usage_in_bytes", "memory.peak").read_text())

    def kills(self) -> int:
        """How many processes the kernel killed at the limit."""
        return int(self._file("memory.oom_control", "memory.events").read_text().split("oom_kill ")[1].split()[0])  # fmt: skip

    def members(self) -> list[int]:
        return [int(pid) for pid in (self.folder / "cgroup.procs").read_text().split()]

    def remove(self) -> None:
        """The kernel takes a moment to let an empty group go."""
        until(lambda: _removed(self.folder / "inner") and _removed(self.folder))

    def _file(self, one: str, two: str) -> Path:
        return self.folder / (one if self.version == 1 else two)

    def _write(self, one: str, two: str, value: object) -> None:
        self._file(one, two).write_text(str(value))


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _parent() -> tuple[Path, int] | None:
    """Where this user may make groups with a limit, and the version of them."""
    if os.access(TOP / "memory", os.W_OK):
        return TOP / "memory", 1
    given = TOP / "cgroup.subtree_control"
    if os.access(TOP, os.W_OK) and given.exists() and "memory" in given.read_text().split():
        return TOP, 2
    return None


can_be_made = _parent() is not None


@contextlib.contextmanager
def memory_group(limit: int) -> Iterator[MemoryGroup]:
    """Skips the test where none can be made."""
    found = _parent()
    if found is None:
        pytest.skip(MEMORY_GROUP)
    parent, version = found
    group = MemoryGroup(parent / f"tfdoctor-test-{os.getpid()}-{next(_NUMBERS)}", version, limit)
    try:
        yield group
    finally:
        group.remove()
