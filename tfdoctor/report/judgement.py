"""The judged half of an examination: from facts, wherever they come from, to a report."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

from tfdoctor import __version__
from tfdoctor.base.records import record, replace
from tfdoctor.base.units import rfc3339
from tfdoctor.facts.model import Facts
from tfdoctor.facts.probe_run import ProbeRun
from tfdoctor.fix.loading import Trusts, nobody
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.judge import asked_again, judge
from tfdoctor.judge.plugins import with_plugins
from tfdoctor.knowledge.catalog import CODES, EFFECTS
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Finding, Ignored, Severity, Undecided, Verdict
from tfdoctor.report.foreign import in_own_words
from tfdoctor.report.options import Options
from tfdoctor.report.report import Report, SmokeReport, Tool, in_force
from tfdoctor.report.summary import subject, summary


@record
class Conclusion:
    """The judged part of a report. `findings` are in reading order, roots first; `facts` say what became of plug-ins, too."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    passed: tuple[str, ...]
    not_applicable: tuple[str, ...]
    ignored: tuple[Ignored, ...]
    facts: Facts


_TO_TELL_S = 1.0  # of the time limit, kept for judging and writing


def conclude(case: Case, ignore: Mapping[str, str], left_s: float = math.inf) -> Conclusion:
    """Judges a case. `ignore` maps codes to the reason for which the user does not want to hear of them; `left_s`: for plug-ins.

    An ignored finding still explains its consequences away: they would not be there without it.
    """
    case, others = with_plugins(case, left_s)
    judgement = judge(case).with_(others)
    resolved = resolve(judgement.findings, EFFECTS)
    silenced = {item.code for item in resolved if item.code in ignore}
    retained = tuple(
        item for item in resolved if item.code not in silenced and not _follows_from(item, silenced)
    )
    ignored = tuple(
        Ignored(item.code, _why(item, ignore)) for item in resolved if item not in retained
    )
    undecided = tuple(item for item in judgement.undecided if item.code not in ignore)
    return Conclusion(
        verdict_of(retained, undecided, case.policy),
        retained,
        undecided,
        judgement.passed,
        judgement.not_applicable,
        ignored,
        case.facts,
    )


def _follows_from(finding: Finding, silenced: set[str]) -> bool:
    """True where all of its causes are ignored."""
    return bool(finding.caused_by) and set(finding.caused_by) <= silenced


def _why(finding: Finding, ignore: Mapping[str, str]) -> str:
    return ignore.get(
        finding.code, f"follows from {', '.join(finding.caused_by)}, which is ignored"
    )


def verdict_of(
    findings: tuple[Finding, ...], undecided: tuple[Undecided, ...], policy: Policy
) -> Verdict:
    """An error: broken. Else something unknown that the answer needs: unknown. Else a warning: degraded."""
    worst = min((finding.severity for finding in findings), default=Severity.INFO)
    if worst is Severity.ERROR:
        return Verdict.BROKEN
    if any(_is_needed(item, policy) for item in undecided):
        return Verdict.UNKNOWN
    return Verdict.DEGRADED if worst is Severity.WARNING else Verdict.HEALTHY


def _is_needed(item: Undecided, policy: Policy) -> bool:
    """A fault that would break TensorFlow must be ruled out before anything is called healthy."""
    code = CODES[item.code]
    if item.not_live or item.settled or code.severity is not Severity.ERROR:
        return False
    return not (code.gpu_only and policy.require_gpu is False)


def judged(
    facts: Facts,
    options: Options,
    matrix: Matrix,
    smoke: SmokeReport,
    runs: tuple[ProbeRun, ...],
    started: float,
    trusts: Trusts = nobody,
) -> Report:
    """The report about facts, wherever they come from. `started` is in time.monotonic() seconds; `trusts` as of a `Case`."""
    left_s = started + options.limit_s - time.monotonic() - _TO_TELL_S
    conclusion = conclude(Case(facts, matrix, options.policy, trusts), options.ignore, left_s)
    return Report(
        tool=Tool(__version__),
        matrix=in_force(matrix),
        generated_at=rfc3339(),
        duration_s=round(time.monotonic() - started, 3),
        subject=replace(subject(facts), settings=options.settings),
        verdict=conclusion.verdict,
        summary=" ".join(
            (
                summary(
                    conclusion.verdict, conclusion.findings, conclusion.undecided, conclusion.facts
                ),
                *_ignored_problems(conclusion.ignored, options.ignore),
            )
        ),
        findings=conclusion.findings,
        undecided=conclusion.undecided,
        passed=conclusion.passed,
        not_applicable=conclusion.not_applicable,
        ignored=conclusion.ignored,
        smoke=smoke,
        facts=conclusion.facts,
        probes=runs,
    )


def _ignored_problems(ignored: tuple[Ignored, ...], asked: Mapping[str, str]) -> tuple[str, ...]:
    """What the user ignores and what is there: "Ignored: driver-missing."."""
    codes = [each.code for each in ignored if each.code in asked]
    return (f"Ignored: {', '.join(codes)}.",) if codes else ()


def judge_again(saved: Report, options: Options, matrix: Matrix) -> Report:
    """A saved report's facts under this matrix and these rules; nothing is asked of this machine."""
    return judged(saved.facts, options, matrix, saved.smoke, saved.probes, time.monotonic())


EVERYTHING_ASKED = Policy(require_gpu=True)
"""What brings all that a check can find; a saved report does not say what was demanded."""


def with_own_words(saved: Report, matrix: Matrix) -> Report:
    """A saved report with the sentences and fixes that this tfdoctor has for its findings, by its facts; none of its own is left."""
    codes = [*(each.code for each in saved.findings), *(each.code for each in saved.undecided)]
    again = asked_again(Case(saved.facts, matrix, EVERYTHING_ASKED), codes)
    found = {code: answer for code, answer in again.items() if isinstance(answer, Finding)}
    open_ones = {
        code: answer.because for code, answer in again.items() if isinstance(answer, Undecided)
    }
    told = in_own_words(saved, found, open_ones)
    return replace(
        told, unconfirmed=tuple(each.code for each in saved.findings if each.code not in found)
    )
