"""A log from end to end: its facts, the judgement, the diagnosis that every renderer shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tfdoctor import __version__
from tfdoctor.ask.logs.extract import Read
from tfdoctor.ask.logs.suspects import is_question, suspects
from tfdoctor.base.records import record, replace
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.log_values import Log, LogFile, NoiseCount
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.fix.commands import checking
from tfdoctor.fix.loading import Trusts, nobody, trusted
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.broken_installs import in_words
from tfdoctor.judge.log.candidate import Open
from tfdoctor.judge.log.endings import diverged
from tfdoctor.judge.log.fitting import unfinished
from tfdoctor.judge.log.memory import KILLS
from tfdoctor.judge.log.testimony import Testimony, hung, testimony
from tfdoctor.judge.log.weigh import Weighed, weigh
from tfdoctor.knowledge.lines import Words
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Confidence, Evidence, Finding, Fix, Role, Severity
from tfdoctor.report.report import SCHEMA_VERSION, MatrixInForce, Tool, in_force

CAUSE_FOUND, NOISE_ONLY, UNRECOGNISED = "cause-found", "noise-only", "unrecognised"
_ENDS = ("jupyter-kernel-died", "exited-nonzero", "killed-by-user", "python-exception")
_CONTEXT = 2  # lines before and after
_MOST_LINES = 6  # of one finding


@record
class LogLine:
    """A line of a log with the lines around it; `file` is its place among the logs of the case."""

    SCHEMA: ClassVar = {
        "file": {"minimum": 0, "description": "Its place in input.files."},
        "line": {"minimum": 0},
    }

    file: int
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@record
class Diagnosed:
    """A finding and the lines that it rests on; where there are none, its other evidence."""

    JSON: ClassVar = "code severity role caused_by confidence title evidence explanation fixes docs"

    code: str
    severity: Severity
    role: Role
    caused_by: tuple[str, ...]
    confidence: Confidence
    title: str
    evidence: tuple[LogLine | Evidence, ...]
    explanation: str
    fixes: tuple[Fix, ...]

    @property
    def docs(self) -> str:
        return self.finding.docs

    @property
    def is_bare_end(self) -> bool:
        """It tells that the program ended, and nothing of the log tells why: a symptom, and no cause."""
        if self.role is not Role.ROOT or self.confidence is not Confidence.POSSIBLE:
            return False
        return self.code in (*_ENDS, *KILLS)

    @property
    def lines(self) -> tuple[LogLine, ...]:
        return tuple(each for each in self.evidence if isinstance(each, LogLine))

    @property
    def finding(self) -> Finding:
        evidence = tuple(each for each in self.evidence if isinstance(each, Evidence))
        return Finding(
            self.code, self.severity, self.confidence, self.title, self.explanation, evidence, self.fixes,
            self.role, self.caused_by,
        )  # fmt: skip


def _diagnosed(finding: Finding, lines: tuple[LogLine, ...]) -> Diagnosed:
    return Diagnosed(
        finding.code, finding.severity, finding.role, finding.caused_by, finding.confidence, finding.title,
        lines or finding.evidence, finding.explanation, finding.fixes,
    )  # fmt: skip


@record
class Input:
    """The logs of one case."""

    JSON: ClassVar = "bytes lines files"

    files: tuple[LogFile, ...]

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.files)

    @property
    def lines(self) -> int:
        return sum(each.lines for each in self.files)


@record
class Diagnosis:
    """What one case of logs says. `suspects` are the lines that look most like a failure where nothing was recognised.

    facts: what the logs tell of the machine. end_told: they say how the program ended.
    nothing: why there is nothing to diagnose ("empty", "notebook", "question").
    """

    JSON: ClassVar = """schema_version $schema=schema_id? tool matrix input verdict diagnoses apply? open noise earlier_ends=earlier suspects
        report_not_used=unused? unfinished? own_result? facts"""
    SCHEMA: ClassVar = {
        "verdict": {"enum": [CAUSE_FOUND, NOISE_ONLY, UNRECOGNISED]},
        "diagnoses": "The root first.",
        "apply": "What applies the first fix and can undo it, where --here shows the same cause.",
        "noise": "One entry for each kind of line.",
        "earlier_ends": "How earlier runs in the same log ended.",
        "suspects": "Lines that look most like a failure, where nothing was recognised.",
        "report_not_used": "Why the report of --facts or --here was not used.",
        "unfinished": "Where the log ends too early, within a traceback or after something began: where, and what to look at.",
        "own_result": "Where nothing failed and the program's own numbers are still not what was wanted (a loss of NaN, data that ended): what it is, and where to look.",
        "facts": 'What the logs tell, as in the report of check; "from" names the line.',
    }
    schema_version: ClassVar = SCHEMA_VERSION
    schema_id: ClassVar = "urn:tfdoctor:schema:diagnose:1.0"

    tool: Tool
    matrix: MatrixInForce
    input: Input
    verdict: str
    diagnoses: tuple[Diagnosed, ...]
    open: tuple[Open, ...]
    noise: tuple[NoiseCount, ...]
    facts: Facts
    earlier: tuple[str, ...] = ()
    suspects: tuple[LogLine, ...] = ()
    unused: str = ""  # why a report that was given was not used
    unfinished: str = ""  # what is said of a log that ends after something began
    own_result: str = (
        ""  # what is said of a program that ran and whose own numbers are not what was wanted
    )
    end_told: bool = False
    nothing: str = ""
    gpus: tuple[str, ...] = ()  # on which TensorFlow made a device, by name
    apply: Fix | None = None

    @property
    def files(self) -> tuple[LogFile, ...]:
        return self.input.files

    @property
    def roots(self) -> tuple[Diagnosed, ...]:
        return tuple(each for each in self.diagnoses if each.role is Role.ROOT)


def diagnose(
    facts: Facts,
    reads: Sequence[Read],
    matrix: Matrix,
    report: Facts | None = None,
    trusts: Trusts = nobody,
) -> Diagnosis:
    """Judges what the logs tell, together with a report of the same machine where one is given; `trusts` as of a `Case`."""
    unused = differs(facts, report) if report is not None else ""
    whole = facts if report is None or unused else completed(facts, report)
    case = Case(supposed(whole), matrix, trusts=trusts)
    weighed = weigh(case)
    told = testimony(facts)
    lines = {
        code: tuple(_line(reads, *at) for at in places[:_MOST_LINES])
        for code, places in weighed.places.items()
    }
    diagnoses = tuple(_diagnosed(each, lines.get(each.code, ())) for each in weighed.findings)
    root = any(each.role is Role.ROOT and not each.is_bare_end for each in diagnoses)
    strange = () if root or hung(facts) else _strange(reads, weighed, told)
    nothing = _nothing(reads, diagnoses)
    if nothing:
        diagnoses, root, strange = (), False, ()
    ended = any(each.is_bare_end for each in diagnoses)
    failed = ended or (told.ended_badly and not hung(facts)) or bool(strange) or bool(nothing)
    begun = "" if root or told.ended_well or (failed and not told.cut) else unfinished(facts, told)
    verdict = CAUSE_FOUND if root else UNRECOGNISED if failed or begun else NOISE_ONLY
    return Diagnosis(
        Tool(__version__), in_force(matrix), Input(value_or(facts.log.files, ())), verdict,
        diagnoses, () if nothing else tuple(_aimed(each, whole, trusts) for each in weighed.open), _noise(facts, diagnoses), replace(facts, log=Log()),
        tuple(each.what for each in told.earlier), strange, unused, begun,
        in_words(told) or diverged(told) if verdict == NOISE_ONLY else "",
        bool(told.endings) or told.ended_well, nothing, _gpus_of(told),
    )  # fmt: skip


def _gpus_of(told: Testimony) -> tuple[str, ...]:
    created = {
        each.told["device"]: each.told.get("gpu")
        for each in told.named("gpu-created", "gpu-created-old")
    }
    return tuple(filter(None, created.values()))


def _aimed(question: Open, facts: Facts, trusts: Trusts) -> Open:
    """With the environment that the user named, where this machine vouches for it: what is typed runs it."""
    told = trusted((checking(Words(question.command), facts),), trusts)
    return replace(question, command=told[0]) if told else question


def _strange(reads: Sequence[Read], weighed: Weighed, told: Testimony) -> tuple[LogLine, ...]:
    """The lines that look most like a failure, without those that a finding explains or after which the work went on.

    A success is one of its own log, and of what it tells before: a log beside it may fail, and so may what comes behind it.
    """
    if told.stopped:
        return ()
    failed = told.ended_badly
    done = [
        told.ended_well and (len(reads) == 1 or told.succeeded(file)) for file in range(len(reads))
    ]
    found = suspects(
        reads,
        failed=failed,
        after=() if failed else tuple(map(told.went_on, range(len(reads)))),
        done=done,
    )
    known = {at for places in weighed.places.values() for at in places}
    return tuple(_line(reads, *at) for at in found if at not in known)


def _nothing(reads: Sequence[Read], diagnoses: Sequence[Diagnosed]) -> str:
    """Which kind of input is no log; "" of one that is, and of a question that its own words answer."""
    if all(each.transcript.blank for each in reads):
        return "notebook" if reads[0].file.kind == "notebook" else "empty"
    answered = any(each.confidence is not Confidence.POSSIBLE for each in diagnoses)
    return "question" if not answered and is_question(reads) else ""


def _noise(facts: Facts, diagnoses: Sequence[Diagnosed]) -> tuple[NoiseCount, ...]:
    """Without the lines that a root rests on after all."""
    meant = {
        (line.file, line.line)
        for each in diagnoses
        if each.role is Role.ROOT
        for line in each.lines
    }
    return tuple(
        each for each in value_or(facts.log.noise, ()) if (each.file, each.line) not in meant
    )


def diagnosis_to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The contract's document, not redacted, with the facts that are known."""
    document: dict[str, Any] = to_json(diagnosis)
    facts = {path: fact for path, fact in document["facts"].items() if fact["status"] == "known"}
    return {**document, "facts": facts}


def differs(facts: Facts, report: Facts) -> str:
    """Why a report can't be of the program that wrote the log: another TensorFlow, Python or GPU; "" where it can."""
    pairs = (
        ("TensorFlow", _text(facts.tensorflow.version), _text(report.tensorflow.version)),
        (
            "Python",
            _minor(_text(facts.interpreter.version)),
            _minor(_text(report.interpreter.version)),
        ),
        ("GPU", _gpus(facts), _gpus(report)),
    )
    for what, here, there in pairs:
        if here and there and here != there:
            return f"the report is of another machine or environment: its {what} is {there}, the log's is {here}"
    return ""


def _text(fact: Any) -> str:
    return str(getattr(fact.value, "text", fact.value)) if isinstance(fact, Known) else ""


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _gpus(facts: Facts) -> str:
    names = {each.name for each in value_or(facts.driver.devices, ())}
    return ", ".join(sorted(name for name in names if "compute capability" not in name))


def completed(facts: Facts, report: Facts) -> Facts:
    """The log's facts, and the report's where the log tells nothing. What the report's smoke ladder saw is not the log's."""
    from tfdoctor.base.records import names

    groups = {}
    for group in names(Facts):
        own, other = getattr(facts, group), getattr(report, group)
        if group in ("smoke", "log"):
            groups[group] = own
            continue
        groups[group] = type(own)(
            **{
                name: getattr(other if isinstance(getattr(own, name), Failed) else own, name)
                for name in names(type(own))
            }
        )
    return Facts(**groups)


def supposed(facts: Facts) -> Facts:
    """Where the log names a release and nothing else, the usual one is meant: the wheel of that name for Linux on x86-64."""
    usual = "the log names none, so the usual one"
    if isinstance(facts.tensorflow.version, Known) and isinstance(
        facts.tensorflow.distribution, Failed
    ):
        facts = replace(
            facts, tensorflow=replace(facts.tensorflow, distribution=Known("tensorflow", usual))
        )
    if isinstance(facts.host.os, Failed):
        facts = replace(facts, host=replace(facts.host, os=Known("linux", usual)))
    if isinstance(facts.host.machine, Failed):
        facts = replace(facts, host=replace(facts.host, machine=Known("x86_64", usual)))
    return facts


def _line(reads: Sequence[Read], file: int, number: int) -> LogLine:
    lines = reads[file].transcript.lines
    around = [_around(lines, number + step) for step in range(-_CONTEXT, _CONTEXT + 1)]
    before = tuple(each for each in around[:_CONTEXT] if each is not None)
    after = tuple(each for each in around[_CONTEXT + 1 :] if each is not None)
    return LogLine(file, number, _around(lines, number) or "", before, after)


def _around(lines: dict[int, str], number: int) -> str | None:
    text = lines.get(number)
    return None if text is None else text.rstrip()[:400]
