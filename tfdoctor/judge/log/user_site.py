"""Packages of the home directory (the user site) in a log: Python takes them before an environment's own, which they need not fit."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.model import Facts
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.catalog import CODES, EFFECTS_IN_LOGS
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.says import says

_SHOWN = "path-in-user-site"
_OF_HOME = Expression(r"/\.local/|AppData\\Roaming|/Users/[^/]{1,60}/Library/Python/")
_TENSORFLOW = Expression(r"site-packages[/\\]tensorflow[/\\]")
_CLASHES = frozenset(code for code in EFFECTS_IN_LOGS["user-site-leak"] if CODES[code].family == "packages")
"""Packages that do not fit each other, or that are another's."""


def user_site_words(code: str, told: Testimony) -> str:
    """A sentence for a clash of packages in a log that shows some of the user site; "" for anything else."""
    return " " + says("user-site-leak", "in-a-log") if code in _CLASHES and told.named(_SHOWN) else ""


def with_user_site(code: str, facts: Facts, told: Testimony, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """With the user site left out first, where an environment's own packages stand beside it, and with a look where it stands alone."""
    said = told.named(_SHOWN)
    if code not in _CLASHES or not said:
        return fixes
    if _is_beside(facts, told) and not any(_TENSORFLOW.search(each.text) for each in said):
        return (act("set-variable", "ignore-user-site-beside-environment"), *fixes)
    if code == "numpy-abi-mismatch":
        return (*fixes[:1], fix_here(facts, "look", "numpy-imported"), *fixes[1:])
    return fixes


def _is_beside(facts: Facts, told: Testimony) -> bool:
    roots = {root for each in told.endings for root in each.roots}
    return shown(facts).conda or any(not _OF_HOME.search(root) for root in roots)
