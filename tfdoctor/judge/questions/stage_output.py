"""What the failed TensorFlow stage said: the text that gives a cause away.

A stage that passed proves nothing by its text: the same lines are noise then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, known, value_or
from tfdoctor.facts.smoke_values import TensorFlowSmoke
from tfdoctor.judge.engine.case import Case, Inconclusive, NotApplicable
from tfdoctor.knowledge.model import Evidence

FOLLOWS = (
    "smoke-tensorflow-failed",
    "native-crash",
    "check-failed",
    "python-exception",
    "package-import-failed",
)
"""What a TensorFlow that can't be imported or can't compute looks like where nobody knows the cause."""

_LONGEST = 300  # characters of a line that are kept as evidence


def failed_stage(facts: Facts) -> TensorFlowSmoke | None:
    """The TensorFlow stage where it ran and did not end well."""
    stage = known(facts.smoke.tensorflow)
    if stage and ended_well(stage) and all(each.status == "passed" for each in stage.computations):
        return None
    return stage


def died_of(facts: Facts, signal: int) -> bool:
    """Whether that signal ended the failed stage."""
    stage = failed_stage(facts)
    return stage is not None and (stage.end.how, stage.end.status) == ("signal", signal)


def ended_well(stage: TensorFlowSmoke) -> bool:
    """It did all that it was asked for. How the process ended afterwards is another question, and status 0 alone proves
    nothing: an import may end the process with it before anything was computed."""
    ended = stage.finished or (stage.end.how == "exit" and stage.end.status == 0)
    return ended and isinstance(stage.imported, Known) and bool(stage.computations)


def lines(stage: TensorFlowSmoke) -> Iterator[str]:
    """Its text: the exception first, then its log from the beginning, for the earliest error is nearest to the cause."""
    if isinstance(stage.import_error, Known):
        yield stage.import_error.value
    yield from (each.error for each in stage.computations if each.error)
    yield from stage.log
    yield from stage.end.stderr_tail


@record
class Said:
    """A line that gives a cause away: as evidence, and what it tells (data/knowledge/README.md, groups)."""

    evidence: Evidence
    signature: str
    told: dict[str, str]


def said(facts: Facts, *wanted: str) -> Said | None:
    """The first line of the failed stage in which one of these codes or signatures shows."""
    return next(each_said(facts, *wanted), None)


def each_said(facts: Facts, *wanted: str) -> Iterator[Said]:
    """Every such line, in order: of the failed stage, or of a watched program that ended badly."""
    stage = failed_stage(facts)
    output = lines(stage) if stage is not None else _of_watched(facts)
    told_as = as_evidence if stage is not None else _as_last_words
    for line in output:
        from tfdoctor.knowledge.messages.catalogue import (
            first,  # a stage that passed, as most do, needs no words
        )

        if hit := first(line, *wanted):
            yield Said(told_as(line), hit.signature.name, hit.told)


def _of_watched(facts: Facts) -> Iterator[str]:
    """What it said proves nothing where it ended well: the same lines are noise then."""
    end = known(facts.death.end)
    if end and (end.how, end.status) != ("exit", 0):
        yield from value_or(facts.death.said, ())


def _as_last_words(line: str) -> Evidence:
    return Evidence("death.said", _shortened(line), "ends well", "what the command wrote to stderr")


def words(facts: Facts, *wanted: str) -> Evidence | None:
    """The same line as evidence alone."""
    found = said(facts, *wanted)
    return found.evidence if found else None


def first_of(texts: Iterable[str], *wanted: str) -> str:
    """The first text in which one of these codes or signatures shows; "" where none does."""
    from tfdoctor.knowledge.messages.catalogue import first

    return next((text for text in texts if first(text, *wanted)), "")


def tensorflow_said(case: Case, code: str) -> bool:
    """Whether a message of this code stands in what the TensorFlow stage wrote."""
    stage = known(case.facts.smoke.tensorflow)
    return stage is not None and bool(first_of(texts_of(stage), code))


def texts_of(stage: TensorFlowSmoke) -> tuple[str, ...]:
    """Its log and the errors of its computations, whether it ended well or not."""
    return (*stage.log, *(each.error for each in stage.computations if each.error))


def first_words(facts: Facts) -> Evidence | None:
    """The failed stage's first line, which is the error where there is one."""
    stage = failed_stage(facts)
    return (
        next((as_evidence(line) for line in lines(stage) if line.strip()), None) if stage else None
    )


def as_evidence(line: str) -> Evidence:
    """A line of the stage's text, shortened."""
    return Evidence(
        "smoke.tensorflow",
        _shortened(line),
        "TensorFlow is imported and computes",
        "the TensorFlow stage",
    )


_DISTRIBUTIONS = {
    "absl": "absl-py",
    "google": "protobuf",
    "pasta": "google-pasta",
    "clang": "libclang",
}


def raised_in(facts: Facts) -> str:
    """The distribution in whose code the failed stage's first error arose; "" where no traceback tells."""
    chain = import_chain(facts)
    return chain[-1] if chain else ""


def import_chain(facts: Facts) -> tuple[str, ...]:
    """The distributions through whose code the failed stage's first error came, each once in a row, the innermost last.

    Of errors that were raised while others were handled Python prints the innermost, which is the cause, first.
    """
    stage, inside = failed_stage(facts), False
    chain: list[str] = []
    if stage is None:
        return ()
    from tfdoctor.knowledge.messages.catalogue import first

    for line in lines(stage):
        if inside and line[:1] not in (" ", ""):
            break
        if inside and (frame := first(line, "package-frame", "cython-frame")):
            module = frame.told["module"]
            name = _DISTRIBUTIONS.get(module, module.replace("_", "-"))
            chain += [name] if chain[-1:] != [name] else []
        inside = inside or first(line, "traceback") is not None
    return tuple(chain)


def must_have_listened(case: Case) -> None:
    """For a cause that only text gives away. Raises Inconclusive where the stage did not run.

    A stage that nobody asked for holds no verdict up: it is listed as skipped. One that was asked for and could
    not be run does.
    """
    if isinstance(case.facts.tensorflow.version, Absent):
        raise NotApplicable(case.facts.tensorflow.version.reason)
    smoke = case.facts.smoke.tensorflow
    if isinstance(smoke, Failed):
        raise Inconclusive(f"smoke.tensorflow: {smoke.error}", not_live=smoke.on_purpose)
    if isinstance(smoke, Absent):
        raise Inconclusive(f"smoke.tensorflow: {smoke.reason}", not_live=True)


def _shortened(line: str) -> str:
    text = line.strip()
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
