"""What TensorFlow could not do, where no other code tells the cause: with all that it said about it.

This is said last: every fault that explains it names it as its consequence. A stage that was not climbed (by the user's
wish, or since an earlier one failed) proves nothing and leaves nothing open.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.gpu import driver_starts
from tfdoctor.checks.questions.last_words import last_words, why
from tfdoctor.checks.questions.packages import installed
from tfdoctor.checks.questions.stage_output import ended_well
from tfdoctor.checks.smoke.again import repeat, step
from tfdoctor.checks.smoke.smoke import LATE, climbed, failed_computations, told, wrong_computations
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.smoke_values import Computation, TensorFlowSmoke
from tfdoctor.findings.model import Evidence
from tfdoctor.system.signal_names import signal_name


@check("smoke-tensorflow-failed", prevents=Ability.NOTHING)
def smoke_tensorflow_failed(case: Case) -> Found | None:
    """Everything that went wrong in the libraries and TensorFlow stages: the import, a computation, a missing GPU, the
    end. Time that ran out and wrong numbers of a GPU have codes of their own.
    """
    proof = _handles_refused(case)
    if proof:
        return Found(
            "TensorFlow would fail at its first use of them.",
            proof[:6],
            repeat(case.facts),
            title=f"A CUDA library opens and can't be started: {proof[0].observed}.",
        )
    smoke = climbed(case, case.facts.smoke.tensorflow)
    failed = map(told, _failed_by_itself(smoke))
    shown = _no_gpu(case, smoke)
    proof = (*_import_failed(smoke), *failed, *_cpu_wrong(smoke), *shown, *_bad_end(smoke))
    if not proof:
        return None
    return Found(
        "TensorFlow could not do a small computation here that it can do on a machine in order.",
        tuple(dict.fromkeys((*proof[:6], *last_words(case.facts)))),
        repeat(case.facts),
        title=_title(case, smoke, no_gpu=bool(shown) and len(proof) == 1),
    )


def _title(case: Case, smoke: TensorFlowSmoke, *, no_gpu: bool) -> str:
    """What could not be done, and in whose words."""
    if no_gpu:
        return "TensorFlow shows no GPU, though one is there."
    at = step(case.facts)
    done = (
        "TensorFlow can't be imported"
        if not isinstance(smoke.imported, Known)
        else f"TensorFlow fails at {at}"
        if at
        else "TensorFlow fails"
    )
    sentence = why(case.facts)
    return f"{done}: {sentence}." if sentence else f"{done}, and says nothing about why."


def _handles_refused(case: Case) -> tuple[Evidence, ...]:
    """cuDNN or cuBLAS opens and then can't be started: TensorFlow, which was not tried any more, would fail at it."""
    smoke = case.facts.smoke.libraries
    if not isinstance(smoke, Known) or smoke.value.end.how in LATE:
        return ()
    return tuple(
        Evidence("smoke.libraries", f"{each.soname}: {each.handle.error}"[:400], "a handle can be created")
        for each in smoke.value.libraries
        if each.opened and isinstance(each.handle, Failed)
    )


def _failed_by_itself(smoke: TensorFlowSmoke) -> list[Computation]:
    """Without the one in which the time ran out: smoke-timeout speaks of that."""
    if smoke.end.how not in LATE:
        return failed_computations(smoke)
    return [each for each in failed_computations(smoke) if f"{each.name} on {each.device}" != smoke.last_step]


def _import_failed(smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    if not isinstance(smoke.import_error, Known):
        return ()
    return (Evidence("smoke.tensorflow", f"import tensorflow: {smoke.import_error.value}"[:400], "imports"),)


def _cpu_wrong(smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    """Wrong numbers of a GPU have a code of their own."""
    return tuple(told(each) for each in wrong_computations(smoke) if not each.device.startswith("GPU"))


def _no_gpu(case: Case, smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    """A GPU is there for which this build is made, and TensorFlow shows none. No failure where none is wanted."""
    if case.policy.require_gpu is False:
        return ()
    build = case.facts.tensorflow.build
    cuda = isinstance(build, Known) and isinstance(build.value.cuda, Known)
    shown = smoke.gpus
    none = isinstance(shown, Absent) or (isinstance(shown, Known) and not shown.value)
    if none and cuda and driver_starts(case.facts):
        return (Evidence("smoke.tensorflow", "TensorFlow shows no GPU", "every GPU that the driver offers"),)
    if none and isinstance(smoke.imported, Known) and _of_another_maker(case):
        return (
            Evidence("smoke.tensorflow", "TensorFlow shows no GPU", f"the GPU of {_of_another_maker(case)}"),
        )
    return ()


def _of_another_maker(case: Case) -> str:
    """AMD, whose GPU is bound to its driver, with a build for it; Apple, with the plug-in for its GPU."""
    bus, build = value_or(case.facts.host.gpus_on_bus, ()), case.facts.tensorflow.build
    bound = any(
        each.vendor == "amd" and isinstance(each.driver, Known) and each.driver.value == "amdgpu"
        for each in bus
    )
    if bound and isinstance(build, Known) and isinstance(build.value.rocm, Known):
        return "AMD"
    plugged = isinstance(installed(case, "tensorflow-metal"), Known)
    return "Apple" if plugged and any(each.vendor == "apple" for each in bus) else ""


def _bad_end(smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    """Died, or ended before it was done, with an error that no computation told. A time-out is smoke-timeout."""
    end = smoke.end
    if end.how in LATE or ended_well(smoke):
        return ()
    if end.how == "exit" and (failed_computations(smoke) or isinstance(smoke.import_error, Known)):
        return ()
    how = (
        f"died of {signal_name(end.status)}"
        if end.how == "signal"
        else f"ended by {end.how}, status {end.status}"
    )
    tail = f": {end.stderr_tail[-1]}" if end.stderr_tail else ""
    return (
        Evidence(
            "smoke.tensorflow",
            f"{how} at {smoke.last_step or 'its start'}{tail}"[:400],
            "computes, and ends with status 0",
        ),
    )
