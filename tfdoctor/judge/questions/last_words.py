"""What the failed TensorFlow stage said about its end: the sentences that no report may lose.

A sentence counts whoever wrote it and whatever file it names: TensorFlow's fatal lines, the exception of the import or
of a computation, what C++, LLVM, the loader and Python write when they give up.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.smoke_values import ChildEnd, TensorFlowSmoke
from tfdoctor.judge.questions.stage_output import as_evidence, each_said, failed_stage
from tfdoctor.knowledge.model import Evidence

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
    return tuple(found)[:_SHOWN] or _last_error(facts)


def _last_error(facts: Facts) -> tuple[Evidence, ...]:
    """Of a stage that died of a signal without a sentence: the last line of its log, where that is an error. Native code writes
    one and goes on with what it does not have; an error with anything behind it was survived.
    """
    stage = failed_stage(facts)
    if stage is None or stage.end.how != "signal":
        return ()
    logged = (line for line in reversed(stage.log) if ".cc:" in line)
    last = next(logged, "")
    return (as_evidence(last),) if _message_of_error(last) and not _is_noise(last) else ()


def _message_of_error(line: str) -> str:
    """Of a line at TensorFlow's level E, as absl ("E0000 00:00:1795386773.28  1396 file.cc:425] …") and older releases
    ("2023-05-01 09:00:00.1: E tensorflow/core/file.cc:425] …") write it; "" of any other."""
    head, _, message = line.partition("] ")
    of_absl = head.startswith("E") and head[1:5].isdigit()
    return message.strip() if ".cc:" in head and (of_absl or ": E " in head) else ""


def _is_noise(line: str) -> bool:
    from tfdoctor.knowledge.messages.catalogue import read  # where a stage died of a signal alone
    from tfdoctor.knowledge.messages.signature import NOISE

    return any(hit.signature.role == NOISE for hit in read(line))


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
        said += [
            each.error for each in stage.computations if each.status == "failed" and each.error
        ]
        said += [] if said or stage.finished else _uncaught(stage.end)
    return tuple(dict.fromkeys(said))


def _uncaught(end: ChildEnd) -> list[str]:
    """The exception that ended the child between the import and the computations: what Python writes last of all."""
    last = end.stderr_tail[-1] if end.stderr_tail and end.status else ""
    name, colon, _ = last.partition(": ")
    raised = name.replace(".", "_").isidentifier() and name.endswith(("Error", "Exception"))
    return [last] if colon and raised else []


def why(facts: Facts) -> str:
    """The one sentence that says most of why the stage failed, fit for a title; "" where nothing was said."""
    stage = failed_stage(facts)
    if stage is None:
        return ""
    told = list(exceptions(stage))
    if not told:
        for each in each_said(facts, *FATAL):
            told.append(each.told.get("message") or each.evidence.observed)
    told += [_message_of_error(each.observed) for each in _last_error(facts)]
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
