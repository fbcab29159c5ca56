"""Whether the driver that is installed supports the GPU: each branch knows some generations and drops others.

The driver ignores a GPU that it does not support and then answers as if there were none. The kernel log says why,
in words of its own; where it can't be read, the GPU's number on the bus and the driver's branch tell.
"""

from __future__ import annotations

from tfdoctor.checks.driver.driver import FOLLOWS, answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.driver_codes import Refusal, no_gpu_given, refused_as
from tfdoctor.checks.questions.gpu import driver_starts, in_wsl
from tfdoctor.checks.questions.unsupported import Refused, ignored
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.findings.model import Confidence, Evidence, Severity
from tfdoctor.fixes import driver as fixes

_HARM = {
    "dropped": "Driver {release} no longer serves {gpu}; branch {branch} is the last one that does.",
    "too old": "{gpu} is newer than driver {release}, which does not know it; install branch {branch}.",
    "not listed": "Driver {release} does not list {gpu}; drivers list it from {listed} on.",
    "open": "{gpu} is served by NVIDIA's open kernel module alone, and here the proprietary one is loaded.",
    "proprietary": "NVIDIA's open kernel module serves GPUs from Turing (2018) on; {gpu} is older and needs the proprietary one.",
}


@check("driver-lacks-gpu", prevents=Ability.NOTHING, explains=(*FOLLOWS, "driver-module-not-loaded"))
def driver_lacks_gpu(case: Case) -> Found | None:
    """The kernel log's own words about a GPU that the module ignores, else the GPU's number on the bus against the
    driver's branch and kind of module. A warning where the driver starts for other GPUs, and where it is only
    older than the first release that lists this product.
    """
    facts = case.facts
    works = driver_starts(facts)
    installed = isinstance(facts.driver.library, Known) or isinstance(facts.driver.module_version, Known)
    if not installed or in_wsl(facts) or no_gpu_given(facts):
        return None
    if not works and isinstance(case.need_outcome(facts.host.gpus_on_bus), Absent):
        return None
    found = ignored(facts, case.matrix)
    if not found:
        return None
    worst = found[0]
    harm = _HARM[worst.why].format(
        release=worst.release, gpu=worst.gpu, branch=worst.branch, listed=worst.listed
    )
    rest = (
        "TensorFlow uses the other GPUs alone."
        if works
        else "The driver answers as if there were no GPU, and TensorFlow computes on the CPU."
    )
    return Found(
        f"{harm[:1].upper()}{harm[1:]} {rest}",
        (
            *_seen(worst),
            evidence(case, "driver.module_version"),
            *((answer(case, refusal),) if (refusal := _refusal(case)) is not None else ()),
        ),
        (fixes.fitting_driver(facts, case.matrix, worst.branch, worst.module), fixes.kernel_log(facts)),
        Confidence.CERTAIN if worst.said else Confidence.LIKELY,
        Severity.WARNING if works or worst.why == "not listed" else None,
    )


def _refusal(case: Case) -> Refusal | None:
    return refused_as(case, "driver-lacks-gpu") if isinstance(case.facts.driver.init_code, Known) else None


def _seen(refused: Refused) -> tuple[Evidence, ...]:
    bus = Evidence(
        "host.gpus_on_bus", refused.gpu, "a GPU that this driver serves", "NVIDIA's driver release notes"
    )
    return (Evidence("kernel_log.nvidia_messages", refused.said), bus) if refused.said else (bus,)
