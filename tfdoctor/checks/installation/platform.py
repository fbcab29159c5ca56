"""Whether this TensorFlow is made for this Python, this C library, this CPU and this system at all."""

from __future__ import annotations

import re

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions import packages as environment
from tfdoctor.checks.questions.build import platform_of, row_of
from tfdoctor.checks.questions.search_paths import supplied_by
from tfdoctor.checks.questions.stage_output import FOLLOWS, must_have_listened, words
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import GlibcRelease, read_release
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.fixes.commands import check_again
from tfdoctor.fixes.packages import fitting, in_new_environment
from tfdoctor.fixes.variables import leave_out

GPU_CODES = ("tensorflow-cpu-only", "and-cuda-extra-lost")


@check("os-gpu-unsupported", prevents=Ability.GPU, explains=GPU_CODES)
def os_gpu_unsupported(case: Case) -> Found | None:
    """The build has neither CUDA nor ROCm, a GPU is there, and from this release on the matrix knows no GPU build for
    this platform.
    """
    version = environment.tensorflow_version(case)
    build = case.need(case.facts.tensorflow.build)
    if not isinstance(build.cuda, Absent) or not isinstance(build.rocm, Absent):
        return None
    plugins = case.facts.tensorflow.plugins
    platform = case.need(platform_of(case.facts))
    if platform == "macosx_arm64" or (isinstance(plugins, Known) and plugins.value):
        return None
    gpu = _gpu_for(case, platform)
    if not isinstance(gpu, Known) or environment.has_gpu_build(case, platform, str(version)):
        return None
    cited = f"the matrix {case.matrix.version}: gpu of every release from {version} on for {platform}"
    return Found(
        f"TensorFlow {version} has no GPU build for {_SYSTEM.get(platform, platform)}, so it computes on the CPU alone.",
        (
            Evidence(
                "tensorflow.build", f"{platform}, built without CUDA", "a system with a GPU build: Linux on x86_64",
                cited,
            ),
            Evidence("host.gpus_on_bus", gpu.value) if platform == "macosx_x86_64" else environment.gpu_evidence(case),
        ),
        _gpu_elsewhere(case, platform),
        title=f"TensorFlow has no GPU build for {_SYSTEM.get(platform, platform)} any more."
        if platform == "win_amd64"
        else f"TensorFlow has no GPU build for {_SYSTEM.get(platform, platform)}.",
    )  # fmt: skip


_SYSTEM = {
    "win_amd64": "native Windows",
    "linux_aarch64": "Linux on ARM (aarch64)",
    "macosx_x86_64": "macOS on Intel",
}


def _gpu_for(case: Case, platform: str) -> Fact[str]:
    """On an Intel Mac any GPU counts, elsewhere NVIDIA's."""
    bus = case.facts.host.gpus_on_bus
    if platform == "macosx_x86_64" and isinstance(bus, Known) and bus.value:
        return Known(f"{bus.value[0].vendor} GPU at {bus.value[0].address}", "host.gpus_on_bus")
    return case.need_outcome(environment.wanted_gpu(case))


def _gpu_elsewhere(case: Case, platform: str) -> tuple[Fix, ...]:
    on_purpose = fix("use-cpu-on-purpose", check_again=check_again(case.facts, "--no-require-gpu"))
    if platform == "win_amd64":
        wsl = fix("run-tensorflow-inside-wsl2")  # fmt: skip
        return (wsl, on_purpose)
    if platform == "linux_aarch64":
        vendor = fix("use-nvidias-own-tensorflow-container-for")
        return (vendor, on_purpose)
    return (on_purpose,)


@check("glibc-too-old", prevents=Ability.IMPORT, explains=(*FOLLOWS, "tensorflow-missing"))
def glibc_too_old(case: Case) -> Found | None:
    """The interpreter's own C library, else the host's, against the floor in the wheel's tag, else in the matrix. The
    loader's words prove it without either; a C library that is no glibc is of no use to a manylinux wheel.
    """
    text = words(case.facts, "glibc-too-old")
    if text is None and case.need(case.facts.host.os) != "linux":
        return None
    libc = _libc(case)
    if isinstance(libc, Absent):
        return _musl(case, libc)
    floor = _glibc_floor(case)
    if isinstance(floor, Known) and libc < floor.value:
        evidence = [Evidence("host.glibc", str(libc), f">={floor.value}", floor.source)]
    elif text is None:
        return None
    else:
        evidence = []
    return Found(
        f"TensorFlow's files ask for a newer C library than glibc {libc}, so they can't be loaded.",
        (*evidence, *([text] if text else [])),
        _older_system_fixes(case),
        Confidence.CERTAIN if text else Confidence.LIKELY,
    )


def _libc(case: Case) -> GlibcRelease | Absent:
    """The glibc that the interpreter is linked with, else the host's; Absent: another C library."""
    own = case.facts.interpreter.libc
    if isinstance(own, Known):
        name, _, version = own.value.partition(" ")
        if name != "glibc":
            return Absent(own.value)
        if version:
            return case.need(read_release(GlibcRelease, version, "interpreter.libc"))
    host = case.need_outcome(case.facts.host.glibc)
    return host.value if isinstance(host, Known) else host


def _musl(case: Case, libc: Absent) -> Found | None:
    tag = case.facts.tensorflow.wheel_tag
    if isinstance(tag, Known) and "musllinux" in tag.value:
        return None
    return Found(
        "TensorFlow is published for systems with glibc alone (manylinux); here is another C library, as in Alpine Linux.",
        (Evidence("interpreter.libc", libc.reason, "glibc", "names of the published wheels (manylinux)"),),
        (fix("use-image-or-system-with-glibc"),),
    )


def _glibc_floor(case: Case) -> Fact[GlibcRelease]:
    """By the wheel's own tag, else by the matrix. Where no TensorFlow is installed: what the oldest asks for."""
    tag = case.facts.tensorflow.wheel_tag
    if isinstance(tag, Known):
        floor = _floor_in(tag.value)
        return (
            Known(floor, f"the wheel's own tag {tag.value}")
            if floor
            else Absent("the wheel's tag names no glibc")
        )
    row = row_of(case)
    if isinstance(row, Known):
        return row.value.glibc
    if isinstance(row, Failed):
        return row
    floors = [each.glibc for each in case.matrix.releases(case.need(platform_of(case.facts)))]
    known = [each for each in floors if isinstance(each, Known)]
    return min(known, key=lambda each: each.value) if known else Absent("no release is known")


def _floor_in(tag: str) -> GlibcRelease | None:
    """ "2.27" from "cp311-cp311-manylinux_2_27_x86_64"; of several the highest; PEP 600 for the older names."""
    old = {"manylinux1_": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}
    found = [f"{major}.{minor}" for major, minor in re.findall(r"manylinux_(\d+)_(\d+)_", tag)]
    found += [floor for name, floor in old.items() if name in tag]
    return max(map(GlibcRelease, found), default=None)


def _older_system_fixes(case: Case) -> tuple[Fix, ...]:
    fixes = [fix("use-newer-system-or-container")]
    older = fitting(case.facts, case.matrix)
    if older is not None:
        fixes.append(in_new_environment(case.facts, case.matrix, older))
    return tuple(fixes)


@check("libstdcxx-too-old", prevents=Ability.IMPORT, explains=FOLLOWS)
def libstdcxx_too_old(case: Case) -> Found | None:
    """By the loader's words alone, which name the missing GLIBCXX version: no file tells which copy comes first."""
    must_have_listened(case)
    text = words(case.facts, "libstdcxx-too-old")
    if text is None:
        return None
    variables = case.facts.environment.variables
    path = variables.value.get("LD_LIBRARY_PATH", "") if isinstance(variables, Known) else ""
    evidence = (text, Evidence("environment.variables", f"LD_LIBRARY_PATH={path}")) if path else (text,)
    return Found(
        "A C++ library that was built with a newer compiler can't be loaded.",
        evidence,
        _libstdcxx_fixes(case, path),
    )


def _libstdcxx_fixes(case: Case, path: str) -> tuple[Fix, ...]:
    fixes = []
    if path:
        fixes.append(
            fix("start-without-ld-library-path")
            if not (folder := supplied_by(case, "libstdc++.so.6"))
            else leave_out(case.facts, "LD_LIBRARY_PATH", folder)
        )
    fixes.append(fix("take-all-c-packages-from-one"))
    return tuple(fixes)
