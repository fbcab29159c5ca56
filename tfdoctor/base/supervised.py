"""What a command tells the process that watches it, where there is one (`cli/supervisor.py`); else nothing happens.

A command that has begun promises an answer within its time. It may be stuck where no Python code of it runs any more,
or be killed; so it tells what it has found as it finds it, and another process keeps that.
"""

from __future__ import annotations

import os

from tfdoctor.base.forked import write_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_out = _permission = -1


def be_supervised(out: int, permission: int) -> None:
    """Called in the process that does the work: where to tell, and where the permission to write is."""
    global _out, _permission  # one process has one supervisor
    _out, _permission = out, permission


def is_supervised() -> bool:
    return _out >= 0


def tell(key: str, value: Any) -> None:
    """Plain values alone: None, booleans, numbers, texts, lists and dictionaries of them."""
    if _out < 0:
        return
    try:
        write_message(_out, key, value)
    except OSError:
        return  # the supervisor is gone, and this process ends in a moment


def wait_for_permission() -> None:
    """Whoever takes the one byte writes the answer. Where the other has taken it, this process is about to be ended."""
    if _permission < 0:
        return
    try:
        if os.read(_permission, 1):
            return
    except OSError:
        pass
    import signal

    while True:
        signal.pause()
