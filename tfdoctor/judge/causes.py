"""Which findings are roots, which follow from them, and in what order a person should read them.

What follows from what is data/knowledge/follows.yaml's. A finding is a consequence where another finding that is at least as bad, or any error, explains it; a chain is followed to its root.
What says only how a program ended is explained by anything that says why, a warning too, which then counts as an
error. Info is a note, never a fault.

For an examination the roots stand in the order in which faults have to be fixed. A log goes by time: see `by_time`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tfdoctor.base.records import replace
from tfdoctor.knowledge.catalog import CODES, FAMILIES
from tfdoctor.knowledge.model import Confidence, Finding, Role, Severity

HOW_IT_ENDED = frozenset(
    {"python-exception", "check-failed", "native-crash", "jupyter-kernel-died", "exited-nonzero", "worker-lost", "other-program-failed", "installer-stopped", "smoke-tensorflow-failed"}
)  # fmt: skip
"""They say how a program ended and not why: any cause explains them, also a warning and a rule of thumb."""
WITH_THE_DRIVER = ("smoke-driver-failed",)
"""Seen by the smoke ladder, and fixed where the driver is: before the libraries that need a driver that works."""
Explains = Mapping[str, frozenset[str]]


def resolve(findings: Iterable[Finding], explains: Explains) -> tuple[Finding, ...]:
    """The findings with their roles, roots first, each root followed by its consequences, notes last."""
    faults = [finding for finding in findings if finding.severity is not Severity.INFO]
    notes = [
        replace(finding, role=Role.NOTE, caused_by=())
        for finding in findings
        if finding.severity is Severity.INFO
    ]
    causes = {finding.code: _direct_causes(finding, faults, explains) for finding in faults}
    faults = [_raised(finding, faults, causes) for finding in faults]
    roots, consequences = [], []
    for finding in faults:
        origin = _origins(finding.code, causes)
        if origin:
            consequences.append(replace(finding, role=Role.CONSEQUENCE, caused_by=origin))
        else:
            roots.append(replace(finding, role=Role.ROOT, caused_by=()))
    return _in_reading_order(roots, consequences, notes)


def _direct_causes(finding: Finding, faults: list[Finding], explains: Explains) -> tuple[str, ...]:
    return tuple(
        other.code
        for other in faults
        if other.code != finding.code
        and finding.code
        in (explains.get(other.code, frozenset()) if other.explains is None else other.explains)
        and _may_explain(other, finding)
    )


def _raised(
    finding: Finding, faults: list[Finding], causes: Mapping[str, tuple[str, ...]]
) -> Finding:
    """A warning that led to the end of the program counts as an error."""
    ended = any(
        other.severity is Severity.ERROR and finding.code in causes[other.code] for other in faults
    )
    if finding.severity is Severity.WARNING and ended:
        return replace(finding, severity=Severity.ERROR)
    return finding


def _may_explain(cause: Finding, effect: Finding) -> bool:
    """A rule of thumb explains nothing that was measured, and a mere warning no error, unless that is only an end."""
    if effect.code in HOW_IT_ENDED:
        return cause.code not in HOW_IT_ENDED or cause.severity <= effect.severity
    if cause.confidence is Confidence.POSSIBLE and effect.confidence is not Confidence.POSSIBLE:
        return False
    return cause.severity <= effect.severity


def _origins(code: str, causes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The roots that `code` goes back to; () where it is a root itself. Two that explain each other: neither is lost."""
    found: list[str] = []
    seen = {code}
    queue = list(causes.get(code, ()))
    while queue:
        current = queue.pop(0)
        if current in seen:
            continue
        seen.add(current)
        further = causes.get(current, ())
        if further and not set(further) <= seen:
            queue.extend(further)
        elif not further:
            found.append(current)
    return tuple(found)


def by_time(
    findings: Iterable[Finding], explains: Explains, when: Mapping[str, int], ends: frozenset[str]
) -> tuple[Finding, ...]:
    """The same for a log: the first root is the one that led to the end, and by time the earliest.

    when: the place of each code's first line. ends: codes that say why the program ended, in any order. What is left
    beside the first root either came later, and follows from it, or did not end the program, and is a note.
    """
    resolved = resolve(findings, explains)
    roots = [finding for finding in resolved if finding.role is Role.ROOT]
    if len(roots) < 2:
        return resolved
    first = min(roots, key=lambda each: _standing(each, when, ends))
    told = [_beside(each, first, when, ends) for each in resolved]
    order = {Role.ROOT: 0, Role.CONSEQUENCE: 1, Role.NOTE: 2}
    return tuple(sorted(told, key=lambda each: (order[each.role], when.get(each.code, 0))))


def _standing(
    finding: Finding, when: Mapping[str, int], ends: frozenset[str]
) -> tuple[int, int, Severity, int]:
    """What ended the program first; then errors; a rule of thumb last; the earliest of equals."""
    ended = 0 if finding.code in ends else 1
    thumb = 1 if finding.confidence is Confidence.POSSIBLE else 0
    return (ended, thumb, finding.severity, when.get(finding.code, 0))


def _beside(
    finding: Finding, first: Finding, when: Mapping[str, int], ends: frozenset[str]
) -> Finding:
    if finding.code == first.code or finding.role is Role.NOTE:
        return finding
    if finding.role is Role.CONSEQUENCE and first.code in finding.caused_by:
        return replace(finding, caused_by=(first.code,))
    later = when.get(finding.code, 0) >= when.get(first.code, 0)
    if (
        first.code in HOW_IT_ENDED
        and finding.code not in ends
        and first.code not in finding.caused_by
    ):
        later = False  # what lacks on the machine follows from no end, wherever it stands
    if later or finding.role is Role.CONSEQUENCE:
        return replace(finding, role=Role.CONSEQUENCE, caused_by=(first.code,))
    return replace(finding, role=Role.NOTE, severity=Severity.INFO, caused_by=())


def fix_order(finding: Finding) -> tuple[Severity, int, int, int]:
    """Worst first; a rule of thumb never before something known; then the order in which faults must be fixed."""
    code = CODES[finding.code]
    thumb = 1 if finding.confidence is Confidence.POSSIBLE else 0
    family = "driver" if finding.code in WITH_THE_DRIVER else code.family
    return (
        finding.severity,
        thumb,
        list(FAMILIES).index(family),
        list(CODES).index(code.code),
    )


def _in_reading_order(
    roots: list[Finding], consequences: list[Finding], notes: list[Finding]
) -> tuple[Finding, ...]:
    ordered: list[Finding] = []
    waiting = sorted(consequences, key=fix_order)
    for root in sorted(roots, key=fix_order):
        ordered.append(root)
        mine = [finding for finding in waiting if root.code in finding.caused_by]
        ordered.extend(mine)
        waiting = [finding for finding in waiting if finding not in mine]
    return (*ordered, *waiting, *sorted(notes, key=fix_order))
