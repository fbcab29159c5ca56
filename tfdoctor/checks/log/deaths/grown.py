"""Memory that ran out in a later epoch: each epoch holds what the one before it held, so something grew."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place, Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence

_CODE = "host-memory-leak"
_KILLS = ("host-oom-killed", "container-oom-killed")
_REFUSED = ("memory-error", "array-not-allocated", "bad-alloc")
_KILLED = "The program was killed in epoch {epoch}, mostly because memory ran out, and the epochs before it had fitted: something grows from epoch to epoch."
_FAILED = "The machine's memory was used up in epoch {epoch}, and the epochs before it had fitted: something grows from epoch to epoch."
_WORDS = (
    "Every epoch works on the same data with the same model, so what fitted in the first one fits in the next, unless something is kept. A smaller batch only puts off the end. "
    "What is kept is mostly a pipeline or a model that is built again for each epoch, model.predict() in a loop or a callback, results in a list, a cache() or a shuffle buffer that still fills, or worker processes of a generator."
)
_NO_WITNESS = " A kill leaves no reason in the log; that it was memory is the likeliest one."
FIXES = (
    fix("build-once-before-training-begins-what"),
    fix("have-memory-run-over-few-epochs"),
    fix("until-found-train-in-pieces-save"),
)


def grown(told: Testimony, kills: tuple[Ending, ...]) -> Candidate | None:
    """None where the log says who killed it, where no later epoch is told, and for one large piece that was refused."""
    if kills and any(each.sure == "certain" for each in told.of(*_KILLS)):
        return None
    ends: tuple[Ending | Saying, ...] = kills or told.named(*_REFUSED)
    if not ends or (not kills and not _was_small(ends)):
        return None
    epoch = _epoch(told, place(ends[-1]))
    if epoch is None or int(epoch.told["epoch"]) <= 1:
        return None
    title = (_KILLED if kills else _FAILED).format(epoch=epoch.told["epoch"])
    opened = question((_CODE, *_KILLS), "kernel_log.oom_kills") if kills else None
    places = (place(epoch), place(ends[-1]))
    words = f"{_WORDS}{_NO_WITNESS if kills else ''}"
    sure = (
        Confidence.POSSIBLE if kills else Confidence.LIKELY
    )  # a small piece that finds no room proves that the rest was full
    return Candidate(_CODE, sure, places, words, opened, title)


def _was_small(ends: tuple[Ending | Saying, ...]) -> bool:
    """A large array that finds no room says nothing of what was held before it."""
    text = ends[-1].text if isinstance(ends[-1], Saying) else ends[-1].what
    return not any(unit in text for unit in (" GiB", " TiB")) and "for an array" in text


def _epoch(told: Testimony, end: Place) -> Saying | None:
    """The last one that began before the end, in the same log."""
    begun = [each for each in told.named("epoch") if each.file == end[0] and place(each) < end]
    return begun[-1] if begun else None


def retraced(facts: Facts) -> Iterator[Candidate]:
    """Warnings of retracing before a kill: each trace is kept, and so memory grows with the calls."""
    warned = [each for each in value_or(facts.log.noise, ()) if each.name == "retracing" and each.count > 1]
    if warned:
        words = (
            "TensorFlow warns that it traces a function again and again, and then the program is killed from outside. Each trace is a "
            "graph that is kept, so memory grows with the calls until there is none. Mostly Python objects or numbers among the "
            "arguments, changing shapes, or a tf.function that is made inside a loop are the reason."
        )
        places = tuple((each.file, each.line) for each in warned)
        yield Candidate("retracing-memory-growth", Confidence.POSSIBLE, places, words)
