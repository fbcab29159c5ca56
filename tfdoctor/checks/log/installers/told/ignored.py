"""The releases that pip passed over for this Python, each with the Pythons that it asks for: they tell which Python pip runs with."""

from __future__ import annotations

from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.light.expressions import (
    Expression,  # reads no log: releases and ranges, as a signature's group holds them
)

_ONE = Expression(r"(?P<release>\d[\w.+!]{0,30}) Requires-Python (?P<wanted>[<>=!~][^;]{0,80})")
_MARK = Expression(r"python_version (?P<side>>=|<|==) ['\"](?P<python>3\.\d{1,2})['\"]")
_PYTHONS = tuple(f"3.{minor}" for minor in range(7, 15))
"""Those with a pip that writes such a line (pip 21.1 and newer)."""


def passed_over(told: Testimony) -> list[tuple[str, str]]:
    """("0.53.0", ">=3.6,<3.10") and so on, in pip's order; pip does not say of which package each is."""
    lines = (each.told["message"] for each in told.named("pip-passed-over"))
    return [
        (each["release"], each["wanted"].strip()) for line in lines for each in _ONE.compiled.finditer(line)
    ]


def of_release(told: Testimony, release: str) -> str:
    """The Pythons that the release which was asked for wants; "" where pip did not pass over it."""
    same = (wanted for each, wanted in passed_over(told) if _same(each, release))
    return next((each for each in same if "<" in each or ">" in each), "")


def _same(one: str, other: str) -> bool:
    parts = [each.split(".") for each in (one, other)]
    longest = max(map(len, parts))
    return bool(other) and len({".".join(each + ["0"] * (longest - len(each))) for each in parts}) == 1


def newest_in(wanted: str) -> str:
    """The newest Python of a range; "" for none that is known, or for a range that can't be read."""
    return max((each for each in _PYTHONS if wanted and _holds(wanted, each)), key=key, default="")


def running(facts: Facts, told: Testimony) -> tuple[str, str]:
    """The oldest and the newest Python that can have written the log; "" twice where it does not tell."""
    own = facts.interpreter.version
    if isinstance(own, Known):
        return own.value.feature, own.value.feature
    ranges, needed = [wanted for _, wanted in passed_over(told)], _marked(told)
    left = [each for each in _PYTHONS if not any(_holds(wanted, each) for wanted in ranges)]
    left = [each for each in left if all(_holds(wanted, each) for wanted in needed)]
    alike = left and [each for each in _PYTHONS if key(left[0]) <= key(each) <= key(left[-1])] == left
    return (left[0], left[-1]) if alike and len(left) < len(_PYTHONS) else ("", "")


def _marked(told: Testimony) -> list[str]:
    """The Pythons that pip's list of wishes names behind them: it lists those alone that count for its own."""
    marks = [each.told.get("message", "") for each in told.named("pip-party")]
    found = (_MARK.search(each) for each in marks if " or " not in each)
    return [f"{each['side']}{each['python']}{'.*' if each['side'] == '==' else ''}" for each in found if each]


def shown_python(facts: Facts, told: Testimony) -> str:
    """ "3.10", or "3.13 or newer"; "" where the log does not tell."""
    first, last = running(facts, told)
    if not first or first == last:
        return first
    return f"{first} or newer" if last == _PYTHONS[-1] else f"{first} to {last}"


def _holds(wanted: str, python: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # costs too much where nothing is asked

    try:
        return SpecifierSet(wanted).contains(f"{python}.5")
    except InvalidSpecifier:
        return False
