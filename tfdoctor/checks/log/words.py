"""What a message's own entry in the knowledge says of it: title, explanation, fixes."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.catalogue import COMPILED_WORDS

# What a message's own entry in the knowledge says of it: a title, an explanation, fixes; "" and () where its code's page is meant.

_Words = tuple[str, str, tuple[str, ...], tuple[dict[str, Any], ...], dict[str, str]]
_NOTHING: _Words = ("", "", (), (), {})


def words(name: str) -> _Words:
    """Title, explanation, fixes, cases and defaults of the message of that name."""
    return _words().get(name, _NOTHING)


@cache
def _words() -> dict[str, _Words]:
    """By the message's name. Raises OSError for a damaged installation."""
    try:
        found: dict[str, _Words] = json.loads(COMPILED_WORDS.read_bytes())
    except (OSError, ValueError) as error:
        raise OSError(f"{COMPILED_WORDS}: it is missing or damaged ({error}); reinstall tfdoctor") from error
    return found


def title_of_text(name: str) -> str:
    return _words().get(name, _NOTHING)[0]


def words_of(name: str) -> str:
    return _words().get(name, _NOTHING)[1]


def fixes_of(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Those of the message that proves most of the code, of equals the one with an explanation or fixes of its own."""
    surest = min(
        told.of(code),
        key=lambda each: (Confidence(each.sure).rank, not _is_explained(each.name)),
        default=None,
    )
    return fixes_of_text(surest.name, facts) if surest is not None else ()


def _is_explained(name: str) -> bool:
    _, words, fixes, *_ = _words().get(name, _NOTHING)
    return bool(words or fixes)


def fixes_of_text(name: str, facts: Facts) -> tuple[Fix, ...]:
    own = {"python": interpreter(facts), "keeping": keeping_tensorflow(facts)}
    return tuple(fix(each, **own) for each in _words().get(name, _NOTHING)[2])


_DRIVER = "driver-too-old"


def title_of(facts: Facts, saying: Saying) -> str:
    """ "" for that of the code."""
    driver = facts.driver.version
    if saying.code == _DRIVER and isinstance(driver, Known) and not title_of_text(saying.name):
        return f"The NVIDIA driver, {driver.value}, is older than the CUDA of this program needs."
    return title_of_text(saying.name)
