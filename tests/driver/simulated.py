"""A folder of simulated libraries and the environment that makes a program find them.

driver = SimulatedDriver(tmp_path, Scenario(faults=(Fault.error("cuInit", 803),)))
subprocess.run([...], env=driver.environment())
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from .build import build, link_as
from .libraries import CUDA, CUDNN_PARTS, DRIVER, HERE, LIBRARIES
from .scenario import Call, Scenario

__all__ = ["CUDA", "CUDNN_PARTS", "DRIVER", "EVERYTHING", "SimulatedDriver", "build"]
EVERYTHING = DRIVER + CUDA
CACHE = HERE / "build"


class SimulatedDriver:
    """Lays the chosen libraries and a scenario into `folder`.

    `libraries` are names of `LIBRARIES`: `DRIVER` (libcuda, libnvidia-ml), `CUDA` (what TensorFlow opens beside
    them) or `EVERYTHING`. `sonames` lays one under another name: {"libcudnn": "libcudnn.so.8"}.
    """

    def __init__(
        self,
        folder: Path,
        scenario: Scenario | None = None,
        *,
        libraries: Iterable[str] = DRIVER,
        sonames: Mapping[str, str] | None = None,
        cache_dir: Path = CACHE,
    ) -> None:
        self.folder = folder
        self.scenario = scenario or Scenario()
        self._built = build(cache_dir)
        folder.mkdir(parents=True, exist_ok=True)
        for name in libraries:
            self.lay(name, soname=(sonames or {}).get(name))
        self.write(self.scenario)

    @property
    def scenario_file(self) -> Path:
        return self.folder / "tfsim.scenario"

    @property
    def trace_file(self) -> Path:
        return self.folder / "tfsim.trace"

    def write(self, scenario: Scenario) -> None:
        """Replaces the scenario; processes that start from now on obey the new one."""
        self.scenario = scenario
        part = self.folder / "tfsim.scenario.part"
        part.write_text(scenario.text(), encoding="utf-8")
        part.rename(self.scenario_file)

    def lay(self, name: str, folder: Path | None = None, *, soname: str | None = None) -> Path:
        """Copies one library (also into another folder, such as site-packages' nvidia/cudnn/lib); returns its file.

        The two of the driver come as the real ones do: a file with the driver's version and links to it.
        """
        library, target = LIBRARIES[name], folder or self.folder
        target.mkdir(parents=True, exist_ok=True)
        source = link_as(self._built, library, soname or library.soname)
        if name not in DRIVER or soname:
            return Path(shutil.copy(source, target / source.name))
        versioned = Path(shutil.copy(source, target / f"{name}.so.{self.scenario.driver_version}"))
        for link, goal in ((f"{name}.so.1", versioned.name), (f"{name}.so", f"{name}.so.1")):
            (target / link).unlink(missing_ok=True)
            (target / link).symlink_to(goal)
        return versioned

    def remove(self, name: str) -> None:
        """Takes one library away again, with its links."""
        for path in self.folder.glob(f"{name}.so*"):
            path.unlink()

    def environment(
        self, base: Mapping[str, str] | None = None, *, trace: bool = False
    ) -> dict[str, str]:
        """`base` (this process' environment by default) in which the loader finds the folder first.

        CUDA_VISIBLE_DEVICES and its like are left out unless `base` is given and has them.
        """
        hidden = (
            "CUDA_VISIBLE_DEVICES",
            "CUDA_DEVICE_ORDER",
            "NVIDIA_VISIBLE_DEVICES",
            "TFSIM_TRACE",
        )
        chosen = (
            base
            if base is not None
            else {key: value for key, value in os.environ.items() if key not in hidden}
        )
        known = chosen.get("LD_LIBRARY_PATH", "")
        path = f"{self.folder}:{known}" if known else str(self.folder)
        found = {**chosen, "LD_LIBRARY_PATH": path, "TFSIM_SCENARIO": str(self.scenario_file)}
        return {**found, "TFSIM_TRACE": str(self.trace_file)} if trace else found

    def trace(self) -> list[Call]:
        """What was called since the start, in order, by programs that ran with `environment(trace=True)`."""
        if not self.trace_file.exists():
            return []
        lines = self.trace_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return [
            Call(int(pid), kind, name) for pid, kind, name in (line.split(" ", 2) for line in lines)
        ]

    def calls(self) -> list[str]:
        """The names of the functions called, in order."""
        return [call.name for call in self.trace() if call.kind == "call"]

    def tripped(self) -> bool:
        """True where a fault with `trip` has taken the GPUs away."""
        return self._tripped_file.exists()

    def mend(self) -> None:
        """Undoes a trip."""
        self._tripped_file.unlink(missing_ok=True)

    @property
    def _tripped_file(self) -> Path:
        return self.folder / "tfsim.scenario.tripped"
