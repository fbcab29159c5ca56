"""cuDNN releases that left a GPU behind, or that have a fault of their own."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.libraries.cudnn import FOLLOWS, WHEEL, main_library, release_of, way_out
from tfdoctor.checks.questions.build import build_of
from tfdoctor.checks.questions.gpu import devices
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.versions import ComputeCapability, CudnnRelease
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.install import first_cudnn_without
from tfdoctor.fixes.libraries import exact


@check("cudnn-drops-gpu", prevents=Ability.GPU, explains=FOLLOWS)
def cudnn_drops_gpu(case: Case) -> Found | None:
    """The GPU's compute capability is below the lowest that the matrix names for the loaded cuDNN. A warning where
    another GPU is served.
    """
    loaded = release_of(case)
    support = case.need(case.matrix.cudnn_support(loaded))
    lowest = case.need(support.lowest)
    every = devices(case)
    dropped = [each for each in every if each.capability < lowest]
    if not dropped:
        return None
    gpu = dropped[0]
    source = support.lowest.source if isinstance(support.lowest, Known) else ""
    return Found(
        f"cuDNN {loaded} has kernels for compute capability {lowest} and newer only; {gpu.name} has {gpu.capability}. The GPU is "
        "listed and multiplies matrices; convolutions and recurrent layers fail.",
        (
            Evidence(
                "cuda_libraries.libraries",
                f"cuDNN {loaded}",
                f"a release with kernels for {gpu.capability}",
                source,
            ),
            evidence(case, gpu.path, observed=f"{gpu.name}, compute capability {gpu.capability}"),
        ),
        _older_cudnn(case, gpu.capability),
        severity=Severity.WARNING if len(dropped) < len(every) else None,
    )


def _older_cudnn(case: Case, capability: ComputeCapability) -> tuple[Fix, ...]:
    limit = first_cudnn_without(capability, case.matrix)
    cuda = build_of(case).cuda
    if limit is None or not isinstance(cuda, Known):
        return ()
    return (
        exact(
            case.facts,
            f"{WHEEL}{cuda.value.major}<{limit.major}.{limit.minor}",
            title=f"Install the last cuDNN that serves compute capability {capability}",
            note="It changes this one package; keep the pin in your requirements, or the next install takes the newest again.",
        ),
    )


@check("cudnn-bug", prevents=Ability.NOTHING)
def cudnn_bug(case: Case) -> Found | None:
    """The loaded cuDNN is in the range of versions of a bug that the matrix lists."""
    loaded = release_of(case)
    support = case.need(case.matrix.cudnn_support(loaded))
    if not support.bugs:
        return None
    bug = support.bugs[0]
    fixed = CudnnRelease.parse(bug.fixed_in)
    ways = way_out(case, main_library(case), fixed, f"Install cuDNN {fixed} or newer of the same major")
    none = (
        ""
        if ways
        else f" cuDNN {fixed}, which fixes it, has no kernels for this GPU: do without masks in such layers, or compute them on the CPU."
    )
    return Found(
        f"Known of cuDNN {loaded}: {bug.text}.{none}",
        (Evidence("cuda_libraries.libraries", f"cuDNN {loaded}", f">={bug.fixed_in}", bug.source),),
        ways,
        Confidence.LIKELY,
    )
