"""What asks the driver ends with the doctor, also where that is killed and can end nothing itself."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import tfdoctor
from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.unit.apps.cli.running import environment
from tests.unit.ask.probes.fake_environments import add_tensorflow, make_venv, site_of
from tests.waiting import gone, until

PACKAGE = Path(tfdoctor.__file__).parent
ASKING = [
    ("ask/probes/workers/ask_driver.py", "none", Fault.hang("cuInit", deaf=True)),
    ("ask/probes/workers/ask_nvml.py", "none", Fault.hang("nvmlInit*", deaf=True)),
    ("ask/probes/workers/compute_driver.py", "driver", Fault.hang("cuLaunchKernel", deaf=True)),
]


def running(program: str, parent: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in parent.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # others come and go meanwhile
            if str(PACKAGE / program) in child.cmdline():
                found.append(child)
    return found


@pytest.mark.parametrize(
    ("program", "smoke", "fault"), ASKING, ids=[program for program, _, _ in ASKING]
)
def test_a_killed_doctor_leaves_no_child_at_the_driver_simulated(
    program: str, smoke: str, fault: Fault, tmp_path: Path
) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(faults=(fault,)))
    command = [
        sys.executable,
        "-m",
        "tfdoctor",
        "check",
        "--smoke",
        smoke,
        "--python",
        sys.executable,
        "--json",
    ]
    with subprocess.Popen(
        command, env=driver.environment(environment(), trace=True), stdout=subprocess.DEVNULL
    ) as doctor:
        call = fault.function.rstrip("*")
        until(lambda: any(name.startswith(call) for name in driver.calls()))
        children = running(program, psutil.Process(doctor.pid))
        doctor.send_signal(signal.SIGKILL)
    assert len(children) == 1, "it hangs in the driver"
    gone(child.pid for child in children)


@pytest.mark.skipif(sys.platform != "linux", reason="prctl(2) is Linux' own")
@pytest.mark.parametrize(
    "program", [*(program for program, _, _ in ASKING), "ask/probes/workers/compare_files.py"]
)
def test_a_child_whose_parent_is_gone_before_it_asks_ends_at_once(program: str) -> None:
    nobody = "1"  # as where the parent had ended before the child said with whom it ends
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(PACKAGE / program), nobody, "x", "0"],
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="prctl(2) is Linux' own")
def test_a_killed_doctor_leaves_no_importing_tensorflow(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "venv")
    add_tensorflow(site_of(venv))
    (site_of(venv) / "tensorflow" / "__init__.py").write_text(
        "import time\nopen('begun', 'w')\ntime.sleep(60)\n"
    )
    command = [
        sys.executable,
        "-m",
        "tfdoctor",
        "check",
        "--smoke",
        "tf",
        "--python",
        str(venv),
        "--json",
    ]
    with subprocess.Popen(
        command, env=environment(), cwd=tmp_path, stdout=subprocess.DEVNULL
    ) as doctor:
        until(lambda: list(tmp_path.rglob("begun")))
        children = running("ask/probes/workers/compute_tensorflow.py", psutil.Process(doctor.pid))
        doctor.send_signal(signal.SIGKILL)
    assert len(children) == 1, "it is being imported"
    gone(child.pid for child in children)
