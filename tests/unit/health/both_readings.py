"""One machine, judged by the full examination's rules and by the health check: files below a root and a simulated driver.

The driver is asked by each side's own children; container, bus and nodes are read by each side's own readers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.driver.scenario import Fault, Gpu, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.unit.checks.machines import base, changed, roots
from tests.unit.probes.laid_out import lay_out
from tfdoctor.asking.request import Request, Shared
from tfdoctor.asking.system import System
from tfdoctor.facts.model import Facts, Smoke
from tfdoctor.facts.outcome import Known
from tfdoctor.health import driver as light_driver
from tfdoctor.health.answer import FAULT, Answer
from tfdoctor.health.by_the_checks import OF_THE_DRIVER
from tfdoctor.health.child import Child, Clock, listen
from tfdoctor.health.files import read
from tfdoctor.health.judge import judge_devices, refuses
from tfdoctor.health.options import Options
from tfdoctor.health.probe import look_and_judge
from tfdoctor.light.records import replace
from tfdoctor.probes.driver import driver, nvml
from tfdoctor.probes.driver.release import joined
from tfdoctor.probes.host import environment, host, kernel_log

ABOUT_CUDA = ("cuda_", "hidden")
REFUSED = "100"
"""An answer at which the health check asks NVML where GPUs and slices are; it has to be among those asked."""
LIBRARIES = {"cuda": "libcuda", "nvml": "libnvidia-ml"}


@dataclass(frozen=True)
class Around:
    """What is around the driver. `folder`: where its libraries lie, `variables`: what programs see, `gpus`: what it has."""

    files: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    folder: str = "driver"
    gpus: tuple[Gpu, ...] = (Gpu(),)


@dataclass(frozen=True)
class Answered:
    """How one of the two libraries answers; `fault` None: it works. `library` False: there is none."""

    name: str
    fault: Fault | None = None
    library: bool = True
    gpus: bool = True


def of_those_that_answer(said: Any, by_gpu: Mapping[int, Any]) -> dict[int, Any]:
    """A GPU that gives no handle gives neither bus nor slices; these come from an NVML that worked."""
    named = {gpu["index"] for gpu in said.get("gpus", ()) if "name" in gpu}
    return {index: each for index, each in by_gpu.items() if index in named}


class BothReadings:
    """Every answer is asked once and then put together with every answer of the other library."""

    def __init__(self, folder: Path, around: Around) -> None:
        self.around, self.root = around, folder / "root"
        lay_out(self.root, around.files)
        self.simulated = SimulatedDriver(folder / around.folder)
        self.options = Options()
        self.options.sysroot = str(self.root)
        self.options.state = str(folder / "no state")
        self._cuda: dict[str, tuple[Any, dict[str, Any]]] = {}
        self._nvml: dict[str, tuple[Any, dict[str, Any]]] = {}
        self.files: Any = {}
        with self._environment():
            self.request = Request(System(self.root, dict(os.environ)))
            read(self.options, self.files.__setitem__)
            self.host = host.ask(self.request, Facts())
            self.environment = environment.ask(self.request, Facts())
            self.kernel_log = kernel_log.ask(self.request, Facts())

    @contextmanager
    def _environment(self) -> Iterator[None]:
        kept = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.simulated.environment({"PATH": kept["PATH"], **self.around.variables}))
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(kept)

    def ask(self, which: str, answered: Answered) -> None:
        """Has both sides ask one library that answers so."""
        gpus = self.around.gpus if answered.gpus else ()
        self.simulated.write(Scenario(gpus=gpus, faults=(answered.fault,) if answered.fault else ()))
        self.simulated.remove(LIBRARIES[which])
        if answered.library:
            self.simulated.lay(LIBRARIES[which])
        with self._environment():
            child = Child(lambda send: light_driver.ask(send, live=False), ("gpus",))
            listen([child], Clock(time.monotonic() + 20))
            request = replace(self.request, shared=Shared())  # another machine
            if which == "cuda":
                self._cuda[answered.name] = driver.ask(request, Facts()), child.answers
            else:
                self._nvml[answered.name] = nvml.ask(request, Facts()), child.answers

    def first_root(self, cuda: str, by_nvml: str) -> str:
        """The code of the first root that the examination names, "" where there is none of driver and devices."""
        facts = replace(
            changed(base(), tensorflow={"version": Known("2.21.0", "METADATA")}),  # the first that needs NVML
            host=self.host,
            environment=self.environment,
            kernel_log=self.kernel_log,
            driver=self._cuda[cuda][0],
            nvml=self._nvml[by_nvml][0],
            smoke=Smoke(),
        )
        return next((code for code in roots(joined(facts)) if code in OF_THE_DRIVER), "")

    def checked(self, cuda: str, by_nvml: str) -> tuple[str, bool]:
        """The first code of the health check, and whether it is a fault."""
        of_cuda, of_nvml, refused = self._cuda[cuda][1], self._nvml[by_nvml][1], self._cuda[REFUSED][1]
        said: Any = {key: value for key, value in of_nvml.items() if not key.startswith(ABOUT_CUDA)}
        said |= {key: value for key, value in of_cuda.items() if key.startswith(ABOUT_CUDA)}
        said |= {
            key: of_those_that_answer(said, refused[key]) for key in ("buses", "slices") if key in refused
        }
        judged: Any = {"found": [], "unsure": []}

        def send(key: str, each: Any) -> None:
            if key in ("found", "unsure"):
                judged[key].append(each)
            else:
                judged[key] = each

        if refuses(said):
            with self._environment():
                look_and_judge(said, self.files, self.options, send)
            judged["done"] = True
        points = judge_devices(said, self.files, self.options, judged)
        told = [point for point in Answer(points, seconds=0, at=0, extra={}).points if point.code]
        return (told[0].code, told[0].status == FAULT) if told else ("", False)
