"""Words that lay unread in a pipe of the process' own when it died."""

from __future__ import annotations

import os
import subprocess
import sys

from tfdoctor.apps.jupyter.inner_pipe import InnerPipe

OWN_PIPE = """
import os, sys
read, write = os.pipe()
os.dup2(write, 2)
print("there", flush=True)
sys.stdin.readline()
os.write(2, b"Check failed: rank == 2\\n")
os.abort()
"""


def test_the_rest_is_read_after_the_death_and_nothing_before() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWN_PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout and process.stderr
        pipe = InnerPipe(process.pid, os.fstat(process.stderr.fileno()).st_ino)
        pipe.look()
        assert process.stdout.readline() == "there\n"
        pipe.look()
        pipe.look()
        assert pipe.rest() == b""
        process.stdin.write("\n")
        process.stdin.flush()
        process.wait()
        assert pipe.rest() == b"Check failed: rank == 2\n"
        pipe.close()
        assert pipe.rest() == b""


def test_what_is_said_there_is_what_the_kernel_reads_and_not_what_its_server_logs() -> None:
    program = OWN_PIPE.replace(
        "sys.stdin.readline()",
        "sys.stdout.buffer.write(os.read(read, 100)); sys.stdout.flush(); sys.stdin.readline()",
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout and process.stderr
        pipe = InnerPipe(process.pid, os.fstat(process.stderr.fileno()).st_ino)
        pipe.say("lost\n")
        assert process.stdout.readline() == "there\n"
        pipe.look()
        pipe.say("tfdoctor: memory grows\n")
        assert process.stdout.readline() == "tfdoctor: memory grows\n"
        process.kill()
        assert process.stderr.read() == ""
        pipe.say("nobody hears\n")
        pipe.close()


def test_a_process_that_is_gone_has_none() -> None:
    pipe = InnerPipe(2**22 + 1, 0)
    pipe.look()
    assert pipe.rest() == b""
