"""Starts a kernel as a client does that knows no provisioners (VS Code's way: argv itself, SIGINT to that one process,
exit status and stderr read), and prints what became of it as JSON.

Arguments: what to do (`dies=CELL`, `signalled`, `killed`), then the words that start a kernel, with {connection_file} among them.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.connect import write_connection_file

SETTLES_S = 0.5
"""Within it a signal that comes twice has come twice."""
COUNTS = """
import os, signal, time
file = os.open({notes!r}, os.O_WRONLY | os.O_APPEND)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: os.write(file, number.to_bytes(1, "big")))
print("counts", flush=True)
while os.path.getsize({notes!r}) < 4:
    time.sleep(.01)
time.sleep(1)
"""
WAITS = "import os, time; print(os.getpid(), flush=True); time.sleep(100)"


def main(what: str, words: list[str]) -> None:
    file, _ = write_connection_file(
        os.path.join(tempfile.mkdtemp(), "kernel-launched.json"), key=b"of this test"
    )
    argv = [word.replace("{connection_file}", file) for word in words]
    with subprocess.Popen(
        argv, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            answer = watched(what, file, process)
        finally:
            if process.poll() is None:
                process.kill()
        stderr = process.stderr.read() if process.stderr else ""
        json.dump({**answer, "status": process.wait(), "stderr": stderr}, sys.stdout)


def watched(what: str, file: str, process: Any) -> dict[str, Any]:
    client = BlockingKernelClient(connection_file=file)
    client.load_connection_file()
    client.start_channels(hb=False)  # it takes a slow start for a death
    what, _, cell = what.partition("=")
    try:
        client.wait_for_ready(timeout=60)
        return (
            dies(client, process, cell)
            if cell
            else {"signalled": signalled, "killed": killed}[what](client, process)
        )
    finally:
        client.stop_channels()  # else its context waits for ever, whenever garbage is collected


def dies(client: Any, process: Any, cell: str) -> dict[str, Any]:
    """A socket comes back to its address only where somebody reads it, as every client does."""
    client.execute(cell)
    found: list[dict[str, Any]] = []
    until = time.time() + 60
    while time.time() < until:
        found += said(client, 0.1)
        if process.poll() is not None and any(each["msg_type"] == "display_data" for each in found):
            break
    return {"messages": [(each["msg_type"], each["content"]) for each in found]}


def signalled(client: Any, process: Any) -> dict[str, Any]:
    """What had come in the kernel, by signals' numbers, after each of four that were sent."""
    came: list[list[int]] = []
    with tempfile.NamedTemporaryFile() as notes:
        client.execute(COUNTS.format(notes=notes.name))
        printed(client, 1)
        for number in (signal.SIGINT, signal.SIGTERM):
            for send in (os.kill, os.killpg):
                send(process.pid, number)
                wait_for(lambda: Path(notes.name).stat().st_size > len(came))
                time.sleep(SETTLES_S)
                came.append(list(Path(notes.name).read_bytes()))
        client.shutdown()
        process.wait(60)
    return {"came": came}


def killed(client: Any, process: Any) -> dict[str, Any]:
    client.execute(WAITS)
    pid = int(printed(client, 1)[0])
    before = of_session(process.pid)
    process.kill()
    process.wait()
    wait_for(lambda: not of_session(process.pid))
    return {"kernel": pid, "before": before, "left": of_session(process.pid)}


def of_session(session: int) -> list[int]:
    """The processes of one session: of one that was started in a session of its own, whatever it started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(")")[2].split()[3] == str(session):
                found.append(int(stat.parent.name))
    return found


def wait_for(what: Callable[[], bool], most_s: float = 30) -> None:
    until = time.monotonic() + most_s
    while not what() and time.monotonic() < until:
        time.sleep(0.02)


def said(client: Any, seconds: float) -> list[dict[str, Any]]:
    found = []
    with contextlib.suppress(queue.Empty):
        while True:
            found.append(client.get_iopub_msg(timeout=seconds))
    return found


def printed(client: Any, most: int) -> list[str]:
    texts: list[str] = []
    until = time.time() + 60
    while len(texts) < most and time.time() < until:
        with contextlib.suppress(queue.Empty):
            message = client.get_iopub_msg(timeout=1)
            if message["msg_type"] == "stream":
                texts.append(message["content"]["text"])
    return texts


main(sys.argv[1], sys.argv[2:])
