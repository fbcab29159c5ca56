"""A report as bytes, in the form and for the place that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from tfdoctor.cli.output import text_encoding, wants_colour, width_of
from tfdoctor.examine.report import Report, report_from_json, report_to_json
from tfdoctor.system import supervised

_WRITERS = {
    "json": "tfdoctor.render.machine.json_v1",
    "markdown": "tfdoctor.render.people.markdown",
    "html": "tfdoctor.render.people.html",
}
_TERMINAL = "tfdoctor.render.people.terminal"
_HIDERS = ("tfdoctor.render.redact.report", "tfdoctor.render.redact.identity")


def prepare(form: str, *, redact: bool) -> None:
    """Imports what the two below will need, in a thread, while the machine is being asked and nobody waits for it.

    By name: an import that is used elsewhere looks like one that nobody uses, and was once removed as such.
    """
    with suppress(ImportError):  # whoever needs it meets the same and tells it
        for name in (_WRITERS.get(form, _TERMINAL), *(_HIDERS if redact else ())):
            import_module(name)
        if redact:
            from tfdoctor.render.redact.identity import our_words
            from tfdoctor.render.redact.rules import compile_usual

            our_words()
            compile_usual()


def document_of(report: Report, *, redact: bool, environ: Mapping[str, str]) -> dict[str, Any]:
    """The JSON document, without private values where `redact` is wished."""
    document = report_to_json(report)
    supervised.tell("judged", document)
    if not redact:
        return document
    from tfdoctor.render.redact.identity import identity
    from tfdoctor.render.redact.report import redact as redacted

    return redacted(document, identity(environ))


def write(document: dict[str, Any], form: str, environ: Mapping[str, str], *, to_file: bool) -> bytes:
    """JSON, Markdown and HTML are UTF-8; text for a terminal is in what the terminal can show."""
    if form == "json":
        from tfdoctor.render.machine.json_v1 import render_json

        return render_json(document).encode("utf-8")
    report = report_from_json(document)
    if form == "markdown":
        from tfdoctor.render.people.markdown import render_markdown

        return render_markdown(report).encode("utf-8")
    if form == "html":
        from tfdoctor.render.people.html import render_html

        return render_html(report).encode("utf-8")
    return _for_terminal(report, environ, to_file=to_file)


def _for_terminal(report: Report, environ: Mapping[str, str], *, to_file: bool) -> bytes:
    import sys
    from io import StringIO

    from tfdoctor.render.people.terminal import Page, render_terminal

    if to_file:
        page = Page()
    else:
        colour = wants_colour(environ, terminal=sys.stdout.isatty())
        page = Page(width_of(environ), colour, text_encoding(environ))
    text = StringIO()
    render_terminal(report, page, text)
    return text.getvalue().encode(page.encoding, "replace")
