"""A misfit as a finding: whose release is too new or too old for whose, and how the log shows it."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.misfit import NAMES, NEWER, OLDER, Misfit, at, misfit
from tfdoctor.checks.log.fit.supported import in_words, supported
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.findings.model import Confidence
from tfdoctor.signatures.by_release import GONE_WITH_2, Times

_OTHER_KERAS = ("keras", "tf-keras", "keras-hub", "keras-cv", "keras-nlp", "keras-tuner")


def of_saying(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the text is no such name, or the tables do not tell it."""
    return of_ending(case, told, at(told, saying)) if saying.name in NAMES else None


def of_ending(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    found = misfit(case, told, last)
    if found is None:
        return None
    code = (
        "keras-mismatch"
        if _of_keras(found)
        else "package-import-failed"
        if found.asker
        else "python-exception"
    )
    own = supported(told, found.asker)
    said = f" {found.asker} says itself that it supports TensorFlow {in_words(own)}." if own else ""
    return Candidate(code, Confidence.CERTAIN, (place(last),), _words(found) + said, title=_title(found))


def _of_keras(found: Misfit) -> bool:
    return (
        found.package == "keras" or found.asker in _OTHER_KERAS or found.name.startswith("tensorflow.keras.")
    )


def _title(found: Misfit) -> str:
    who, what = found.asker or "The program", found.name
    if found.keras_3:
        return f"{who} asks tf.keras for {what.removeprefix('tensorflow.keras.')}, which Keras 2 had: it is Keras 3 that is installed."
    if found.times.having == found.times.every:
        return f"{who} asks for {what}, which every {found.printed} since {found.times.since} has: the installed one is older."
    if found.side == NEWER and found.asker:
        return f"The installed {who} is too new for the installed {found.printed}: it asks for {what}, which {found.printed} has since {found.times.since}."
    if found.side == NEWER:
        return f"{who} asks for {what}, which {found.printed} has since {found.times.since}: the installed one is older."
    if found.side == OLDER and found.asker:
        return f"The installed {who} is too old for the installed {found.printed}: it asks for {what}, which {found.printed} removed in {_after(found.times)}."
    if found.side == OLDER and found.name.startswith(GONE_WITH_2):
        return f"{who} asks for {what}, which only TensorFlow 1 has: 2.0 left it out."
    if found.side == OLDER:
        return f"{who} asks for {what}, which {found.printed} removed in {_after(found.times)}."
    return f"{who} asks for {what}, which {found.printed} has in {spans(found.times)} alone: the two are of different times."


def _words(found: Misfit) -> str:
    has = f"{found.printed} has {found.name} in {spans(found.times)} (read in the published wheels)."
    seen = _seen(found)
    whose = (
        f"{found.asker} was not damaged, and neither was {found.printed}"
        if found.asker
        else "Nothing is damaged"
    )
    where = f" It asks in {found.frame}." if found.frame and not found.asker else ""
    return f"{has} {seen} {whose}: no reinstallation of the same releases helps.{where}"


def _seen(found: Misfit) -> str:
    if found.keras_3 and not found.present.told:
        return "The message itself names Keras 3, which comes with TensorFlow 2.16 and newer, or was installed over an older one's Keras."
    minors = found.present.minors
    one = minors[0] if minors[0] == minors[-1] else f"{minors[0]} to {minors[-1]}"
    if found.present.told:
        return f"The log names {found.printed} {one}."
    return f"By the Python, the files and the folders that the log shows, the installed one is of {one}."


def spans(there: Times) -> str:
    """ "2.5 and newer", "2.6 to 2.12", "1.15 to 2.12 and 2.16 and newer"."""
    runs: list[list[str]] = []
    for each in there.having:
        if runs and there.every.index(each) == there.every.index(runs[-1][1]) + 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    return ", and in ".join(_run(first, last, there) for first, last in runs)


def _run(first: str, last: str, there: Times) -> str:
    if last == there.every[-1]:
        return f"{first} and newer"
    if first == there.every[0]:
        return f"{last} and older"
    return first if first == last else f"{first} to {last}"


def _after(there: Times) -> str:
    return there.every[there.every.index(there.last) + 1]
