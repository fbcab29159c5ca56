"""A report as bytes, in the form and for the place that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from tfdoctor.apps.cli.output import DRAWN, view_as_bytes
from tfdoctor.base import supervised
from tfdoctor.report.report import Report, report_to_json

_VIEW = "tfdoctor.say.report_view"
_HIDERS = ("tfdoctor.say.redact.report", "tfdoctor.say.redact.identity")


def _json(report: Report, _: str) -> str:
    from tfdoctor.say.json_v1 import render_json

    return render_json(report_to_json(report))


def _issue(report: Report, _: str) -> str:
    from tfdoctor.say.issue_form import issue_form
    from tfdoctor.say.report_view import footer_of
    from tfdoctor.say.ticket import render_issue_form

    return render_issue_form(issue_form(report), footer_of(report))


def _sarif(report: Report, _: str) -> str:
    from tfdoctor.say.json_v1 import render_json
    from tfdoctor.say.sarif import report_to_sarif

    return render_json(report_to_sarif(report))


def _junit(report: Report, fail_on: str) -> str:
    from tfdoctor.say.junit import report_to_junit

    return report_to_junit(report, fail_on)


_WRITTEN = {
    "json": (_json, ("tfdoctor.say.json_v1",)),
    "tf-issue": (_issue, ("tfdoctor.say.ticket", _VIEW)),
    "sarif": (_sarif, ("tfdoctor.say.sarif", "tfdoctor.say.json_v1")),
    "junit": (_junit, ("tfdoctor.say.junit",)),
}
"""Forms that are made of the report itself (and of --fail-on), with what they import; the others draw its view (cli/output.py)."""


def prepare(form: str, *, redact: bool) -> None:
    """Imports what the two below will need, in a thread, while the machine is being asked and nobody waits for it.

    By name: an import that is used elsewhere looks like one that nobody uses, and was once removed as such.
    """
    with suppress(ImportError):  # whoever needs it meets the same and tells it
        for name in (*_modules(form), *(_HIDERS if redact else ())):
            import_module(name)
        if redact:
            from tfdoctor.say.redact.identity import our_words
            from tfdoctor.say.redact.rules import compile_usual

            our_words()
            compile_usual()


def _modules(form: str) -> tuple[str, ...]:
    if form in _WRITTEN:
        return _WRITTEN[form][1]
    return _VIEW, DRAWN[form][0] if form in DRAWN else "tfdoctor.say.terminal"


def to_show(
    report: Report, *, redact: bool, environ: Mapping[str, str], names_shown: bool = False
) -> Report:
    """The report, without private values where `redact` is wished; with `names_shown`, names are not."""
    if supervised.is_supervised():
        supervised.tell("judged", report_to_json(report))
    if not redact:
        return report
    from tfdoctor.say.redact.identity import identity
    from tfdoctor.say.redact.report import redacted

    return redacted(report, identity(environ, names_shown=names_shown))


def write(
    report: Report,
    form: str,
    environ: Mapping[str, str],
    *,
    to_file: bool,
    amount: int = 0,
    fail_on: str = "error",
) -> bytes:
    """JSON, Markdown and HTML are UTF-8; text for a terminal is in what the terminal can show."""
    if form in _WRITTEN:
        return _WRITTEN[form][0](report, fail_on).encode("utf-8")
    from tfdoctor.say.report_view import report_view

    return view_as_bytes(report_view(report), form, environ, to_file=to_file, amount=amount)
