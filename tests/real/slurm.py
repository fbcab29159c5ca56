"""A real Slurm of several slurmd on this machine, in namespaces of its own; nothing is installed on the machine itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.needs import SLURM
from tests.real.environments import CACHE
from tests.waiting import until

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")


@dataclass(frozen=True)
class Cluster:
    """`pid`: a process inside; `folder`: one that all nodes and the tests see."""

    pid: int
    folder: Path

    def command(self, *words: str) -> list[str]:
        return [
            "nsenter",
            "-t",
            str(self.pid),
            "-m",
            "-n",
            "-p",
            "--root",
            "env",
            "-C",
            str(CHECKOUT),
            *words,
        ]

    def run(self, *words: str, limit_s: float = 60) -> str:
        done = subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=limit_s, check=False
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def fleet(self, *words: str, env: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """`tfdoctor fleet run`, whose nodes are what `doctor` says."""
        program = [
            sys.executable,
            "-m",
            "tfdoctor",
            "fleet",
            "run",
            "--doctor",
            str(self.folder / "doctor"),
            "--json",
        ]
        return subprocess.Popen(
            self.command(*env, *program, *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lay(self, node: str, words: str) -> None:
        """Shell words that the node's doctor begins with."""
        (self.folder / f"{node}.sh").write_text(words)

    def idle(self, nodes: int) -> None:
        """Waits until no step is left and every node takes work."""
        until(lambda: not self.run("squeue", "-h") and not self.run("squeue", "-h", "-s"))
        until(lambda: self.run("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * nodes)

    def left(self) -> list[str]:
        """The examinations, and the sruns that wait for them, that are still there, as command lines."""
        words = subprocess.run(
            ["ps", "-eo", "args"], capture_output=True, text=True, check=True
        ).stdout
        return [line for line in words.splitlines() if f"{self.folder}/doctor fleet node" in line]


DOCTOR = """#!/bin/sh
if [ -e {folder}/$SLURMD_NODENAME.sh ]; then . {folder}/$SLURMD_NODENAME.sh; fi
exec {python} -m tfdoctor "$@" --facts ${{FACTS:-{machines}/healthy-gpu/report.json}}
"""


@contextmanager
def slurm(nodes: int, folder: Path, *conf: str) -> Iterator[Cluster]:
    """The cluster, whose /tmp is this machine's; `conf` are more lines of slurm.conf."""
    program = folder / "doctor"
    program.write_text(
        DOCTOR.format(
            folder=folder, python=sys.executable, machines=CHECKOUT / "tests" / "machines"
        )
    )
    program.chmod(0o755)
    if given := os.environ.get("TFDOCTOR_TEST_SLURM"):
        yield Cluster(int(given), folder)
        return
    words = [
        "unshare",
        "-m",
        "-n",
        "-p",
        "-f",
        "--kill-child",
        "--mount-proc",
        str(HERE / "slurm.sh"),
        str(_packages()),
        str(nodes),
        "\n".join(conf) or "# no more",
    ]
    with (folder / "slurm.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        ready = process.stdout.readline().split()
        assert ready[:1] == ["ready"], (folder / "slurm.log").read_text()[-3000:]
        cluster = Cluster(_inside(process.pid), folder)
        cluster.idle(nodes)
        yield cluster
    finally:
        process.kill()
        process.wait()


def _inside(unshare: int) -> int:
    """The process that stands in the cluster's root and waits, below unshare."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for line in subprocess.run(
            ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
        ).stdout.splitlines():
            pid, parent, args = line.split(None, 2)
            if args == "sleep infinity" and _parent(int(parent)) == unshare:
                return int(pid)
        time.sleep(0.1)
    raise AssertionError("the cluster's waiting process is not there")


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _packages() -> Path:
    """Slurm's packages and what they need, downloaded once."""
    if os.geteuid() or not shutil.which("apt-get") or not shutil.which("unshare"):
        pytest.skip(SLURM)
    folder = CACHE / "slurm"
    if not (folder / "ready").exists():
        (folder / "partial").mkdir(parents=True, exist_ok=True)
        words = [
            "apt-get",
            "install",
            "--quiet",
            "--yes",
            "--download-only",
            "-o",
            f"Dir::Cache::archives={folder}",
            *PACKAGES,
        ]
        if subprocess.run(words, capture_output=True, timeout=300, check=False).returncode:
            pytest.skip(SLURM)
        (folder / "ready").touch()
    return folder
