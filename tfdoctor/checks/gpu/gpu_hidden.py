"""Whether a variable keeps a GPU that is there from this process: CUDA_VISIBLE_DEVICES, with or without MIG."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, NotApplicable, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions import visibility as hiding
from tfdoctor.checks.questions.driver_codes import SMOKE
from tfdoctor.checks.questions.gpu import (
    driver_starts,
    need_gpu,
)
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.variables import unset


@check("gpu-hidden", prevents=Ability.GPU, explains=("smoke-tensorflow-failed", SMOKE))
def gpu_hidden(case: Case) -> Found | None:
    """CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES, read as CUDA and the container runtime read them, against the GPUs
    that exist. A warning where some are left.
    """
    facts = case.facts
    need_gpu(case)
    case.need(facts.environment.variables)
    if hiding.hidden_at_start(facts) and not driver_starts(facts):
        return _hidden_at_start(case)
    request = hiding.hidden_by_cuda(facts)
    if request is None or (driver_starts(facts) and not request.usable):
        return None
    some = bool(request.usable)
    return Found(
        f"CUDA_VISIBLE_DEVICES={request.text!r} hides "
        + (
            "every GPU from this process"
            if not some
            else "GPUs: CUDA reads the list up to the first entry that names none"
        )
        + f": {request.why}.",
        (
            Evidence(
                "environment.variables",
                f"CUDA_VISIBLE_DEVICES={request.text}",
                "numbers or UUIDs of GPUs that exist",
            ),
            *((evidence(case, "driver.init_code"),) if isinstance(facts.driver.init_code, Known) else ()),
        ),
        (unset(case.facts, hiding.CUDA_VARIABLE), *_existing(case)),
        severity=Severity.WARNING if some else None,
    )


def _existing(case: Case) -> tuple[Fix, ...]:
    count = hiding.gpu_count(case.facts)
    if not count:
        return ()
    return (unset(case.facts, hiding.CUDA_VARIABLE, ",".join(str(index) for index in range(count))),)


def _hidden_at_start(case: Case) -> Found:
    given = hiding.variable(case.facts, hiding.CONTAINER_VARIABLE)
    note = (
        "Start a new container with -e NVIDIA_VISIBLE_DEVICES=all, or without that variable and with --gpus all. It is "
        "read when the container starts; setting it inside changes nothing."
    )
    return Found(
        f"NVIDIA_VISIBLE_DEVICES={given!r} told the container runtime to hand in no GPU.",
        (
            Evidence("environment.variables", f"NVIDIA_VISIBLE_DEVICES={given}", "all, or numbers of GPUs"),
            evidence(case, "host.gpu_device_nodes"),
        ),
        (Fix("Start the container with another value", note=note), *fixes.give_gpu(case.facts)),
    )


@check("mig-misused", prevents=Ability.DRIVER, explains=("smoke-tensorflow-failed", SMOKE))
def mig_misused(case: Case) -> Found | None:
    """CUDA_VISIBLE_DEVICES names a slice that does not exist, or more than one; or MIG is on and NVML shows no slice."""
    facts = case.facts
    need_gpu(case)
    request = hiding.cuda_request(facts)
    asks_mig = request is not None and request.mig
    listed = facts.nvml.devices
    if not asks_mig and not isinstance(listed, Known):
        if driver_starts(facts):
            raise NotApplicable("the driver offers a GPU or a slice of one")
        case.need(listed)
    if hiding.no_slices(facts) and not driver_starts(facts):
        return _mig_without_slice(case)
    if request is None or not asks_mig:
        return None
    if request.why and not request.usable:
        return None if driver_starts(facts) else _stale_slice(case, request)
    return _several(case, request) if len(request.usable) > 1 else None


def _mig_without_slice(case: Case) -> Found:
    facts = case.facts
    return Found(
        "The GPU is in MIG mode but has not been cut into slices, so there is nothing that a program could use.",
        (evidence(case, "nvml.devices", "at least one MIG slice", observed="MIG is on, no slice exists"),),
        (
            Fix(
                "Make a slice of the whole GPU",
                (fixes.sudo(facts, "nvidia-smi mig -cgi 0 -C"),),
                "It makes one GPU instance and a compute instance in it; `nvidia-smi -L` then lists a MIG UUID.",
            ),
            Fix(
                "Switch MIG off",
                (fixes.sudo(facts, "nvidia-smi -mig 0"),),
                "It needs a GPU that nobody uses, and concerns every user of this machine.",
            ),
        ),
    )


def _stale_slice(case: Case, request: hiding.Request) -> Found:
    slices = hiding.mig_slices(case.facts) or ()
    fix = (unset(case.facts, hiding.CUDA_VARIABLE, slices[0]),) if slices else ()
    return Found(
        f"CUDA_VISIBLE_DEVICES names the MIG slice {request.bad}, which does not exist: slices get new names each time they "
        "are made. So the process sees no GPU.",
        (
            Evidence(
                "environment.variables",
                f"CUDA_VISIBLE_DEVICES={request.text}",
                "a slice that nvidia-smi -L lists",
            ),
            evidence(case, "nvml.devices", observed=f"slices: {', '.join(slices) or 'none'}"),
        ),
        (*fix, unset(case.facts, hiding.CUDA_VARIABLE)),
    )


def _several(case: Case, request: hiding.Request) -> Found:
    return Found(
        "CUDA_VISIBLE_DEVICES names several MIG slices, but a process can use only one; the others stay idle.",
        (
            Evidence(
                "environment.variables",
                f"CUDA_VISIBLE_DEVICES={request.text}",
                "one MIG slice",
                "NVIDIA MIG User Guide",
            ),
        ),
        (unset(case.facts, hiding.CUDA_VARIABLE, request.usable[0]),),
        severity=Severity.WARNING,
    )
