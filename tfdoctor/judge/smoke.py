"""The GPU and TensorFlow tests, where nothing else explains why they failed."""

from __future__ import annotations

from typing import TypeVar

from tfdoctor.base.signals import signal_name
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, value_or
from tfdoctor.facts.smoke_values import Computation, TensorFlowSmoke
from tfdoctor.fix import driver as fixes
from tfdoctor.fix.architecture import Service
from tfdoctor.fix.commands import interpreter
from tfdoctor.judge.driver import answer, kernel_ran_out
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, NotApplicable, check
from tfdoctor.judge.engine.evidence import evidence, left_out
from tfdoctor.judge.questions.architecture import served
from tfdoctor.judge.questions.build import made_for_rocm
from tfdoctor.judge.questions.driver_codes import SMOKE, answered_as, ended_badly
from tfdoctor.judge.questions.gpu import driver_starts, in_wsl
from tfdoctor.judge.questions.last_words import last_words, why
from tfdoctor.judge.questions.packages import installed
from tfdoctor.judge.questions.stage_output import ended_well, failed_stage
from tfdoctor.judge.questions.variables import influential
from tfdoctor.knowledge.driver_errors import SUCCESS
from tfdoctor.knowledge.lines import Words, ours, quoted
from tfdoctor.knowledge.model import Evidence, Fix, Severity
from tfdoctor.knowledge.says import says

T = TypeVar("T")
LATE = ("timeout", "not-ended")


def result_of(case: Case, stage: Fact[T]) -> T:
    """What a stage showed. Raises NotApplicable where it did not run, Inconclusive where that went wrong."""
    if isinstance(stage, Failed) and left_out(stage):
        raise NotApplicable(stage.error)
    return case.need(stage)


def failed_computations(smoke: TensorFlowSmoke) -> list[Computation]:
    return [each for each in smoke.computations if each.status == "failed"]


def wrong_computations(smoke: TensorFlowSmoke) -> list[Computation]:
    return [each for each in smoke.computations if each.status == "wrong"]


def told(each: Computation) -> Evidence:
    """A computation that went wrong, with its error's last words or how far off it was."""
    off = f"off by {each.max_error.value:.2g}" if isinstance(each.max_error, Known) else "wrong"
    said = each.error or off
    expected = (
        f"within {each.tolerance:g} of the float64 reference"
        if each.status == "wrong"
        else "passes"
    )
    return Evidence("smoke.tensorflow", f"{each.name} on {each.device}: {said}"[:400], expected)


@check("smoke-driver-failed", blocks=Ability.DRIVER)
def smoke_driver_failed(case: Case) -> Found | None:
    """cuInit refuses with an answer that has no code of its own, or the driver stage failed in a way that no answer names.
    It explains NVML's refusal where the driver starts for nobody.
    """
    if refusal := answered_as(case, SMOKE):
        return _refused(case, answer(refusal), f"{refusal.step} answers {refusal.number}")
    smoke = result_of(case, case.facts.smoke.driver)
    if ended_badly(smoke.end):
        return None  # driver-unresponsive and smoke-timeout speak of that
    for each in smoke.devices:
        if each.status == "failed" and not isinstance(each.code, Known):
            return _refused(
                case,
                Evidence(
                    "smoke.driver", f"GPU {each.index}, {each.step}: {each.message}", "passed"
                ),
                each.step,
            )
    ended = smoke.end
    if (ended.how != "exit" or ended.status != 0) and not any(
        each.status == "failed" for each in smoke.devices
    ):
        tail = ended.stderr_tail[-1] if ended.stderr_tail else "no word"
        return _refused(
            case,
            Evidence(
                "smoke.driver", f"the stage ended by {ended.how} {ended.status}: {tail}", "exit 0"
            ),
            "the stage",
        )
    return None


def _refused(case: Case, proof: Evidence, step: str) -> Found:
    forbidden = _nvml_answers(case) == NO_PERMISSION
    why = (
        "NVML says that this user has no permission"
        if forbidden
        else "nothing that tfdoctor knows explains it"
    )
    return Found(
        says("smoke-driver-failed", "refused", step=step, why=why),
        (proof, evidence(case, "nvml.init_code", "0") if forbidden else None),
        (
            fixes.see_permissions(case.facts) if forbidden else None,
            fixes.kernel_log(case.facts),
            fixes.reload_modules(case.facts),
            fixes.install_driver(case.facts, case.matrix) if in_wsl(case.facts) else None,
            fixes.reboot(case.facts, "Driver and GPU start afresh."),
        ),
        explains=frozenset(
            ("smoke-tensorflow-failed", *(("nvml-unusable",) if _nvml_refuses_too(case) else ()))
        ),
        title=says("smoke-driver-failed", "refused-title", step=step),
    )


def _nvml_refuses_too(case: Case) -> bool:
    """The driver starts for nobody: what NVML answers is the same fault."""
    return value_or(case.facts.driver.init_code, SUCCESS) != SUCCESS and _nvml_answers(case) != 0


NO_PERMISSION = 4
"""NVML_ERROR_NO_PERMISSION (nvml.h of CUDA 12.9)."""


def _nvml_answers(case: Case) -> int:
    return value_or(case.facts.nvml.init_code, 0)


_IMPORT = "import tensorflow as tf"

_PROGRAMS = {
    "listing": 'print(tf.config.list_physical_devices("GPU"))',
    "limiting": 'print(tf.config.list_physical_devices("GPU"))',
    "matmul-float32": "print(tf.linalg.matmul([[1.0]], [[2.0]]))",
    "matmul-float16": "print(tf.linalg.matmul(tf.ones([9, 9], tf.float16), tf.ones([9, 9], tf.float16)))",
    "matmul-bfloat16": "print(tf.linalg.matmul(tf.ones([9, 9], tf.bfloat16), tf.ones([9, 9], tf.bfloat16)))",
    "elementwise": "print(tf.ones([9]) * 2.0 + 1.0)",
    "conv2d": 'print(tf.nn.conv2d(tf.ones([1, 9, 9, 4]), tf.ones([3, 3, 4, 8]), 1, "SAME").shape)',
    "xla": "print(tf.function(lambda x: tf.tanh(x * x), jit_compile=True)(tf.ones([9])))",
    "keras": "print(tf.keras.layers.Dense(2)(tf.ones([1, 3])))",
    "collective": "tf.distribute.MirroredStrategy().run(lambda: tf.distribute.get_replica_context().all_reduce('sum', 1.0))",
}


def step(facts: Facts) -> str:
    """The step that failed first: "import", "conv2d", "xla" …; where the child died, the one at which it was."""
    stage = failed_stage(facts)
    if stage is None:
        return ""
    at = "" if stage.last_step.startswith("waiting") else stage.last_step.partition(" on ")[0]
    if at and stage.end.how == "signal":
        return at
    # one that failed says why; wrong numbers are no failure where there is one
    by_status = (
        each.name
        for status in ("failed", "wrong")
        for each in stage.computations
        if each.status == status
    )
    return next(by_status, at)


def program(facts: Facts) -> str:
    """One line of Python that repeats that step; the import alone where it failed there, or nobody knows where."""
    line = _PROGRAMS.get(step(facts), "")
    return f"{_IMPORT}; {line}" if line else _IMPORT


def _run(facts: Facts, code: str) -> Words:
    return quoted(interpreter(facts), "-X", "faulthandler", "-c", ours(code))


def repeat(facts: Facts) -> tuple[Fix, ...]:
    """That step by itself; and, where variables are set that change TensorFlow, the same without them."""
    start = _run(facts, program(facts))
    fixes = [
        Fix(
            "Run the failing step alone",
            (start,),
            "The earliest error line is nearest to the cause.",
        )
    ]
    names = influential(facts)
    if names:
        without = [word for name in names for word in ("-u", name)]
        fixes.append(
            Fix(
                f"Try without {', '.join(names)}",
                (quoted("env", *without, start),),
                "If this works, one of them is the cause; leave them out one by one.",
            )
        )
    return tuple(fixes)


@check("smoke-timeout", blocks=Ability.NOTHING)
def smoke_timeout(case: Case) -> Found | None:
    """A stage was ended at its time limit. Undecided while the driver compiles every kernel for this GPU."""
    proof = (_driver_timeout(case), _libraries_timeout(case), _tensorflow_timeout(case))
    if not any(proof):
        return _never_ended(case)
    return Found(
        says("smoke-timeout", "found"),
        proof,
        (
            Fix(
                "Give it more time",
                (Words("tfdoctor check --timeout 600"),),
                "The cause may only be a slow disk or a busy machine.",
            ),
            fixes.kernel_log(case.facts),
        ),
    )


def _never_ended(case: Case) -> Found | None:
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known) or not smoke.value.finished or smoke.value.end.how not in LATE:
        return None
    return Found(
        says("smoke-timeout", "never-ended"),
        (Evidence("smoke.tensorflow", "still there seconds after the last computation", "ends by itself", "the TensorFlow stage"),),
        (
            Fix(
                "See what it waits for",
                (_run(case.facts, _SHOW_STACKS),),
                "After 20 seconds it prints where each thread waits, and exits.",
            ),
        ),
        severity=Severity.WARNING,
    )  # fmt: skip


_SHOW_STACKS = "import faulthandler; faulthandler.dump_traceback_later(20, exit=True); import tensorflow as tf; print(tf.add(1, 1))"


def _driver_timeout(case: Case) -> Evidence | None:
    step = kernel_ran_out(case)
    return (
        Evidence("smoke.driver", f"the kernel did not end in time ({step})", "microseconds")
        if step
        else None
    )


def _libraries_timeout(case: Case) -> Evidence | None:
    smoke = known(case.facts.smoke.libraries)
    if smoke is None or smoke.end.how not in LATE:
        return None
    return Evidence(
        "smoke.libraries", "opening the CUDA libraries did not end in time", "about a second"
    )


def _tensorflow_timeout(case: Case) -> Evidence | None:
    try:
        smoke = result_of(case, case.facts.smoke.tensorflow)
    except NotApplicable:
        return None
    if smoke.end.how not in LATE or smoke.finished:
        return None
    if _compiles_everything(case):
        raise Inconclusive(
            "the TensorFlow stage reached its time limit while the driver compiles every kernel for this GPU"
        )
    at = smoke.last_step or "its start"
    return Evidence("smoke.tensorflow", f"did not end in time; it was at {at}", "an end")


def _compiles_everything(case: Case) -> bool:
    """ptx-jit-slow-start is there as a warning: the first start takes minutes, and nothing is wrong."""
    try:
        return any(
            isinstance(each.fit, Known) and each.fit.value.service is Service.COMPILED
            for each in served(case)
        )
    except (Inconclusive, NotApplicable):
        return False


@check("smoke-tensorflow-failed", blocks=Ability.NOTHING)
def smoke_tensorflow_failed(case: Case) -> Found | None:
    """Everything that went wrong in the libraries and TensorFlow stages: the import, a computation, a missing GPU, the
    end. Time that ran out and wrong numbers of a GPU have codes of their own.
    """
    proof = _handles_refused(case)
    if proof:
        return Found(
            says("smoke-tensorflow-failed", "library"),
            proof[:6],
            repeat(case.facts),
            title=says("smoke-tensorflow-failed", "library-title", observed=proof[0].observed),
        )
    smoke = result_of(case, case.facts.smoke.tensorflow)
    failed = map(told, _failed_by_itself(smoke))
    shown = _no_gpu(case, smoke)
    proof = (*_import_failed(smoke), *failed, *_cpu_wrong(smoke), *shown, *_bad_end(smoke))
    if not proof:
        return None
    return Found(
        says("smoke-tensorflow-failed", "found"),
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
    return f"{done}: {sentence}." if sentence else f"{done}."


def _handles_refused(case: Case) -> tuple[Evidence, ...]:
    """cuDNN or cuBLAS opens and then can't be started: TensorFlow, which was not tried any more, would fail at it."""
    smoke = case.facts.smoke.libraries
    if not isinstance(smoke, Known) or smoke.value.end.how in LATE:
        return ()
    return tuple(
        Evidence(
            "smoke.libraries",
            f"{each.soname}: {each.handle.error}"[:400],
            "a handle can be created",
        )
        for each in smoke.value.libraries
        if each.opened and isinstance(each.handle, Failed)
    )


def _failed_by_itself(smoke: TensorFlowSmoke) -> list[Computation]:
    """Without the one in which the time ran out: smoke-timeout speaks of that."""
    if smoke.end.how not in LATE:
        return failed_computations(smoke)
    return [
        each
        for each in failed_computations(smoke)
        if f"{each.name} on {each.device}" != smoke.last_step
    ]


def _import_failed(smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    if not isinstance(smoke.import_error, Known):
        return ()
    return (
        Evidence(
            "smoke.tensorflow", f"import tensorflow: {smoke.import_error.value}"[:400], "imports"
        ),
    )


def _cpu_wrong(smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    """Wrong numbers of a GPU have a code of their own."""
    return tuple(
        told(each) for each in wrong_computations(smoke) if not each.device.startswith("GPU")
    )


def _no_gpu(case: Case, smoke: TensorFlowSmoke) -> tuple[Evidence, ...]:
    """A GPU is there for which this build is made, and TensorFlow shows none. No failure where none is wanted."""
    if case.policy.require_gpu is False:
        return ()
    build, shown = known(case.facts.tensorflow.build), smoke.gpus
    cuda = build is not None and isinstance(build.cuda, Known)
    none = isinstance(shown, Absent) or (isinstance(shown, Known) and not shown.value)
    if none and cuda and driver_starts(case.facts):
        return (
            Evidence(
                "smoke.tensorflow", "TensorFlow shows no GPU", "every GPU that the driver offers"
            ),
        )
    if none and isinstance(smoke.imported, Known) and _of_another_maker(case):
        return (
            Evidence(
                "smoke.tensorflow",
                "TensorFlow shows no GPU",
                f"the GPU of {_of_another_maker(case)}",
            ),
        )
    return ()


def _of_another_maker(case: Case) -> str:
    """AMD, whose GPU is bound to its driver, with a build for it; Apple, with the plug-in for its GPU."""
    bus = value_or(case.facts.host.gpus_on_bus, ())
    bound = any(each.vendor == "amd" and known(each.driver) == "amdgpu" for each in bus)
    if bound and made_for_rocm(case.facts):
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
