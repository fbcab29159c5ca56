"""What a message's own entry in the knowledge says of it: title, explanation, fixes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.records import record, replace
from tfdoctor.signatures.catalogue import COMPILED_WORDS

# What a message's own entry in the knowledge says of it: a title, an explanation, fixes; "" and () where its code's page is meant.

_Words = tuple[str, str, tuple[str, ...], tuple[dict[str, Any], ...]]
_NOTHING: _Words = ("", "", (), ())
_HOLE = re.compile(r"\{\{([a-z]\w*)\}\}")


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
    _, words, fixes, _ = _words().get(name, _NOTHING)
    return bool(words or fixes)


def fixes_of_text(name: str, facts: Facts) -> tuple[Fix, ...]:
    python = interpreter(facts)
    return tuple(fix(each, python=python) for each in _words().get(name, _NOTHING)[2])


# Cases of a message: the first whose conditions hold, and whose holes the line can fill, says what it means.


@record
class Case:
    """What a message says here. `told`: what its line told, for the holes."""

    code: str
    title: str
    explanation: str
    fixes: tuple[str, ...]
    told: Mapping[str, str]


def has_cases(name: str) -> bool:
    return bool(_words().get(name, _NOTHING)[3])


def case_of(told: Testimony, saying: Saying) -> Case | None:
    """None where no case of the message applies: then it says nothing."""
    title, explanation, fixes, cases = _words().get(saying.name, _NOTHING)
    values = {name: text.strip(" .") for name, text in saying.told.items()}
    for case in cases:
        own = (case.get("title", title), case.get("explanation", explanation))
        filled = tuple(_HOLE.sub(lambda hole: values.get(hole[1], ""), text) for text in own)
        lacking = any(not values.get(hole) for text in own for hole in _HOLE.findall(text))
        holds = all(_CONDITIONS[key](wanted, told, saying) for key, wanted in case.get("when", {}).items())
        if holds and not lacking:
            code = case.get("code", saying.code)
            return Case(code, filled[0], filled[1], tuple(case.get("fixes", fixes)), saying.told)
    return None


def _said(names: list[str], told: Testimony, saying: Saying) -> bool:
    """Whether one of these messages stands in the log."""
    return bool(told.named(*names))


def _group(patterns: dict[str, str], told: Testimony, saying: Saying) -> bool:
    """Whether what each of these groups holds has such a text; what a line does not tell has none."""
    texts = ((saying.told.get(name), pattern) for name, pattern in patterns.items())
    return all(text is not None and bool(re.search(pattern, text)) for text, pattern in texts)


def _has(names: list[str], told: Testimony, saying: Saying) -> bool:
    """Whether the line told each of these groups."""
    return all(saying.told.get(name) for name in names)


_CONDITIONS: Mapping[str, Callable[[Any, Testimony, Saying], bool]] = {
    "said": _said,
    "group": _group,
    "has": _has,
}
"""By the keys of `when`."""


def case_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Those of the surest message whose case has that code; () where the case names none."""
    surest = sorted(told.sayings, key=lambda each: Confidence(each.sure).rank)
    cases = (case_of(told, each) for each in surest if has_cases(each.name))
    found = next((each for each in cases if each is not None and each.code == code and each.fixes), None)
    if found is None:
        return ()
    return tuple(_filled(name, interpreter(facts), found.told) for name in found.fixes)


def _filled(name: str, python: str, told: Mapping[str, str]) -> Fix:
    """With what the log told: in commands quoted for a shell."""
    safe = {key: quoted(text) for key, text in told.items()}
    shown = fix(name, **{**told, "python": python})
    return replace(shown, commands=fix(name, **{**safe, "python": python}).commands)


_DRIVER = "driver-too-old"


def title_of(facts: Facts, saying: Saying) -> str:
    """ "" for that of the code."""
    if saying.name == "rocm-gpu-ignored" and saying.told.get("gpu"):
        return f"TensorFlow leaves {saying.told['gpu']} out: this ROCm build holds no code for its architecture, {saying.told['capability']}."
    driver = facts.driver.version
    if saying.code == _DRIVER and isinstance(driver, Known) and not title_of_text(saying.name):
        return f"The NVIDIA driver, {driver.value}, is older than the CUDA of this program needs."
    return title_of_text(saying.name)
