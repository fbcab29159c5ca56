"""Build files judged: their statements as facts, the same checks, and for each finding the line that it is about.

A finding belongs to the statements without which the checks would not find it: each is left out in turn and judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar

from tfdoctor import __version__
from tfdoctor.ask.builds.files import BuildFile, Reading
from tfdoctor.ask.builds.settle import Settled, settled
from tfdoctor.ask.builds.statements import Environment, Excuse, Span, Statement
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.records import record, replace
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.model import Driver, Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.facts.values import CudaDevice
from tfdoctor.fix.machine import Machine
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.judge import finding_of
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Confidence, Evidence, Finding, Fix, Role, Severity
from tfdoctor.report.judgement import conclude
from tfdoctor.report.lint_edits import Edit, edit_for, edited, removed_by, wanted_by
from tfdoctor.report.report import SCHEMA_VERSION, MatrixInForce, Tool, in_force


@record
class Located:
    """A finding at its place. `environment`: the stage, group or service that it is about; "" where the file has one alone."""

    JSON: ClassVar = """code severity confidence role caused_by title explanation evidence fixes docs file line column end_line
        end_column environment? edit?"""
    SCHEMA: ClassVar = {
        "line": {"minimum": 1},
        "column": {"minimum": 1},
        "environment": "The stage, group or extra that it is about; left out where the file has one alone.",
        "edit": "What `tfdoctor lint --fix` writes; left out where nothing is certain to help.",
    }

    code: str
    severity: Severity
    confidence: Confidence
    role: Role
    caused_by: tuple[str, ...]
    title: str
    explanation: str
    evidence: tuple[Evidence, ...]
    fixes: tuple[Fix, ...]
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    environment: str = ""
    edit: Edit | None = None

    @property
    def docs(self) -> str:
        """The code's page, as a command that prints it anywhere."""
        return f"tfdoctor explain {self.code}"


@record
class Excused:
    """A finding that a comment in the file, or the command line, takes back."""

    SCHEMA: ClassVar = {"line": {"minimum": 1}}

    code: str
    reason: str
    file: str
    line: int


@record
class Linted:
    """What build files say. `excuses_without_reason`: comments that therefore don't count."""

    JSON: ClassVar = "schema_version $schema=schema_id? tool matrix files findings ignored excuses_without_reason"
    SCHEMA: ClassVar = {
        "schema_version": {"type": "string", "pattern": "^1\\.[0-9]+$"},
        "excuses_without_reason": "Comments that give no reason, and therefore don't count.",
    }
    schema_version: ClassVar = SCHEMA_VERSION
    schema_id: ClassVar = "urn:tfdoctor:schema:lint:1.0"

    tool: Tool
    matrix: MatrixInForce
    files: tuple[BuildFile, ...]
    findings: tuple[Located, ...]
    ignored: tuple[Excused, ...] = ()
    excuses_without_reason: tuple[Excuse, ...] = ()

    @property
    def unread(self) -> tuple[BuildFile, ...]:
        return tuple(each for each in self.files if not each.read)


def lint(
    reading: Reading,
    matrix: Matrix,
    machine: Machine | None = None,
    python: str = "",
    ignore: Mapping[str, str] | None = None,
) -> Linted:
    """Judges each environment. `machine`: where it will run, as far as the user told; `ignore` maps codes to reasons."""
    found: dict[tuple[object, ...], Located] = {}
    bench, verdicts = _Bench(matrix, machine, python), Verdicts()
    for environment in (_concerned(each, matrix) for each in reading.environments):
        for each in _judged(environment, bench, verdicts):
            located = _located(each, environment, reading)
            found.setdefault((located.code, located.file, located.line, located.title), located)
    ordered = sorted(
        found.values(), key=lambda each: (each.file, each.line, each.severity, each.code)
    )
    retained, ignored = _excused(ordered, reading.excuses, ignore or {})
    bare = tuple(each for each in reading.excuses if not each.reason)
    return Linted(
        Tool(__version__), in_force(matrix), reading.files, tuple(retained), tuple(ignored), bare
    )


def lint_to_json(linted: Linted) -> dict[str, Any]:
    """The contract's document."""
    document: dict[str, Any] = to_json(linted)
    return document


def edits_of(linted: Linted) -> dict[str, list[Edit]]:
    """By file, each once."""
    found: dict[str, list[Edit]] = {}
    for each in linted.findings:
        if each.edit is not None and each.edit not in found.setdefault(each.edit.file, []):
            found[each.edit.file].append(each.edit)
    return found


def difference(reading: Reading, linted: Linted) -> str:
    """What the edits would change, as `diff -u` writes it, passwords and all."""
    import difflib  # which few answers need

    parts: list[str] = []
    for path, edits in edits_of(linted).items():
        text = reading.sources[path].text
        before, after = (each.splitlines(keepends=True) for each in (text, edited(text, edits)))
        for line in difflib.unified_diff(before, after, path, path):
            parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(parts)


class _Bench:
    """Judges environments for one machine."""

    def __init__(self, matrix: Matrix, machine: Machine | None, python: str) -> None:
        self._matrix, self._machine, self._python = matrix, machine, python

    def settled(self, environment: Environment) -> Settled:
        return settled(environment, self._matrix, self._python)

    def case(self, environment: Environment, told: Settled) -> Case:
        machine = self._machine
        place = frozenset({environment.system} & {"compose"})
        wanted = told.wants_gpu or None if machine is None else not isinstance(machine.gpus, Absent)
        policy = Policy(require_gpu=wanted, to_be_built=True, place=place, left_open=told.left_open)
        facts = told.facts if machine is None else _on_machine(told.facts, machine)
        return Case(facts, self._matrix, policy)

    def without(self, environment: Environment, statement: Statement, code: str) -> Finding | None:
        said = tuple(each for each in environment.statements if each is not statement)
        rest = replace(environment, statements=said)
        return finding_of(self.case(rest, self.settled(rest)), code)


def _on_machine(facts: Facts, machine: Machine) -> Facts:
    """With the GPU and the driver that the user named."""
    driver = Driver(version=machine.driver, module_version=machine.driver)
    if not isinstance(machine.gpus, Known):
        return replace(facts, driver=driver)
    names = machine.models or ("a GPU",) * len(machine.gpus.value)
    devices = tuple(
        CudaDevice(at, name or "a GPU", capability, 0, "", "")
        for at, (name, capability) in enumerate(zip(names, machine.gpus.value, strict=True))
    )
    host = replace(facts.host, gpus_on_bus=Known((), "--gpu"))
    return replace(facts, host=host, driver=replace(driver, devices=Known(devices, "--gpu")))


@record
class Verdict:
    """A finding of one environment, and which of its statements it rests on, by their places among them."""

    finding: Finding
    told: Settled
    guilty: tuple[int, ...]


Verdicts = dict[tuple[object, ...], tuple[Verdict, ...]]
"""By what environments say, wherever it stands: many files say the same."""


def _judged(environment: Environment, bench: _Bench, verdicts: Verdicts) -> tuple[Verdict, ...]:
    said = tuple(
        (
            each.kind,
            each.name,
            each.value,
            each.extras,
            each.marker,
            each.installer,
            each.step,
            each.upgraded,
        )
        for each in environment.statements
    )
    key = (environment.system, said)
    if key not in verdicts:
        verdicts[key] = tuple(_verdicts(environment, bench))
    return verdicts[key]


def _verdicts(environment: Environment, bench: _Bench) -> Iterable[Verdict]:
    told = bench.settled(environment)
    own = told.facts.tensorflow
    if not isinstance(own.version, Known) and not isinstance(own.distributions, Absent):
        return
    tried = environment.statements if len(environment.statements) <= _MOST_TRIED else ()
    for finding in conclude(bench.case(environment, told), {}).findings:
        without = (bench.without(environment, each, finding.code) for each in tried)
        yield Verdict(
            finding, told, tuple(at for at, other in enumerate(without) if _changed(finding, other))
        )


_MOST_TRIED = 200
"""Statements that are left out in turn: a lock of all that the checks know has some 80."""


def _concerned(environment: Environment, matrix: Matrix) -> Environment:
    """Without packages that no check knows: TensorFlow's own distributions and requirements are known, and those of the pairs."""
    known = _known_packages(matrix)
    kept = (
        each
        for each in environment.statements
        if each.kind not in ("package", "constraint") or each.name in known
    )
    return replace(environment, statements=tuple(kept))


@cache
def _known_packages(matrix: Matrix) -> frozenset[str]:
    pairs = {name for each in matrix.pairs for name in (each.package, each.needs)}
    own = {name for each in matrix.releases() for name in value_or(each.requires, {})}
    nvidia = {each.package for each in matrix.nvidia_wheels}
    return TENSORFLOW_NAMES | pairs | own | nvidia | {*matrix.empty_packages()} | _beside(matrix)


def _beside(matrix: Matrix) -> frozenset[str]:
    """The frameworks that were resolved beside TensorFlow, and the packages over whose files they fall out."""
    frameworks = matrix.frameworks()
    cells = (
        each
        for release in matrix.releases()
        for name in frameworks
        for each in matrix.together(release.tensorflow, "and-cuda", name)
    )
    return frozenset(
        {name.partition("[")[0] for name in frameworks}
        | {name for each in cells if each.outcome == "overwritten" for name in each.packages}
    )


def _changed(finding: Finding, other: Finding | None) -> bool:
    return other is None or (other.title, other.evidence) != (finding.title, finding.evidence)


def _located(verdict: Verdict, environment: Environment, reading: Reading) -> Located:
    finding, told = verdict.finding, verdict.told
    guilty = [environment.statements[at] for at in verdict.guilty]
    changed = wanted_by(finding, told.facts)
    by_name = [
        each
        for each in environment.statements
        if each.name in changed or each.name in removed_by(finding)
    ]
    named = [each for each in by_name if each in guilty or each.name not in TENSORFLOW_NAMES]
    statement = _main(named, guilty)
    span = statement.span if statement is not None else Span(environment.file, 0, 0, 1, 1, 1, 1)
    how = [
        how
        for name, how in told.inferred.items()
        if name in changed or any(each.name == name for each in guilty)
    ]
    explanation = " ".join(filter(None, (finding.explanation, *how)))
    edit = edit_for(finding, changed, named, statement, reading.sources)
    confidence = max(finding.confidence, Confidence.LIKELY)
    return Located(
        finding.code, finding.severity, confidence, finding.role, finding.caused_by, finding.title, explanation, finding.evidence,
        finding.fixes, span.file, span.line, span.column, span.end_line, span.end_column, environment.name, edit,
    )  # fmt: skip


def _main(named: list[Statement], guilty: list[Statement]) -> Statement | None:
    """The statement that the first fix would change; else the last one that is not TensorFlow's own, for it was added to that."""
    beside = [each for each in guilty if not each.name.startswith(("tensorflow", "tf-nightly"))]
    return next((each[-1] for each in (named, beside, guilty) if each), None)


def _excused(
    found: list[Located], excuses: tuple[Excuse, ...], ignore: Mapping[str, str]
) -> tuple[list[Located], list[Excused]]:
    retained, ignored = [], []
    for each in found:
        reason = next(
            (excuse.reason for excuse in excuses if _excuses(excuse, each)),
            ignore.get(each.code, ""),
        )
        if reason:
            ignored.append(Excused(each.code, reason, each.file, each.line))
        else:
            retained.append(each)
    return retained, ignored


def _excuses(excuse: Excuse, finding: Located) -> bool:
    return (
        bool(excuse.reason)
        and excuse.file == finding.file
        and finding.line in (excuse.line, excuse.line + 1)
        and finding.code in excuse.codes
    )
