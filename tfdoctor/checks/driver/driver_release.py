"""Whether the driver is new enough: for the build's CUDA, and for the PTX that this GPU needs.

Two different floors. Binaries of any CUDA 12.x run on every driver of 12.0 or newer (minor-version compatibility);
PTX has to be compiled by the driver itself, which must know the version of the PTX (CUDA Compatibility, NVIDIA).
"""

from __future__ import annotations

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.architecture import served, unknown
from tfdoctor.checks.questions.build import build_of
from tfdoctor.checks.questions.driver_codes import compat_library, refused_as
from tfdoctor.checks.questions.gpu import driver_os, driver_starts, need_gpu
from tfdoctor.checks.questions.stage_output import first_of, texts_of
from tfdoctor.facts.outcome import Fact, Failed, Known
from tfdoctor.facts.versions import CudaRelease, DriverRelease
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.architecture import Fit, Service
from tfdoctor.fixes.libraries import on_cpu, release_that_fits


@check(
    "driver-too-old",
    prevents=Ability.GPU,
    explains=("driver-too-old-for-ptx", "smoke-tensorflow-failed", "smoke-driver-failed"),
)
def driver_too_old(case: Case) -> Found | None:
    """cuInit's own answer, else the driver's release against the floor of the build's CUDA in the matrix, else the newest
    CUDA that the driver offers. A compat libcuda that starts carries a newer CUDA on an older module.
    """
    facts = case.facts
    need_gpu(case)
    refusal = refused_as(case, "driver-too-old") if isinstance(facts.driver.init_code, Known) else None
    if refusal is not None:
        return Found(
            "The driver itself says that it is too old for the CUDA runtime.",
            (answer(case, refusal), evidence(case, "driver.version")),
            _ways(case, _known_floor(case)),
        )
    cuda = case.need(build_of(case).cuda)
    floor = case.matrix.driver_floor(cuda, driver_os(facts))
    if compat_library(facts) and driver_starts(facts):
        return None  # a newer libcuda on an older kernel module, which NVIDIA allows and which starts
    if not isinstance(facts.driver.version, Known):
        return _by_cuda_offered(case, cuda)
    release = facts.driver.version.value
    if release >= (needed := case.need(floor)):
        return None
    return Found(
        f"TensorFlow {_version(case)} was built with CUDA {cuda}, which needs driver {needed} or newer. It may list the GPU all "
        "the same and fail at the first computation.",
        (
            evidence(case, "driver.version", f">={needed}", floor.source if isinstance(floor, Known) else ""),
            evidence(case, "driver.cuda_version", f"at least {cuda.major}.0"),
            evidence(case, "tensorflow.build", observed=f"built with CUDA {cuda}"),
        ),
        _ways(case, needed),
    )


def _known_floor(case: Case) -> DriverRelease | None:
    """The release that this build needs; None where nobody knows. Raises NotApplicable for a build without CUDA."""
    try:
        return case.need(case.matrix.driver_floor(case.need(build_of(case).cuda), driver_os(case.facts)))
    except CantTell:
        return None


def _version(case: Case) -> str:
    version = case.facts.tensorflow.version
    return version.value if isinstance(version, Known) else "here"


def _by_cuda_offered(case: Case, cuda: CudaRelease) -> Found | None:
    """Without the driver's release: the newest CUDA that it offers is of an older major than the build's."""
    offered = case.need(case.facts.driver.cuda_version)
    if offered.major >= cuda.major:
        return None
    return Found(
        f"The driver offers CUDA up to {offered}; TensorFlow {_version(case)} was built with CUDA {cuda}.",
        (
            evidence(
                case,
                "driver.cuda_version",
                f">={cuda.major}.0",
                "a driver runs programs of its own CUDA major and older ones",
            ),
        ),
        _ways(case, None),
        Confidence.LIKELY,
    )


def _ways(case: Case, at_least: DriverRelease | None) -> tuple[Fix, ...]:
    fitting = release_that_fits(case.facts, case.matrix, "this driver runs")
    return (fixes.install_driver(case.facts, case.matrix, at_least), *fitting, on_cpu(case.facts))


@check(
    "driver-too-old-for-ptx", prevents=Ability.GPU, explains=("smoke-tensorflow-failed", "ptx-jit-slow-start")
)
def driver_too_old_for_ptx(case: Case) -> Found | None:
    """The GPU gets kernels as PTX from this build, and the matrix names a newer driver as the first that compiles that
    version of PTX. Certain where the stage's words say so.
    """
    quoted_line = _unsupported_ptx_seen(case)
    undecided = ""
    for each in served(case):
        fit = each.fit
        undecided = undecided or unknown(fit) or _unknown_driver(case, fit)
        if not isinstance(fit, Known) or fit.value.service is not Service.DRIVER_TOO_OLD:
            continue
        needed = case.need(fit.value.driver_needed)
        return Found(
            f"{each.device.name} (compute capability {each.device.capability}) gets some or all of its kernels from this build as "
            f"PTX, which the driver compiles at first use. This driver does not know that version of PTX; {needed} is the first "
            "that does. Devices are listed, and the first operation that needs such a kernel fails.",
            (
                evidence(case, "driver.version", f">={needed}", fit.source),
                evidence(
                    case,
                    each.device.path,
                    observed=f"{each.device.name}, compute capability {each.device.capability}",
                ),
                evidence(case, "tensorflow.build", observed=each.says),
            ),
            _ways(case, needed),
            Confidence.CERTAIN if quoted_line else Confidence.LIKELY,
        )
    if undecided:
        raise CantTell(undecided)
    return None


def _unknown_driver(case: Case, fit: Fact[Fit]) -> str:
    """PTX has to be compiled, and nobody knows by which driver."""
    version, offered = case.facts.driver.version, case.facts.driver.cuda_version
    compiles = isinstance(fit, Known) and isinstance(fit.value.driver_needed, Known)
    return (
        version.error if compiles and isinstance(version, Failed) and not isinstance(offered, Known) else ""
    )


def _unsupported_ptx_seen(case: Case) -> bool:
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known):
        return False
    return bool(first_of(texts_of(smoke.value), "driver-too-old-for-ptx"))
