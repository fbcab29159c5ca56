"""Packages of the home directory (the user site) beside an environment's: Python takes them first, and they need not fit."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.catalog import CODES, EFFECTS_IN_LOGS
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.says import says

_OF_HOME = Expression(r"/\.local/|AppData\\Roaming|/Users/[^/]{1,60}/Library/Python/")
_CLASHES = frozenset(
    code for code in EFFECTS_IN_LOGS["user-site-leak"] if CODES[code].family == "packages"
)
"""Packages that do not fit each other, or that are another's."""


def user_site_words(code: str, told: Testimony) -> str:
    """What is said of a clash behind its explanation; "" where the user site has no part in it."""
    return " " + says("user-site-leak", "in-a-log") if _has_a_part(code, told) else ""


def with_user_site(code: str, told: Testimony, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """With the user site left out first, where a traceback of a clash goes through it and an environment."""
    if not _has_a_part(code, told):
        return fixes
    return (act("set-variable", "ignore-user-site"), *fixes)


def _has_a_part(code: str, told: Testimony) -> bool:
    """No, where TensorFlow itself is in the home directory: without that there would be none."""
    if code not in _CLASHES or told.named("tensorflow-in-user-site"):
        return False
    roots = {root for each in told.endings for root in each.roots}
    return len({bool(_OF_HOME.search(root)) for root in roots}) == 2
