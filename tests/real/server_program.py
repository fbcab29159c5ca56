"""Runs a real Jupyter server, in the environment that has it, and prints what became of its kernels as JSON.

`deaths KERNEL=CELL…` runs each cell in a kernel of its own and tells when the words came and when the restarted kernel
answered, in seconds after the death. `idle COUNT SECONDS` tells what the server itself takes beside that many idle kernels.
The environment decides on the provisioner; {died} in a cell is a file that it writes just before it dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

LIMIT_S = 60.0
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """One that listens on this machine alone."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = [
            sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root", f"--port={self.port}",
            "--IdentityProvider.token=t", f"--ServerApp.root_dir={folder}",
        ]  # fmt: skip
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, cwd=folder)

    async def ask(self, path: str, method: str = "GET", **more: Any) -> Any:
        url = f"http://127.0.0.1:{self.port}{path}?token=t"
        answer = await AsyncHTTPClient().fetch(url, method=method, request_timeout=LIMIT_S, **more)
        return json.loads(answer.body or b"null")

    async def started(self) -> None:
        until = time.monotonic() + LIMIT_S
        while True:
            try:
                await self.ask("/api")
                return
            except Exception:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(0.1)

    async def kernel(self, name: str = "python3") -> str:
        body = json.dumps({"name": name})
        return str((await self.ask("/api/kernels", "POST", body=body))["id"])

    async def channels(self, kernel: str) -> Any:
        return await websocket_connect(
            f"ws://127.0.0.1:{self.port}/api/kernels/{kernel}/channels?token=t"
        )


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.process.terminate()
            server.process.wait()
            server.log.close()


def request(kind: str, **content: Any) -> tuple[str, str]:
    """Its id, and the message."""
    header = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": kind,
        "username": "",
        "session": "of-this-test",
        "version": "5.3",
    }
    whole = {
        "header": header,
        "parent_header": {},
        "metadata": {},
        "content": content,
        "channel": "shell",
        "buffers": [],
    }
    return header["msg_id"], json.dumps(whole)


async def said(channels: Any, limit_s: float = LIMIT_S) -> dict[str, Any]:
    message = await asyncio.wait_for(channels.read_message(), limit_s)
    if message is None:
        raise EOFError("the server closed the connection")
    found: dict[str, Any] = json.loads(message)
    return found


async def answers(server: Server, kernel: str) -> Any:
    """New channels, when the kernel has answered on them. What it is asked while it restarts is lost."""
    until = time.monotonic() + LIMIT_S
    while True:
        channels = await server.channels(kernel)
        asked, message = request("kernel_info_request")
        await channels.write_message(message)
        try:
            while (await said(channels, 1.0))["parent_header"].get("msg_id") != asked:
                """Something else was said."""
            return channels
        except (asyncio.TimeoutError, EOFError):
            channels.close()
            if time.monotonic() > until:
                raise


async def death(server: Server, name: str, cell: str) -> dict[str, Any]:
    """What was said of the cell that died, and when; the restarted kernel's first answer comes last."""
    with tempfile.NamedTemporaryFile() as died:
        kernel = await server.kernel(name)
        channels = await answers(server, kernel)
        asked, message = request("execute_request", code=cell.replace("{died}", died.name))
        await channels.write_message(message)
        outputs, words_at = [], 0.0
        while True:
            found = await said(channels)
            if found["parent_header"].get("msg_id") == asked and found["msg_type"] in (
                "stream",
                "display_data",
                "error",
            ):
                outputs.append(found["content"])
                words_at = time.time()
            ended, ended_at = found["content"].get("execution_state"), time.time()
            if ended in ("restarting", "dead") or (
                ended == "idle" and found["parent_header"].get("msg_id") == asked
            ):
                break
        channels.close()
        (await answers(server, kernel)).close()
        answered_at, died_at = time.time(), float(Path(died.name).read_text() or 0)
    await server.ask(f"/api/kernels/{kernel}", "DELETE")
    after = {
        "words": words_at - died_at,
        "ended": ended_at - died_at,
        "answered": answered_at - died_at,
    }
    return {
        "kernel": kernel,
        "outputs": outputs,
        "ended": ended,
        "died_at": died_at,
        "after_s": after,
    }


async def deaths(server: Server, cells: list[str]) -> list[dict[str, Any]]:
    await server.started()
    return [await death(server, *each.split("=", 1)) for each in cells]


async def idle(server: Server, count: int, seconds: float) -> dict[str, Any]:
    await server.started()
    channels = [await answers(server, await server.kernel()) for _ in range(count)]
    await asyncio.sleep(20)
    before = spent(server.process.pid)
    await asyncio.sleep(seconds)
    found: dict[str, Any] = {
        "cpu_s": spent(server.process.pid) - before,
        **memory(server.process.pid),
    }
    found["threads"] = [
        task.joinpath("comm").read_text().strip()
        for task in Path(f"/proc/{server.process.pid}/task").iterdir()
    ]
    for each in channels:
        each.close()
    for kernel in await server.ask("/api/kernels"):
        await server.ask(f"/api/kernels/{kernel['id']}", "DELETE")
    return found


def spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> dict[str, int]:
    """In bytes."""
    found = dict(
        line.split(":", 1)
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        if ":" in line[:20]
    )
    return {name: int(found[name].split()[0]) * 1024 for name in ("Rss", "Pss", "Anonymous")}


async def main(what: str, arguments: list[str]) -> None:
    found: Any
    with serving() as server:
        if what == "deaths":
            found = await deaths(server, arguments)
        else:
            found = await idle(server, int(arguments[0]), float(arguments[1]))
    json.dump(found, sys.stdout)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
