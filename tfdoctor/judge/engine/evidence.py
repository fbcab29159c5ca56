"""What a finding shows as its proof: a fact's path, what was seen there, and what was expected instead."""

from __future__ import annotations

from tfdoctor.facts.outcome import Absent, AnyFact, Failed, Known
from tfdoctor.facts.values import Library, Tool
from tfdoctor.judge.engine.case import Case
from tfdoctor.knowledge.model import Evidence

LONGEST = 300  # characters of one observation; the whole value stands in the report's facts


def evidence(
    case: Case, path: str, expected: str = "", source: str = "", *, observed: str = ""
) -> Evidence:
    """The fact at `path` as evidence; `observed` replaces the value's own text where that says too much."""
    if observed:
        return Evidence(path, shortened(observed), expected, source)
    return Evidence(path, shortened(told(_fact(case, path))), expected, source)


def if_known(
    case: Case, path: str, expected: str = "", source: str = "", *, observed: str = ""
) -> Evidence | None:
    """The same; None where the fact is not known."""
    found = evidence(case, path, expected, source, observed=observed)
    return found if isinstance(_fact(case, path), Known) else None


def _fact(case: Case, path: str) -> AnyFact:
    return next(fact for name, fact in case.facts.items() if name == path)


def told(fact: AnyFact) -> str:
    """A fact in a few words."""
    if isinstance(fact, Known):
        value = fact.value
        if isinstance(value, (Library, Tool)):
            return value.path if isinstance(value.path, str) else told(value.path)
        return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
    if isinstance(fact, Absent):
        nothing = fact.reason.startswith(("none", "no such", "there is none", "not found"))
        return "none" if nothing else fact.reason
    return f"could not be read ({fact.error})"


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def left_out(stage: AnyFact) -> bool:
    """A stage of the smoke ladder that was left out, by the user's wish or since an earlier one failed."""
    return isinstance(stage, Failed) and stage.kind in ("skipped", "not-live")
