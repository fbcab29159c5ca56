"""Whether this processor can run this build: its instructions, its architecture, and what emulates another one."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence as evidence_of
from tfdoctor.checks.installation.platform import GPU_CODES
from tfdoctor.checks.questions import packages as environment
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.stage_output import FOLLOWS, failed_stage, words
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity

_SIGILL = 4


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
    elsewhere = fix("use-machine-with-these-instructions-or")
    if not hypervisor:
        return (elsewhere,)
    host_model = fix("show-hosts-cpu-to-virtual-machine")
    return (host_model, elsewhere)


@check(
    "foreign-architecture",
    prevents=Ability.NOTHING,
    explains=(*FOLLOWS, "cpu-instructions-missing", "smoke-timeout", *GPU_CODES, "os-gpu-unsupported"),
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
