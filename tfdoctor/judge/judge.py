"""Runs every check on a case and sorts the answers: found, undecided, passed.

An exception in a check is a fault of tfdoctor: its code is undecided and the other checks go on.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.base.records import record, replace
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.fix.commands import aimed, by_own_tool
from tfdoctor.fix.loading import guarded, nobody
from tfdoctor.fix.proof import with_proof
from tfdoctor.judge.engine.case import Ability, Case, Check, Found, Inconclusive, NotApplicable
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.place import place_of
from tfdoctor.judge.questions.stage_output import failed_stage
from tfdoctor.knowledge.actions import applicable, described, is_drawn, placed, unanswered
from tfdoctor.knowledge.catalog import CODES, EFFECTS
from tfdoctor.knowledge.model import Finding, Fix, Severity, Undecided
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.shells import typed


@record
class Judgement:
    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    passed: tuple[str, ...]
    not_applicable: tuple[str, ...]

    def with_(self, other: Judgement) -> Judgement:
        """Both."""
        return Judgement(
            self.findings + other.findings, self.undecided + other.undecided, self.passed + other.passed,
            self.not_applicable + other.not_applicable,
        )  # fmt: skip


def judge(case: Case) -> Judgement:
    """What every check answers about the case, before roots and consequences are told apart."""
    abilities = abilities_seen(case.facts)
    findings, undecided, passed, not_applicable = [], [], [], []
    watched = not isinstance(case.facts.death.end, Absent)
    for check in in_catalog_order():
        answer = (
            answer_of(check, case)
            if watched or not check.watched
            else NotApplicable("nothing was watched")
        )
        if isinstance(answer, NotApplicable):
            not_applicable.append(check.code)
        elif isinstance(answer, Finding):
            findings.append(weighed(answer, check, abilities))
        elif isinstance(answer, Undecided) and check.blocks not in abilities:
            undecided.append(answer)
        else:
            passed.append(check.code)
    if abilities:
        undecided = [
            replace(each, settled=True) if _disproved(each.code, abilities) else each
            for each in undecided
        ]
    if _fails_without_a_gpu(case):
        findings = [_apart_from_the_end(each) for each in findings]
    if case.policy.require_gpu is False:
        findings = _without_the_gpus(findings)
    return Judgement(tuple(findings), tuple(undecided), tuple(passed), tuple(not_applicable))


def asked_again(case: Case, codes: Iterable[str]) -> dict[str, Finding | Undecided]:
    """What their own checks find in the case of these codes, or can't decide."""
    checks = {check.code: check for check in in_catalog_order()}
    answers = {code: answer_of(checks[code], case) for code in codes if code in checks}
    return {
        code: answer for code, answer in answers.items() if isinstance(answer, Finding | Undecided)
    }


def finding_of(case: Case, code: str) -> Finding | None:
    """What the code's own check finds in the case; None where it finds nothing, or can't tell."""
    check = next((each for each in in_catalog_order() if each.code == code), None)
    answer = answer_of(check, case) if check is not None else None
    return answer if isinstance(answer, Finding) else None


def _disproved(code: str, abilities: frozenset[Ability]) -> bool:
    """Whether the fault would have kept TensorFlow from computing what it was seen to compute."""
    if CODES[code].gpu_only:
        return Ability.GPU in abilities
    return Ability.COMPUTE in abilities


_OF_A_GPU = (
    "gpu", "cuda", "cudnn", "cublas", "cufft", "cusolver", "cusparse", "nccl", "nvml", "rocm", "hip", "device", "driver", "ptx",
    "stream", "xla", "jit", "metal", "plugin", ".so", ".dll",
)  # fmt: skip
"""An exception with one of these words may come of a GPU, its driver or its libraries."""


def _fails_without_a_gpu(case: Case) -> bool:
    """The import ended with an exception that speaks of no GPU: a GPU that is missing or hidden did not bring it about."""
    stage = failed_stage(case.facts)
    if stage is None or not isinstance(stage.import_error, Known):
        return False
    said = stage.import_error.value.lower()
    return not any(word in said for word in _OF_A_GPU)


def _apart_from_the_end(item: Finding) -> Finding:
    """A fault of the GPU alone leaves TensorFlow with the CPU."""
    if not CODES[item.code].gpu_only:
        return item
    known = EFFECTS[item.code] if item.explains is None else item.explains
    return replace(item, explains=known - {"smoke-tensorflow-failed"})


def _without_the_gpus(findings: list[Finding]) -> list[Finding]:
    """`--no-require-gpu` makes notes of what concerns the GPU alone, unless an error of TensorFlow itself comes of it."""
    errors = {
        item.code
        for item in findings
        if item.severity is Severity.ERROR and not CODES[item.code].gpu_only
    }

    def lowered(item: Finding) -> bool:
        effects = EFFECTS[item.code] if item.explains is None else item.explains
        return CODES[item.code].gpu_only and not effects & errors

    return [replace(item, severity=Severity.INFO) if lowered(item) else item for item in findings]


def answer_of(check: Check, case: Case) -> Finding | Undecided | NotApplicable | None:
    """None: looked for, and not there."""
    try:
        return asked(check, case)
    except Exception as error:  # noqa: BLE001  # a fault of ours must not hide what the other checks see
        return Undecided(
            check.code,
            f"tfdoctor's own check failed ({type(error).__name__}: {error}); please report it",
        )


def asked(check: Check, case: Case) -> Finding | Undecided | NotApplicable | None:
    """The same. Raises whatever the check raises besides its answers."""
    try:
        found = check.judge(case)
    except NotApplicable as reason:
        return reason
    except Inconclusive as reason:
        return Undecided(check.code, str(reason), reason.not_live)
    return None if found is None else _typed_here(case, check, _finding(check.code, found))


def _typed_here(case: Case, check: Check, finding: Finding) -> Finding:
    """With commands for the shell of this system, or for the kernel's file that sets the variable. What only a run has shown, only
    another run can show again.
    """
    if not finding.fixes:
        return finding
    if isinstance(case.facts.jupyter.examined_kernel, Known):
        from tfdoctor.fix.kernel import in_its_file  # only for a kernel that was named

        finding = replace(finding, fixes=in_its_file(case.facts, finding.fixes))
    here = place_of(case.facts)
    here = replace(here, names=here.names | case.policy.place)
    left = unanswered(finding.fixes, case.facts)
    worded = [_of_table(case, each, here) if is_drawn(each) else each for each in left]
    meant = [aimed(each, case.facts, case.policy.report) for each in worded if each is not None]
    if case.trusts is nobody:
        from tfdoctor.fix.known_names import by_known_names  # only for a report

        meant = [by_known_names(each, case.trusts, case.matrix) for each in meant]
    safe = [applicable(guarded(described(each), case.trusts)) for each in meant]
    if not check.watched:
        asked = ("--require-gpu",) if case.policy.require_gpu else ()
        safe = [with_proof(each, case.facts, case.trusts, *asked) for each in safe]
    return replace(finding, fixes=_each_once(typed(each, here) for each in safe))


def _each_once(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """Of those with one title the first, which says it of what was seen."""
    found: dict[str, Fix] = {}
    for each in fixes:
        found.setdefault(each.title, each)
    return tuple(found.values())


def _of_table(case: Case, fix: Fix, here: Place) -> Fix | None:
    """A table's fix in the words of the place and of the environment's own installer."""
    own = placed(fix, here)
    return own and replace(
        own, commands=tuple(by_own_tool(case.facts, line) for line in own.commands)
    )


def _finding(name: str, found: Found) -> Finding:
    code = CODES[name]
    severity = code.severity if found.severity is None else found.severity
    return Finding(
        name, severity, found.confidence, found.title or code.name, found.explanation,
        tuple(filter(None, found.evidence)), tuple(filter(None, found.fixes)), explains=found.explains, untried=found.untried,
    )  # fmt: skip


def weighed(finding: Finding, check: Check, abilities: frozenset[Ability]) -> Finding:
    """What was seen to work overrules, and where nothing fails, nothing is proposed."""
    if finding.severity is Severity.INFO:
        return finding
    if check.blocks in abilities and not finding.untried:
        text = f"{finding.explanation} It works anyway, so this is only a note.".lstrip()
        return replace(finding, severity=Severity.INFO, explanation=text, fixes=())
    return finding
