"""From the facts of a watched program to one report: what ended it, why, and what to do.

The same checks judge as everywhere. What is said of the machine and the environment alone counts where it explains
the death, and is a note where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any, ClassVar

from tfdoctor import __version__
from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.engine.judge import explains, judge
from tfdoctor.examine.death_words import causes_said, has_check
from tfdoctor.examine.report import SCHEMA_VERSION, Tool
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.death import CommandEnd
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.edges import HOW_IT_ENDED, with_edges
from tfdoctor.findings.model import Evidence, Finding, Role, Severity, Undecided
from tfdoctor.findings.resolve import resolve
from tfdoctor.light.records import record, replace
from tfdoctor.matrix.query import Matrix

SUCCESS, NOT_STARTED, STALLED = "success", "command-not-started", "stalled"
_INCOMPLETE = "probe-failed"
KILLS = ("container-oom-killed", "host-oom-killed", "scheduler-killed")
WHY = frozenset(
    {
        "host-memory-leak", "retracing-memory-growth", "shuffle-buffer-too-large", "memory-limit-too-small",
        "swap-thrashing", "gpu-memory-held", "gpu-preallocation-clash", "noise", "retracing-warning",
    }
)  # fmt: skip
"""What leads to an end and is none itself: a finding, never the outcome."""
_LEFT = (
    "check-failed",
    "native-crash",
    "output-closed",
    "killed-by-user",
    "python-exception",
    "exited-nonzero",
)
"""Ends without a cause of their own, the most telling first; a cause that is known stands in their place."""
_OF_ITS_END = frozenset({"memory", "process"})
_LAST_WORDS = 3
_GIVES_WAY = frozenset({"check-failed", "native-crash", "python-exception", "exited-nonzero"})


@record
class Exit:
    """What tfdoctor ended with: the command's own status, 128 and the number for a signal; None where nobody saw it."""

    status: int | None
    signal: int | None
    core: bool


@record
class Timeline:
    """The samples that were taken, one each `interval_s` seconds."""

    interval_s: float
    samples: tuple[dict[str, Any], ...]


@record
class RunReport:
    """One run. `complete`: the recorder saw the end. `notes`: what watching lacked."""

    JSON: ClassVar = """schema_version tool generated_at command outcome complete exit evidence findings undecided notes
        timeline facts"""
    schema_version: ClassVar = SCHEMA_VERSION

    tool: Tool
    generated_at: str
    command: tuple[str, ...]
    outcome: str
    complete: bool
    exit: Exit
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    notes: tuple[str, ...]
    timeline: Timeline
    facts: Facts

    @property
    def end(self) -> CommandEnd | None:
        return known(self.facts.death.end)

    @property
    def samples(self) -> tuple[dict[str, Any], ...]:
        return self.timeline.samples

    def finding(self, code: str) -> Finding | None:
        return next((each for each in self.findings if each.code == code), None)


def judge_run(
    facts: Facts,
    matrix: Matrix,
    *,
    command: Sequence[str],
    status: int,
    samples: Sequence[dict[str, Any]],
    interval_s: float,
    complete: bool = True,
    notes: Sequence[str] = (),
    words: Sequence[str] = (),
) -> RunReport:
    """The report about these facts. `status` is what the recorder ends with; `words` all lines that were kept."""
    judgement = judge(Case(facts, matrix))
    from_the_facts: tuple[str, ...] = value_or(facts.death.said, ())
    said = _what_counts(causes_said(facts, words, matrix), judgement.findings, words or from_the_facts)
    found = (*judgement.findings, *said)
    edges = with_edges(explains(), [each.code for each in found])
    edges |= {each.code: edges[each.code] | HOW_IT_ENDED - {each.code} for each in said}
    resolved = resolve(found, edges)
    findings = _of_the_death(resolved, facts)
    end = known(facts.death.end)
    outcome = _outcome(end, findings)
    ending = next((each for each in findings if each.code == outcome), None)
    return RunReport(
        tool=Tool(__version__),
        generated_at=datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=tuple(command),
        outcome=outcome,
        complete=complete,
        exit=_exit(end, status if complete else None),
        evidence=ending.evidence if ending is not None else (),
        findings=tuple(each for each in findings if each.code != SUCCESS),
        undecided=tuple(
            Undecided(item.code, item.because)
            for item in judgement.undecided
            if item.because.startswith("death.")
        ),
        notes=tuple(notes),
        timeline=Timeline(interval_s, tuple(samples)),
        facts=facts,
    )


def _exit(end: CommandEnd | None, status: int | None) -> Exit:
    if end is None:
        return Exit(status, None, core=False)
    return Exit(status, end.status if end.how == "signal" else None, end.core)


def _what_counts(
    said: Sequence[Finding], judged: Sequence[Finding], words: Sequence[str]
) -> tuple[Finding, ...]:
    """Causes that words name. One whose check did not find it counts where nothing better is known than how it ended: the
    check asks this machine after the end, and the command had its own variables, folders and limits. Of what is installed
    such words are the cause only where they are its last, and it ended itself: a warning about a library is no end, and a
    shell's "Illegal instruction" tells no more than the signal.
    """
    known = {each.code for each in judged}
    named = {each.code for each in judged if _is_shown(each)} - {*_LEFT, *WHY, SUCCESS, _INCOMPLETE}
    ended_itself = not known & {"native-crash", "check-failed", "killed-by-user", "output-closed"}
    last = {line.strip() for line in words[-_LAST_WORDS:]} if ended_itself else set()
    return tuple(
        each
        for each in said
        if not has_check(each)
        or (
            not named
            and each.code not in known
            and (CODES[each.code].family in _OF_ITS_END or _says(each, last))
        )
    )


def _says(finding: Finding, last: set[str]) -> bool:
    return any(each.observed in last for each in finding.evidence)


def _of_the_death(findings: Sequence[Finding], facts: Facts) -> tuple[Finding, ...]:
    """Those that the watching shows, and their causes as they are; others as notes, or not at all where nobody asked."""
    shown = {each.code for each in findings if _is_shown(each)}
    causes = {code for each in findings if each.code in shown for code in each.caused_by}
    tells = isinstance(facts.tensorflow.version, Known)  # a program without TensorFlow lacks nothing
    retained = []
    for each in findings:
        if each.code == _INCOMPLETE:
            continue
        if each.code in shown or each.code in causes:
            retained.append(each)
        elif each.severity is not Severity.INFO and tells:
            retained.append(replace(each, severity=Severity.INFO, role=Role.NOTE, caused_by=()))
    return tuple(sorted(retained, key=lambda each: each.role is Role.NOTE))


def _is_shown(finding: Finding) -> bool:
    return any(each.fact.startswith("death.") for each in finding.evidence)


def _outcome(end: CommandEnd | None, findings: Sequence[Finding]) -> str:
    """How the command itself ended: one code, the most telling."""
    codes = {each.code: each for each in findings if _is_shown(each)}
    if end is not None and end.how == "not-started":
        return NOT_STARTED
    if STALLED in codes:
        return STALLED
    if end is not None and (end.how, end.status) == ("exit", 0):
        return SUCCESS
    for code in KILLS:
        if code in codes:
            return code
    named = [
        each
        for each in findings
        if each.code in codes and each.code not in {*WHY, *_LEFT} and each.severity is Severity.ERROR
    ]
    if named:
        return _rooted(named[0], findings)
    for code in _LEFT:
        if code in codes:
            return _rooted(codes[code], findings) if code in _GIVES_WAY else code
    return "killed-by-user" if end is not None and end.how == "signal" else "exited-nonzero"


def _rooted(finding: Finding, findings: Sequence[Finding]) -> str:
    """The cause that has a code of its own in the place of an end that only follows from it."""
    causes = [each for each in findings if each.code in finding.caused_by and each.code not in WHY]
    return causes[0].code if causes else finding.code


def run_to_json(report: RunReport) -> dict[str, Any]:
    """The contract's document, not redacted, with the facts of groups that somebody asked."""
    document: dict[str, Any] = to_json(report)
    asked = {path.partition(".")[0] for path, fact in report.facts.items() if isinstance(fact, Known)}
    facts = {path: fact for path, fact in document["facts"].items() if path.partition(".")[0] in asked}
    return {**document, "facts": facts}


def run_from_json(document: dict[str, Any]) -> RunReport:
    """Reads what `run_to_json` wrote, also redacted. Raises DocumentError."""
    return from_json(document, RunReport)
