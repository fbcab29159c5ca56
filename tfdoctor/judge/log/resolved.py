"""Which finding of a log explains which other, by the order of its lines, and what led to nothing."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression  # reads no log: what an exception's line speaks of
from tfdoctor.base.records import replace
from tfdoctor.judge.causes import HOW_IT_ENDED, by_time
from tfdoctor.judge.log.containers import WITHOUT_A_GPU
from tfdoctor.judge.log.fitting import settled
from tfdoctor.judge.log.memory import survived_a_refusal
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.knowledge.catalog import CODES, EFFECTS_IN_LOGS
from tfdoctor.knowledge.model import Finding, Role, Severity

_KILLS = ("host-oom-killed", "container-oom-killed", "scheduler-killed", "killed-by-user")
_BY_OTHERS = ("killed-by-user", "output-closed")
"""No fault by themselves, and still what ended the program."""


def resolved(
    findings: list[Finding], places: dict[str, tuple[Place, ...]], told: Testimony
) -> tuple[Finding, ...]:
    """The findings with their roles, the root first."""
    when = {code: _order(each[0]) if each else 0 for code, each in places.items()}
    codes = [finding.code for finding in findings]
    if {place(each) for each in told.named(*_FATAL)} & {
        at for each in places.values() for at in each
    }:
        when.update(dict.fromkeys(_DEATH_OF_A_KERNEL, max(when.values()) + 1))
    known = {code: EFFECTS_IN_LOGS[code] for code in codes}
    said_why = [code for code in codes if code not in HOW_IT_ENDED and code not in _KILLS]
    unrelated = HOW_IT_ENDED if _ended_apart_from_the_gpu(told) else frozenset()
    ended_at = set(map(place, told.raised))
    for code in said_why:
        known[code] = known[code] | HOW_IT_ENDED
        if leaves_the_cpu(code) and not ended_at & {*places[code]}:
            known[code] -= unrelated
        if code in WITHOUT_A_GPU:
            known[code] -= _DEATHS if _fell_without_a_word(told) else _DEATH_OF_A_KERNEL
        if code in _NO_DRIVER:
            known[code] = known[code] | _FOR_A_DRIVER
    for code in (each for each in codes if each in _KILLS):
        known[code] = known[code] | HOW_IT_ENDED
    errors = {each.code for each in findings if each.severity is Severity.ERROR}
    findings = [_leading(each, (known[each.code] - _FOR_A_DRIVER) & errors) for each in findings]
    ending = frozenset(code for code in codes if not takes_the_gpu(code))
    found = by_time([replace(each, explains=None) for each in findings], known, when, ending)
    return tuple(_weakened(each, told) for each in found)


_DEATH_OF_A_KERNEL = frozenset(("jupyter-kernel-died",))
"""No process dies for lack of a GPU: TensorFlow runs on the CPU."""
_FATAL = ("fatal-line", "fatal-line-absl", "plugin-stopped")
"""Lines of level F, by which TensorFlow ends its process. A server tells of the kernel's death when it looks, in a page of its own
order, the newest line first: whichever stands first, the fatal line is why."""
_DEATHS = frozenset((*_DEATH_OF_A_KERNEL, "native-crash"))
_NO_DRIVER, _FOR_A_DRIVER = ("gpu-absent", "driver-missing"), frozenset(("cuda-libraries-missing",))
"""Where no driver is, libraries of CUDA do not matter yet: on most such machines nobody wants them."""
_ABORTED = (6,)
"""TensorFlow ends itself by it, also for a GPU that is not there."""
_ABOUT_THE_GPU = Expression(
    r"GPU|CUDA|cuda|[Tt]ensor[Rr][Tt]|tensorrt|nvinfer|cu(?:DNN|BLAS|FFT|SOLVER|SPARSE)|NCCL|[Dd][Nn][Nn] |\b[Dd]evices?\b|\bdriver\b|libdevice|\bptx|PTX|\bstream\b|[Ss]tream_?[Ee]xecutor|[Mm]etal|METAL|XLA|JIT|\.so\b|\.dll\b"
)


def _fell_without_a_word(told: Testimony) -> bool:
    """A wrong memory access or the like, and TensorFlow itself did not end the program before."""
    fell = [each.status for each in told.endings if each.how == "signal"]
    return bool(fell) and not any(each in _ABORTED for each in fell) and not told.of("check-failed")


def _ended_apart_from_the_gpu(told: Testimony) -> bool:
    """An exception or a failed CHECK that speaks of no device, or options that were refused: TensorFlow went on with the CPU,
    and why it had to did not end the program."""
    said = [each.what for each in told.raised]
    said += [each.text for each in told.of("check-failed")]
    refused = any(each.how == "refused" for each in told.endings)
    return (refused or bool(said)) and not any(
        _ABOUT_THE_GPU.search(each) or _EMPTY.match(each) for each in said
    )


_EMPTY = Expression(
    r"(?:\w{1,60}\.){0,8}(?:Unknown|Internal|Aborted|Cancelled|FailedPrecondition|Unavailable|Unimplemented)Error(?:: {0,3}(?:Graph execution error:?)? {0,3}(?:\d{1,3} root error\(s\) found)?)?\.?\s{0,9}$"
)
"""TensorFlow's exceptions without words of their own: what failed stands above."""


def _leading(finding: Finding, effects: frozenset[str]) -> Finding:
    """A warning whose effects are errors of this log led to them."""
    return (
        replace(finding, severity=Severity.ERROR)
        if finding.severity is Severity.WARNING and effects
        else finding
    )


def _order(at: Place) -> int:
    return at[0] * (1 << 40) + at[1]


def _weakened(finding: Finding, told: Testimony) -> Finding:
    """A warning that led to nothing is worth knowing; what took the GPU away stands where the program ended well."""
    if (finding.code == "killed-by-user" and told.stopped) or (
        finding.code == "python-exception" and told.caught
    ):
        return replace(finding, role=Role.NOTE, severity=Severity.INFO)
    if finding.code in _BY_OTHERS:
        return finding
    passed_over = CODES[finding.code].family == "packages" or finding.code == "command-not-started"
    survived = told.computed and passed_over and finding.role is Role.ROOT
    if survived or settled(finding, told) or survived_a_refusal(told, finding.code):
        return replace(finding, role=Role.NOTE, severity=Severity.INFO)
    if (
        finding.role is Role.ROOT
        and finding.severity is Severity.WARNING
        and (
            told.ended_well
            or (told.ended_badly and not told.cut)
            or _did_without(finding.code, told)
        )
    ):
        return replace(finding, role=Role.NOTE, severity=Severity.INFO)
    return finding


def _did_without(code: str, told: Testimony) -> bool:
    """Work went on without the GPU. A slow start is over when a whole epoch is."""
    if code == "ptx-jit-slow-start" and not told.named("keras-step"):
        return False
    return told.informed and takes_the_gpu(code)


def takes_the_gpu(code: str) -> bool:
    """The program goes on without a GPU: why, is an answer also where it ended well."""
    return CODES[code].gpu_only and CODES[code].family in (
        "platform",
        "driver",
        "libraries",
        "devices",
        "packages",
    )


def leaves_the_cpu(code: str) -> bool:
    """TensorFlow shows no GPU for it and computes on; a GPU or a cuDNN that fails at work stops the program instead."""
    return (
        takes_the_gpu(code)
        and CODES[code].family != "devices"
        and not code.startswith(("cudnn-", "nccl-"))
    )
