"""`tfdoctor fleet node | run | summarize`."""

from __future__ import annotations

import os
import shlex
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tfdoctor.apps.cli.guard import NO_VERDICT, UsageError, install_extra, tell_waiting
from tfdoctor.apps.cli.options import CHECK, FAIL_ON, FORMATS
from tfdoctor.apps.cli.output import (
    Output,
    StandardOutput,
    form_by_name,
    need_standard_output,
    output_of,
    tell_written,
    view_as_bytes,
    write_result,
)
from tfdoctor.apps.cli.parse import HelpAsked, SchemaAsked, parse_args
from tfdoctor.apps.cli.schemas import schema

if TYPE_CHECKING:
    from tfdoctor.apps.fleet.summary import Fleet

app = typer.Typer(name="fleet", add_completion=False, rich_markup_mode=None)

ENGINES = ("slurm", "ray")
_OF_A_REPORT = {"output": "-o", "state": "--state"}


@app.callback()
def fleet() -> None:
    """Check many nodes, and say which are broken and how they differ."""


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def node(
    context: typer.Context,
    node_name: Annotated[
        str,
        typer.Option(
            "--node-name", metavar="NAME", help="This node's name. [Slurm's, or the host's]"
        ),
    ] = "",
) -> None:
    """Check this node and print one record on one line. Takes the options of tfdoctor check."""
    from tfdoctor.apps.fleet.node import examine_node
    from tfdoctor.apps.fleet.record import State, line_of
    from tfdoctor.apps.fleet.record import node_name as name_of

    limit_s = checked_options(context.args)["limit_s"]
    need_standard_output()
    os.environ.pop("TFDOCTOR_OUTPUT", None)  # the report belongs into the record
    engine = "slurm" if "SLURMD_NODENAME" in os.environ else "none"
    made = examine_node(name_of(node_name, os.environ), engine, context.args, limit_s)
    write_result(line_of(made).encode())
    answered = made.state is State.ANSWERED and made.exit in (0, 1)
    raise typer.Exit(made.exit or 0 if answered else NO_VERDICT)


def _one_of(name: str, words: tuple[str, ...], told: str) -> Any:
    return typer.Option(
        name, metavar="|".join(words), help=told, autocompletion=lambda: list(words)
    )


def _print_schema(wanted: bool) -> None:
    if wanted:
        need_fleet_extra()
        write_result(schema("fleet").encode())
        raise typer.Exit


FormatOption = Annotated[str, _one_of("--format", FORMATS, "Output format.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Same as --format json.")]
FailOnOption = Annotated[str, _one_of("--fail-on", FAIL_ON, "Exit status 1 from this severity on.")]
SchemaOption = Annotated[
    bool,
    typer.Option(
        "--schema",
        help="Print the JSON Schema of the summary.",
        is_eager=True,
        callback=_print_schema,
    ),
]
RedactOption = Annotated[
    bool,
    typer.Option("--redact/--no-redact", help="Hide the names of nodes and users, and addresses."),
]


@app.command()
def summarize(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...|-",
            help="Reports, records, folders and archives of them; - reads a pipe.",
        ),
    ],
    form: FormatOption = "terminal",
    as_json: JsonOption = False,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write to this file.")
    ] = "",
    fail_on: FailOnOption = "error",
    redact: RedactOption = False,
    print_schema: SchemaOption = False,
) -> None:
    """Sum up reports: which nodes are broken, and why."""
    need_fleet_extra()
    from tfdoctor.apps.fleet.gather import gather
    from tfdoctor.apps.fleet.summary import Fleet
    from tfdoctor.ask.logs.forms.opening import LogError

    form = checked_form(form, as_json=as_json, output=output)
    _choice("--fail-on", fail_on, FAIL_ON)
    out = output_of(output)
    for path in paths:
        if path != "-" and not os.path.exists(path):
            raise UsageError(f"{path}: no such file or directory")
    fleet = Fleet()
    try:
        fleet.read(gather(paths, sys.stdin.buffer if sys.stdin else None, tell_waiting))
    except LogError as error:
        raise UsageError(str(error)) from error
    if not fleet.records and not fleet.unread_files:
        raise UsageError(f"{paths[0]}: no tfdoctor report in it; tfdoctor check --json writes one")
    raise typer.Exit(write_summary(fleet, form, out, redact=redact, fail_on=fail_on))


@app.command()
def run(
    options: Annotated[
        list[str] | None, typer.Argument(metavar="-- OPTIONS", help="Options of tfdoctor check.")
    ] = None,
    engine: Annotated[
        str, _one_of("--engine", ENGINES, "What starts tfdoctor on the nodes.")
    ] = "slurm",
    nodes: Annotated[
        str,
        typer.Option(
            "--nodes",
            metavar="LIST",
            help="These nodes, such as n[1-4]. [all, or the allocation's]",
        ),
    ] = "",
    parallel: Annotated[
        int, typer.Option("--parallel", min=1, max=1000, metavar="N", help="Nodes at a time.")
    ] = 32,
    wait: Annotated[
        float, typer.Option("--wait", min=0, metavar="S", help="Seconds for a node to become free.")
    ] = 30.0,
    srun: Annotated[
        str, typer.Option("--srun", metavar="OPTIONS", help="More options for srun.")
    ] = "",
    address: Annotated[
        str, typer.Option("--address", metavar="ADDRESS", help="Ray's cluster. [auto]")
    ] = "",
    gpus: Annotated[
        float,
        typer.Option("--gpus", min=0, metavar="N", help="With Ray: GPUs to request per node."),
    ] = 0.0,
    doctor: Annotated[
        str,
        typer.Option(
            "--doctor",
            metavar="COMMAND",
            help="The command that starts tfdoctor on a node. [as here]",
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.jsonl",
            help="Write each record to this file when it arrives.",
        ),
    ] = "",
    resume: Annotated[
        str,
        typer.Option(
            "--resume",
            metavar="FILE.jsonl",
            help="Continue this file: ask only the nodes that have not answered.",
        ),
    ] = "",
    form: FormatOption = "terminal",
    as_json: JsonOption = False,
    fail_on: FailOnOption = "error",
    redact: RedactOption = False,
) -> None:
    """Check many nodes with Slurm or Ray and sum up. Ctrl-C stops it and sums up what has arrived."""
    need_fleet_extra()
    _choice("--engine", engine, ENGINES)
    _choice("--fail-on", fail_on, FAIL_ON)
    form = checked_form(form, as_json=as_json, output="")
    form_by_name("", output, "jsonl", ("jsonl",))
    from tfdoctor.apps.cli.fleet_run import Plan, run_fleet

    check = checked_options(options or [])
    plan = Plan(
        engine, nodes, parallel, wait, _words("--srun", srun), _words("--doctor", doctor) or (sys.executable, "-m", "tfdoctor"),
        tuple(options or ()), check["limit_s"], output, resume, address, gpus,
    )  # fmt: skip
    fleet, lost_output = run_fleet(plan)
    status = write_summary(fleet, form, StandardOutput(), redact=redact, fail_on=fail_on)
    if lost_output is not None:
        raise lost_output
    raise typer.Exit(status)


def _words(name: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error


def write_summary(fleet: Fleet, form: str, output: Output, *, redact: bool, fail_on: str) -> int:
    """Writes it, and returns the exit status."""
    from tfdoctor.apps.fleet.view import hidden, summary_view, without_secrets

    summary = hidden(fleet, os.environ) if redact else without_secrets(fleet.summary())
    view = summary_view(summary)
    if form == "json":
        from tfdoctor.facts.codec import to_json
        from tfdoctor.say.json_v1 import render_json

        data = render_json(to_json(summary)).encode()
    else:
        data = view_as_bytes(view, form, os.environ, to_file=output.to_file)
    output.write(data)
    tell_written(output, view)
    return summary.exit_status(fail_on)


def checked_form(form: str, *, as_json: bool, output: str) -> str:
    """Named by an option, or else by the file's name."""
    _choice("--format", form, FORMATS)
    asked = "json" if as_json else form if form != "terminal" else ""
    return form_by_name(asked, output, "terminal")


def _choice(name: str, word: str, choices: tuple[str, ...]) -> None:
    if word not in choices:
        raise UsageError(f"{name}: use one of {', '.join(choices)}, not {word[:40]!r}")


def need_fleet_extra() -> None:
    """Raises UsageError with the command that installs it."""
    try:
        import_module("tfdoctor.apps.fleet.summary")
    except ModuleNotFoundError:
        raise UsageError(f"summaries need two more packages: {install_extra('fleet')}") from None


def checked_options(words: list[str]) -> dict[str, Any]:
    """What the options of check say, with `limit_s`. Raises UsageError for a wrong one, before any node is asked."""
    from tfdoctor.apps.cli.settings import read_settings
    from tfdoctor.report.options import limit_of

    try:
        parsed = parse_args(CHECK, words, os.environ)
    except HelpAsked:
        raise UsageError(
            "the options are those of tfdoctor check; see tfdoctor check --help"
        ) from None
    except SchemaAsked:
        raise UsageError(
            "--schema isn't an option here; see tfdoctor fleet summarize --schema"
        ) from None
    for field, name in _OF_A_REPORT.items():
        if field in parsed.typed:
            raise UsageError(
                f"{name} isn't an option of tfdoctor fleet: each node answers with one line of JSON"
            )
    if parsed.typed.get("form", "json") != "json":
        raise UsageError(
            "--format isn't an option of tfdoctor fleet node: a record is one line of JSON"
        )
    fields = parsed.fields(read_settings().options)
    return {**fields, "limit_s": limit_of(fields["smoke"], fields["timeout_s"])}
