"""Drivers, engines of containers and images: who brings what is too old or missing, and where it is replaced."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.instead import DRIVER_OF_WINDOWS
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.brought.boards import board_fixes
from tfdoctor.checks.log.gpus.drivers import image_driver_fixes
from tfdoctor.checks.log.kinds.boxes import of_engine, with_compute
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.fixes.driver import install_driver


def desktop(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Who brings the toolkit: Docker Desktop its own, an engine inside WSL that of WSL's packages."""
    update = "winget upgrade --id Docker.DockerDesktop"
    if here.has("desktop"):
        title = "Update Docker Desktop to 4.31 or newer, in Windows' PowerShell: the toolkit is a part of it"
        return (
            Fix(
                title,
                (update, "wsl --shutdown"),
                "Its own window can do it, too: Settings, Software updates.",
            ),
        )
    ask = fix("see-docker-changes-nothing-docker-desktop", update=update)
    return (ask,)


def engine(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    if finding.code == "driver-library-unreachable" and told.named("stubs-on-the-path"):
        return (_WITHOUT_STUBS,)
    if finding.code == "container-without-gpu" and here.has("slurm") and not isinstance(case.facts.host.container, Known):  # fmt: skip
        return (_OF_SLURM,)
    if board_fixes(finding.code, case.facts, told):
        return ()  # its runtime is another one than that of other machines
    if told.named(*_ASKED_IN_VAIN):
        return ()  # the start asked for the GPU already, and Docker can't hand any in
    return with_compute(told) or of_engine(case.facts)


_ASKED_IN_VAIN = ("docker-no-device-driver",)


_OF_SLURM = fix("ask-slurm-for-gpu-login-node")


_WITHOUT_STUBS = fix("take-folder-stubs-off-ld-library")


def differing(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    return image_driver_fixes(case.facts) or (() if here.has("windows", "wsl") else _RESTARTED)


_RESTARTED = (
    fix("restart-machine-whose-driver-container-or"),
    fix("or-load-new-module-without-restart"),
    fix("if-same-after-restart-host-two"),
)


def newer_driver(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Windows' own, also for WSL; elsewhere the page's. None goes before the way of a text that ends programs which want no GPU."""
    if told.named("driver-attribute-unknown"):
        return ()
    if here.has("windows"):
        return (DRIVER_OF_WINDOWS,)
    return (install_driver(case.facts, case.matrix),) if here.has("wsl") else ()


def newer_image(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """The server's own image; what runs in it can't be installed beside it."""
    return _OF_A_SERVERS_IMAGE if here.has("serving") else ()


_OF_A_SERVERS_IMAGE = (
    fix("take-newest-image-server-and-see"),
    fix("until-one-serve-on-processor-hand"),
)


def lost_gpu(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """A pod gets its devices when it is created; Docker's own commands do not reach it."""
    if not here.has("kubernetes"):
        return ()
    lasting = (each for each in finding.fixes if any("nvidia-ctk" in line for line in each.commands))
    return (_NEW_POD, *lasting)


_NEW_POD = fix("create-pod-again-new-container-gets")
