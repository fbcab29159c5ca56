"""Whether a stage of the smoke ladder did not end in time, where no other code tells why."""

from __future__ import annotations

from tfdoctor.checks.driver.driver_unresponsive import kernel_ran_out
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.questions.architecture import served
from tfdoctor.checks.smoke.smoke import LATE, climbed
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.architecture import Service
from tfdoctor.fixes.commands import check_again, interpreter, quoted


@check("smoke-timeout", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed",))
def smoke_timeout(case: Case) -> Found | None:
    """A stage was ended at its time limit. Undecided while the driver compiles every kernel for this GPU."""
    proof = [*_driver_timeout(case), *_libraries_timeout(case), *_tensorflow_timeout(case)]
    if not proof:
        return _never_ended(case)
    return Found(
        "The computation was started and did not come back within its time limit. A program would seem to hang.",
        tuple(proof),
        (
            Fix(
                "Give it more time",
                (check_again(case.facts, "--timeout", "600"),),
                "It changes nothing. A slow disk or a busy machine can be all.",
            ),
            fixes.kernel_log(case.facts),
        ),
    )


def _never_ended(case: Case) -> Found | None:
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known) or not smoke.value.finished or smoke.value.end.how not in LATE:
        return None
    return Found(
        "TensorFlow computed everything right, but the process did not end afterwards: something waits when Python ends, such as "
        "an atexit function or a thread that is no daemon. Scripts and jobs seem to hang though their work is done.",
        (Evidence("smoke.tensorflow", "still there seconds after the last computation", "ends by itself", "the TensorFlow stage"),),
        (
            Fix(
                "See what it waits for",
                (quoted(interpreter(case.facts), "-X", "faulthandler", "-c", _SHOW_STACKS),),
                "It changes nothing. After 20 seconds it prints where each thread waits, and ends.",
            ),
        ),
        severity=Severity.WARNING,
    )  # fmt: skip


_SHOW_STACKS = "import faulthandler; faulthandler.dump_traceback_later(20, exit=True); import tensorflow as tf; print(tf.add(1, 1))"


def _driver_timeout(case: Case) -> list[Evidence]:
    step = kernel_ran_out(case)
    return (
        [Evidence("smoke.driver", f"the kernel did not end in time ({step})", "microseconds")] if step else []
    )


def _libraries_timeout(case: Case) -> list[Evidence]:
    smoke = case.facts.smoke.libraries
    late = isinstance(smoke, Known) and smoke.value.end.how in LATE
    return (
        [Evidence("smoke.libraries", "opening the CUDA libraries did not end in time", "about a second")]
        if late
        else []
    )


def _tensorflow_timeout(case: Case) -> list[Evidence]:
    try:
        smoke = climbed(case, case.facts.smoke.tensorflow)
    except NotApplicable:
        return []
    if smoke.end.how not in LATE or smoke.finished:
        return []
    if _compiles_everything(case):
        raise CantTell(
            "the TensorFlow stage reached its time limit while the driver compiles every kernel for this GPU"
        )
    return [
        Evidence(
            "smoke.tensorflow", f"did not end in time; it was at {smoke.last_step or 'its start'}", "an end"
        )
    ]


def _compiles_everything(case: Case) -> bool:
    """ptx-jit-slow-start is there as a warning: the first start takes minutes, and nothing is wrong."""
    try:
        return any(
            isinstance(each.fit, Known) and each.fit.value.service is Service.COMPILED
            for each in served(case)
        )
    except (CantTell, NotApplicable):
        return False
