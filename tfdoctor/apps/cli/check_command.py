"""What `check` does with its options: settings, examination, report, exit status."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.guard import NO_VERDICT, UsageError, internal
from tfdoctor.apps.cli.options import CHECK
from tfdoctor.apps.cli.output import (
    REPORT_ENDINGS,
    form_of,
    output_of,
    shows_names,
    tell_written,
    wants_progress,
)
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.progress import Progress
from tfdoctor.apps.cli.settings import codes_to_ignore, matrix_of, read_settings
from tfdoctor.base import supervised
from tfdoctor.base.records import record, replace
from tfdoctor.knowledge import plugins

if TYPE_CHECKING:
    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.report.options import Options
    from tfdoctor.report.report import Report
    from tfdoctor.report.settings import Settings


@record
class CheckOptions:
    """The command line and its environment variables. `state` None: no state is kept; "": in the usual place."""

    python: str = ""
    kernel: str = ""
    smoke: str = "auto"
    require_gpu: bool | None = None
    deep: bool = False
    facts: str = ""
    form: str = "terminal"
    output: str = ""
    state: str | None = None
    fail_on: str = "error"
    ignore: tuple[str, ...] = ()
    redact: bool = True
    names_shown: bool = False
    timeout_s: float | None = None
    matrix: str = ""
    sysroot: str = "/"
    as_owner: bool = False
    amount: int = 0
    """How much is shown: 1 more, -1 less than usual."""


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    parsed = parse_args(CHECK, arguments, os.environ)
    settings = read_settings()
    fields = parsed.fields(settings.options)
    if not fields.pop("no_plugins"):
        plugins.load()
    if "state" not in parsed.typed and (fields["facts"] or fields["sysroot"] != "/"):
        fields["state"] = (
            None  # the variable stands for every examination of this machine, and this is none
        )
    if fields["facts"] and {"python", "kernel"} & set(parsed.typed):
        raise UsageError("--facts checks a saved report; leave out --python and --kernel")
    if fields["state"] is not None and not hasattr(time, "CLOCK_BOOTTIME"):
        raise UsageError(
            "--state: it is kept for tfdoctor healthcheck, which runs on Linux alone; leave it out"
        )
    fields["form"] = form_of(parsed, REPORT_ENDINGS)
    fields["names_shown"] = shows_names(parsed, fields["form"], fields["output"])
    return run_check(CheckOptions(**fields), settings)


def run_check(asked: CheckOptions, settings: Settings) -> int:
    """The exit status. Raises UsageError before anything is examined, or where nothing can be."""
    _begin(asked)
    options = options_of(asked, settings)
    output = output_of(asked.output)
    state = _state_path(asked.state) if asked.state is not None else None
    report = _report(asked, options)
    supervised.tell("status", exit_status(report, asked.fail_on))
    shown, data = _written(report, asked, to_file=output.to_file)
    supervised.wait_for_permission()
    output.write(data)
    if output.to_file:
        from tfdoctor.say.report_view import report_view

        tell_written(output, report_view(shown))
    supervised.tell("written", True)
    if asked.smoke == "none" and not asked.facts:
        from tfdoctor.ask.probes.smoke.scratch import remove_forgotten

        remove_forgotten()  # every other examination does before it makes a folder of its own
    if state is not None:
        _keep_state(report, state, asked.fail_on, options.settings)
    return exit_status(report, asked.fail_on)


def _begin(asked: CheckOptions) -> None:
    """From here on an answer is promised: what the process that watches this one needs for giving it."""
    if supervised.is_supervised():
        from tfdoctor.report.options import limit_of

        supervised.tell("begun", {
            "limit_s": limit_of(asked.smoke, asked.timeout_s), "form": asked.form, "redact": asked.redact,
            "output": asked.output if asked.output != "-" else "", "smoke": asked.smoke, "at": time.monotonic(),
        })  # fmt: skip


def exit_status(report: Report, fail_on: str) -> int:
    """1 for a finding at or above `fail_on`, else 3 without a verdict, else 0."""
    from tfdoctor.knowledge.model import Severity, Verdict

    if any(finding.severity <= Severity(fail_on) for finding in report.findings):
        return 1
    return NO_VERDICT if report.verdict is Verdict.UNKNOWN else 0


def options_of(asked: CheckOptions, settings: Settings) -> Options:
    from tfdoctor.judge.engine.policy import Policy
    from tfdoctor.report.options import Options

    if asked.python and asked.kernel:
        raise UsageError("--python and --kernel name two interpreters; give one of them")
    if asked.state is not None and (asked.facts or asked.sysroot != "/"):
        raise UsageError(
            "--state is kept of this machine alone; leave it out with --facts and --sysroot"
        )
    if asked.sysroot != "/" and not os.path.isdir(asked.sysroot):
        raise UsageError(f"--sysroot {asked.sysroot} isn't a directory")
    policy = Policy(
        require_gpu=asked.require_gpu,
        required_tensorflow=settings.required_tensorflow,
        min_free_ram=settings.min_free_memory,
        min_free_vram=settings.min_free_vram,
        report=asked.facts if asked.facts != "-" else "",
    )
    return Options(asked.smoke, policy, _ignored(asked, settings), asked.timeout_s, settings.file)


def _ignored(asked: CheckOptions, settings: Settings) -> dict[str, str]:
    """Codes with the reason. Raises UsageError for a word that is no code."""
    ignored = {item.code: item.reason for item in settings.ignore}
    return ignored | codes_to_ignore(asked.ignore)


def _report(asked: CheckOptions, options: Options) -> Report:
    progress = Progress(live=wants_progress(os.environ) and not asked.facts)
    try:
        matrix = _matrix(asked)
        return (
            _saved(asked, options, matrix)
            if asked.facts
            else examined(asked, options, matrix, progress)
        )
    finally:
        progress.end()


def _saved(asked: CheckOptions, options: Options, matrix: Callable[[], Matrix]) -> Report:
    from tfdoctor.apps.cli.saved import read_report
    from tfdoctor.apps.documents import judge_again

    saved = read_report(asked.facts)
    judged = judge_again(saved, matrix(), None, options)
    of = f" of {saved.generated_at.partition('T')[0]}" if saved.generated_at else ""
    note = f"Saved report{of}; this machine was not checked."
    return replace(judged, subject=replace(judged.subject, note=note))


def examined(
    asked: CheckOptions,
    options: Options,
    matrix: Callable[[], Matrix],
    progress: Progress | None = None,
) -> Report:
    """Once the examination has begun there is a report, also where tfdoctor itself fails. Raises UsageError."""
    from tfdoctor.ask.probes.request import Request, RequestError
    from tfdoctor.base.sysroot import System
    from tfdoctor.report.examine import examine

    progress = progress or Progress(live=False)
    system = System(root=Path(os.path.realpath(asked.sysroot)))
    request = Request(
        system=system,
        python=asked.python,
        kernel=asked.kernel,
        deep=asked.deep,
        as_owner=asked.as_owner,
    )
    try:
        report = examine(request, options, matrix, progress)
        from tfdoctor.apps.repair.offer import offered, target  # first of all the probes begin
        from tfdoctor.ask.probes.python.ownership import note

        apply = (
            offered(report.findings, report.facts, target(request.python, request.kernel))
            if system.live
            else None
        )
        return replace(report, subject=replace(report.subject, note=note(request)), apply=apply)
    except RequestError as error:
        raise UsageError(str(error)) from error
    except Exception as error:  # noqa: BLE001  # a fault of ours is told in the report that was promised
        progress.end()
        from tfdoctor.report.report import failed_report

        return failed_report(internal(error), options.smoke, matrix())


def _matrix(asked: CheckOptions) -> Callable[[], Matrix]:
    """The user's own is read at once, so that a broken one costs no examination; else it is read on the way."""
    if not asked.matrix:
        return lambda: _loaded_with_the_writer(asked)
    matrix = matrix_of(asked.matrix)
    return lambda: matrix


def _loaded_with_the_writer(asked: CheckOptions) -> Matrix:
    """Called while the machine is being asked: what the report will need is imported then, and not when all wait for it."""
    from tfdoctor.apps.cli.report_output import prepare
    from tfdoctor.knowledge.matrix.load import load_in_force

    matrix = load_in_force()
    prepare(asked.form, redact=asked.redact)
    return matrix


def _written(report: Report, asked: CheckOptions, *, to_file: bool) -> tuple[Report, bytes]:
    """The report in the form that was asked for, without private values unless they were asked for."""
    from tfdoctor.apps.cli.report_output import to_show, write

    shown = to_show(report, redact=asked.redact, environ=os.environ, names_shown=asked.names_shown)
    data = write(
        shown, asked.form, os.environ, to_file=to_file, amount=asked.amount, fail_on=asked.fail_on
    )
    return shown, data


def _state_path(name: str) -> Path:
    """Where the state goes, proven writable. Raises UsageError."""
    from tfdoctor.apps.health.state_writer import default_path
    from tfdoctor.base.safe_replace import file_to_replace, prove_writable

    path = Path(name) if name else default_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        prove_writable(file_to_replace(str(path)))
    except OSError as error:
        raise UsageError(_not_written(path, error)) from error
    return path


def _keep_state(report: Report, path: Path, fail_on: str, settings: str) -> None:
    """Raises OSError."""
    from tfdoctor.apps.health.state_writer import keep, state_of

    try:
        keep(state_of(report, fail_on, settings), path)
    except OSError as error:
        raise OSError(error.errno, _not_written(path, error)) from error


def _not_written(path: Path, error: OSError) -> str:
    return f"--state {path}: can't be written ({error.strerror or error})"
