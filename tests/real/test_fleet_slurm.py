"""`tfdoctor fleet run --engine slurm` on a real Slurm: every node gets a state, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.slurm import Cluster, slurm
from tests.unit.cli.running import machine
from tests.waiting import until

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.nightly]

HANGS = "trap '' TERM INT HUP; while :; do sleep 0.5; done\n"


@pytest.fixture(scope="module")
def four() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="tfdoctor-fleet-") as folder, slurm(4, Path(folder)) as cluster:
        yield cluster


@pytest.fixture
def cluster(four: Cluster) -> Iterator[Cluster]:
    yield four
    for file in four.folder.glob("n*.sh"):
        file.unlink()
    subprocess.run(four.command("scontrol", "update", "nodename=n[1-4]", "state=resume"), capture_output=True)
    subprocess.run(four.command("scancel", "-u", "root"), capture_output=True)
    four.idle(4)


def end(process: subprocess.Popen[str], limit_s: float) -> dict[str, Any]:
    """The summary, and nothing of a step is left."""
    out, err = process.communicate(timeout=limit_s)
    assert "Traceback" not in err, err
    summary: dict[str, Any] = json.loads(out)
    return {**summary, "status": process.returncode}


def missing(summary: dict[str, Any]) -> dict[str, str]:
    return {each["nodes"]: each["state"] for each in summary["missing"]}


def test_all_healthy_then_one_odd_driver(cluster: Cluster) -> None:
    summary = end(cluster.fleet(), 60)
    assert (summary["states"], summary["status"]) == ({"answered": 4}, 0)
    cluster.lay("n3", f"FACTS={machine('driver-too-old')}\n")
    summary = end(cluster.fleet(), 60)
    odd = next(group for group in summary["groups"] if not group["reference"])
    assert (odd["nodes"], odd["roots"], summary["status"]) == ("n3", ["driver-too-old"], 1)
    assert (odd["odd"][0]["fact"], odd["odd"][0]["value"]) == ("driver.version", "470.57.02")


def test_drained_busy_hanging_and_without_the_doctor(cluster: Cluster) -> None:
    cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=broken fan")
    busy = subprocess.Popen(
        cluster.command("srun", "-Q", "-w", "n2", "-N1", "-n1", "-c2", "--exclusive", "sleep", "100")
    )
    until(lambda: "allocated" in cluster.run("sinfo", "-h", "-n", "n2", "-o", "%T"))
    cluster.lay("n3", HANGS)
    cluster.lay("n4", "echo 'tfdoctor: not found' >&2; exit 127\n")
    began = time.monotonic()
    summary = end(cluster.fleet("--wait", "3", "--", "--timeout", "5"), 40)
    assert time.monotonic() - began < 5 + 10 + 3
    cluster.run("scancel", "--name=sleep")  # nsenter passes no signal on
    busy.wait()
    assert missing(summary) == {"n1": "unavailable", "n2": "busy", "n3": "timeout", "n4": "no-doctor"}
    assert "broken fan" in next(each["reason"] for each in summary["missing"] if each["nodes"] == "n1")
    assert summary["status"] == 3
    until(lambda: not cluster.run("squeue", "-h", "-s"))
    until(lambda: not cluster.left())


def test_a_node_that_dies_in_the_run_is_lost_and_the_others_are_whole(cluster: Cluster) -> None:
    begun = cluster.folder / "begun"
    cluster.lay("n2", f"echo $PPID $$ > {begun}.part; mv {begun}.part {begun}; exec sleep 100\n")
    process = cluster.fleet("--", "--timeout", "30")
    until(begun.exists)
    cluster.run(
        "kill", "-9", *cluster.run("pgrep", "-f", "slurmd -N n2$").split(), *begun.read_text().split()
    )
    begun.unlink()
    summary = end(process, 45)
    cluster.run("slurmd", "-N", "n2")
    assert summary["states"] == {"answered": 3, "lost": 1} and missing(summary) == {"n2": "lost"}, summary[
        "missing"
    ]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_ended_launcher_takes_its_steps_along(cluster: Cluster, how: signal.Signals) -> None:
    cluster.lay("n2", f"touch {cluster.folder}/begun; {HANGS}")
    records = cluster.folder / "records.jsonl"
    process = cluster.fleet("-o", str(records), "--", "--timeout", "60")
    until(lambda: (cluster.folder / "begun").exists() and records.read_bytes().count(b"\n") == 3)
    (cluster.folder / "begun").unlink()
    launcher = int(cluster.run("pgrep", "-f", "tfdoctor fleet run").split()[0])
    cluster.run("kill", f"-{how.value}", str(launcher))
    out, _ = process.communicate(timeout=20)
    until(lambda: not cluster.run("squeue", "-h", "-s"))
    until(lambda: not cluster.left())
    if how is not signal.SIGKILL:
        summary = json.loads(out)
        assert summary["states"]["answered"] == 3 and missing(summary) == {"n2": "silent"}
    cluster.lay("n2", "")
    summary = end(cluster.fleet("--resume", str(records)), 60)
    assert (summary["states"], summary["status"]) == ({"answered": 4}, 0)
    assert summary["records"] == (5 if how is not signal.SIGKILL else 4)


def test_garbage_floods_and_a_cut_record(cluster: Cluster) -> None:
    cluster.lay("n1", "yes garbage | head -c 100000000; exit 0\n")
    cluster.lay("n2", "yes garbage | head -c 20000000\n")
    cluster.lay("n3", """printf '{"schema_version": "1.0", "node": "x", "state": "answ'; exit 0\n""")
    summary = end(cluster.fleet(), 90)
    assert missing(summary) == {"n[1,3]": "silent"}
    assert summary["states"]["answered"] == 2


def test_the_same_inside_an_allocation(cluster: Cluster) -> None:
    cluster.lay("n2", f"FACTS={machine('driver-too-old')}\n")
    salloc = ("salloc", "-Q", "-w", "n[1-3]", "-N3")
    summary = end(cluster.fleet(env=salloc), 60)
    assert summary["states"] == {"answered": 3}
    assert {group["nodes"] for group in summary["groups"]} == {"n2", "n[1,3]"}


def test_no_controller_is_one_line_and_status_3(tmp_path: Path) -> None:
    sinfo = tmp_path / "sinfo"
    sinfo.write_text(
        "#!/bin/sh\necho 'slurm_load_partitions: Unable to contact slurm controller (connect failure)' >&2\nexit 1\n"
    )
    sinfo.chmod(0o755)
    words = [sys.executable, "-m", "tfdoctor", "fleet", "run"]
    done = subprocess.run(
        words, env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}, capture_output=True, text=True
    )
    assert (
        (done.returncode, done.stdout) == (3, "")
        and done.stderr.count("\n") == 1
        and "controller" in done.stderr
    )
