"""What the place needs: Docker's toolkit for GPUs, a Python that TensorFlow has wheels for."""

from __future__ import annotations

import re  # reads no log: the release in a requirement

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.kinds.boxes import NODES, of_engine
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.install import install_commands
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.light.records import replace

_WITHOUT_TOOLKIT = ("docker-no-device-driver", "docker-unknown-runtime", "docker-invalid-runtime", "toolkit-program-missing")  # fmt: skip


def toolkit(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Where Docker itself says that it knows no such device, the host lacks the toolkit; to start the container again is no way."""
    if told.named("kubernetes-insufficient-gpu"):
        return NODES
    if not told.named(*_WITHOUT_TOOLKIT):
        return of_engine(case.facts) or _asked_in_vain(case)
    install = [
        each
        for each in ways_out("container-without-gpu")
        if any("nvidia-ctk" in line for line in each.commands)
    ]
    title = "Install the NVIDIA Container Toolkit on the host, and tell Docker of it"
    note = "apt finds the package once NVIDIA's repository for it is set up; its installation guide has the lines."
    return tuple(replace(each, title=title, note=note) for each in install)


def _asked_in_vain(case: Case) -> tuple[Fix, ...]:
    """() where the start of the container is not seen to have asked for a GPU."""
    around = case.facts.log.surroundings
    if not isinstance(around, Known) or not around.value.asked:
        return ()
    title = "See whether any container gets a GPU on this host; if this one does not either, its toolkit is what to look at"
    first, *others = ways_out("container-without-gpu")
    return (replace(first, title=title), *others)


def pythons(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The release that was asked for, with a Python that it has wheels for; or the newest where any was asked for."""
    asked = next((each.told["wanted"] for each in told.of("python-unsupported") if "wanted" in each.told), "")
    exact = re.fullmatch(r"==(?P<version>\d[\w.]{1,20})", asked)
    row = case.matrix.release(exact["version"]) if exact else Failed("any release", "missing")
    if not isinstance(row, Known):
        return ()
    machine = replace(machine_from_facts(case.facts), python=Failed("another one is needed", "missing"))
    return (
        Fix(
            f"Make an environment of the newest Python that TensorFlow {row.value.tensorflow} has wheels for",
            install_commands(row.value, machine, case.matrix),
            "Nothing that you have is changed. Where that Python is not installed, uv brings it: `uv venv --python VERSION`.",
        ),
        *ways_out("python-unsupported")[:1],
    )
