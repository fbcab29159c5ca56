"""Whether this build has code for the visible GPUs. One GPU that is served well makes another's lack a warning."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.libraries.cudnn import loaded_version, main_library
from tfdoctor.checks.questions.abilities import slot
from tfdoctor.checks.questions.architecture import Served, served, served_at_all, unknown
from tfdoctor.checks.questions.build import platform_of
from tfdoctor.checks.questions.gpu import listed
from tfdoctor.checks.questions.stage_output import first_of, texts_of
from tfdoctor.checks.questions.visibility import cuda_request
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.architecture import Service
from tfdoctor.fixes.libraries import on_cpu, release_that_fits

FAILS = ("smoke-tensorflow-failed", "smoke-timeout")
_DEFAULT_CACHE = 1 << 30
"""Bytes that the driver keeps of what it compiled (CUDA programming guide, CUDA environment variables, 2026-11-20)."""

BAD = (Service.TOO_OLD, Service.TOO_NEW)


def _of(case: Case, service: Service) -> tuple[list[Served], bool]:
    """The GPUs that are served so, and whether another one is served well. CantTell where none is and one is unknown."""
    every = served(case)
    hit = [each for each in every if isinstance(each.fit, Known) and each.fit.value.service is service]
    doubts = [unknown(each.fit) for each in every if unknown(each.fit)]
    if not hit and doubts:
        raise CantTell(doubts[0])
    others = any(isinstance(each.fit, Known) and each.fit.value.service not in BAD for each in every)
    return hit, others


def _another_gpu(case: Case) -> tuple[Fix, ...]:
    """A GPU of this machine that the build serves and that CUDA_VISIBLE_DEVICES hides. NVML counts in the order of the bus."""
    if cuda_request(case.facts) is None:
        return ()
    mine = {slot(each.pci_bus_id) for each in value_or(case.facts.driver.devices, ())}
    hidden = [
        each
        for each in value_or(case.facts.nvml.devices, ())
        if slot(value_or(each.pci_bus_id, "")) not in mine
    ]
    for each in hidden:
        if isinstance(each.compute_capability, Known) and served_at_all(case, listed(case, each)):
            note = f"It is {each.name}, which this build serves. It holds in this shell; correct the line that sets CUDA_VISIBLE_DEVICES."
            command = f"export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={each.index}"
            return (Fix("Show this process the other GPU", (command,), note),)
    return ()


def _shown(case: Case, each: Served, expected: str) -> tuple[Evidence, ...]:
    source = each.fit.source if isinstance(each.fit, Known) else ""
    device = f"{each.device.name}, compute capability {each.device.capability}"
    return (
        evidence(case, each.device.path, expected, source, observed=device),
        evidence(case, "tensorflow.build", observed=each.says),
    )


@check(
    "compute-capability-too-low",
    prevents=Ability.GPU,
    explains=(*FAILS, "cudnn-drops-gpu", "ptxas-too-old", "driver-too-old", "driver-too-old-for-ptx"),
)
def compute_capability_too_low(case: Case) -> Found | None:
    """The GPU's compute capability against the architectures in the build's files: below the lowest. A warning where
    another GPU is served.
    """
    hit, others = _of(case, Service.TOO_OLD)
    if not hit:
        return None
    gpu = hit[0].device
    return Found(
        f"{gpu.name} has compute capability {gpu.capability}, for which this build holds no code at all. TensorFlow ignores "
        "the GPU" + (" and uses the others." if others else " and computes on the CPU."),
        _shown(case, hit[0], "an architecture of the build"),
        (
            *_another_gpu(case),
            *release_that_fits(case.facts, case.matrix, f"has code for compute capability {gpu.capability}"),
            on_cpu(case.facts),
        ),
        severity=Severity.WARNING if others else None,
    )


@check(
    "gpu-too-new-for-build", prevents=Ability.GPU, explains=(*FAILS, "ptx-jit-slow-start", "ptxas-too-old")
)
def gpu_too_new_for_build(case: Case) -> Found | None:
    """The GPU's compute capability is above every binary of the build, and the matrix or the stage's words say that its
    PTX does not load there. A warning where another GPU is served.
    """
    hit, others = _of(case, Service.TOO_NEW)
    if not hit:
        return None
    gpu = hit[0].device
    return Found(
        f"{gpu.name} has compute capability {gpu.capability}, newer than every binary of this build, and the build's PTX is made "
        "for one older architecture alone, so the driver can't compile it. The GPU is listed; the first operation fails with "
        "CUDA_ERROR_INVALID_PTX, which Python often shows as CUDA_ERROR_INVALID_HANDLE.",
        _shown(case, hit[0], "an architecture of the build"),
        (
            *_another_gpu(case),
            *release_that_fits(case.facts, case.matrix, f"runs on compute capability {gpu.capability}"),
            *_vendor_container(case),
            on_cpu(case.facts),
        ),
        Confidence.CERTAIN if _seen_failing(case) else Confidence.LIKELY,
        Severity.WARNING if others else None,
    )


def _seen_failing(case: Case) -> bool:
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known):
        return False
    return bool(first_of(texts_of(smoke.value), "gpu-too-new-for-build"))


def _vendor_container(case: Case) -> tuple[Fix, ...]:
    platform = platform_of(case.facts)
    if not isinstance(platform, Known) or not platform.value.startswith("linux"):
        return ()
    note = (
        "NVIDIA's TensorFlow container is built for newer architectures: look up a release that lists this GPU in its notes, "
        "and start it with --gpus all."
    )
    return (Fix("Use a build that has this architecture", note=note),)


@check("ptx-jit-slow-start", prevents=Ability.NOTHING)
def ptx_jit_slow_start(case: Case) -> Found | None:
    """The build has no binary for the GPU's compute capability and its PTX is compiled there. A wait that comes once is
    worth knowing; it is a warning where it was seen, where it comes at every start since the driver's cache is off or small,
    and where XLA may abort on this GPU and was not tried.
    """
    whole, _ = _of(case, Service.COMPILED)
    partly, _ = _of(case, Service.PARTLY_COMPILED)
    if not whole and not partly:
        return None
    each = (whole or partly)[0]
    xla = _xla_may_abort(case, each)
    forgets = _forgets(case) if whole else []
    again = (
        " at every start, for the driver's cache does not keep them"
        if forgets
        else " once; nothing is broken meanwhile"
    )
    effect = (
        f"This build holds no binary for it. The driver compiles every kernel at its first use, which can take half an hour{again}."
        if whole
        else "Some kernels of this build have no binary for it: each is compiled at its first use, so the first step is slower, once."
    )
    return Found(
        f"{each.device.name} has compute capability {each.device.capability}. {effect}{xla}{_of_cudnn(case, each) if whole else ''}",
        (*_shown(case, each, "a binary for it"), *forgets),
        (_keep_what_was_compiled(),) if whole else (),
        severity=None
        if whole and (forgets or _seen_compiling(case) or (xla and not _xla_tested(case)))
        else Severity.INFO,
    )


def _xla_may_abort(case: Case, each: Served) -> str:
    """What the matrix knows of XLA on such a GPU in this release; "" where it knows no defect."""
    for defect in case.matrix.defects(str(value_or(case.facts.tensorflow.version, ""))):
        if defect.kind == "xla-aborts-on-blackwell" and each.device.capability >= ComputeCapability(
            defect.detail["from"]
        ):
            return " Code that XLA generates (jit_compile=True) may abort on this GPU in this version (TensorFlow issue 111958)."
    return ""


def _xla_tested(case: Case) -> bool:
    """XLA was tried on a GPU; where it failed, the finding about that failure speaks of it."""
    smoke = case.facts.smoke.tensorflow
    done = smoke.value.computations if isinstance(smoke, Known) else ()
    return any(item.name == "xla" and item.device.startswith("GPU") for item in done)


def _of_cudnn(case: Case, each: Served) -> str:
    """What is compiled at first use is TensorFlow's own code; cuDNN brings its own."""
    try:
        loaded = case.need(loaded_version(case, main_library(case)))
        highest = case.need(case.need(case.matrix.cudnn_support(loaded)).highest)
    except (CantTell, NotApplicable):
        return ""
    if each.device.capability.major <= highest.major:
        return ""
    return f" But cuDNN {loaded}, which is loaded, was made for GPUs up to {highest}: convolutions can fail on this one."


def _seen_compiling(case: Case) -> bool:
    smoke = case.facts.smoke.tensorflow
    return isinstance(smoke, Known) and bool(first_of(smoke.value.log, "ptx-jit-slow-start"))


def _forgets(case: Case) -> list[Evidence]:
    """What makes the driver drop compiled kernels: a cache that is off, or smaller than what it has by default."""
    variables = value_or(case.facts.environment.variables, {})
    if variables.get("CUDA_CACHE_DISABLE", "0") not in ("0", ""):
        return [
            Evidence(
                "environment.variables", f"CUDA_CACHE_DISABLE={variables['CUDA_CACHE_DISABLE']}", "not set"
            )
        ]
    size = variables.get("CUDA_CACHE_MAXSIZE", "")
    if size.isdecimal() and int(size) < _DEFAULT_CACHE:
        return [Evidence("environment.variables", f"CUDA_CACHE_MAXSIZE={size}", f"at least {_DEFAULT_CACHE}")]
    return []


def _keep_what_was_compiled() -> Fix:
    return fix("let-driver-keep-all-compiled")
