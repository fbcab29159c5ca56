"""Whether this TensorFlow is made for this Python, this C library, this CPU and this system at all."""

from __future__ import annotations

import re  # reads no log: tags in the name of a wheel

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence as evidence_of
from tfdoctor.checks.questions import packages as environment
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.build import platform_of, row_of
from tfdoctor.checks.questions.search_paths import supplied_by
from tfdoctor.checks.questions.stage_output import FOLLOWS, failed_stage, must_have_listened, words
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import GlibcRelease, read_release
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import check_again
from tfdoctor.fixes.packages import fitting, in_new_environment
from tfdoctor.fixes.paths import leave_out

_GPU_CODES = ("tensorflow-cpu-only", "and-cuda-extra-lost")
_SIGILL = 4


@check("os-gpu-unsupported", prevents=Ability.GPU, explains=_GPU_CODES)
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
    on_purpose = Fix(
        "Use the CPU on purpose",
        note=f"`{check_again(case.facts, '--no-require-gpu')}` then makes this a note.",
    )
    if platform == "win_amd64":
        wsl = Fix(
            "Run TensorFlow inside WSL2", ("wsl --install",),
            "Needs a restart of Windows. The Windows NVIDIA driver serves WSL2; install none inside it.",
        )  # fmt: skip
        return (wsl, on_purpose)
    if platform == "linux_aarch64":
        vendor = Fix("Use NVIDIA's own TensorFlow container for ARM, or a machine with x86_64")
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
        (
            Fix(
                "Use an image or system with glibc",
                note="Debian's python:3.12-slim in place of python:3.12-alpine.",
            ),
        ),
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
    fixes = [
        Fix("Use a newer system or container", note="Any Linux of 2020 or later has glibc 2.27 or newer.")
    ]
    older = fitting(case.facts, case.matrix)
    if older is not None:
        fixes.append(in_new_environment(case.facts, case.matrix, older))
    return tuple(fixes)


@check("cpu-instructions-missing", prevents=Ability.COMPUTE, explains=FOLLOWS)
def cpu_instructions_missing(case: Case) -> Found | None:
    """The instruction sets in the build's own information against the CPU's flags. That the stage died of SIGILL makes
    it certain.
    """
    needed = case.need(case.facts.tensorflow.build).cpu_flags
    if not needed:
        return None
    flags: tuple[str, ...] = case.need(case.facts.host.cpu_flags)
    missing = [flag for flag in needed if flag not in flags]
    if not missing:
        return None
    stage = failed_stage(case.facts)
    died = stage is not None and stage.end.how == "signal" and stage.end.status == _SIGILL
    hidden = _hypervisor(case)
    by_whom = f" The hypervisor ({hidden}) hides them or the host has none." if hidden else ""
    evidence = [
        Evidence(
            "host.cpu_flags", f"without {', '.join(missing)}", f"with {', '.join(needed)}",
            "the instruction sets that this build was compiled for",
        )
    ]  # fmt: skip
    if died:
        evidence.append(Evidence("smoke.tensorflow", "died of SIGILL", "ends well", "the TensorFlow stage"))
    return Found(
        f'The first instruction that the CPU does not know ends the program ("Illegal instruction").{by_whom}',
        tuple(evidence),
        _cpu_fixes(hidden),
        Confidence.CERTAIN if died else Confidence.LIKELY,
        title=f"This CPU{' (a virtual one)' if hidden else ''} lacks {', '.join(each.upper() for each in missing)}, which this build uses.",
    )


def _hypervisor(case: Case) -> str:
    named, model = case.facts.host.hypervisor, case.facts.host.cpu_model
    if isinstance(named, Known):
        return named.value
    if isinstance(model, Known):
        return next((name for name in ("QEMU", "KVM") if name in model.value), "")
    return ""


def _cpu_fixes(hypervisor: str) -> tuple[Fix, ...]:
    elsewhere = Fix("Use a machine with these instructions, or a TensorFlow that was built without them")
    if not hypervisor:
        return (elsewhere,)
    host_model = Fix(
        "Show the host's CPU to the virtual machine",
        note="On the host: CPU model host-passthrough (libvirt), -cpu host (qemu), type host (Proxmox); then restart it.",
    )
    return (host_model, elsewhere)


@check(
    "foreign-architecture",
    prevents=Ability.NOTHING,
    explains=(*FOLLOWS, "cpu-instructions-missing", "smoke-timeout", *_GPU_CODES, "os-gpu-unsupported"),
)
def foreign_architecture(case: Case) -> Found | None:
    """The interpreter's machine against the host's; 32-bit x86 on a 64-bit CPU is no emulation. An error until
    TensorFlow was seen to compute.
    """
    own = environment.architecture(case.need(case.facts.interpreter.machine))
    host = environment.architecture(case.need(case.facts.host.machine))
    evidence = Evidence("interpreter.machine", own, host, "the machine's own architecture (host.machine)")
    if own == host or {own, host} == {"x86", "x86_64"}:
        if not _apple_behind_x86(case):
            return None
        host, evidence = (
            "aarch64",
            evidence_of(case, "host.cpu_model", "the name of a real x86 processor", _ROSETTA),
        )
    text = words(case.facts, "foreign-architecture")
    works = Ability.COMPUTE in abilities_seen(case.facts)
    loss = "It works, but slowly" if works else "Emulators lack instructions that TensorFlow uses"
    return Found(
        f"This Python is made for {own} and runs under emulation on {host}. {loss}.",
        (evidence, *((text,) if text else ())),
        (_native_image(case, host),),
        severity=Severity.WARNING if works else Severity.ERROR,
        title=f"This Python is made for {own} and runs under emulation on {host}.",
    )


_ROSETTA = "Rosetta names its processor VirtualApple and keeps AVX from Linux programs (Apple, Running Intel binaries in Linux VMs, 2026-11)"


def _apple_behind_x86(case: Case) -> bool:
    """In a container under Rosetta even the kernel's own answer is x86_64; the processor's name is not translated."""
    model = case.facts.host.cpu_model
    return isinstance(model, Known) and "VirtualApple" in model.value


def _native_image(case: Case, host: str) -> Fix:
    title = f"Use a Python or an image for {host}"
    if not isinstance(case.facts.host.container, Known):
        return Fix(title, note=_native(case))
    platform = {"aarch64": "linux/arm64", "x86_64": "linux/amd64"}.get(host, host)
    note = (
        "Type it on the host, before the container is started, and in a Dockerfile or compose file take out a `platform` that says "
        "otherwise. The image has to be published for it; else build it there."
    )
    return Fix(title, (f"export DOCKER_DEFAULT_PLATFORM={platform}",), note)


def _native(case: Case) -> str:
    if isinstance(case.facts.host.os, Known) and case.facts.host.os.value == "macos":
        return "python.org's installer and Miniforge for arm64 are native; `arch` in the terminal must say arm64. Make a new environment with it."
    return "For containers: --platform linux/arm64, or an image of that architecture."


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
            Fix(
                "Start without LD_LIBRARY_PATH",
                ("unset LD_LIBRARY_PATH",),
                "Tells whether a folder on it holds the older library.",
            )
            if not (folder := supplied_by(case, "libstdc++.so.6"))
            else leave_out(case.facts, "LD_LIBRARY_PATH", folder)
        )
    fixes.append(
        Fix(
            "Take all C++ packages from one source",
            note="In conda: conda install -c conda-forge libstdcxx-ng. Elsewhere: a newer system or container.",
        )
    )
    return tuple(fixes)
