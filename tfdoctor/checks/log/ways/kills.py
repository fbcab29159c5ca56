"""A program that was killed and says no more: what gives it room, by what it was doing and where it ran."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.advice import is_a_compiler, is_a_server

_CODES = ("host-oom-killed", "container-oom-killed")

_LESS = fix("let-hold-less-at-once-half")
_SWAP = fix("give-machine-room-on-disk-for")
_OF_WSL = fix("give-wsl-more-machines-memory-by")
_WHO = fix("see-what-else-uses-machines-memory-2")
_BOX = fix("give-container-more-memory-with-name")
_ASK = fix("see-whether-was-containers-limit-with")
_FEWER_JOBS = fix("let-fewer-compilers-run-at-once")
_MODELS = fix("let-server-hold-less-one-version")


def exhausted_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """An allocation that failed: what holds less comes before who holds it; () where only a loader was refused."""
    said = {each.name for each in told.of("host-memory-exhausted")}
    return (_LESS, *ways_out("host-memory-exhausted")) if said & _ASKED_FOR_MUCH else ()


_ASKED_FOR_MUCH = {
    "memory-error",
    "bad-alloc",
    "allocator-cpu",
    "allocator-cpu-ran-out",
    "cannot-allocate",
    "array-not-allocated",
    "not-enough-memory",
}


def kill_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the log tells who killed it, or where what it says has ways of its own."""
    kills = [each for each in told.endings if each.how == "signal" and each.status == 9]
    if code not in _CODES or not kills or any(each.sure == "certain" for each in told.of(code)):
        return ()
    if any(is_a_compiler(each.what) for each in kills):
        return (_FEWER_JOBS, _SWAP, _WHO)
    pip = max((place(each) for each in told.named("pip-at-work")), default=(-1, -1))
    if pip > max((place(each) for each in told.named("pip-installed")), default=(-1, -1)):
        return _of_pip(facts)
    if code == "container-oom-killed":
        return _of_a_box(facts, kills[-1].what)
    if value_or(facts.host.os, "linux") != "linux" or isinstance(facts.host.scheduler, Known):
        return ()
    return (_OF_WSL, _LESS, _WHO) if isinstance(facts.host.wsl, Known) else (_LESS, _SWAP, _WHO)


_BY_KUBECTL = "command terminated with exit code"
"""kubectl exec's words for the end of what it ran in a pod."""


def _of_a_box(facts: Facts, line: str) -> tuple[Fix, ...]:
    """() in Kubernetes and elsewhere where no docker is typed: the page has those."""
    if value_or(facts.host.container, "docker") not in ("docker", "podman") or _BY_KUBECTL in line:
        return ()
    rest = (_MODELS,) if is_a_server(line) else (_LESS,)
    return (_BOX, *rest, _ASK)


def _of_pip(facts: Facts) -> tuple[Fix, ...]:
    python = interpreter(facts)
    return (
        fix("let-pip-work-without-cache-many", python=python),
        fix("take-build-for-processor-alone-less", python=python),
        _SWAP,
    )
