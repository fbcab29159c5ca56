"""The ways out in the order of this log: those that can be done here, the free question first, what was done already last."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.order.done import done_last
from tfdoctor.checks.log.order.installable import installable
from tfdoctor.checks.log.order.kernels import for_the_first_cell, for_the_kernel
from tfdoctor.checks.log.order.questions import question_first
from tfdoctor.checks.log.order.variables import for_the_container
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.light.records import replace


def ordered(finding: Finding, case: Case, told: Testimony, here: Setting) -> Finding:
    """The finding with its ways out in their order. None is lost but for one that another stands for."""
    fixes = tuple(installable(each, case, here) for each in finding.fixes)
    fixes = tuple(
        for_the_container(for_the_kernel(for_the_first_cell(each, here), here), here) for each in fixes
    )
    fixes = done_last(fixes, case.facts, told)
    return replace(finding, fixes=_begun(question_first(finding, fixes, told, here)))


def _begun(fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """Without the word that stands between them wherever they are shown, and that is wrong before the first."""
    return tuple(_without_or(each) for each in fixes)


def _without_or(fix: Fix) -> Fix:
    title = fix.title.removeprefix(_OR)
    return fix if title == fix.title else replace(fix, title=f"{title[:1].upper()}{title[1:]}")


_OR = "Or "
