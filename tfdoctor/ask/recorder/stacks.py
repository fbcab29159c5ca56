"""Python's stacks of a process, taken from outside by py-spy where it is installed and permitted; nothing is loaded into it."""

from __future__ import annotations

import json
import os
import shutil
import sys

from tfdoctor.base.child import run_child
from tfdoctor.base.printable import plain
from tfdoctor.base.records import record

_SPY_S = 10.0
_PACKAGES = ("/site-packages/", "/dist-packages/", "/lib/python")
NOT_INSTALLED = "py-spy is not installed beside tfdoctor"


@record
class Frame:
    """A function at work. `own`: in no package and not in Python's library."""

    name: str
    file: str
    line: int
    own: bool


@record
class Stack:
    """One thread, innermost frame first. `active`: it was running, not waiting."""

    thread: str
    active: bool
    frames: tuple[Frame, ...]


class NoStacks(Exception):  # noqa: N818  # it says what happened
    """Why none can be had."""


def stacks_of(pid: int, timeout_s: float = _SPY_S) -> list[Stack]:
    """Of all threads. Raises NoStacks."""
    program = shutil.which("py-spy") or os.path.join(os.path.dirname(sys.executable), "py-spy")
    if not os.path.exists(program):
        raise NoStacks(NOT_INSTALLED)
    words = [program, "dump", "--nonblocking", "--json", "--pid", str(pid)]
    done = run_child(words, timeout_s=timeout_s)
    if not done.ok:
        last = plain(done.stderr.decode("utf-8", "replace")).strip().rpartition("\n")[2]
        raise NoStacks(f"py-spy can't look at process {pid}: {last[:200] or done.how}")
    try:
        return [_stack(each) for each in json.loads(done.stdout)]
    except (ValueError, KeyError, TypeError) as error:
        raise NoStacks(f"py-spy's answer can't be read ({type(error).__name__})") from error


def _stack(told: dict[str, object]) -> Stack:
    frames = told["frames"]
    if not isinstance(frames, list):
        raise TypeError("frames")
    return Stack(
        plain(str(told.get("thread_name") or "a thread")), bool(told.get("active")), tuple(map(_frame, frames))
    )  # fmt: skip


def _frame(told: dict[str, object]) -> Frame:
    file = str(told["filename"])
    line = told["line"]
    own = not file.startswith("<") and not any(each in file for each in _PACKAGES)
    return Frame(plain(str(told["name"])), plain(file), line if isinstance(line, int) else 0, own)
