"""The client's lines: those that the SDK would pass over without a word are mended or answered."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from io import TextIOWrapper
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from tfdoctor.base.json_text import with_texts


class Lines:
    """Standard input, line by line. `refuse` sends an answer; it is there before the first line is read."""

    def __init__(self) -> None:
        self.refuse: Any = None
        self._file = anyio.wrap_file(
            TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
        )

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            if not line.strip():
                continue
            said, error = _readable(line)
            if error is None:
                yield said
            else:
                await self.refuse(SessionMessage(error))


def _readable(line: str) -> tuple[str, JSONRPCError | None]:
    """The line, with a replacement for half a surrogate, which no other JSON than Python's takes; or what is wrong with it."""
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
        return line, None
    except ValueError:
        pass
    try:
        document = json.loads(line)
        plain = json.dumps(
            with_texts(document, lambda text: text.encode("utf-8", "replace").decode())
        )
    except (ValueError, RecursionError):
        return "", _error(None, PARSE_ERROR, "this line is not valid JSON")
    try:
        jsonrpc_message_adapter.validate_json(plain, by_name=False)
        return plain, None
    except ValueError:
        asked = document.get("id") if isinstance(document, dict) else None
        own = asked if isinstance(asked, (str, int)) and not isinstance(asked, bool) else None
        return "", _error(own, INVALID_REQUEST, "this is not a message of JSON-RPC 2.0")


def _error(asked: str | int | None, code: int, words: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=asked, error=ErrorData(code=code, message=words))
