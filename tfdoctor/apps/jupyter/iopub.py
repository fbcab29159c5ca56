"""A kernel's iopub address: listening there while it lives, speaking from there for a moment after its death.

Whoever had subscribed comes back to the address by itself within some 0.2 s, since zmq tries again for ever; so what is
said there reaches every client as if the kernel had said it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

import zmq

from tfdoctor.apps.jupyter.cells import TOPICS, Cell
from tfdoctor.base.records import record

_DELIMITER = b"<IDS|MSG>"
_SETTLED_S = 0.25  # zmq comes back after 100 to 200 ms (ZMQ_RECONNECT_IVL, zmq_setsockopt(3))
_WAIT_S = 1.0
_LOOK_S = 0.02
_LINGER_MS = 300


@record
class Address:
    """What a connection file tells of iopub. Keys are empty where the connection has none."""

    url: str
    key: bytes
    scheme: str
    curve_public: bytes = b""
    curve_secret: bytes = b""


def url_of(connection: Mapping[str, Any], port: str) -> str:
    """Where the kernel is spoken with, by the name of the port. Raises KeyError or ValueError."""
    between = "-" if connection.get("transport") == "ipc" else ":"
    return f"{connection['transport']}://{connection['ip']}{between}{int(connection[port])}"


def address_of(connection: Mapping[str, Any]) -> Address:
    """Raises KeyError or ValueError where it names no iopub address."""
    return Address(
        url_of(connection, "iopub_port"),
        _bytes(connection.get("key")),
        str(connection.get("signature_scheme") or "hmac-sha256"),
        _bytes(connection.get("curve_publickey")),
        _bytes(connection.get("curve_secretkey")),
    )


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value or "").encode()


def listen(context: Any, address: Address) -> Any:
    """A socket that hears what the kernel says of its state; outputs of cells don't come. Raises zmq.ZMQError."""
    socket = context.socket(zmq.SUB)
    socket.linger = 0
    if _take_keys(socket, address):
        socket.curve_serverkey = address.curve_public
    for topic in TOPICS:
        socket.subscribe(topic)
    socket.connect(address.url)
    return socket


def _take_keys(socket: Any, address: Address) -> bool:
    """Gives the socket the connection's keys; whether there are any."""
    if address.curve_secret:
        socket.curve_secretkey, socket.curve_publickey = address.curve_secret, address.curve_public
    return bool(address.curve_secret)


class LastWord:
    """Holds a dead kernel's iopub address. Raises zmq.ZMQError where another has taken it."""

    def __init__(self, address: Address) -> None:
        self._address, self._listeners = address, 0
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.XPUB)
        self._socket.linger = _LINGER_MS
        self._socket.setsockopt(zmq.XPUB_VERBOSE, 1)
        if _take_keys(self._socket, address):
            self._socket.curve_server = True
        try:
            self._socket.bind(address.url)
        except zmq.ZMQError:
            self.close()
            raise
        self._at = time.monotonic()

    def wait_for_listeners(self, given_up: Callable[[], bool]) -> bool:
        """Whether anybody came back. Mostly they have, while the death was judged."""
        until = max(self._at + _WAIT_S, time.monotonic() + _SETTLED_S)
        while not given_up() and time.monotonic() < until:
            if self._socket.poll(_LOOK_S * 1000):
                self._listeners += self._socket.recv()[:1] == b"\x01"
            elif self._listeners and time.monotonic() - self._at >= _SETTLED_S:
                return True
        return self._listeners > 0 and not given_up()

    def say(self, cell: Cell, kind: str, content: Mapping[str, Any]) -> None:
        """A message as the kernel would have sent it for that cell."""
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": kind,
            "username": "tfdoctor",
            "session": uuid.uuid4().hex,
            "date": datetime.now(timezone.utc).isoformat(),
            "version": "5.3",
        }
        parts = [json.dumps(header).encode(), cell.parent, b"{}", json.dumps(content).encode()]
        signature = signed(self._address, parts)
        topic = f"stream.{content['name']}" if kind == "stream" else kind  # ipykernel's
        self._socket.send_multipart([topic.encode(), _DELIMITER, signature, *parts])

    def close(self) -> None:
        """What was said is still delivered; then the address is free."""
        self._socket.close()
        self._context.term()


def signed(address: Address, parts: Sequence[bytes]) -> bytes:
    """The signature in hexadecimal digits; empty where the connection has no key. Raises ValueError for no known scheme."""
    if not address.key:
        return b""
    name = address.scheme.partition("-")[2]
    if name not in hashlib.algorithms_available:
        raise ValueError(f"{address.scheme} is no scheme that is known here")
    return hmac.new(address.key, b"".join(parts), name).hexdigest().encode()
