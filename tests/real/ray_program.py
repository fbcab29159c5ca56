"""Starts a cluster of three Ray nodes here, does what it is told with them, and prints the summary of `tfdoctor fleet run`.

Runs in an environment with Ray: python -m tests.real.ray_program all|dead|killed|hanging|gpu
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

REPORT = Path(__file__).parents[1] / "machines" / "healthy-gpu" / "report.json"


def main(what: str) -> int:
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "num_gpus": 1 if what == "gpu" else 0}
    )
    others = [cluster.add_node(num_cpus=1, num_gpus=1 if what == "gpu" else 0) for _ in range(2)]
    cluster.wait_for_nodes()
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "fleet",
            "run",
            "--engine",
            "ray",
            "--address",
            cluster.address,
            "--json",
            "--doctor",
            _doctor(Path(folder), what),
        ]
        words += ["--gpus", "1"] if what == "gpu" else []
        if what == "dead":
            cluster.remove_node(others[0])
        if what == "killed":
            threading.Thread(
                target=_kill, args=(cluster, others[0], Path(folder)), daemon=True
            ).start()
        done = subprocess.run(
            [sys.executable, "-m", "tfdoctor", *words, "--", "--timeout", "10"],
            stdout=subprocess.PIPE,
        )
    sys.stdout.buffer.write(done.stdout)
    cluster.shutdown()
    return done.returncode


def _kill(cluster: Cluster, node: object, folder: Path) -> None:
    while len(list(folder.glob("begun.*"))) < 3:
        time.sleep(0.1)
    cluster.remove_node(node, allow_graceful=False)


def _doctor(folder: Path, what: str) -> str:
    """The first node to ask for the lock is the odd one; all of them stand on this machine."""
    program = folder / "doctor"
    slow = f"touch {folder}/begun.$$; sleep 8" if what == "killed" else ":"
    odd = "trap '' TERM; while :; do sleep 0.5; done" if what == "hanging" else ":"
    claim = (
        '[ -n "$CUDA_VISIBLE_DEVICES" ] || exit 9'
        if what == "gpu"
        else '[ -z "${CUDA_VISIBLE_DEVICES+set}" ] || exit 9'
    )
    program.write_text(
        f"#!/bin/sh\n{claim}\nif mkdir {folder}/lock 2>/dev/null; then {odd}; fi\n{slow}\n"
        f'exec {shlex.quote(sys.executable)} -m tfdoctor "$@" --facts {REPORT}\n'
    )
    program.chmod(0o755)
    return str(program)


if __name__ == "__main__":
    assert ray.__version__
    sys.exit(main(sys.argv[1]))
