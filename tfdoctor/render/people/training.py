"""What the program told of its training, and which batch fits by it, in sentences."""

from __future__ import annotations

from tfdoctor.examine.death import RunReport
from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.outcome import Known
from tfdoctor.fixes.batch import SPARE, largest_batch

_MIB = 1 << 20


def training_words(report: RunReport) -> list[str]:
    """[] where the program told nothing."""
    told = report.facts.death.training
    if not isinstance(told, Known):
        return []
    words = [_steps(told.value), *map(_held, _memory(told.value)), _fits(told.value)]
    if told.value.error:
        words.append(f"The callback then stopped telling: {told.value.error}.")
    return [each for each in words if each]


def _steps(told: Training) -> str:
    pace = told.seconds_per_step
    each = f", {pace.value:.3g} s each" if isinstance(pace, Known) else ""
    traced = f"; its training function was traced {_times(told.traces.value)}" if isinstance(told.traces, Known) else ""  # fmt: skip
    return f"Training: {_count(told.steps, 'step')} in {_count(told.epochs, 'epoch')}{each}{traced}."


def _memory(told: Training) -> tuple[StepMemory, ...]:
    return told.memory.value if isinstance(told.memory, Known) else ()


def _held(memory: StepMemory) -> str:
    held = f"Of the {_size(memory.limit)} that TensorFlow may use of {memory.device}, {_size(memory.held)} are held whatever the batch"
    if isinstance(memory.peak, Known):
        return f"{held}; a step peaked at {_size(memory.peak.value)}."
    return (
        f"{held}; no step peaked above what the program had used before, so a step's own peak is not known."
    )


def _fits(told: Training) -> str:
    found = largest_batch(told)
    if not isinstance(found, Known):
        return ""
    how = f"a line through both, {SPARE:.0%} of the memory left for gaps"
    batch = found.value.batch
    if isinstance(batch, Known) and isinstance(told.batch, Known):
        return f"The largest batch that fits is {batch.value:,}, where {told.batch.value:,} ran ({how})."
    return f"A batch {found.value.share:.2f} times this one fits ({how}). Steps(batch_size=…) makes a number of it."


def _size(count: int) -> str:
    return f"{count / _MIB:,.0f} MiB" if count >= 10 * _MIB else f"{count / _MIB:.1f} MiB"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _times(number: int) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number:,} times"
