"""A driver that starts and whose NVML does not."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.build import at_least
from tfdoctor.checks.questions.driver_codes import (
    Refusal,
    loader_error,
    no_response,
    nvml_refusal,
)
from tfdoctor.checks.questions.gpu import driver_starts, need_gpu
from tfdoctor.checks.questions.visibility import hidden_at_start
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.findings.model import Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.commands import system_install


@check("nvml-unusable", prevents=Ability.GPU, explains=("smoke-tensorflow-failed",))
def nvml_unusable(case: Case) -> Found | None:
    """NVML's library is not found or refuses to start, beside a GPU that is there and a build with CUDA. An error where
    this TensorFlow asks NVML for the GPUs (2.21 on) or nothing else starts, else a warning.
    """
    facts = case.facts
    need_gpu(case)
    if _no_use_for_nvml(case):
        return None
    library = facts.nvml.library
    if no_response(library) or no_response(facts.nvml.init_code):
        case.need(facts.nvml.init_code)
    refusal = None
    if isinstance(library, Known):
        refusal = nvml_refusal(case)
        if refusal is None or refusal.code != "nvml-unusable":
            return None
    elif not loader_error(library):
        case.need_outcome(library)
    return _without_nvml(case, refusal)


def _no_use_for_nvml(case: Case) -> bool:
    """A TensorFlow without CUDA asks for none; a container that was given no GPU gets no NVML, either."""
    build = case.facts.tensorflow.build
    bare = isinstance(build, Known) and isinstance(build.value.cuda, Absent)
    return bare or hidden_at_start(case.facts)


def _without_nvml(case: Case, refusal: Refusal | None) -> Found:
    facts = case.facts
    needed = at_least(facts.tensorflow.version, 2, 21)
    silent = not isinstance(needed, Known) or needed.value
    effect = (
        "TensorFlow 2.21 and newer asks NVML for the GPUs; without it they show none and log nothing."
        if silent
        else "This TensorFlow does without NVML; nvidia-smi and what watches the GPU's memory do not work."
    )
    proof = answer(case, refusal) if refusal else evidence(case, "nvml.library", "libnvidia-ml.so.1")
    works = driver_starts(facts)
    return Found(
        ("The driver itself starts, but NVML, " if works else "NVML, ")
        + "the library behind nvidia-smi, can't be used. "
        + effect,
        (
            proof,
            *(
                (evidence(case, "driver.init_code", "0"),)
                if isinstance(facts.driver.init_code, Known)
                else ()
            ),
        ),
        _bring_nvml(case, refusal),
        severity=None if silent or not works else Severity.WARNING,
    )


def _bring_nvml(case: Case, refusal: Refusal | None) -> tuple[Fix, ...]:
    facts = case.facts
    if fixes.in_container(facts):
        note = (
            "Start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility (NVML belongs to `utility`). If it worked "
            "and stopped, create the container again: a reload of systemd takes its devices away."
        )
        return (Fix("Ask for the utility part of the driver", note=note),)
    if refusal is not None and refusal.number == 4:
        return (fixes.see_permissions(facts),)
    if refusal is not None:
        return (fixes.kernel_log(facts), fixes.reboot(facts, "The driver starts afresh."))
    return (_utility_package(case),)


def _utility_package(case: Case) -> Fix:
    facts = case.facts
    version = facts.driver.version
    branch = version.value.major if isinstance(version, Known) else fixes.BRANCH.major
    commands = system_install(
        facts,
        apt=f"libnvidia-compute-{branch} nvidia-utils-{branch}",
        dnf="xorg-x11-drv-nvidia-cuda",
        otherwise="",
    )
    return Fix(
        "Install the utility part of the driver",
        commands,
        f"It must be of the version of the running driver ({version.value if isinstance(version, Known) else 'see /proc/driver/nvidia/version'}). "
        f"{fixes.SEE_GPU}",
    )
