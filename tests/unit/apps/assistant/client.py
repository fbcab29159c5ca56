"""`tfdoctor mcp` as an assistant's client starts it: the SDK's own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.unit.apps.cli.running import environment

pytest.importorskip("mcp", reason="needs the extra mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

T = TypeVar("T")


def answered(
    conversation: Callable[[Any], Awaitable[T]],
    *words: str,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> T:
    """What the conversation with a server of its own returned."""

    async def talk() -> T:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tfdoctor", "mcp", *words],
            env=environment(**(env or {})),
            cwd=cwd,
        )
        async with Client(server) as client:
            return await conversation(client)

    return asyncio.run(talk())


async def document(client: Any, tool: str, **asked: Any) -> dict[str, Any]:
    """A tool's answer, which a client that knows no structured content gets as the same JSON in a text."""
    result = await client.call_tool(tool, asked)
    assert not result.is_error, result.content[0].text
    told: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == told
    return told


async def refusal(client: Any, tool: str, **asked: Any) -> str:
    result = await client.call_tool(tool, asked)
    assert result.is_error
    assert result.structured_content is None
    words: str = result.content[0].text
    return words.removeprefix(f"Error executing tool {tool}: ")
