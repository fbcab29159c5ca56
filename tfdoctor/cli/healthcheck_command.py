"""`healthcheck` in the list of commands: for `tfdoctor --help` and completion. `entry.py` runs it without all this."""

from __future__ import annotations

import sys

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True}, add_help_option=False
)
def healthcheck(context: typer.Context) -> None:
    """Answer a container probe in milliseconds: driver, GPUs, memory, and the last examination's verdict."""
    from tfdoctor.cli.healthcheck import main

    raise typer.Exit(main([*context.args]) if context.args else main(sys.argv[2:]))
