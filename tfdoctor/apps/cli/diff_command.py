"""`tfdoctor diff`: why one of two reports is broken and the other works, and what differs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.options import DIFF
from tfdoctor.apps.cli.output import form_of, output_of, tell_written, view_as_bytes
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.saved import read_report
from tfdoctor.apps.cli.settings import read_settings, refuse_broken_settings

if TYPE_CHECKING:
    from tfdoctor.report.report import Report

_HERE = "."


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    from tfdoctor.apps.documents import compare
    from tfdoctor.say.difference import difference_to_json, difference_view

    parsed = parse_args(DIFF, arguments, os.environ)
    refuse_broken_settings()
    fields = parsed.fields()
    if len(parsed.words) != 2:
        raise UsageError("name two reports, as in: tfdoctor diff mine.json theirs.json")
    for alone in ("-", _HERE):
        if parsed.words == [alone, alone]:
            raise UsageError(f"{alone} can be only one of the two")
    form = form_of(parsed)
    output = output_of(fields["output"])
    names = _names(*parsed.words)
    a, b = _sides(*parsed.words)
    comparison = compare(a, b)
    view = difference_view(comparison, a, b, names, everything=fields["all"])
    if form == "json":
        from tfdoctor.say.json_v1 import render_json

        data = render_json(difference_to_json(comparison, a, b)).encode()
    else:
        data = view_as_bytes(view, form, os.environ, to_file=output.to_file)
    output.write(data)
    tell_written(output, view)
    return 0 if comparison.same else 1


def _names(a: str, b: str) -> tuple[str, str]:
    """What the two are called: their files' names, or their paths where these are alike."""
    called = {"-": "standard input", _HERE: "this machine"}
    one, other = (called.get(name) or os.path.basename(name) for name in (a, b))
    return (one, other) if one != other else (a, b)


def _sides(a: str, b: str) -> tuple[Report, Report]:
    """Both reports; this machine is examined as the other side was."""
    if a == _HERE:
        other = _saved(b)
        return _examined_like(other), other
    one = _saved(a)
    return one, _examined_like(one) if b == _HERE else _saved(b)


def _saved(name: str) -> Report:
    from tfdoctor.apps.documents import with_own_words
    from tfdoctor.knowledge.matrix.load import load_in_force

    return with_own_words(read_report(name, secrets=False), load_in_force())


def _examined_like(other: Report) -> Report:
    """This machine with the same tests, and the same interpreter where it was named and is here, too."""
    from tfdoctor.apps.cli.check_command import CheckOptions, examined, options_of
    from tfdoctor.apps.cli.report_output import to_show
    from tfdoctor.base.vouched import only_ours
    from tfdoctor.facts.outcome import value_or
    from tfdoctor.knowledge.matrix.load import load_in_force

    python = os.path.expanduser(value_or(other.facts.interpreter.executable, ""))
    named = other.subject.chosen_by == "--python" and os.path.isfile(python) and only_ours(python)
    asked = CheckOptions(python=python if named else "", smoke=other.smoke.requested)
    report = examined(asked, options_of(asked, read_settings()), load_in_force)
    return to_show(report, redact=True, environ=os.environ)
