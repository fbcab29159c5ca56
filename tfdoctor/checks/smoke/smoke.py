"""What the smoke ladder showed, where no other code tells the cause.

These codes are said last: every fault that explains a failing stage names them as its consequences. A stage that was
not climbed (by the user's wish, or since an earlier one failed) proves nothing and leaves nothing open.
"""

from __future__ import annotations

from typing import TypeVar

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.engine.evidence import evidence, not_climbed
from tfdoctor.checks.questions.driver_codes import SMOKE, ended_badly, refused_as
from tfdoctor.checks.questions.gpu import in_wsl
from tfdoctor.checks.questions.stage_output import first_of, texts_of
from tfdoctor.facts.outcome import Fact, Failed, Known, value_or
from tfdoctor.facts.smoke_values import Computation, TensorFlowSmoke
from tfdoctor.findings.driver_errors import SUCCESS
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.commands import check_again

T = TypeVar("T")
LATE = ("timeout", "not-ended")


def climbed(case: Case, stage: Fact[T]) -> T:
    """What a stage showed. Raises NotApplicable where it was not climbed, CantTell where that went wrong."""
    if isinstance(stage, Failed) and not_climbed(stage):
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
    expected = f"within {each.tolerance:g} of the float64 reference" if each.status == "wrong" else "passes"
    return Evidence("smoke.tensorflow", f"{each.name} on {each.device}: {said}"[:400], expected)


@check("gpu-computes-wrong", prevents=Ability.NOTHING)
def gpu_computes_wrong(case: Case) -> Found | None:
    """The driver stage's kernel, or a computation of TensorFlow on a GPU, came back with other numbers than the reference."""
    proof: list[Evidence] = []
    unknown: list[CantTell] = []
    for stage in (_wrong_kernels, _wrong_computations):
        try:
            proof += stage(case)
        except CantTell as reason:
            unknown.append(reason)
        except NotApplicable:
            continue  # not climbed
    if not proof and unknown:
        raise unknown[0]
    if not proof:
        return None
    return Found(
        f"The GPU can be used, but its results can't be trusted, neither of training nor of inference: {_where_wrong(proof)} "
        "without an error, and they differ from the reference beyond what rounding explains.",
        tuple(proof),
        (
            Fix(
                "Compute again, to see whether it is always so",
                (check_again(case.facts, "--smoke", "auto"),),
                "It changes nothing.",
            ),
            fix("test-hardware"),
            fixes.kernel_log(case.facts),
        ),
    )


def _where_wrong(proof: list[Evidence]) -> str:
    """Which stage's numbers were wrong."""
    stages = {each.fact for each in proof}
    if stages == {"smoke.tensorflow"}:
        return "numbers of TensorFlow's own computations (not of the driver's small kernel) come back"
    if stages == {"smoke.driver"}:
        return "numbers of the driver's small kernel come back"
    return "numbers of the driver's small kernel and of TensorFlow's computations come back"


def _wrong_kernels(case: Case) -> list[Evidence]:
    smoke = climbed(case, case.facts.smoke.driver)
    return [
        Evidence(
            "smoke.driver", f"GPU {each.index}: the kernel's numbers are wrong", "the reference's numbers"
        )
        for each in smoke.devices
        if each.status == "wrong"
    ]


def _wrong_computations(case: Case) -> list[Evidence]:
    smoke = climbed(case, case.facts.smoke.tensorflow)
    return [told(each) for each in wrong_computations(smoke) if each.device.startswith("GPU")]


@check("rocm-gpu-unsupported", prevents=Ability.GPU, explains=("smoke-tensorflow-failed",))
def rocm_gpu_unsupported(case: Case) -> Found | None:
    """By the words of the TensorFlow stage, for a ROCm build."""
    build = case.need(case.facts.tensorflow.build)
    case.need(build.rocm)
    smoke = climbed(case, case.facts.smoke.tensorflow)
    said = first_of(texts_of(smoke), "rocm-gpu-unsupported")
    if not said:
        return None
    note = (
        "Only where the GPU is a near relative of a supported one: gfx1031 and gfx1032 run code for gfx1030. It holds in this "
        "shell."
    )
    return Found(
        "This build holds no code for this AMD GPU's architecture, so its first operation stops with hipErrorNoBinaryForGpu.",
        (Evidence("smoke.tensorflow", said[:300], "a code object for this GPU"),),
        (
            fix("see-architecture"),
            Fix("Let it run as a supported relative", ("export HSA_OVERRIDE_GFX_VERSION=10.3.0",), note),
        ),
    )


_OF_NCCL = ("nccl-failed", "nccl-named", "nccl-call-named")
"""A reduction that fails names NCCL in one way or another."""


@check("nccl-failed", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed",))
def nccl_failed(case: Case) -> Found | None:
    """Only the computation over all GPUs failed in the TensorFlow stage, with NCCL's words."""
    smoke = climbed(case, case.facts.smoke.tensorflow)
    failed = failed_computations(smoke)
    said = [
        each for each in failed if each.name.startswith("collective") and first_of([each.error], *_OF_NCCL)
    ]
    if not said or len(said) != len(failed):
        return None
    return Found(
        "Each GPU computes, but they can't talk to each other: a reduction over all of them fails in NCCL. Training on several "
        "GPUs stops or hangs.",
        tuple(map(told, said)),
        (
            fix("let-nccl-say-why"),
            fix("do-without-direct-transfers-between-gpus"),
        ),
    )


@check("smoke-driver-failed", prevents=Ability.DRIVER, explains=("smoke-tensorflow-failed", "nvml-unusable"))
def smoke_driver_failed(case: Case) -> Found | None:
    """cuInit refuses with an answer that has no code of its own, or the driver stage failed in a way that no answer names.
    It explains NVML's refusal where the driver starts for nobody.
    """
    if isinstance(case.facts.driver.init_code, Known):
        refusal = refused_as(case, SMOKE)
        if refusal is not None:
            return _refused(case, answer(case, refusal), f"{refusal.step} answers {refusal.number}")
    smoke = climbed(case, case.facts.smoke.driver)
    if ended_badly(smoke.end):
        return None  # driver-unresponsive and smoke-timeout speak of that
    for each in smoke.devices:
        if each.status == "failed" and not isinstance(each.code, Known):
            return _refused(
                case,
                Evidence("smoke.driver", f"GPU {each.index}, {each.step}: {each.message}", "passed"),
                each.step,
            )
    ended = smoke.end
    if (ended.how != "exit" or ended.status != 0) and not any(
        each.status == "failed" for each in smoke.devices
    ):
        tail = ended.stderr_tail[-1] if ended.stderr_tail else "no word"
        return _refused(
            case,
            Evidence("smoke.driver", f"the stage ended by {ended.how} {ended.status}: {tail}", "exit 0"),
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
        f"The smallest possible program can't run on the GPU ({step}), and {why}. TensorFlow can't use the GPU either.",
        (proof, *((evidence(case, "nvml.init_code", "0"),) if forbidden else ())),
        (
            *((fixes.see_permissions(case.facts),) if forbidden else ()),
            fixes.kernel_log(case.facts),
            fixes.reload_modules(case.facts),
            *((fixes.install_driver(case.facts, case.matrix),) if in_wsl(case.facts) else ()),
            fixes.reboot(case.facts, "Driver and GPU start afresh."),
        ),
        explains=frozenset(
            ("smoke-tensorflow-failed", *(("nvml-unusable",) if _nvml_refuses_too(case) else ()))
        ),
        title=f"The driver can't run a trivial kernel on the GPU: {step}.",
    )


def _nvml_refuses_too(case: Case) -> bool:
    """The driver starts for nobody: what NVML answers is the same fault."""
    init = case.facts.driver.init_code
    return isinstance(init, Known) and init.value != SUCCESS and _nvml_answers(case) != 0


NO_PERMISSION = 4
"""NVML_ERROR_NO_PERMISSION (nvml.h of CUDA 12.9)."""


def _nvml_answers(case: Case) -> int:
    return value_or(case.facts.nvml.init_code, 0)
