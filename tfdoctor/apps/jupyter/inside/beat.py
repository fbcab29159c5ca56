"""A kernel's word, every five seconds, that it lives: for places where nobody can watch it, as on Colab.

A kernel that takes its leave removes its file. What is left of one that did not is told by `%tfdoctor why` in the next kernel.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from pathlib import Path
from typing import Any

from tfdoctor.apps.jupyter.inside.stacks import beat_file, stack_file, take_stacks
from tfdoctor.ask.recorder.host_memory import available_bytes
from tfdoctor.ask.recorder.journal import boot_id
from tfdoctor.ask.recorder.proc import stat_of
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import whole_of

_EVERY_S = 5.0
_MOST_BYTES = 4096
_LONG = 2048  # of the stack of the thread that crashed, whose innermost frames stand first
_CRASHED = "Current thread "  # faulthandler's words
_OURS = re.compile(r"\.kernel-(\d{1,9})\.beat")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Heartbeat:
    """Of this process. Raises OSError where its file can't be made. `shell` is IPython's, which counts the cells."""

    def __init__(self, folder: Path, shell: Any) -> None:
        self._path, self._shell = beat_file(folder, os.getpid()), shell
        self._ended = threading.Event()
        sweep(folder)
        self._beat()
        threading.Thread(target=self._go_on, daemon=True, name="tfdoctor-beat").start()

    def end(self) -> None:
        self._ended.set()
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _go_on(self) -> None:
        with contextlib.suppress(OSError):  # the folder is gone: nobody would find the file
            while not self._ended.wait(_EVERY_S):
                self._beat()

    def _beat(self) -> None:
        said = {
            "at": time.time(),
            "place": _place(),
            "started": _started(os.getpid()),
            "cell": getattr(self._shell, "execution_count", 0),
            "rss_bytes": int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE,
            "available_bytes": available_bytes() or 0,
        }
        beside = self._path.with_suffix(".part")
        handle = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        with open(handle, "w") as file:
            json.dump(said, file)
        if not self._ended.is_set():
            os.replace(beside, self._path)


@record
class Left:
    """What a kernel left that did not take its leave. `stacks`: what faulthandler wrote, "" for a kill. Bytes; seconds."""

    pid: int
    at: float
    cell: int
    rss_bytes: int
    available_bytes: int
    stacks: str


def left_behind(folder: Path) -> Left | None:
    """The newest. Nothing is removed."""
    return next(iter(_all_left(folder)), None)


def sweep(folder: Path) -> None:
    """Of what kernels left behind, the newest stays."""
    for left in _all_left(folder)[1:]:
        take_stacks(folder, left.pid)


def _all_left(folder: Path) -> list[Left]:
    """The newest first; files of kernels that may live are passed over."""
    found = []
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            match = _OURS.fullmatch(path.name)
            if match:
                with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
                    found.append(_read(folder, path, int(match[1])))
    return sorted((each for each in found if each is not None), key=lambda each: -each.at)


def _read(folder: Path, path: Path, pid: int) -> Left | None:
    said = json.loads(whole_of(path, _MOST_BYTES))
    if said["place"] != _place() or said["started"] == _started(pid):
        return (
            None  # on another machine or in another container, where it may live; or it lives here
        )
    stacks = b""
    with contextlib.suppress(OSError):
        stacks = whole_of(stack_file(folder, pid), 256 << 10)
    return Left(
        pid, float(said["at"]), int(said["cell"]), int(said["rss_bytes"]), int(said["available_bytes"]),
        _of_the_crash(stacks.decode(errors="replace")),
    )  # fmt: skip


def _of_the_crash(stacks: str) -> str:
    return stacks[max(stacks.find(_CRASHED), 0) :][:_LONG]


def _place() -> str:
    """Where a process number means the same process: this start of this machine, and this container."""
    return f"{boot_id()} {os.readlink('/proc/self/ns/pid')}"


def _started(pid: int) -> int:
    """In ticks since the machine started; 0 where there is no such process."""
    stat = stat_of(pid)
    return stat.started if stat else 0


def told(left: Left) -> str:
    """For people."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(left.at))
    lines = [
        f"A kernel (process {left.pid}) ended without taking its leave. Nobody watched it, so its exit status is not known.",
        f"Its last word came at {when}, at cell [{left.cell}]: {left.rss_bytes / 1e9:.1f} GB of memory in use, "
        f"{left.available_bytes / 1e9:.1f} GB left on the machine.",
    ]
    if left.stacks:
        return "\n".join(
            [
                *lines,
                "It crashed in native code. Python was here, the innermost line first:",
                left.stacks,
            ]
        )
    words = (
        "It wrote no stack, as it would on a crash in native code: it was killed by SIGKILL (for lack of memory, or by a forced "
        "restart), or ended itself."
    )
    return "\n".join([*lines, words])
