"""What a message itself tells to do: whoever wrote the check knew, so that comes first, in its own words."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.signatures.advice import advice_in, message_of

_CODES = ("check-failed", "python-exception", "ptxas-too-old", "exited-nonzero", "cuda-context-poisoned")


def advice_first(
    finding: Finding, told: Testimony, page: tuple[Fix, ...], first: tuple[Fix, ...]
) -> tuple[Fix, ...]:
    """The ways out with what the finding's own message tells before the page's; nothing new where it tells nothing."""
    if first or finding.code not in _CODES or _is_narrow(page):
        return (*first, *page)
    messages = (message_of(text) for text in _said(finding, told))
    advice = next((found for each in messages if (found := advice_in(each))), "")
    if not advice:
        return page
    return (fix("do-what-message-itself-says", advice=advice), *page)


def _is_narrow(page: tuple[Fix, ...]) -> bool:
    """Ways that were made for the very text know more than it says; such have none of a page's general ones among them."""
    general = {each.title for code in _CODES for each in ways_out(code)}
    return bool(page) and not any(each.title in general for each in page)


def _said(finding: Finding, told: Testimony) -> list[str]:
    of_code = [each.text for each in told.of(finding.code)]
    ends = [each.what for each in told.endings if each.how == "exception"]
    return of_code if finding.code != "python-exception" else [*ends[::-1], *of_code]
