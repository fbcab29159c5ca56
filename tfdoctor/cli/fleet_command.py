"""`tfdoctor fleet node | run | summarize`."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from tfdoctor.cli.guard import NO_VERDICT, UsageError
from tfdoctor.cli.options import CHECK
from tfdoctor.cli.output import need_standard_output, write_result
from tfdoctor.cli.parse import HelpAsked, parse_args

app = typer.Typer(name="fleet", add_completion=False, rich_markup_mode=None)

_OF_A_REPORT = {"output": "-o", "state": "--state", "schema": "--schema"}


@app.callback()
def fleet() -> None:
    """The same examination on many nodes, and which are the odd ones out."""


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def node(
    context: typer.Context,
    node_name: Annotated[
        str,
        typer.Option("--node-name", metavar="NAME", help="This node's name. [Slurm's, or the host's]"),
    ] = "",
) -> None:
    """Examine this node and print one record on one line. Takes the options of tfdoctor check."""
    from tfdoctor.fleet.node import examine_node
    from tfdoctor.fleet.record import State, line_of
    from tfdoctor.fleet.record import node_name as name_of

    limit_s = checked_options(context.args)["limit_s"]
    need_standard_output()
    os.environ.pop("TFDOCTOR_OUTPUT", None)  # the report belongs into the record
    engine = "slurm" if "SLURMD_NODENAME" in os.environ else "none"
    made = examine_node(name_of(node_name, os.environ), engine, context.args, limit_s)
    write_result(line_of(made).encode())
    answered = made.state is State.ANSWERED and made.exit in (0, 1)
    raise typer.Exit(made.exit or 0 if answered else NO_VERDICT)


def checked_options(words: list[str]) -> dict[str, Any]:
    """What the options of check say, with `limit_s`. Raises UsageError for a wrong one, before any node is asked."""
    from tfdoctor.cli.check.run import read_settings
    from tfdoctor.examine.options import limit_of

    try:
        parsed = parse_args(CHECK, words, os.environ)
    except HelpAsked:
        raise UsageError("the options are those of tfdoctor check; see tfdoctor check --help") from None
    for field, name in _OF_A_REPORT.items():
        if field in parsed.typed:
            raise UsageError(
                f"{name} is no option of tfdoctor fleet: each node answers with one line of JSON"
            )
    if parsed.typed.get("form", "json") != "json":
        raise UsageError("--format is no option of tfdoctor fleet node: a record is one line of JSON")
    fields = parsed.fields(read_settings().options)
    return {**fields, "limit_s": limit_of(fields["smoke"], fields["timeout_s"])}
