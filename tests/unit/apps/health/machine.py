"""A machine for the health check: the simulated driver, a laid-out system below it, a state, and the command itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.driver.scenario import Scenario
from tests.driver.simulated import SimulatedDriver
from tests.unit.ask.probes.laid_out import lay_out
from tfdoctor import __version__
from tfdoctor.apps.health import state as clock
from tfdoctor.apps.health.state import boot_id, machine_id
from tfdoctor.apps.health.state_writer import taken

REPOSITORY = Path(__file__).parents[4]
GIB = 1 << 30
BOOT = "Nov 20 08:00:00 node kernel: [    0.000000] Linux version 6.1.0-18-amd64 (x@y) #1 SMP\n"
L4 = {"uuid": "GPU-5a1d0000-0000-4000-8000-000000000001", "name": "NVIDIA L4", "ecc": 0}


def xid(number: int, seconds: float = 3600.25) -> str:
    return f"Nov 20 09:00:00 node kernel: [ {seconds:.6f}] NVRM: Xid (PCI:0000:3b:00): {number}, pid=12, name=python\n"


@dataclass(frozen=True)
class Said:
    """How the command ended. `seconds` as its caller sees them."""

    status: int
    output: str
    errors: str
    seconds: float

    @property
    def first(self) -> str:
        """What the first line says, without the command that explains it."""
        return self.output.split("\n", 1)[0].partition(" [tfdoctor explain")[0]

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.output)
        return found


class Machine:
    """Everything of it lies below one folder; HOME, the runtime folder and the state are its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root, self.site = folder / "root", folder / "site-packages"
        self.driver = SimulatedDriver(folder / "driver")
        self.state_file = folder / "state.json"
        self.state_option = ["--state", str(self.state_file)]
        self.run_folder = folder / "run"
        self.variables: dict[str, str] = {}
        self.run_folder.mkdir(mode=0o700)
        self.lay(
            {
                "/proc/meminfo": "MemTotal: 16777216 kB\nMemAvailable: 12582912 kB\n",
                "/proc/self/cgroup": "0::/\n",
            }
        )
        self.lay(
            {
                "/proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                "/var/log/kern.log": BOOT,
            }
        )
        self.memory_limit(4 * GIB, GIB)
        for name in (
            "tensorflow-2.21.0.dist-info/METADATA",
            "tensorflow/libtensorflow_cc.so.2",
            "nvidia/cudnn/lib/libcudnn.so.9",
        ):
            (self.site / name).parent.mkdir(parents=True, exist_ok=True)
            (self.site / name).write_text(f"content of {name}\n", encoding="ascii")

    def lay(self, files: Mapping[str, str]) -> None:
        lay_out(self.root, files)

    def memory_limit(self, limit: int, used: int) -> None:
        top = "/sys/fs/cgroup"
        self.lay(
            {
                f"{top}/memory.max": f"{limit}\n",
                f"{top}/memory.current": f"{used}\n",
                f"{top}/memory.stat": "inactive_file 0\n",
            }
        )

    def write_state(self, **changed: Any) -> dict[str, Any]:
        """Writes the state of an examination an hour ago that found all well, but for what is named."""
        state: dict[str, Any] = {
            "schema_version": "1.0", "tool": __version__, "written_at": time.time() - 3600, "boot_id": "another boot",
            "since_boot": 0.0, "machine": machine_id(), "uid": os.geteuid(), "verdict": "healthy",
            "summary": "No fault was found.", "roots": [], "python": sys.executable, "driver_version": "555.42.02",
            "failing": [], "ignored": [], "gpus": [L4], "cuda_count": 1, "nvml_started": True, "xids": [], "files": taken(self.fingerprinted()),
        }  # fmt: skip
        state.update(changed)
        self.state_file.write_text(json.dumps(state), encoding="ascii")
        self.state_file.chmod(0o600)
        return state

    def this_boot(self, age: float = 3600) -> dict[str, Any]:
        """The fields of a state of the running boot."""
        return {"boot_id": boot_id(), "since_boot": clock.since_boot() - age}

    def fingerprinted(self) -> list[tuple[str, str]]:
        return [
            ("tensorflow 2.21.0", str(self.site / "tensorflow-2.21.0.dist-info/METADATA")),
            ("libtensorflow_cc.so.2", str(self.site / "tensorflow/libtensorflow_cc.so.2")),
            ("libcudnn.so.9", str(self.site / "nvidia/cudnn/lib/libcudnn.so.9")),
        ]

    def environment(self, **changed: str) -> dict[str, str]:
        base = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        base["XDG_RUNTIME_DIR"] = str(self.run_folder)
        return {
            **self.driver.environment({**base, "PYTHONPATH": str(REPOSITORY)}),
            **self.variables,
            **changed,
        }

    def command(self, *options: str) -> list[str]:
        given = ["--sysroot", str(self.root), *self.state_option, "--timeout", "20"]
        return [sys.executable, "-m", "tfdoctor", "healthcheck", *given, *options]

    def check(self, *options: str, scenario: Scenario | None = None, **variables: str) -> Said:
        """Runs it with 20 s of time unless another is named."""
        if scenario is not None:
            self.driver.write(scenario)
        return run(self.command(*options), self.environment(**variables))


def run(
    command: list[str],
    environment: Mapping[str, str],
    timeout: float = 30,
    folder: Path | None = None,
) -> Said:
    begun = time.monotonic()
    done = subprocess.run(
        command,
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr, time.monotonic() - begun)
