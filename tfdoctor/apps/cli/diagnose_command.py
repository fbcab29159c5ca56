"""What `tfdoctor diagnose` does once it is known what is asked for."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.guard import NO_VERDICT, UsageError, say, tell_waiting
from tfdoctor.apps.cli.options import DIAGNOSE
from tfdoctor.apps.cli.output import (
    form_of,
    output_of,
    shows_names,
    tell_written,
)
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import load_plugins, matrix_of, refuse_broken_settings
from tfdoctor.base.records import record

if TYPE_CHECKING:
    from tfdoctor.facts.model import Facts
    from tfdoctor.knowledge.model import Fix
    from tfdoctor.report.diagnosis import Diagnosis
    from tfdoctor.report.report import Report


@record
class DiagnoseOptions:
    """The command line."""

    logs: tuple[str, ...]
    facts: str = ""
    here: bool = False
    python: str = ""
    kernel: str = ""
    form: str = "terminal"
    output: str = ""
    redact: bool = True
    names_shown: bool = False
    matrix: str = ""
    amount: int = 0
    """How much is shown: 1 more, -1 less than usual."""


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    parsed = parse_args(DIAGNOSE, arguments, os.environ)
    fields = parsed.fields()
    refuse_broken_settings()
    if not fields.pop("no_plugins"):
        load_plugins()
    fields["form"] = form_of(parsed)
    fields["names_shown"] = shows_names(parsed, fields["form"], fields["output"])
    return run_diagnose(DiagnoseOptions(tuple(parsed.words) or _given(), **fields))


def _given() -> tuple[str, ...]:
    """Standard input where somebody types, or where it is a pipe or a file."""
    if sys.stdin is None:
        return ()
    kind = os.fstat(sys.stdin.fileno()).st_mode
    return ("-",) if sys.stdin.isatty() or stat.S_ISFIFO(kind) or stat.S_ISREG(kind) else ()


def run_diagnose(asked: DiagnoseOptions) -> int:
    """The exit status. Raises UsageError for what can't be meant or can't be read."""
    _refuse(asked)
    output = output_of(asked.output)
    diagnosis = _diagnosed(asked)
    output.write(_written(diagnosis, asked, to_file=output.to_file))
    if output.to_file:
        from tfdoctor.say.diagnosis_view import diagnosis_view

        tell_written(output, diagnosis_view(diagnosis))
    return exit_status(diagnosis)


def _refuse(asked: DiagnoseOptions) -> None:
    if not asked.logs:
        raise UsageError("name the log, or - for standard input; see tfdoctor diagnose --help")
    if (asked.python or asked.kernel) and not asked.here:
        raise UsageError("--python and --kernel need --here")
    if asked.here and asked.facts:
        raise UsageError("--facts and --here name two machines; give one of them")
    if asked.logs.count("-") > 1:
        raise UsageError("- can be read once only")


def exit_status(diagnosis: Diagnosis) -> int:
    from tfdoctor.report.diagnosis import CAUSE_FOUND, NOISE_ONLY

    return {CAUSE_FOUND: 1, NOISE_ONLY: 0}.get(diagnosis.verdict, NO_VERDICT)


def _diagnosed(asked: DiagnoseOptions) -> Diagnosis:
    from tfdoctor.apps.documents import diagnose
    from tfdoctor.ask.logs.read import LogError, opened_logs
    from tfdoctor.fix.loading import nobody
    from tfdoctor.report.trust import of_this_machine
    from tfdoctor.say.redact.identity import identity

    here = _examined(asked) if asked.here else None
    known = _saved(asked) if here is None else here.facts
    if "-" in asked.logs and sys.stdin is not None and sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
        say(f"Paste the log, then press {end}.")
    in_force = matrix_of(asked.matrix)
    whose = identity(os.environ, names_shown=asked.names_shown) if asked.redact else None
    try:
        trusts = of_this_machine(here.facts) if here is not None else nobody
        return diagnose(
            opened_logs(asked.logs, tell_waiting),
            in_force,
            whose,
            known,
            trusts,
            lambda found: _to_apply(found, here, asked),
        )
    except LogError as error:
        raise UsageError(str(error)) from error


def _to_apply(diagnosis: Diagnosis, here: Report | None, asked: DiagnoseOptions) -> Fix | None:
    """What applies the fix of the first cause, where this machine's facts show the same one."""
    if here is None or not diagnosis.roots:
        return None
    from tfdoctor.apps.repair.offer import offered, target

    code = diagnosis.roots[0].code
    same = [each for each in here.findings if each.code == code]
    return offered(same, here.facts, target(asked.python, asked.kernel), code)


def _saved(asked: DiagnoseOptions) -> Facts | None:
    if not asked.facts:
        return None
    from tfdoctor.apps.cli.saved import read_report

    return read_report(asked.facts).facts


def _examined(asked: DiagnoseOptions) -> Report:
    from tfdoctor.ask.probes.request import Request, RequestError
    from tfdoctor.report.examine import examine
    from tfdoctor.report.options import Options

    try:
        request = Request(python=asked.python, kernel=asked.kernel)
        return examine(request, Options("none"), lambda: matrix_of(asked.matrix))
    except RequestError as error:
        raise UsageError(str(error)) from error


def _written(diagnosis: Diagnosis, asked: DiagnoseOptions, *, to_file: bool) -> bytes:
    """In the form that was asked for."""
    if asked.form == "json":
        from tfdoctor.report.diagnosis import diagnosis_to_json
        from tfdoctor.say.json_v1 import render_json

        return render_json(diagnosis_to_json(diagnosis)).encode("utf-8")
    from tfdoctor.apps.cli.output import view_as_bytes
    from tfdoctor.say.diagnosis_view import diagnosis_view

    view = diagnosis_view(diagnosis)
    return view_as_bytes(view, asked.form, os.environ, to_file=to_file, amount=asked.amount)
