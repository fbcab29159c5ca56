"""Why memory ran out, where a watched program's own growth tells: a leak, a shuffle buffer, endless retracing."""

from __future__ import annotations

from tfdoctor.checks.death.memory_kills import killed_for_memory, size
from tfdoctor.checks.death.whose import end_of
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.questions.stage_output import said
from tfdoctor.facts.death import Fill, Growth
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity

_ENDS = ("container-oom-killed", "host-oom-killed", "scheduler-killed", "host-memory-exhausted")
_LEAKS = ("per-step", "per-epoch", "slope")
_ALMOST_FITS = 0.5  # of the limit: a buffer that would have taken less is not what filled it


@check("host-memory-leak", prevents=Ability.NOTHING, explains=_ENDS)
def leak(case: Case) -> Found | None:
    """Memory that is never given back grows steadily. A fill that dies before it levels looks the same: likely at most."""
    end_of(case)
    growth = case.need(case.facts.death.growth)
    if growth.kind not in _LEAKS or not isinstance(growth.per_unit, Known):
        return None
    if isinstance(case.facts.death.fill, Known) or said(case.facts, "retracing-warning") is not None:
        return None  # the text names what grows
    died = _died_for_memory(case)
    return Found(
        f"The program kept {_rate(growth)} that it never gave back, {size(growth.grew)} in all while it was watched.{_left(growth, died=died)}",
        (_seen(growth),),
        (
            fix("build-pipelines-and-functions-once-before"),
            fix("keep-numbers-not-tensors"),
        ),
        Confidence.LIKELY if died else Confidence.POSSIBLE,
        _weight(case, died=died),
        explains=None if died else frozenset(),
    )  # fmt: skip


@check("retracing-memory-growth", prevents=Ability.NOTHING, explains=_ENDS)
def retracing(case: Case) -> Found | None:
    """TensorFlow warned of retracing, memory grew without end, and a lack of memory ended it."""
    end_of(case)
    told = said(case.facts, "retracing-warning")
    if told is None:
        if isinstance(case.facts.death.said, Failed):
            case.cant_tell(case.facts.death.said)
        return None
    growth = case.need(case.facts.death.growth)
    if growth.kind not in (*_LEAKS, "rising") or not _died_for_memory(case):
        return None
    return Found(
        f"A tf.function was traced again and again, each trace was kept, and memory grew by {_rate(growth)} until none was left.",
        (told.evidence, _seen(growth)),
        (
            fix("pass-tensors-and-fixed-shapes-to"),
            fix("let-tensorflow-find-out-shapes-vary"),
        ),
        Confidence.LIKELY,
    )  # fmt: skip


@check("shuffle-buffer-too-large", prevents=Ability.NOTHING, explains=_ENDS)
def shuffle_buffer(case: Case) -> Found | None:
    """It ran out of memory while a shuffle buffer was being filled."""
    end_of(case)
    fill = case.need(case.facts.death.fill)
    if not _died_for_memory(case):
        return None
    limit = _limit(case)
    needed = fill.per_element.value * fill.wanted if isinstance(fill.per_element, Known) else 0.0
    if needed and limit and needed < _ALMOST_FITS * limit:
        return None
    sure = bool(needed and limit and needed > limit)
    return Found(
        f"It was filling a shuffle buffer of {fill.wanted:,} elements and had got to {fill.filled:,} when memory ran out.{_arithmetic(fill, needed, limit)}",
        _fill_as_evidence(fill),
        _smaller(fill, limit),
        Confidence.CERTAIN if sure else Confidence.LIKELY,
    )  # fmt: skip


def _weight(case: Case, *, died: bool) -> Severity:
    """Of a leak: a risk where the program ended well; where something else ended it, worth knowing."""
    end = end_of(case)
    well = (end.how, end.status) == ("exit", 0)
    return Severity.ERROR if died else Severity.WARNING if well else Severity.INFO


def _died_for_memory(case: Case) -> bool:
    """Whether the kernel killed it for lack of memory, or an allocation failed. Where nobody can tell, it is not claimed."""
    if said(case.facts, "host-memory-exhausted") is not None:
        return True
    try:
        return killed_for_memory(case)
    except CantTell:
        return False


def _rate(growth: Growth) -> str:
    if isinstance(growth.per_unit, Known):
        return f"{size(growth.per_unit.value)} per {growth.unit}"
    return size(growth.grew)


def _left(growth: Growth, *, died: bool) -> str:
    if died or not isinstance(growth.until_limit, Known) or not isinstance(growth.limit, Known):
        return ""
    return f" At that rate {growth.until_limit.value:,.0f} more {growth.unit}s fit below its limit of {size(growth.limit.value)}."


def _seen(growth: Growth) -> Evidence:
    over = f" over {growth.units:,} {growth.unit}s" if isinstance(growth.per_unit, Known) else ""
    return Evidence("death.growth", f"{_rate(growth)}{over} (anonymous memory and swap, what came back left out)", "a level after the start", "samples")  # fmt: skip


def _fill_as_evidence(fill: Fill) -> tuple[Evidence, ...]:
    line = Evidence("death.fill", f"Filling up shuffle buffer: {fill.filled:,} of {fill.wanted:,}", "the buffer is filled", "what the command wrote to stderr")  # fmt: skip
    if not isinstance(fill.per_element, Known):
        return (line,)
    each = Evidence("death.fill", f"{size(fill.per_element.value)} of memory per element", "", "samples at the time of that line")  # fmt: skip
    return (line, each)


def _arithmetic(fill: Fill, needed: float, limit: int) -> str:
    if not needed or not isinstance(fill.per_element, Known):
        return ""
    below = f"; the limit is {size(limit)}" if limit else ""
    return f" An element took {size(fill.per_element.value)}, so the whole buffer would need {size(needed)}{below}."


def _limit(case: Case) -> int:
    """Bytes; 0 where none is known."""
    reading = case.facts.death.reading
    if isinstance(reading, Known) and isinstance(reading.value.cgroup_limit, Known):
        return reading.value.cgroup_limit.value
    return value_or(case.facts.memory.ram_total, 0)


def _smaller(fill: Fill, limit: int) -> tuple[Fix, ...]:
    room = ""
    if limit and isinstance(fill.per_element, Known) and fill.per_element.value > 0:
        room = f" At most about {int(0.5 * limit / fill.per_element.value):,} elements take half of the memory there is."
    return (
        fix("use-smaller-buffer", room=room),
        fix("shuffle-file-names-before-they-are"),
    )  # fmt: skip
