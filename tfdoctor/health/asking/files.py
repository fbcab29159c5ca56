"""Reads, in a child, the files that a probe looks at: memory, kernel log, the last examination."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.health.asking.forked import Send
    from tfdoctor.health.options import Options


def read(options: Options, send: Send) -> None:
    """Says each reading as it is done, what can hang on a network last."""
    from tfdoctor.health.asking import memory, xids

    root = options.sysroot
    if not options.node:
        _limit(send, root)
        _told(send, "available", "available_error", lambda: memory.available(root))
        if not root:
            _told(send, "shm", "shm_error", memory.shared_memory)
    send("at", "the kernel log")
    _told(send, "xids", "xids_error", lambda: xids.hardware_xids(root))
    _state(options, send)


def _told(send: Send, key: str, error_key: str, ask: Any) -> None:
    try:
        send(key, ask())
    except (OSError, ValueError, IndexError) as error:
        send(error_key, getattr(error, "strerror", None) or str(error))


def _limit(send: Send, root: str) -> None:
    from tfdoctor.health.asking.memory import memory_limit

    send("at", "the memory limit")
    try:
        limit = memory_limit(root)
    except (OSError, ValueError) as error:
        send("memory_error", getattr(error, "strerror", None) or str(error))
        return
    if limit is None:
        send("no_memory_limit", True)
    else:
        send("memory", limit)


def _state(options: Options, send: Send) -> None:
    from tfdoctor.health.state.read import read_state

    send("at", "the state file")
    said: dict[str, Any] = {}
    read_state(options.state, dict(os.environ), said)  # type: ignore[arg-type]  # a part of Files
    for key, value in sorted(
        said.items(), key=lambda each: each[0] == "state"
    ):  # what is said of it goes before it
        send(key, value)
    if "state" in said and not options.node:
        from tfdoctor.health.state.fingerprint import changed

        send("at", "TensorFlow's files")
        send("changed", changed(said["state"]["files"]))
