"""What a line makes likely: a code, how sure, and what would settle it."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.base.records import record
from tfdoctor.judge.log.testimony import Place
from tfdoctor.knowledge.compiled import actions
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says


@record
class Open:
    """A question that the log leaves: between which codes, which fact settles it, what to type."""

    codes: tuple[str, ...]
    fact: str
    command: str


@record
class Candidate:
    """A code that the log speaks of. `places` are its lines, the first being what it is judged by."""

    code: str
    confidence: Confidence
    places: tuple[Place, ...]
    explanation: str = ""  # "" for the words of its page
    open: Open | None = None
    title: str = ""  # "" for that of its code
    fixes: tuple[Fix, ...] = ()  # () for what its code gets
    beside: str = ""  # the title beside another cause, "" for the same


def of_page(
    page: str, name: str, places: tuple[Place, ...], *, values: Mapping[str, object] | None = None,
    sure: Confidence = Confidence.LIKELY, others: tuple[str, ...] = (), fact: str = "", fixes: tuple[Fix, ...] = (), code: str = "",
) -> Candidate:  # fmt: skip
    """In the words of a page: its sentences NAME and NAME-title. `others`: what else it can be, which the fact would tell. `code`: of the finding, where it is
    not the page's."""
    meant = code or page
    opened = question((meant, *others), fact) if fact else None
    filled = values or {}
    words, title = says(page, name, **filled), says(page, f"{name}-title", **filled)
    return Candidate(meant, sure, places, words, opened, title, fixes)


def question(codes: tuple[str, ...], fact: str) -> Open:
    return Open(codes, fact, actions()["questions"].get(fact, "tfdoctor check"))
