"""What this server has asked of its kernels: a kernel that dies within a cell's first milliseconds takes along its own word
of what it runs, and then the request tells which cell that was.

Whoever speaks with a kernel from this process, nbclient as well as Jupyter's server, sends by `Session.send` or
`Session.send_raw` (jupyter_client 7 and 8). Both are wrapped, once; what they do stays as it was.
"""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import zmq
from jupyter_client.session import Session

from tfdoctor.apps.jupyter.iopub import url_of
from tfdoctor.apps.jupyter.watched import WatchedKernel

_WRAPPED = threading.Lock()
_BY_SHELL: dict[str, WatchedKernel] = {}


def note_requests(connection: Mapping[str, Any], kernel: WatchedKernel) -> Callable[[], None]:
    """From now on the kernel's record holds what it is asked; until what is returned is called. Raises KeyError."""
    shell = url_of(connection, "shell_port")
    with _WRAPPED:
        if not hasattr(Session.send, "of_tfdoctor"):
            Session.send, Session.send_raw = _noting(Session.send), _noting(Session.send_raw)
        _BY_SHELL[shell] = kernel
    return lambda: _leave(shell, kernel)


def _leave(shell: str, kernel: WatchedKernel) -> None:
    with _WRAPPED:
        if _BY_SHELL.get(shell) is kernel:
            del _BY_SHELL[shell]


def _noting(send: Callable[..., Any]) -> Callable[..., Any]:
    """That function, with a look at what passes through it."""

    @functools.wraps(send)
    def sends(session: Any, stream: Any, message: Any, *more: Any, **named: Any) -> Any:
        with contextlib.suppress(Exception):  # whatever a message may be, it is sent
            _note(stream, message)
        return send(session, stream, message, *more, **named)

    sends.of_tfdoctor = True  # type: ignore[attr-defined]  # a mark for the next look
    return sends


def _note(stream: Any, message: Any) -> None:
    """A message comes as a dictionary, or as parts of JSON: header, parent header, metadata, content."""
    if not _BY_SHELL or isinstance(message, str):
        return
    header = message["header"] if isinstance(message, Mapping) else json.loads(bytes(message[0]))
    if header["msg_type"] != "execute_request":
        return
    socket = getattr(stream, "socket", stream)
    kernel = _BY_SHELL.get(socket.get(zmq.LAST_ENDPOINT).rstrip(b"\0").decode())
    if kernel is not None:
        content = (
            message["content"] if isinstance(message, Mapping) else json.loads(bytes(message[3]))
        )
        counts = not content.get("silent") and content.get("store_history", True)
        kernel.was_given(
            json.dumps(header, default=lambda moment: moment.isoformat()).encode(), bool(counts)
        )
