"""A result as a file that is there complete or not at all."""

from __future__ import annotations

import time

from tfdoctor.base.forked import Child, listen
from tfdoctor.base.safe_replace import remove_parts_of, replace_file, stream_of

REMOVE_S = 0.1


def write_in_time(path: str, data: bytes, seconds: float) -> str:
    """`write_file` in a child, for the file may be on a network that is dead. "" or why it is not written.

    Signals that ask for an end wait until then, so that none leaves half a file behind.
    """
    import signal

    ending = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ending)
    try:
        child = Child(lambda send: send("trouble", write_file(path, data)))
        listen([child], time.monotonic() + seconds)
        if child.ended:
            listen(
                [Child(lambda send: remove_parts_of(path, child.pid))], time.monotonic() + REMOVE_S
            )
        return str(child.answers.get("trouble", f"writing {child.ended}"))
    except OSError as error:
        return error.strerror or str(error)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def write_file(path: str, data: bytes) -> str:
    """Writes beside the place and renames into it. "" or why it could not. A pipe or terminal is written to, not replaced."""
    try:
        stream = stream_of(path)
        if stream is None:
            replace_file(path, data, 0o644)
            return ""
        with open(stream, "wb", buffering=0) as file:
            file.write(data)
    except OSError as error:
        return error.strerror or str(error)
    return ""
