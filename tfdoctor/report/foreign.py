"""A saved report, which anybody can have written: what of its texts may stand in a command, and whose sentences are told."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tfdoctor import __version__
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known
from tfdoctor.facts.values import ChangedWheel, Plugin
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Finding
from tfdoctor.report.report import Report
from tfdoctor.report.summary import summary

_FOLDERS = r"(?:~|<[\w-]+>|[A-Za-z]:)?(?:[/\\][\w.+@<> -]+)*[/\\]"
_PLACE = Expression(rf"{_FOLDERS}[\w.+@<> -]+")
_WORD = Expression(r"(?a)[A-Za-z][\w.-]{0,40}")
_VERSION = Expression(r"(?a)[0-9A-Za-z][\w.+!-]{0,40}")
_OF_NVIDIA = Expression(r"(?a)nvidia[-_][a-z][a-z0-9_-]{1,40}")
_CANT_BE = "the saved report says what can't be true of it"
_FORMS = {
    "interpreter.executable": Expression(rf"{_FOLDERS}(?:python|pypy)[\w.]*"),
    "interpreter.prefix": _PLACE,
    "interpreter.project": _PLACE,
    "interpreter.machine": _WORD,
    "host.machine": _WORD,
    "tensorflow.distribution": Expression("|".join(map(re.escape, TENSORFLOW_NAMES))),
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
    libraries = facts.cuda_libraries
    libraries = replace(libraries, changed_wheels=_wheels(libraries.changed_wheels))
    plugins = replace(facts.plugins, installed=_plugins(facts.plugins.installed))
    return replace(facts, plugins=plugins, cuda_libraries=libraries)


def _wheels(fact: Fact[tuple[ChangedWheel, ...]]) -> Fact[tuple[ChangedWheel, ...]]:
    """They are reinstalled by their names, which NVIDIA gave them."""
    if not isinstance(fact, Known):
        return fact
    good = all(
        _OF_NVIDIA.fullmatch(each.name) and _VERSION.fullmatch(each.version) for each in fact.value
    )
    return fact if good else Failed(_CANT_BE, "unreadable")


def _plugins(fact: Fact[tuple[Plugin, ...]]) -> Fact[tuple[Plugin, ...]]:
    """Whose names and versions are some; that one of them failed there, in our words."""
    if not isinstance(fact, Known):
        return fact
    if not all(
        _WORD.fullmatch(each.name) and _VERSION.fullmatch(each.version) for each in fact.value
    ):
        return Failed(_CANT_BE, "unreadable")
    told = (
        replace(each, error=each.error and "it failed where the report was made")
        for each in fact.value
    )
    return replace(fact, value=tuple(told))


def _taken(fact: Fact[str], form: Expression) -> Fact[str]:
    if not isinstance(fact, Known) or form.fullmatch(fact.value):
        return fact
    return Failed(_CANT_BE, "unreadable")


def in_own_words(saved: Report, found: Mapping[str, Finding], because: Mapping[str, str]) -> Report:
    """The report in sentences of this tfdoctor alone: of what it finds by the same facts, or of what a code means. `because`: why
    it can't decide a code."""
    findings = tuple(finding_in_own_words(each, found.get(each.code)) for each in saved.findings)
    undecided = tuple(
        replace(each, because=because.get(each.code, "the saved report does not show why"))
        for each in saved.undecided
    )
    sentence = summary(saved.verdict, findings, undecided, saved.facts)
    return replace(saved, findings=findings, undecided=undecided, summary=sentence)


def finding_in_own_words(saved: Finding, found: Finding | None = None) -> Finding:
    """What this tfdoctor finds, else what the code means, with the rank that the saved report gave it."""
    if found is None:
        known = CODES.get(saved.code)
        title = (
            known.name if known else f"tfdoctor {__version__} does not know the code {saved.code}."
        )
        evidence = tuple(replace(each, expected="", source="") for each in saved.evidence)
        explanation = known.explanation if known else ""
        return replace(saved, title=title, explanation=explanation, evidence=evidence, fixes=())
    return replace(
        found,
        severity=saved.severity,
        confidence=saved.confidence,
        role=saved.role,
        caused_by=saved.caused_by,
    )
