"""What XLA needs to compile for the GPU: libdevice, and ptxas or nvJitLink that know the GPU; and the profiler's CUPTI.

Plain TensorFlow works without them; jit_compile=True, tf.function with XLA and Keras' automatic XLA do not.
"""

from __future__ import annotations

import re
import shlex

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.build import at_least, build_of
from tfdoctor.checks.questions.gpu import devices, need_gpu
from tfdoctor.checks.questions.stage_output import first_of
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import Distribution
from tfdoctor.facts.versions import ComputeCapability, CudaRelease
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.install import XLA_DIR
from tfdoctor.fixes.libraries import exact, searched_by_itself
from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import replace

NVJITLINK_SINCE = (2, 19)
"""From here on XLA takes nvJitLink before it looks for a ptxas (XLA, assemble_compilation_provider.cc, October 2024;
read 2026-11-20)."""


def _cuda_build(case: Case) -> CudaRelease:
    need_gpu(case)
    return case.need(build_of(case).cuda)


def _compiler_wheel(case: Case, cuda: CudaRelease) -> Fix:
    """nvidia-cuda-nvcc brings ptxas and libdevice to where TensorFlow 2.14 and newer look."""
    if cuda.major >= 13:
        spec = f"nvidia-cuda-nvcc>={cuda.major}.{cuda.minor},<{cuda.major + 1}"
    else:
        spec = f"nvidia-cuda-nvcc-cu{cuda.major}>={cuda.major}.{cuda.minor},<{cuda.major + 1}"
    note = "It adds ptxas and libdevice (about 40 MB) to this environment, and changes nothing else."
    fix = exact(case.facts, spec, title="Install NVIDIA's compiler wheel into this environment", note=note)
    site = value_or(case.facts.interpreter.site_packages, ())
    if searched_by_itself(case.facts, case.matrix, "nvidia/cuda_nvcc") or not site:
        return fix
    line = f"export XLA_FLAGS={XLA_DIR}={shlex.quote(f'{site[0]}/nvidia/cuda_nvcc')}"
    return replace(
        fix,
        commands=(*fix.commands, line),
        note=f"{note} This release does not look there by itself: keep the last line in a start file.",
    )


def _failed_with(case: Case, *wanted: str) -> str:
    """The stage's XLA computation failed with one of these texts."""
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known):
        return ""
    errors = [each.error for each in smoke.value.computations if each.status == "failed"]
    return first_of(errors, *wanted)


def _severity(quoted_line: str) -> Severity | None:
    return Severity.ERROR if quoted_line else None


def _also(quoted_line: str) -> tuple[Evidence, ...]:
    return (
        (Evidence("smoke.tensorflow", quoted_line[:300], "the XLA computation passes"),)
        if quoted_line
        else ()
    )


_LIBDEVICE = ("libdevice-not-found", "libdevice-required", "libdevice-directory")


@check("libdevice-missing", prevents=Ability.GPU, explains=("ptxas-missing", "smoke-tensorflow-failed"))
def libdevice_missing(case: Case) -> Found | None:
    """libdevice.10.bc is in none of the folders where XLA looks, or the stage's XLA computation says so: then it is an error."""
    cuda = _cuda_build(case)
    libdevice = case.need_outcome(case.facts.cuda_libraries.libdevice)
    quoted_line = _failed_with(
        case, *_LIBDEVICE, *(() if isinstance(libdevice, Known) else ("nothing-compiles",))
    )
    if isinstance(libdevice, Known) and not quoted_line:
        return None
    return Found(
        "XLA needs NVIDIA's library of mathematical functions (libdevice.10.bc) to compile for the GPU and does not find it. "
        "Programs that use XLA stop with `libdevice not found`: those with jit_compile=True, and from 2.11 on mostly model.fit of "
        "Keras, which compiles by itself. Others work.",
        (evidence(case, "cuda_libraries.libdevice", "nvvm/libdevice/libdevice.10.bc"), *_also(quoted_line)),
        (*_toolkit_here(case), _compiler_wheel(case, cuda)),
        severity=_severity(quoted_line),
    )


def _toolkit_here(case: Case) -> tuple[Fix, ...]:
    toolkits = case.facts.cuda_libraries.toolkits
    if not isinstance(toolkits, Known) or not toolkits.value:
        return ()
    note = f"It holds in this shell. The folder must hold nvvm/libdevice/libdevice.10.bc: ls {toolkits.value[0]}/nvvm/libdevice"
    return (
        Fix(
            "Point XLA to the CUDA toolkit that is here",
            (f"export XLA_FLAGS={XLA_DIR}={toolkits.value[0]}",),
            note,
        ),
    )


@check("ptxas-missing", prevents=Ability.GPU, explains=("smoke-tensorflow-failed",))
def ptxas_missing(case: Case) -> Found | None:
    """ptxas is not where XLA looks, and for releases before 2.19, or without it, no nvJitLink either. The stage's words
    make it an error.
    """
    cuda = _cuda_build(case)
    quoted_line = _failed_with(case, "ptxas-missing")
    ptxas = case.need_outcome(case.facts.cuda_libraries.ptxas)
    if not quoted_line and (isinstance(ptxas, Known) or _links_without(case)):
        return None
    return Found(
        "XLA compiles for the GPU with NVIDIA's assembler ptxas, and neither it nor nvJitLink is where XLA looks. Programs that "
        "use XLA are slower to start or stop with `No PTX compilation provider is available`; others work. (`Relying on driver "
        "to perform ptx compilation` alone is only a notice.)",
        (
            evidence(case, "cuda_libraries.ptxas", "ptxas"),
            evidence(case, "cuda_libraries.nvjitlink"),
            *_also(quoted_line),
        ),
        (_compiler_wheel(case, cuda),),
        severity=_severity(quoted_line),
    )


def _links_without(case: Case) -> bool:
    newer = at_least(case.facts.tensorflow.version, *NVJITLINK_SINCE)
    if isinstance(newer, Known) and not newer.value:
        return False
    return isinstance(case.need_outcome(case.facts.cuda_libraries.nvjitlink), Known)


@check("ptxas-too-old", prevents=Ability.GPU, explains=("smoke-tensorflow-failed",))
def ptxas_too_old(case: Case) -> Found | None:
    """The CUDA release of the assembler that XLA would take against the architectures that the matrix names for it.
    The stage's words make it an error.
    """
    cuda = _cuda_build(case)
    name, release = _assembler(case)
    known = _architectures(case, release)
    if isinstance(known, Failed):
        raise CantTell(known.error)
    if isinstance(known, Absent):
        raise NotApplicable(known.reason)
    strange = [each for each in devices(case) if each.capability not in known.value]
    if not strange:
        return None
    gpu, newer = strange[0], _first_that_knows(case, strange[0].capability, cuda.major)
    return Found(
        f"XLA would call {name} (CUDA {release}), which can't assemble for {gpu.name} (compute capability "
        f"{gpu.capability}): `Value 'sm_{str(gpu.capability).replace('.', '')}' is not defined`. Programs that use XLA fail or "
        "fall back to the driver.",
        (
            evidence(
                case,
                "cuda_libraries.ptxas",
                "one that knows the GPU",
                known.source,
                observed=f"{name}, CUDA {release}",
            ),
            evidence(case, gpu.path, observed=f"{gpu.name}, compute capability {gpu.capability}"),
        ),
        _newer_assembler(case, newer, name),
        severity=_severity(_failed_with(case, "ptxas-too-old")),
    )


def _assembler(case: Case) -> tuple[str, CudaRelease]:
    """What XLA assembles with: nvJitLink where it takes that before any ptxas, else ptxas; and its CUDA release."""
    if _links_without(case) and not _failed_with(case, "ptxas-too-old"):
        own = next((each for each in _wheels(case) if each.name.startswith("nvidia-nvjitlink")), None)
        release = _RELEASE.match(own.version) if own is not None else None
        if own is None or release is None:
            raise NotApplicable("XLA takes nvJitLink, whose release the files do not tell, before any ptxas")
        return f"nvJitLink of {own.name} {own.version}", CudaRelease(release[0])
    tool = case.need(case.facts.cuda_libraries.ptxas)
    if isinstance(tool.version, Absent):
        raise CantTell(f"ptxas: {tool.version.reason}")
    return tool.path, case.need(tool.version)


def _wheels(case: Case) -> tuple[Distribution, ...]:
    wheels = case.facts.cuda_libraries.wheels
    return wheels.value if isinstance(wheels, Known) else ()


_RELEASE = Expression(r"(?<!\d)\d+\.\d+(?:\.\d+)?", re.ASCII)


def _architectures(case: Case, release: CudaRelease) -> Fact[tuple[ComputeCapability, ...]]:
    for row in case.matrix.cuda_rows():
        if (row.version.major, row.version.minor) == (release.major, release.minor):
            return row.compute_capabilities
    return Failed(
        f"the matrix does not know which GPUs the ptxas of CUDA {release} knows", "unknown-to-matrix"
    )


def _first_that_knows(case: Case, gpu: ComputeCapability, major: int) -> CudaRelease | None:
    """Of the build's own CUDA major, of which its other libraries are."""
    rows = [each for each in case.matrix.cuda_rows() if each.version.major == major]
    found = [
        each.version
        for each in rows
        if isinstance(each.compute_capabilities, Known) and gpu in each.compute_capabilities.value
    ]
    return found[0] if found else None


def _newer_assembler(case: Case, first: CudaRelease | None, name: str) -> tuple[Fix, ...]:
    if first is None:
        return ()
    package, tool = (
        ("nvidia-nvjitlink", "nvJitLink") if name.startswith("nvJitLink") else ("nvidia-cuda-nvcc", "ptxas")
    )
    spec = f"{package}-cu{first.major}>={first.major}.{first.minor},<{first.major + 1}"
    note = f"XLA takes the first {tool} that it finds: an older one that comes before has to go from there."
    return (exact(case.facts, spec, title=f"Install the {tool} of CUDA {first} or newer", note=note),)


@check("cupti-unavailable", prevents=Ability.NOTHING)
def cupti_unavailable(case: Case) -> Found | None:
    """The loader finds no libcupti. Only worth knowing, for nothing but profiles needs it."""
    cuda = _cuda_build(case)
    if isinstance(case.need_outcome(case.facts.cuda_libraries.cupti), Known):
        return None
    spec = f"nvidia-cuda-cupti-cu{cuda.major}>={cuda.major}.{cuda.minor},<{cuda.major + 1}"
    return Found(
        "CUPTI, through which TensorFlow's profiler looks into the GPU, is not found. Training works; profiles lack the GPU's part.",
        (evidence(case, "cuda_libraries.cupti", "libcupti"),),
        (exact(case.facts, spec, title="Install CUPTI into this environment", note="It adds one package."),),
        severity=Severity.INFO,
    )
