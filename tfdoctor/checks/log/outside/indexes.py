"""An index that pip could not reach: what it says after that, that nothing fits, is about nothing."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.outside.downloads import KAGGLE, OF_A_COMPANY
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.outside.errors import CERTIFICATE, NO_NAME

_NAME, _CODE = "pip-index-unreached", "dependency-mismatch"
_NOTHING = ("none", "")


def unreached(told: Testimony, saying: Saying) -> Candidate | None:
    """None where pip reached its index, or found releases all the same."""
    broken = told.named(_NAME)
    if (
        not broken
        or saying.code != "python-unsupported"
        or saying.told.get("version", "none") not in _NOTHING
    ):
        return None
    why = _why(broken[-1].text)
    words = f"pip asked for the list of releases again and again, and the connection broke off each time{why}. That nothing fits, which it says at the end, only follows: it saw no list. It says nothing of this Python."
    return Candidate(_CODE, Confidence.CERTAIN, (place(broken[0]), place(saying)), words, title=f"pip could not reach the package index{why}.")  # fmt: skip


def never_reached(told: Testimony) -> Candidate | None:
    """pip's tries alone, where its last word was not pasted: no later line shows that it got on, and a reason that no next try takes away."""
    broken = told.named(_NAME)
    if not broken or told.codes or told.ended_well or not _lasting(broken[-1]):
        return None
    if any(place(each) > place(broken[-1]) for each in told.named("pip-at-work")):
        return None
    why = _why(broken[-1].text)
    words = f"pip asked the index again and again, and the connection broke off each time{why}. What it made of that is not in this log; without an index it installs nothing."
    return Candidate(_CODE, Confidence.LIKELY, (place(broken[0]),), words, title=f"pip could not reach the package index{why}.")  # fmt: skip


def _lasting(saying: Saying) -> bool:
    return "Retry(total=0" in saying.text or bool(_why(saying.text))


def _why(text: str) -> str:
    if NO_NAME.search(text):
        return ": its name has no address here, as without a network"
    return ": its certificate could not be verified" if CERTIFICATE.search(text) or "ssl certificate" in text or "SSLError" in text else ""  # fmt: skip


def reaching_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where pip reached its index."""
    said = [each for each in told.sayings if unreached(told, each) is not None]
    if code != _CODE or not (said or never_reached(told)):
        return ()
    look = Fix("See which index pip asks, and whether a proxy is set; it changes nothing", (f"{interpreter(facts)} -m pip config list", "env | grep -i proxy"))  # fmt: skip
    kaggle = (KAGGLE,) if shown(facts).service == "kaggle" else ()
    company = (OF_A_COMPANY,) if "certificate" in _why(told.named(_NAME)[-1].text) else ()
    offline = Fix("Where there is to be no network, fetch the wheels elsewhere for the same Python and system, and install from their folder", ("python -m pip download --dest wheels tensorflow", "python -m pip install --no-index --find-links wheels tensorflow"))  # fmt: skip
    return (*kaggle, *company, look, offline)
