"""`tfdoctor fleet run --engine slurm` on a real Slurm: every node gets a state, and nothing is left."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.needs import need_gcc
from tests.real.slurm import Cluster, slurm
from tests.unit.apps.cli.running import machine
from tests.waiting import until

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.nightly]

HANGS = "trap '' TERM INT HUP; while :; do sleep 0.5; done\n"
ALLOCATION = ("salloc", "-Q", "--no-kill", "-w", "n[1-4]", "-N4")


@pytest.fixture(scope="module")
def four() -> Iterator[Cluster]:
    with (
        tempfile.TemporaryDirectory(prefix="tfdoctor-fleet-") as folder,
        slurm(4, Path(folder)) as cluster,
    ):
        yield cluster


@pytest.fixture
def cluster(four: Cluster) -> Iterator[Cluster]:
    yield four
    for file in four.folder.glob("n*.sh"):
        file.unlink()
    subprocess.run(four.command("scancel", "-u", "root"), capture_output=True)
    subprocess.run(
        four.command("scontrol", "update", "nodename=n[1-4]", "state=resume"), capture_output=True
    )
    four.idle(4)


@pytest.fixture(params=[(), ALLOCATION], ids=["outside", "in salloc"])
def place(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The words before `tfdoctor fleet run`."""
    words: tuple[str, ...] = request.param
    return words


def end(process: subprocess.Popen[str], limit_s: float) -> dict[str, Any]:
    """The summary and the exit status."""
    out, err = process.communicate(timeout=limit_s)
    assert "Traceback" not in err, err
    summary: dict[str, Any] = json.loads(out)
    return {**summary, "status": process.returncode}


def missing(summary: dict[str, Any]) -> dict[str, str]:
    return {each["nodes"]: each["state"] for each in summary["missing"]}


def nothing_left(cluster: Cluster) -> None:
    until(lambda: not cluster.run("squeue", "-h", "-s"))
    until(lambda: not cluster.left())


def test_all_healthy_then_one_odd_driver(cluster: Cluster, place: tuple[str, ...]) -> None:
    summary = end(cluster.fleet(env=place), 60)
    assert (summary["states"], summary["status"]) == ({"answered": 4}, 0)
    cluster.lay("n3", f"FACTS={machine('driver-too-old')}\n")
    assert_odd_driver(end(cluster.fleet(env=place), 60))


def test_simulated_drivers_are_told_apart(
    cluster: Cluster, place: tuple[str, ...], tensorflow_python: Path
) -> None:
    need_gcc()
    for node in ("n1", "n2", "n3", "n4"):
        scenario = Scenario(driver_version="470.57.02") if node == "n3" else Scenario()
        driver = SimulatedDriver(cluster.folder / node, scenario, libraries=EVERYTHING)
        found = f"LD_LIBRARY_PATH={driver.folder} TFSIM_SCENARIO={driver.scenario_file}"
        cluster.lay(node, f'exec env {found} {shlex.quote(sys.executable)} -m tfdoctor "$@"\n')
    check = ("--python", str(tensorflow_python), "--smoke", "driver", "--timeout", "100")
    assert_odd_driver(end(cluster.fleet("--", *check, env=place), 150))


def assert_odd_driver(summary: dict[str, Any]) -> None:
    odd, reference = summary["groups"]
    assert (odd["nodes"], odd["roots"], summary["status"]) == ("n3", ["driver-too-old"], 1)
    assert (reference["nodes"], reference["verdict"], reference["reference"]) == (
        "n[1-2,4]",
        "healthy",
        True,
    )
    first = odd["odd"][0]
    assert (first["fact"], first["value"]) == ("driver.version", "470.57.02")
    assert (first["in_group"], first["in_reference"], first["confidence"]) == (
        [1, 1],
        [0, 3],
        "certain",
    )


def test_drained_busy_hanging_and_without_the_doctor(
    cluster: Cluster, place: tuple[str, ...]
) -> None:
    """Inside an allocation a node is not busy: the examination runs beside the job's own step."""
    cluster.lay("n3", HANGS)
    cluster.lay("n4", "echo 'tfdoctor: not found' >&2; exit 127\n")
    busy = "srun -Q -w n2 -N1 -n1 --exclusive sleep 100 & until squeue -h -s | grep -q sleep; do sleep 0.1; done"
    drained = "scontrol update nodename=n1 state=drain reason='broken fan'"
    began = cluster.folder / "began"
    before = (
        "sh",
        "-c",
        f'{busy}; {drained}; touch {began}; "$@"; echo $? >{began}.status; scancel -n sleep',
        "-",
    )
    process = cluster.fleet("--wait", "3", "--", "--timeout", "5", env=(*place, *before))
    until(began.exists)
    since = time.monotonic()
    summary = end(process, 40)
    assert time.monotonic() - since < 5 + 10
    expected = {"n1": "unavailable", "n3": "timeout", "n4": "no-doctor"}
    assert missing(summary) == (expected if place else {**expected, "n2": "busy"})
    assert "broken fan" in next(
        each["reason"] for each in summary["missing"] if each["nodes"] == "n1"
    )
    assert int((cluster.folder / "began.status").read_text()) == 3
    began.unlink()
    nothing_left(cluster)


def test_a_node_that_dies_in_the_run_is_lost_and_the_others_are_whole(
    cluster: Cluster, place: tuple[str, ...]
) -> None:
    begun = cluster.folder / "begun"
    cluster.lay("n2", f"echo $PPID $$ > {begun}.part; mv {begun}.part {begun}; exec sleep 100\n")
    process = cluster.fleet("--", "--timeout", "30", env=place)
    until(begun.exists)
    cluster.run(
        "kill",
        "-9",
        *cluster.run("pgrep", "-f", "slurmd -N n2$").split(),
        *begun.read_text().split(),
    )
    begun.unlink()
    summary = end(process, 45)
    cluster.run("slurmd", "-N", "n2")
    assert summary["states"] == {"answered": 3, "lost": 1} and missing(summary) == {"n2": "lost"}, (
        summary["missing"]
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_ended_launcher_takes_its_steps_along(
    cluster: Cluster, place: tuple[str, ...], how: signal.Signals
) -> None:
    """Also where the allocation goes on without it."""
    cluster.lay("n2", f"touch {cluster.folder}/begun; {HANGS}")
    records = cluster.folder / "records.jsonl"
    ended = cluster.folder / "ended"
    goes_on = ("sh", "-c", f'"$@"; until [ -e {ended} ]; do sleep 0.2; done', "-") if place else ()
    process = cluster.fleet("-o", str(records), "--", "--timeout", "60", env=(*place, *goes_on))
    until(lambda: (cluster.folder / "begun").exists() and records.read_bytes().count(b"\n") == 3)
    (cluster.folder / "begun").unlink()
    launcher = cluster.run("pgrep", "-f", f"^{sys.executable} -m tfdoctor fleet run").split()
    cluster.run("kill", f"-{how.value}", *launcher)
    nothing_left(cluster)
    assert bool(cluster.run("squeue", "-h")) == bool(place)
    ended.touch()
    out, err = process.communicate(timeout=20)
    ended.unlink()
    assert "Traceback" not in err, err
    if how is not signal.SIGKILL:
        summary = json.loads(out)
        assert summary["states"]["answered"] == 3 and missing(summary) == {"n2": "silent"}
    cluster.lay("n2", "")
    summary = end(cluster.fleet("--resume", str(records), env=place), 60)
    assert (summary["states"], summary["status"]) == ({"answered": 4}, 0)
    assert summary["records"] == (5 if how is not signal.SIGKILL else 4)


def test_garbage_floods_and_a_cut_record(cluster: Cluster) -> None:
    cluster.lay("n1", "yes garbage | head -c 100000000; exit 0\n")
    cluster.lay("n2", "yes garbage | head -c 20000000\n")
    cluster.lay(
        "n3", """printf '{"schema_version": "1.0", "node": "x", "state": "answ'; exit 0\n"""
    )
    summary = end(cluster.fleet(), 90)
    assert missing(summary) == {"n[1,3]": "silent"}
    assert summary["states"]["answered"] == 2


def test_a_node_with_another_version(cluster: Cluster) -> None:
    cluster.lay(
        "n1", "echo \"tfdoctor: there is no command 'fleet'; did you mean 'plan'?\" >&2; exit 2\n"
    )
    cluster.lay("n2", """{python} -m tfdoctor "$@" --facts {facts} | sed 's/{{"schema_version": "1.0", "tool"/{{"schema_version": "2.0", "tool"/'; exit 0\n""".format(
        python=sys.executable, facts=machine("healthy-gpu")))  # fmt: skip
    summary = end(cluster.fleet(), 60)
    assert (missing(summary), summary["status"]) == ({"n1": "no-doctor", "n2": "silent"}, 3)
    assert (
        "schema_version is 2.0" in summary["missing"][1]["reason"] + summary["missing"][0]["reason"]
    )


def test_no_controller_is_one_line_and_status_3(cluster: Cluster) -> None:
    cluster.run("scontrol", "shutdown", "slurmctld")
    try:
        until(
            lambda: (
                subprocess.run(cluster.command("scontrol", "ping"), capture_output=True).returncode
            )
        )
        process = cluster.fleet()
        out, err = process.communicate(timeout=60)
    finally:
        cluster.run("slurmctld")
    assert (process.returncode, out, err.count("\n")) == (
        3,
        "",
        1,
    ) and "controller does not answer" in err


def test_32_nodes_cost_at_most_five_seconds_more_than_without_slurm() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="tfdoctor-fleet-") as folder,
        slurm(32, Path(folder)) as cluster,
    ):
        began = time.monotonic()
        alone = [
            subprocess.Popen([cluster.folder / "doctor", "fleet", "node"], stdout=subprocess.DEVNULL,
                             env={**os.environ, "SLURMD_NODENAME": f"n{at}"})
            for at in range(1, 33)
        ]  # fmt: skip
        assert [each.wait() for each in alone] == [0] * 32
        without = time.monotonic() - began
        began = time.monotonic()
        summary = end(cluster.fleet(), 300)
        took = time.monotonic() - began
        assert (summary["states"], summary["status"]) == ({"answered": 32}, 0)
        assert took - without <= 5, (took, without)
