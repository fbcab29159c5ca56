"""Calls into the driver that hang, crash or end their caller."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import FOLLOWS
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.driver_codes import (
    ended_badly,
    loader_error,
    no_response,
)
from tfdoctor.facts.outcome import AnyFact, Failed, Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence
from tfdoctor.fixes import driver as fixes

TITLES = {
    frozenset({True}): "A driver call does not return.",
    frozenset({False}): "A driver call crashes its caller.",
}
"""By whether the calls hang."""


@check("driver-unresponsive", prevents=Ability.NOTHING, explains=(*FOLLOWS, "smoke-timeout", "native-crash"))
def driver_unresponsive(case: Case) -> Found | None:
    """A call into the driver or NVML, or the driver stage, that hung, crashed or ended its caller. A kernel that does not
    end is smoke-timeout.
    """
    proof = _silent_calls(case)
    if not proof:
        for library, said in (
            (case.facts.driver.library, case.facts.driver.init_code),
            (case.facts.nvml.library, case.facts.nvml.init_code),
        ):
            if not loader_error(library):
                case.need_outcome(said)
        return None
    facts = case.facts
    return Found(
        "A call into the driver hangs or kills the program that makes it. TensorFlow makes the same call at its start and "
        "would hang or die there, too. What else depends on the driver could not be judged.",
        tuple(each for each, _ in proof),
        (
            fixes.kernel_log(facts),
            fix("see-processes-are-stuck-on-gpu"),
            fixes.reload_modules(facts),
            fixes.reboot(facts, "The driver and the GPU start afresh."),
        ),
        title=TITLES.get(frozenset(hangs for _, hangs in proof), ""),
    )


def _silent_calls(case: Case) -> tuple[tuple[Evidence, bool], ...]:
    """Each with whether it hangs; else its caller died or was ended."""
    facts = case.facts
    asked: dict[str, AnyFact] = {
        "driver.library": facts.driver.library,
        "driver.init_code": facts.driver.init_code,
        "driver.devices": facts.driver.devices,
        "nvml.library": facts.nvml.library,
        "nvml.init_code": facts.nvml.init_code,
        "nvml.devices": facts.nvml.devices,
    }
    found: dict[str, tuple[str, bool]] = {}
    for path, fact in asked.items():
        said = no_response(fact)
        if said and said not in [words for words, _ in found.values()]:
            found[path] = (said, isinstance(fact, Failed) and fact.kind == "timed-out")
    smoke = facts.smoke.driver
    stage = ended_badly(smoke.value.end) if isinstance(smoke, Known) else ""
    if isinstance(smoke, Known) and stage and not kernel_ran_out(case):
        step = next((each.step for each in smoke.value.devices if each.status == "failed"), "")
        place = f" in {step}" if step else ""
        found["smoke.driver"] = (f"the driver stage {stage}{place}", smoke.value.end.how != "signal")
    return tuple((Evidence(path, said, "an answer"), hangs) for path, (said, hangs) in found.items())


KERNEL_STEPS = (
    "cuLaunchKernel",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cuMemcpyDtoH",
)
"""Where a kernel that does not end is waited for; a hang there is smoke-timeout."""


def kernel_ran_out(case: Case) -> str:
    """The call that waited for a kernel which did not end; "" where none did."""
    smoke = case.facts.smoke.driver
    if not isinstance(smoke, Known) or smoke.value.end.how != "timeout":
        return ""
    failed = [each.step for each in smoke.value.devices if each.status == "failed"]
    return next((step for step in failed if step.startswith(KERNEL_STEPS)), "")
