"""`tfdoctor jupyter install | remove | status | kernel`."""

from __future__ import annotations

from typing import Annotated

import typer

from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.output import folded, write_text

app = typer.Typer(
    name="jupyter",
    help="Say in the notebook why a kernel died.",
    add_completion=False,
    rich_markup_mode=None,
)

KernelOption = Annotated[
    str,
    typer.Option("--kernel", metavar="NAME", help="This kernel, by the name of its kernelspec."),
]


@app.command()
def install(
    kernel: KernelOption = "",
    all_kernels: Annotated[
        bool, typer.Option("--all", help="Every kernel that Jupyter offers.")
    ] = False,
    wrap: Annotated[
        bool,
        typer.Option("--wrap", help="For clients that start kernels themselves, such as VS Code."),
    ] = False,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="Change the kernelspec itself instead of adding one."),
    ] = False,
    interrupt_before_kill: Annotated[
        bool,
        typer.Option(
            "--interrupt-before-kill",
            help="Interrupt a cell that is about to run out of memory: the kernel lives on.",
        ),
    ] = False,
) -> None:
    """Add a watched kernel NAME-tfdoctor next to NAME. `remove` undoes it."""
    from tfdoctor.apps.cli.jupyter_kernels import install_for

    if wrap and in_place:
        raise UsageError(
            "--in-place changes the metadata alone; leave out --wrap, or leave out --in-place"
        )
    if wrap and interrupt_before_kill:
        raise UsageError(
            "--wrap watches for deaths alone; leave it out, or leave out --interrupt-before-kill"
        )
    if kernel and all_kernels:
        raise UsageError("--kernel names one, --all takes every kernel: give one of them")
    done = install_for(
        kernel, every=all_kernels, wrap=wrap, in_place=in_place, interrupts=interrupt_before_kill
    )
    _told(done)


@app.command()
def remove(kernel: KernelOption = "") -> None:
    """Undo `install` for one kernel, or for all."""
    from tfdoctor.apps.cli.jupyter_kernels import remove_for

    _told(remove_for(kernel))


@app.command()
def status() -> None:
    """Say which kernels are watched, and why others are not."""
    from tfdoctor.apps.cli.jupyter_kernels import status_lines

    write_text(folded("".join(f"{line}\n" for line in status_lines())))


@app.command()
def kernel(
    connection_file: Annotated[
        str, typer.Option("-f", metavar="FILE", help="The connection file, from the client.")
    ],
    python: Annotated[
        str,
        typer.Option(
            "--python", metavar="PATH", help="The interpreter whose IPython kernel is started."
        ),
    ] = "",
    of: Annotated[
        str,
        typer.Option("--kernel", metavar="NAME", help="The kernelspec whose program is started."),
    ] = "",
) -> None:
    """Start a kernel, watch it, and exit as it does. Kernelspecs of `install --wrap` call this."""
    from tfdoctor.apps.cli.jupyter_kernels import run_wrapped

    raise typer.Exit(run_wrapped(connection_file, python, of))


def _told(done: tuple[list[str], list[str]]) -> None:
    """What was done, then what stood in the way: that is wrong usage where nothing was done."""
    lines, hindered = done
    write_text(folded("".join(f"{line}\n" for line in lines)))
    if hindered:
        raise UsageError("; ".join(hindered))
