"""Answers that need nothing but what they are given: texts and reports in, documents out.

No process, thread or socket is started, no file is read but the package's own, and nothing outside of Python's standard
library has to be compiled: so a browser can run them. `identity` says whose names are taken out of a document; None: nobody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any

from tfdoctor.ask.logs.read import read_streams
from tfdoctor.base.foreign_json import ForeignJsonError, read_json
from tfdoctor.base.json_text import with_texts
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.fix import plan as plans
from tfdoctor.fix.loading import Trusts, nobody
from tfdoctor.fix.machine import NO_SPECIFIER, DescriptionError, described, machine_from_facts
from tfdoctor.fix.plan import Plan
from tfdoctor.fix.together import wanted
from tfdoctor.fix.ways_out import ways_out
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.pages import page_of
from tfdoctor.report import diagnosis, judgement
from tfdoctor.report.diagnosis import Diagnosis as Diagnosis
from tfdoctor.report.diagnosis import diagnosis_to_json
from tfdoctor.report.difference import Comparison as Comparison
from tfdoctor.report.difference import compare as compare
from tfdoctor.report.foreign import in_own_words, without_foreign_commands
from tfdoctor.report.judgement import with_own_words as with_own_words
from tfdoctor.report.options import Options
from tfdoctor.report.report import Report, ReportError, report_from_json, report_to_json
from tfdoctor.say.diagnosis_view import diagnosis_view
from tfdoctor.say.difference import difference_to_json, difference_view
from tfdoctor.say.redact.identity import Identity, with_names_of
from tfdoctor.say.redact.redactor import hide_secrets
from tfdoctor.say.redact.report import redacted as redacted
from tfdoctor.say.report_view import report_view
from tfdoctor.say.view import View

if TYPE_CHECKING:
    from tfdoctor.ask.builds.files import Reading
    from tfdoctor.report.lint import Linted


def diagnose(
    logs: Iterable[tuple[str, IO[bytes]]],
    matrix: Matrix,
    identity: Identity | None,
    report: Facts | None = None,
    trusts: Trusts = nobody,
    offer: Callable[[Diagnosis], Fix | None] = lambda _: None,
) -> Diagnosis:
    """What the logs of one case say, each with the name that it is called by; `report`: the facts of its machine, `trusts` as of a
    `Case`, `offer`: what applies the first fix there. Raises LogError."""
    facts, reads = read_streams(logs)
    told = diagnosis.diagnose(facts, reads, matrix, report, trusts)
    told = replace(told, apply=offer(told))
    if identity is None:
        return told
    lines = (line for read in reads for line in read.transcript.lines.values())
    return redacted(told, with_names_of(identity, lines))


def plan(
    matrix: Matrix,
    facts: Facts,
    *,
    tensorflow: str = "",
    prereleases: bool = False,
    fetch: bool = False,
    beside: str = "",
    **said: str,
) -> tuple[Plan, tuple[Fix, ...]]:
    """Which TensorFlow works on the machine of these facts as far as `said` (driver, gpu, python, os, cuda) says nothing
    else, and what to change where none works. `beside`: the frameworks that share its environment ("torch,jax[cuda12]"). `fetch`: the Python of this system has to be got. Raises DescriptionError."""
    from packaging.specifiers import InvalidSpecifier  # 20 ms that few answers need

    here = machine_from_facts(facts)
    machine = described(here, matrix, **said)
    machine = replace(machine, fetch=fetch and machine.platform == here.platform)
    try:
        made = plans.plan(
            machine, matrix, spec=tensorflow, prereleases=prereleases, beside=wanted(beside, matrix)
        )
    except InvalidSpecifier as error:
        raise DescriptionError("tensorflow", tensorflow, NO_SPECIFIER) from error
    return made, ways_out(made, matrix, Facts() if said.get("os") else facts)


def lint(
    reading: Reading, matrix: Matrix, *, ignore: Mapping[str, str] | None = None, **said: str
) -> Linted:
    """What the build files say, judged for the machine that `said` names (driver, gpu, python), as far as it does. Raises DescriptionError."""
    from tfdoctor.report.lint import lint as judged  # which few answers need

    machine = described(machine_from_facts(Facts()), matrix, **said) if any(said.values()) else None
    named = machine if said.get("driver") or said.get("gpu") else None
    return judged(reading, matrix, named, said.get("python", ""), ignore)


def explain(code: str) -> str:
    """The code's page, in Markdown. Raises KeyError."""
    return page_of(code)


def load(content: bytes, *, secrets: bool = True) -> Report:
    """A saved report without its fixes and sentences, for anybody can have written them; `with_own_words` brings this tfdoctor's.
    `secrets` False: without them, also where it was written with them. Raises ReportError."""
    saved = answered(content, secrets=secrets)
    facts = without_foreign_commands(saved.facts)
    return in_own_words(replace(saved, facts=facts, apply=None), {}, {})


def answered(content: bytes, *, secrets: bool = True) -> Report:
    """The whole report that a process of our own wrote. Raises ReportError."""
    try:
        document = read_json(content)
        return report_from_json(document if secrets else with_texts(document, hide_secrets))
    except ForeignJsonError as error:
        raise ReportError(f"not a tfdoctor report: {hide_secrets(str(error))}") from error
    except ReportError as error:
        raise ReportError(hide_secrets(str(error))) from error


def judge_again(
    saved: Report, matrix: Matrix, identity: Identity | None, options: Options | None = None
) -> Report:
    """A saved report's facts under this matrix and these rules."""
    judged = judgement.judge_again(saved, options or Options(), matrix)
    return judged if identity is None else redacted(judged, identity)


def to_dict(document: Report | Diagnosis) -> dict[str, Any]:
    """The JSON document."""
    return report_to_json(document) if isinstance(document, Report) else diagnosis_to_json(document)


def view(document: Report | Diagnosis) -> View:
    """What `render.pages` draws."""
    return report_view(document) if isinstance(document, Report) else diagnosis_view(document)


def comparison_to_dict(a: Report, b: Report) -> dict[str, Any]:
    """The JSON document of `diff`."""
    return difference_to_json(compare(a, b), a, b)


def comparison_view(a: Report, b: Report, names: tuple[str, str]) -> View:
    """What `render.pages` draws; `names`: what the reports are called."""
    return difference_view(compare(a, b), a, b, names)
