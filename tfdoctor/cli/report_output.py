"""A report as bytes, in the form and for the place that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from tfdoctor.cli.output import DRAWN, view_as_bytes
from tfdoctor.examine.report import Report, report_to_json
from tfdoctor.system import supervised

_VIEW = "tfdoctor.render.report_view"
_HIDERS = ("tfdoctor.render.redact.report", "tfdoctor.render.redact.identity")


def _json(report: Report) -> str:
    from tfdoctor.render.json_v1 import render_json

    return render_json(report_to_json(report))


def _issue(report: Report) -> str:
    from tfdoctor.render.issue_form import issue_form
    from tfdoctor.render.report_view import footer_of
    from tfdoctor.render.ticket import render_issue_form

    return render_issue_form(issue_form(report), footer_of(report))


_WRITTEN = {"json": (_json, "tfdoctor.render.json_v1"), "tf-issue": (_issue, "tfdoctor.render.ticket")}
"""Forms that are made of the report itself, with what they import; the others draw its view (cli/output.py)."""


def prepare(form: str, *, redact: bool) -> None:
    """Imports what the two below will need, in a thread, while the machine is being asked and nobody waits for it.

    By name: an import that is used elsewhere looks like one that nobody uses, and was once removed as such.
    """
    with suppress(ImportError):  # whoever needs it meets the same and tells it
        for name in (*_modules(form), *(_HIDERS if redact else ())):
            import_module(name)
        if redact:
            from tfdoctor.render.redact.identity import our_words
            from tfdoctor.render.redact.rules import compile_usual

            our_words()
            compile_usual()


def _modules(form: str) -> tuple[str, ...]:
    if form in _WRITTEN:
        return (_WRITTEN[form][1],)
    return _VIEW, DRAWN[form][0] if form in DRAWN else "tfdoctor.render.terminal"


def to_show(report: Report, *, redact: bool, environ: Mapping[str, str], names_shown: bool = False) -> Report:
    """The report, without private values where `redact` is wished; with `names_shown`, names are not."""
    if supervised.is_supervised():
        supervised.tell("judged", report_to_json(report))
    if not redact:
        return report
    from tfdoctor.render.redact.identity import identity
    from tfdoctor.render.redact.report import redacted

    return redacted(report, identity(environ, names_shown=names_shown))


def write(report: Report, form: str, environ: Mapping[str, str], *, to_file: bool, amount: int = 0) -> bytes:
    """JSON, Markdown and HTML are UTF-8; text for a terminal is in what the terminal can show."""
    if form in _WRITTEN:
        return _WRITTEN[form][0](report).encode("utf-8")
    from tfdoctor.render.report_view import report_view

    return view_as_bytes(report_view(report), form, environ, to_file=to_file, amount=amount)
