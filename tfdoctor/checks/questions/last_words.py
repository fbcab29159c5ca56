"""What the failed TensorFlow stage said about its end: the sentences that no report may lose.

A sentence counts whoever wrote it and whatever file it names: TensorFlow's fatal lines, the exception of the import or
of a computation, what C++, LLVM, the loader and Python write when they give up.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.checks.questions.stage_output import each_said, failed_stage
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import TensorFlowSmoke
from tfdoctor.findings.model import Evidence

FATAL = (
    "library-not-loaded", "flag-value-refused", "llvm-error", "exception-what", "fatal-python-error", "symbol-lookup-error",
    "program-library-missing", "heap-corrupted", "heap-damaged", "assertion-failed", "check-failed",
)  # fmt: skip
"""Signatures and codes of sentences with which a program ends, the most telling first."""

_SHOWN = 5
_TITLE = 160  # characters of a sentence that still reads in a title


def last_words(facts: Facts) -> tuple[Evidence, ...]:
    """Each sentence of the failed stage that says why it ended, in the order in which they were said; () for silence."""
    found = dict.fromkeys(each.evidence for each in each_said(facts, *FATAL))
    return tuple(found)[:_SHOWN]


def sentences(facts: Facts) -> Iterator[str]:
    """What was said with the import's end, the computations' failures and the process' end, one sentence a time."""
    stage = failed_stage(facts)
    if stage is None:
        return
    yield from exceptions(stage)
    for each in each_said(facts, *FATAL):
        yield each.evidence.observed


def exceptions(stage: TensorFlowSmoke) -> tuple[str, ...]:
    """The exceptions of the import and of the computations, without the doctor's own words for a child that died."""
    said = [stage.import_error.value] if isinstance(stage.import_error, Known) else []
    if stage.end.how == "exit":
        said += [each.error for each in stage.computations if each.status == "failed" and each.error]
    return tuple(dict.fromkeys(said))


def why(facts: Facts) -> str:
    """The one sentence that says most of why the stage failed, fit for a title; "" where nothing was said."""
    stage = failed_stage(facts)
    if stage is None:
        return ""
    told = list(exceptions(stage))
    if not told:
        for each in each_said(facts, *FATAL):
            told.append(each.told.get("message") or each.evidence.observed)
    return _as_title(told[0]) if told else ""


def _as_title(sentence: str) -> str:
    text = " ".join(_without_nodes(sentence).split()).rstrip(".")
    return text if len(text) <= _TITLE else text[:_TITLE].rsplit(" ", 1)[0] + " …"


def _without_nodes(sentence: str) -> str:
    """Without the name that TensorFlow gives the operation ("{{function_node …}} ", "[Op:MatMul] name: ")."""
    before, opened, rest = sentence.partition("{{")
    if opened and "}}" in rest:
        sentence = before + rest.partition("}}")[2].lstrip()
    return sentence.partition(" [Op:")[0]
