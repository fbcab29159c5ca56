"""What a check is written with, in tfdoctor and in plug-ins: docs/plugins.md describes it. `VERSION` changes only with what it promises."""

from __future__ import annotations

from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, NotApplicable, check
from tfdoctor.judge.engine.evidence import evidence, if_known
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says

__all__ = [
    "VERSION", "Ability", "Absent", "Case", "Confidence", "Evidence", "Failed", "Fix", "Found", "Inconclusive", "Known",
    "NotApplicable", "Severity", "act", "check", "evidence", "found_by", "if_known", "says", "value_or",
]  # fmt: skip
VERSION = "1.0"


def found_by(case: Case, name: str) -> str:
    """What a plug-in's probe found under that name ("acme/image"). Raises Inconclusive where it failed, NotApplicable where it said
    nothing of it.
    """
    found = case.need(case.facts.plugins.found)
    if name not in found:
        raise NotApplicable(f"the probe of {name.partition('/')[0]} did not tell {name}")
    return found[name]
