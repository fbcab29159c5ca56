"""From a log's facts to findings: what its words say, what its facts say to the checks of every examination, how it ended.

The words weigh what their signature says that they prove; a fact that would decide and is not in the log costs one
step. Where a check finds the same code by the facts, its explanation and its commands go before those of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

# Reads no log: the number of a line in a fact's source.
from tfdoctor.base.expressions import (
    Expression,
)
from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.causes import HOW_IT_ENDED
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import judge
from tfdoctor.judge.log import two_runs
from tfdoctor.judge.log.answers import driver_answer, is_answer
from tfdoctor.judge.log.broken_installs import conflict
from tfdoctor.judge.log.candidate import Candidate, Open
from tfdoctor.judge.log.cases import has_cases, situated, weighed
from tfdoctor.judge.log.containers import on_the_cpu, told_so_alone, unwanted
from tfdoctor.judge.log.endings import ended_by_launcher, ends, of_another_language
from tfdoctor.judge.log.exceptions import IN_ONE_LINE, uncaught
from tfdoctor.judge.log.fitting import fitted, open_end, ray_hides
from tfdoctor.judge.log.fixes_of_codes import for_this_log
from tfdoctor.judge.log.gpus import failed_on_a_newer, held_at_start
from tfdoctor.judge.log.memory import elsewhere, gpu_memory, survived_a_refusal, with_memory_first
from tfdoctor.judge.log.misfits import at
from tfdoctor.judge.log.no_gpu_listed import GPU_CREATED, unlisted
from tfdoctor.judge.log.resolved import resolved, takes_the_gpu
from tfdoctor.judge.log.rivals import of_saying
from tfdoctor.judge.log.settings import can_be_asked, setting, stopped_by_the_platform
from tfdoctor.judge.log.testimony import Place, Testimony, hung, place, testimony
from tfdoctor.judge.log.two_runs import sees_the_gpu_elsewhere
from tfdoctor.judge.log.user_site import user_site_words
from tfdoctor.knowledge.catalog import CODES, EFFECTS_IN_LOGS
from tfdoctor.knowledge.model import Finding, Role, Severity
from tfdoctor.knowledge.pages import meaning

_DEATHS = (
    "host-oom-killed",
    "container-oom-killed",
    "scheduler-killed",
    "host-memory-exhausted",
    "jupyter-kernel-died",
)
_SOURCE_LINE = Expression(r"(?:(?P<file>.{1,400}), )?line (?P<line>\d{1,12})$")


@record
class Weighed:
    """`places` are the lines that each code rests on."""

    findings: tuple[Finding, ...]
    places: dict[str, tuple[Place, ...]]
    open: tuple[Open, ...]


def weigh(case: Case) -> Weighed:
    """The findings of a log with their roles, the root first."""
    told = testimony(case.facts)
    candidates = _by_code(_candidates(case, told))
    judged = _judged(case, candidates, told)
    candidates = {
        code: each for code, each in candidates.items() if _counts(each, candidates, case, told)
    }
    findings = [_finding(each, judged.get(code), case, told) for code, each in candidates.items()]
    places = {code: each.places for code, each in candidates.items()}
    for code, finding in judged.items():
        if code not in candidates:
            findings.append(finding)
            places[code] = _places_of(finding, case)
    findings = [*resolved(findings, places, told)]
    roots = {each.code for each in findings if each.role is Role.ROOT}
    findings = [
        replace(each, title=own.beside)
        if (own := candidates.get(each.code)) and own.beside and roots - {each.code}
        else each
        for each in findings
    ]
    here = setting(case, told)
    opened = [
        each.open
        for code, each in candidates.items()
        if each.open is not None and code in roots and can_be_asked(each.open.fact, here)
    ]
    return Weighed(tuple(findings), places, tuple(dict.fromkeys(opened)))


def _candidates(case: Case, told: Testimony) -> Iterator[Candidate]:
    for saying in told.sayings:
        if saying.code == "killed-by-user" and (
            hung(case.facts) or ended_by_launcher(told, saying)
        ):
            continue
        if _is_look(told, saying) or of_another_language(told, saying):
            continue
        if saying.code == "jupyter-kernel-died" and any(
            each.how == "signal" for each in told.endings
        ):
            continue  # its exit status is in this log
        if saying.name.startswith("shell-killed") and _is_an_end(told, saying):
            continue  # what it means is judged there, with the line's place
        if saying.role in ("cause", "hint") and saying.code in CODES and not is_answer(saying):
            yield from _of_message(case, told, saying)
    for found in (
        driver_answer(case, told),
        gpu_memory(case.facts, told),
        held_at_start(case.facts, told),
        open_end(case.facts, told),
        unlisted(case, told),
        _of_fact(case, told, "op-without-kernel"),
        conflict(case, told),
        failed_on_a_newer(case, told),
        stopped_by_the_platform(case, told),
        _of_fact(case, told, "multiprocessing-warned"),
        sees_the_gpu_elsewhere(case.facts),
    ):
        if found is not None:
            yield found
    yield from (with_memory_first(case.facts, told, each) for each in ends(case, told))


def _of_fact(case: Case, told: Testimony, name: str) -> Candidate | None:
    """By the cases of a message that is no cause by itself."""
    said = told.named(name)
    return situated(case, told, name, (place(said[-1]),), **said[-1].told) if said else None


def _of_message(case: Case, told: Testimony, saying: Saying) -> Iterator[Candidate]:
    """By its cases in the knowledge where it has any, else by the rules."""
    by_cases = has_cases(saying.name)
    found = weighed(case, told, saying) if by_cases else of_saying(case, told, saying)
    if found is None and _is_unexplained(told, saying):
        last = at(told, saying)
        found = uncaught(case.facts, last, last)
    if found is not None:
        yield with_memory_first(case.facts, told, found)


def _is_look(told: Testimony, saying: Saying) -> bool:
    """Whether somebody only looked at the machine with a tool that is missing, beside what failed, or what calls it."""
    if saying.code != _NOT_STARTED or saying.told.get("process") not in ("nvidia-smi", "nvcc"):
        return False
    called = any(saying.told["process"] in each.what.lower() for each in told.raised)
    return not called and (bool(told.raised) or any(each != _NOT_STARTED for each in told.codes))


_NOT_STARTED = "command-not-started"


def _is_unexplained(told: Testimony, saying: Saying) -> bool:
    """An exception without its traceback of which no case applies, and nothing else is known."""
    here = [each for each in told.sayings if each.role == "cause" and place(each) == place(saying)]
    return (
        len(here) == 1 and bool(IN_ONE_LINE.match(saying.text)) and told.raised_at(saying) is None
    )


def _is_an_end(told: Testimony, saying: Saying) -> bool:
    """The shell's word was read as the death of a process, too."""
    return any(
        each.how == "signal" and each.status == 9 and place(each) == place(saying)
        for each in told.endings
    )


def _by_code(candidates: Iterable[Candidate]) -> dict[str, Candidate]:
    """One for each code: the surest, with all lines, the earliest first."""
    every: dict[str, list[Candidate]] = {}
    for each in candidates:
        every.setdefault(each.code, []).append(each)
    return {code: _surest(found) for code, found in every.items()}


def _surest(found: list[Candidate]) -> Candidate:
    best = min(found, key=lambda each: (each.confidence, not each.explanation))
    places = tuple(sorted({place for each in found for place in each.places}))
    of_it = (each for each in found if each.title in ("", best.title))
    explained = next((each.explanation for each in of_it if each.explanation), "")
    of_others = (each.fixes for each in sorted(found, key=lambda one: one.confidence) if each.fixes)
    fixes = best.fixes or next(of_others, ())
    return replace(best, places=places, explanation=best.explanation or explained, fixes=fixes)


def _judged(case: Case, candidates: dict[str, Candidate], told: Testimony) -> dict[str, Finding]:
    """What the checks of every examination find by the facts that the log tells, or that a report adds.

    Only what a line of the log shows, or what decides between its meanings, is the log's business.
    """
    asked = {
        code
        for each in candidates.values()
        for code in (each.code, *(each.open.codes if each.open else ()))
    }
    found = {}
    for finding in (each for each in judge(case).findings if CODES[each.code].family != "smoke"):
        effects = EFFECTS_IN_LOGS[finding.code] if finding.explains is None else finding.explains
        by_log = bool(_places_of(finding, case))
        if (
            finding.code == "gpu-memory-held"
            and finding.code not in asked
            and _computes_on_the_gpu(told)
        ):
            continue  # what the table counts is this program's own
        if finding.code == "tensorflow-mixed-distributions" and not asked & _OF_A_MIXTURE:
            continue  # a list shows two, and nothing that went wrong is their mixture
        if (
            finding.code == "python-unsupported"
            and finding.code not in asked
            and (told.codes or asked - HOW_IT_ENDED)
        ):
            continue  # something else was said to go wrong: a distribution builds TensorFlow for other Pythons, too
        if finding.severity is not Severity.INFO and (
            by_log or finding.code in asked or effects & asked - HOW_IT_ENDED
        ):
            found[finding.code] = finding
    return found


_OF_A_MIXTURE = frozenset(("tensorflow-install-broken",))


def _computes_on_the_gpu(told: Testimony) -> bool:
    """It has a GPU with room, compiles for it, or opened cuDNN on it: TensorFlow takes the free memory before that."""
    sizes = (
        each.told["size"].partition(" ")[0] for each in told.named("gpu-created", "gpu-created-old")
    )
    with_room = any(int(each) >= _ROOM for each in sizes)
    return with_room or bool(
        told.named("cudnn-loaded", "xla-compiled") or told.of("ptxas-too-old", "ptxas-missing")
    )


_ROOM = 1024
"""MB. Less than any GPU that TensorFlow supports leaves, where nobody else holds it."""


def _places_of(finding: Finding, case: Case) -> tuple[Place, ...]:
    """The lines that the facts of its evidence were read in."""
    facts = dict(case.facts.items())
    names = [each.name for each in value_or(case.facts.log.files, ())]
    found = []
    for evidence in finding.evidence:
        fact = facts.get(evidence.fact.split("[")[0])
        if isinstance(fact, Known) and (match := _SOURCE_LINE.match(fact.source)):
            file = names.index(match["file"]) if match["file"] in names else 0
            found.append((file, int(match["line"])))
    return tuple(dict.fromkeys(found))


def _counts(each: Candidate, candidates: dict[str, Candidate], case: Case, told: Testimony) -> bool:
    """A harmless line counts only before a death; what an end says counts unless it ended well."""
    if each.code == two_runs.CODE and sees_the_gpu_elsewhere(case.facts) is not None:
        return True
    if each.code in two_runs.FOLLOWS and sees_the_gpu_elsewhere(case.facts) is not None:
        return False
    if all(saying.role == "hint" for saying in told.of(each.code)) and told.of(each.code):
        # A harmless line, unless it led to a death.
        return any(code in candidates for code in _DEATHS)
    if each.code == "host-memory-exhausted" and survived_a_refusal(told, each.code):
        return False
    if told.stopped and each.code == "killed-by-user":
        return True
    if told.caught and each.code == "python-exception":
        return True
    mild = CODES[each.code].severity is Severity.WARNING  # then it is a note
    # One that got a GPU and ended well hid it from a later step, or did without what that step complains of.
    return (
        mild or not told.ended_well or (takes_the_gpu(each.code) and not told.named(*GPU_CREATED))
    )


def _is_mild(facts: Facts, told: Testimony, code: str) -> bool:
    if on_the_cpu(facts, told, code) or told_so_alone(facts, told, code):
        return True
    if code == "gpu-hidden" and ray_hides(told):
        # A worker that asks for no GPU is meant to have none.
        return not told.endings and unwanted(facts, told, code)
    return False


def _finding(each: Candidate, judged: Finding | None, case: Case, told: Testimony) -> Finding:
    code = CODES[each.code]
    mild = code.severity is Severity.INFO or _is_mild(case.facts, told, each.code)
    severity = Severity.WARNING if mild else code.severity
    if (
        not mild
        and not told.computed
        and any(IN_ONE_LINE.match(one.text) for one in told.of(each.code))
    ):
        severity = Severity.ERROR  # it ended the program
    if judged is not None:
        worst = min(severity, judged.severity)
        sure = min(each.confidence, judged.confidence)
        return fitted(replace(judged, severity=worst, confidence=sure), case, told)
    fixes = for_this_log(each.code, case, told, each.fixes)
    title, words = elsewhere(case.facts, told, each.code)
    explained = each.explanation or words or meaning(each.code)
    found = Finding(
        each.code,
        severity,
        each.confidence,
        each.title or title or code.name,
        f"{explained}{user_site_words(each.code, told)}",
        (),
        fixes,
    )
    return fitted(found, case, told)
