"""examples/slurm/healthcheck.sh under a real slurmd: drains a faulty node, resumes it, and leaves others' drains alone."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.needs import need_gcc
from tests.real.slurm import CHECKOUT, Cluster, slurm
from tests.waiting import until

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.nightly]

INTERVAL_S = 5

PROGRAM = """#!/bin/sh
which=good
if [ -e {folder}/$SLURMD_NODENAME.bad ]; then which=bad; fi
export LD_LIBRARY_PATH={folder}/$which TFSIM_SCENARIO={folder}/$which/tfsim.scenario
export TFDOCTOR={folder}/tfdoctor
exec /bin/sh {checkout}/examples/slurm/{name}.sh
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """With healthcheck.sh and prolog.sh, for which a node's driver is bad where NODE.bad exists."""
    need_gcc()
    with tempfile.TemporaryDirectory(prefix="tfdoctor-fleet-") as name:
        folder = Path(name)
        SimulatedDriver(folder / "good")
        SimulatedDriver(folder / "bad", Scenario(faults=(Fault.error("cuInit", 999),)))
        (folder / "tfdoctor").write_text(
            f'#!/bin/sh\nTMPDIR={folder} exec {shlex.quote(sys.executable)} -m tfdoctor "$@"\n'
        )
        for program in ("healthcheck", "prolog"):
            (folder / program).write_text(
                PROGRAM.format(folder=folder, checkout=CHECKOUT, name=program)
            )
        for file in ("tfdoctor", "healthcheck", "prolog"):
            (folder / file).chmod(0o755)
        yield folder


def state(cluster: Cluster, node: str) -> str:
    return cluster.run("sinfo", "-h", "-N", "-n", node, "-o", "%T|%E").strip()


def test_a_faulty_node_is_drained_and_resumed_and_an_administrators_drain_stays(
    folder: Path,
) -> None:
    conf = (f"HealthCheckProgram={folder}/healthcheck", f"HealthCheckInterval={INTERVAL_S}")
    with slurm(3, folder, *conf) as cluster:
        cluster.run("scontrol", "update", "nodename=n3", "state=drain", "reason=disk swap")
        (folder / "n2.bad").touch()
        began = time.monotonic()
        until(lambda: state(cluster, "n2").startswith("drained|tfdoctor: unhealthy"))
        assert time.monotonic() - began < 2 * INTERVAL_S + 5, (
            "two intervals, and the program's own time"
        )
        (folder / "n3.bad").touch()
        time.sleep(2 * INTERVAL_S)
        assert (state(cluster, "n1"), state(cluster, "n3")) == ("idle|none", "drained|disk swap")
        (folder / "n2.bad").unlink()
        (folder / "n3.bad").unlink()
        began = time.monotonic()
        until(lambda: state(cluster, "n2") == "idle|none")
        assert time.monotonic() - began < 2 * INTERVAL_S + 5
        time.sleep(2 * INTERVAL_S)
        assert state(cluster, "n3") == "drained|disk swap"


def test_no_job_starts_on_a_faulty_node_and_a_batch_job_runs_on_another(folder: Path) -> None:
    with slurm(
        2, folder, f"Prolog={folder}/prolog", "SchedulerParameters=nohold_on_prolog_fail"
    ) as cluster:
        (folder / "n1.bad").touch()
        job = f"#!/bin/sh\necho $SLURMD_NODENAME >> {folder}/ran\n"
        (folder / "job").write_text(job)
        number = cluster.run("sbatch", "--parsable", "-o", "/dev/null", str(folder / "job")).strip()
        until(lambda: state(cluster, "n1").startswith("drained|tfdoctor: unhealthy"))
        until(lambda: "PENDING BeginTime" in cluster.run("squeue", "-h", "-o", "%T %r"))
        # Slurm waits two minutes.
        cluster.run("scontrol", "update", f"jobid={number}", "starttime=now")
        until((folder / "ran").exists)
        assert (folder / "ran").read_text() == "n2\n"
        (folder / "n1.bad").unlink()
        subprocess.run(
            cluster.command("env", "SLURMD_NODENAME=n1", str(folder / "healthcheck")), check=True
        )
        assert state(cluster, "n1").replace("*", "") == "idle|none"
