"""Facts of a saved report, which anybody can have written: what of their texts may stand in a command."""

from __future__ import annotations

import re

from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known

_FOLDERS = r"(?:~|<[\w-]+>|[A-Za-z]:)?(?:[/\\][\w.+@<> -]+)*[/\\]"
_PLACE = re.compile(rf"{_FOLDERS}[\w.+@<> -]+")
_WORD = re.compile(r"[A-Za-z][\w.-]{0,40}", re.ASCII)
_FORMS = {
    "interpreter.executable": re.compile(rf"{_FOLDERS}(?:python|pypy)[\w.]*"),
    "interpreter.prefix": _PLACE,
    "interpreter.project": _PLACE,
    "interpreter.machine": _WORD,
    "host.machine": _WORD,
    "tensorflow.distribution": re.compile("|".join(map(re.escape, TENSORFLOW_NAMES))),
}
"""What commands run, install or take for a place, and how a real one looks. Paths have a rule of their own (`fixes/loading.py`)."""


def without_foreign_commands(facts: Facts) -> Facts:
    """The facts; one that would put a text of no such form into commands is not known."""
    for path, form in _FORMS.items():
        group, _, name = path.partition(".")
        asked = getattr(facts, group)
        fact = _taken(getattr(asked, name), form)
        if fact is not getattr(asked, name):
            facts = replace(facts, **{group: replace(asked, **{name: fact})})
    return facts


def _taken(fact: Fact[str], form: re.Pattern[str]) -> Fact[str]:
    if not isinstance(fact, Known) or form.fullmatch(fact.value):
        return fact
    return Failed("the saved report says what can't be true of it", "unreadable")
