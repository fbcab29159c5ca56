"""examples/slurm/healthcheck.sh under a real slurmd: drains a faulty node, resumes it, and leaves others' drains alone."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.needs import need_gcc
from tests.real.slurm import CHECKOUT, slurm
from tests.waiting import until

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.nightly]

INTERVAL_S = 5

PROGRAM = """#!/bin/sh
which=good
if [ -e {folder}/$SLURMD_NODENAME.bad ]; then which=bad; fi
export LD_LIBRARY_PATH={folder}/$which TFSIM_SCENARIO={folder}/$which/tfsim.scenario
export TFDOCTOR={folder}/tfdoctor
exec /bin/sh {checkout}/examples/slurm/healthcheck.sh
"""


def test_a_faulty_node_is_drained_and_resumed_and_an_administrators_drain_stays() -> None:
    need_gcc()
    with tempfile.TemporaryDirectory(prefix="tfdoctor-fleet-") as name:
        folder = Path(name)
        SimulatedDriver(folder / "good")
        SimulatedDriver(folder / "bad", Scenario(faults=(Fault.error("cuInit", 999),)))
        (folder / "tfdoctor").write_text(f'#!/bin/sh\nexec {sys.executable} -m tfdoctor "$@"\n')
        program = folder / "health"
        program.write_text(PROGRAM.format(folder=folder, checkout=CHECKOUT))
        for file in (folder / "tfdoctor", program):
            file.chmod(0o755)
        with slurm(3, folder, str(program)) as cluster:

            def state(node: str) -> str:
                return cluster.run("sinfo", "-h", "-N", "-n", node, "-o", "%T|%E").strip()

            cluster.run("scontrol", "update", "nodename=n3", "state=drain", "reason=disk swap")
            (folder / "n2.bad").touch()
            began = time.monotonic()
            until(lambda: state("n2").startswith("drained|tfdoctor: unhealthy"))
            assert time.monotonic() - began < 2 * INTERVAL_S + 5, "two intervals, and the program's own time"
            (folder / "n3.bad").touch()
            time.sleep(2 * INTERVAL_S)
            assert (state("n1"), state("n3")) == ("idle|none", "drained|disk swap")
            (folder / "n2.bad").unlink()
            (folder / "n3.bad").unlink()
            began = time.monotonic()
            until(lambda: state("n2") == "idle|none")
            assert time.monotonic() - began < 2 * INTERVAL_S + 5
            time.sleep(2 * INTERVAL_S)
            assert state("n3") == "drained|disk swap"
