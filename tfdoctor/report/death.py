"""From the facts of a watched program to one report: what ended it, why, and what to do.

The same checks judge as everywhere. What is said of the machine and the environment alone counts where it explains
the death, and is a note where it does not.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, ClassVar

from tfdoctor import __version__
from tfdoctor.ask.logs.extract import extract_facts
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.ask.recorder.gpu_use import LOST_BY
from tfdoctor.base.records import record, replace
from tfdoctor.base.units import rfc3339
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.death import CommandEnd, CpuOnly, MemoryWarning
from tfdoctor.facts.log_values import Ending, Log
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Known, known, value_or
from tfdoctor.judge.causes import HOW_IT_ENDED, resolve
from tfdoctor.judge.engine.case import REGISTRY, Case
from tfdoctor.judge.engine.policy import Policy
from tfdoctor.judge.judge import judge
from tfdoctor.judge.log.resolved import leaves_the_cpu, takes_the_gpu
from tfdoctor.knowledge.catalog import CODES, EFFECTS_IN_LOGS
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import CODE, Confidence, Evidence, Finding, Role, Severity, Undecided
from tfdoctor.report.diagnosis import Diagnosed, Diagnosis, diagnose
from tfdoctor.report.report import SCHEMA_VERSION, VERSION_AND_TIME, Tool
from tfdoctor.report.trust import of_this_machine

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
_LEFT = ("check-failed", "native-crash", "output-closed", "killed-by-user", "python-exception", "exited-nonzero")  # fmt: skip
"""Ends without a cause of their own, the most telling first; a cause that is known stands in their place."""
_ABORTED, _RAISED = "check-failed", "python-exception"
_UNCAUGHT = 1
"""Python's status after an exception that nobody caught (pythonrun.c, Py_RunMain; 2026-11)."""
_BY_SIGNAL = 128
"""A shell passes a death by signal N on as 128 + N."""
_GIVES_WAY = frozenset({"check-failed", "native-crash", "python-exception", "exited-nonzero"})


_SAMPLE = {
    "rss_bytes": "Resident memory; pages that several processes share count once for each.",
    "anon_bytes": "Resident memory that no file stands behind: the program's own.",
    "pss_bytes": "Proportional share; stands only where it was affordable.",
    "swap_bytes": "In swap.",
    "cgroup_bytes": "Used in the memory cgroup that is nearest to its limit, without reclaimable cache.",
    "cgroup_limit_bytes": "Its limit.",
    "available_bytes": "MemAvailable of the machine.",
    "shm_free_bytes": "Free in /dev/shm.",
    "disk_free_bytes": "Free on the disk of the working folder.",
    "tmp_free_bytes": "Free where temporary files go.",
    "threads": "Threads.",
    "processes": "Processes.",
    "open_files": "Open files.",
    "major_faults": "Pages that had to be read from a disk, of the living processes.",
    "swapped_in_pages": "Pages that the machine has read back from swap since its start.",
}
"""Whole numbers that a sample may have, not negative."""


def _sample_schema() -> dict[str, Any]:
    count, number = {"type": "integer", "minimum": 0}, {"type": "number", "minimum": 0}
    of_gpus = dict.fromkeys(
        ("index", "own_bytes", "others_bytes", "used_bytes", "total_bytes"), count
    )
    gpu = {**of_gpus, "utilization": {**number, "maximum": 1}}
    return {
        "type": "object",
        "description": "One look. Sums are over the whole process tree; what could not be read is left out, never 0.",
        "required": ["t"],
        "properties": {
            "t": {**number, "description": "Seconds since the start."},
            **{key: {**count, "description": words} for key, words in _SAMPLE.items()},
            "cpu_s": {**number, "description": "CPU time so far."},
            "pressure_full_percent": {
                **number,
                "description": "Percent of the last 10 s in which every task of the machine waited for memory.",
            },
            "gpus": {
                "type": "array",
                "items": {"type": "object", "required": ["index"], "properties": gpu},
            },
        },
    }


@record
class Exit:
    """What tfdoctor ended with: the command's own status, 128 and the number for a signal; None where nobody saw it."""

    status: int | None
    signal: int | None
    core: bool


@record
class Timeline:
    """The samples that were taken, one each `interval_s` seconds."""

    SCHEMA: ClassVar = {
        "interval_s": {"exclusiveMinimum": 0},
        "samples": {"items": _sample_schema()},
    }

    interval_s: float
    samples: tuple[dict[str, Any], ...]


@record
class RunReport:
    """One run. `complete`: the recorder saw the end. `notes`: what watching lacked."""

    JSON: ClassVar = """schema_version $schema=schema_id? tool generated_at command outcome complete exit evidence findings undecided notes
        warnings timeline facts"""
    SCHEMA: ClassVar = {
        **VERSION_AND_TIME,
        "command": "The command's words, without private values.",
        "outcome": {**CODE, "description": "How the command itself ended: the most telling code."},
        "complete": "False: the recorder died along with the command, and this is what its black box held.",
        "evidence": "What shows the outcome.",
        "notes": "What watching lacked.",
        "warnings": "What was said while it worked: when, of which memory, and in how many seconds it would meet its limit.",
        "facts": 'Everything that was asked, by "<probe>.<fact>". Sizes are bytes, times are seconds.',
    }
    schema_version: ClassVar = SCHEMA_VERSION
    schema_id: ClassVar = "urn:tfdoctor:schema:run:1.0"

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
    warnings: tuple[MemoryWarning, ...]
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
    judgement, end = (
        judge(Case(facts, matrix, trusts=of_this_machine(facts))),
        known(facts.death.end),
    )
    open_codes = {each.code for each in judgement.undecided}
    found = _with_words(judgement.findings, causes_said(facts, words, matrix), open_codes, end)
    on_cpu = known(facts.death.cpu_only)
    if on_cpu is not None and end is not None and (end.well or on_cpu.ended):
        found = _with_the_missing_gpu(found, facts, words, matrix, on_cpu)
    words_of = {each.code for each in found if _by_words(each)}
    edges = {
        each.code: EFFECTS_IN_LOGS[each.code] - (words_of if each.code in _LEFT else set())
        for each in found
    }
    edges |= {code: edges[code] | HOW_IT_ENDED - {code} for code in words_of}
    resolved = resolve(found, edges)
    findings = _of_the_death(resolved, facts)
    outcome = _outcome(end, findings, ended_for_want_of_gpu=on_cpu is not None and on_cpu.ended)
    ending = next((each for each in findings if each.code == outcome), None)
    return RunReport(
        tool=Tool(__version__),
        generated_at=rfc3339(),
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
        warnings=value_or(facts.death.warned, ()),
        timeline=Timeline(interval_s, tuple(samples)),
        facts=facts,
    )


def _exit(end: CommandEnd | None, status: int | None) -> Exit:
    if end is None:
        return Exit(status, None, core=False)
    return Exit(status, end.status if end.how == "signal" else None, end.core)


def _with_words(
    judged: Sequence[Finding], said: Sequence[Finding], undecided: Set[str], end: CommandEnd | None
) -> tuple[Finding, ...]:
    """What the checks found, and the causes that words name, also those whose check found nothing: it asks this machine after
    the end, and the command had its own variables, folders and limits. The words count as a whole, not one line of them;
    what the watching saw goes before them, of a code and of how it ended.
    """
    of_words = {each.code: each for each in said if each.code == _RAISED}  # with file and line
    judged = [replace(of_words.get(each.code, each), evidence=each.evidence) for each in judged]
    if any(each.code == _ABORTED and _is_shown(each) for each in judged):
        said = [each for each in said if not leaves_the_cpu(each.code)]  # it is later, and worse
    roots = {each.code for each in said} or {_ABORTED}
    shown = [
        each for each in judged if _is_shown(each) and (each.code in roots or not _by_words(each))
    ]
    codes = {each.code for each in shown}
    causes = {each.code for each in shown if not _by_words(each)} - {
        *_LEFT,
        *WHY,
        SUCCESS,
        _INCOMPLETE,
    }
    ends = codes & {*_LEFT} <= {"exited-nonzero", _RAISED} and not causes
    counted = [
        each
        for each in said
        if each.code not in codes
        and (each.code not in HOW_IT_ENDED or ends or each.code == _SAYS_WHO)
        and (each.code != _RAISED or (end is not None and end.status == _UNCAUGHT))
        and not (causes and has_check(each))
        and not (
            each.confidence is Confidence.POSSIBLE
            and _was_watched(each)
            and each.code not in undecided
        )
    ]
    told, by_check = {each.code for each in counted}, {each.code: each for each in judged}
    counted = [
        replace(each, fixes=by_check[each.code].fixes or each.fixes)
        if each.code in by_check
        else each
        for each in counted
    ]  # the check's are for this environment
    unseen = [each for each in judged if not _is_shown(each) and each.code not in told]
    return (*shown, *unseen, *counted)


def _was_watched(finding: Finding) -> bool:
    """The recorder saw more of it than the words: "Bus error" alone, where the check has looked at /dev/shm itself."""
    return has_check(finding) and CODES[finding.code].family in ("memory", "process")


def _by_words(finding: Finding) -> bool:
    """Whether it rests on what the command wrote alone."""
    watched = {each.fact for each in finding.evidence if each.fact.startswith("death.")}
    return watched == {"death.said"}


def _of_the_death(findings: Sequence[Finding], facts: Facts) -> tuple[Finding, ...]:
    """Those that the watching shows, and their causes as they are; others as notes, or not at all where nobody asked."""
    shown = {each.code for each in findings if _is_shown(each)}
    causes = {code for each in findings if each.code in shown for code in each.caused_by}
    # A program without TensorFlow lacks nothing.
    tells = isinstance(facts.tensorflow.version, Known)
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


def _outcome(
    end: CommandEnd | None, findings: Sequence[Finding], *, ended_for_want_of_gpu: bool = False
) -> str:
    """How the command itself ended: one code, the most telling."""
    codes = {each.code: each for each in findings if _is_shown(each)}
    if end is not None and end.how == "not-started":
        return NOT_STARTED
    if STALLED in codes:
        return STALLED
    if ended_for_want_of_gpu:
        return next((each.code for each in findings if _is_of_the_cpu(each)), _INCOMPLETE)
    if end is not None and end.well:
        return SUCCESS
    for code in KILLS:
        if code in codes:
            return code
    named = [
        each
        for each in findings
        if each.code in codes
        and each.code not in {*WHY, *_LEFT}
        and each.severity is Severity.ERROR
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
    asked = {
        path.partition(".")[0] for path, fact in report.facts.items() if isinstance(fact, Known)
    }
    facts = {
        path: fact for path, fact in document["facts"].items() if path.partition(".")[0] in asked
    }
    return {**document, "facts": facts}


def run_from_json(document: dict[str, Any]) -> RunReport:
    """Reads what `run_to_json` wrote, also redacted. Raises DocumentError."""
    return from_json(document, RunReport)


_SHOWN_LINES, _LONGEST = 3, 300
_SAYS_WHO = "worker-lost"  # how it ended, and more telling than a traceback


def causes_said(facts: Facts, lines: Sequence[str], matrix: Matrix) -> tuple[Finding, ...]:
    """Causes that its words name, roots alone. Some have a check that looks for them, too: `has_check` tells which.

    `lines`: all that was kept of its words; () for those in `facts`. A program that ended well said nothing that counts.
    """
    end = facts.death.end
    if not isinstance(end, Known) or end.value.well:
        return ()
    said = _said(facts, lines, matrix)
    if said is None:
        return ()
    by_signal = end.value.how == "signal" or end.value.status > _BY_SIGNAL
    signals = {
        each.line for each in value_or(said.endings, ()) if by_signal and each.how == "signal"
    }
    return tuple(_as_death(each) for each in said.diagnosis.roots if not _is_about(each, signals))


@record
class _Said:
    """What the command's words say by themselves, and the ends that they tell of."""

    diagnosis: Diagnosis
    endings: Fact[tuple[Ending, ...]]


def _said(facts: Facts, lines: Sequence[str], matrix: Matrix) -> _Said | None:
    """None where it wrote nothing."""
    from_the_facts: tuple[str, ...] = value_or(facts.death.said, ())
    words = lines or from_the_facts
    if not words:
        return None
    transcript = Transcript(default_literals())
    transcript.feed("\n".join((*words, "")).encode("utf-8", "replace"))
    transcript.end()
    read = read_of(transcript, "stderr")
    told = extract_facts((read,))
    told = replace(
        told,
        death=replace(told.death, training=facts.death.training),
        nvml=replace(told.nvml, devices=facts.nvml.devices),
        log=replace(told.log, endings=_with_the_end(told.log, known(facts.death.end), len(words))),
    )
    return _Said(diagnose(told, (read,), matrix, trusts=of_this_machine(facts)), told.log.endings)


def _with_the_missing_gpu(
    found: Sequence[Finding], facts: Facts, words: Sequence[str], matrix: Matrix, on_cpu: CpuOnly
) -> tuple[Finding, ...]:
    """With why TensorFlow used no GPU as a cause: by its own words, else by what was found on this machine.

    A driver that works here is not missing, and a GPU that no variable of ours hides was hidden by the program itself.
    """
    policy = Policy(require_gpu=on_cpu.ended or None)
    judged = judge(Case(facts, matrix, policy, trusts=of_this_machine(facts)))
    said = _said(facts, words, matrix)
    by_words = (
        []
        if said is None
        else [each for each in said.diagnosis.diagnoses if _took_it(on_cpu, each.code)]
    )
    told = [
        _as_death(each)
        for each in by_words
        if on_cpu.ended
        or (
            each.role is Role.ROOT
            and not (CODES[each.code].family == "driver" and each.code in judged.passed)
        )
    ]
    codes = {each.code for each in told}
    of_the_gpu = [
        each
        for each in judged.findings
        if _took_it(on_cpu, each.code) and each.severity is not Severity.INFO
    ]
    # A check names what is missing, and where.
    both = [each for each in of_the_gpu if on_cpu.ended or each.code in codes]
    causes = [*both, *told, *(of_the_gpu if not on_cpu.driver else ())]
    if not causes:
        return tuple(found)
    severity = Severity.ERROR if on_cpu.ended else Severity.WARNING
    seen = (
        Evidence("death.cpu_only", _LOST, "a GPU to the end", "what the command wrote to stderr")
        if on_cpu.lost
        else Evidence(
            "death.cpu_only", _SEEN[on_cpu.driver], "a GPU", "the libraries of its processes"
        )
    )
    cause = replace(
        causes[0], severity=severity, evidence=(*causes[0].evidence, seen), explains=frozenset()
    )
    return (cause, *(each for each in found if each.code != cause.code and not (on_cpu.ended and each.code in _LEFT)))  # fmt: skip


def _took_it(on_cpu: CpuOnly, code: str) -> bool:
    return code in LOST_BY if on_cpu.lost else takes_the_gpu(code)


_SEEN = {
    False: "TensorFlow computed and loaded no GPU driver",
    True: "TensorFlow loaded the GPU driver and computed without a GPU",
}
_LOST = "TensorFlow had a GPU, which failed, and the command went on without it"


def without_gpu(report: RunReport) -> Finding | None:
    """Why TensorFlow used no GPU, where that is a cause of this run."""
    return next((each for each in report.findings if _is_of_the_cpu(each)), None)


def _is_of_the_cpu(finding: Finding) -> bool:
    return any(each.fact == "death.cpu_only" for each in finding.evidence)


def _is_about(told: Diagnosed, lines: Set[int]) -> bool:
    """It rests on these lines alone: a shell's "Bus error" tells no more than the signal, which the watching knows."""
    return bool(told.lines) and all(each.line in lines for each in told.lines)


def _with_the_end(log: Log, end: CommandEnd | None, lines: int) -> Fact[tuple[Ending, ...]]:
    """What the words tell of ends, and behind them the signal that ended it, of which a shell alone would speak."""
    if end is None or end.how != "signal":
        return log.endings
    last = Ending("signal", end.status, "", 0, lines + 1, run=value_or(log.run, 0))
    return Known((*value_or(log.endings, ()), last), "wait(2)")


def has_check(finding: Finding) -> bool:
    """A check judges this code by facts; words alone are the second best then."""
    return finding.code in REGISTRY


def _as_death(told: Diagnosed) -> Finding:
    shown = [each.text.strip()[:_LONGEST] for each in told.lines[:_SHOWN_LINES]] or [
        told.finding.title
    ]
    evidence = tuple(
        Evidence("death.said", text, "ends well", "what the command wrote to stderr")
        for text in shown
    )
    return replace(told.finding, evidence=evidence)
