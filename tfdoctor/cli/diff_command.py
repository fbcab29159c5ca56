"""`tfdoctor diff`: what differs between two reports, what matters first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from tfdoctor.cli.output import text_encoding, width_of, write_result
from tfdoctor.cli.saved import read_report

if TYPE_CHECKING:
    from tfdoctor.examine.difference import Comparison
    from tfdoctor.examine.report import Report

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def diff(
    a: Annotated[str, typer.Argument(metavar="A.json", help="A report that `check --json` wrote.")],
    b: Annotated[str, typer.Argument(metavar="B.json", help="The report to compare it with.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what differs between two reports, what matters first. Exit status 1: something that matters differs."""
    from tfdoctor.examine.difference import compare

    one, other = read_report(a, secrets=False), read_report(b, secrets=False)
    comparison = compare(one, other)
    if as_json:
        write_result(_json(comparison, one, other).encode())
    else:
        from tfdoctor.render.difference import render_difference

        encoding = text_encoding(os.environ)
        text = render_difference(comparison, one, other, width=width_of(os.environ), encoding=encoding)
        write_result(text.encode(encoding, "replace"))
    raise typer.Exit(0 if comparison.same else 1)


def _json(comparison: Comparison, one: Report, other: Report) -> str:
    from tfdoctor.render.difference import difference_to_json
    from tfdoctor.render.json_v1 import render_json

    return render_json(difference_to_json(comparison, one, other))
