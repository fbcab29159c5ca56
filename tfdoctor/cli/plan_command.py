"""`tfdoctor plan`: which TensorFlow works on this machine, or on one described, best first, with the commands."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from tfdoctor.cli.output import folded, write_text
from tfdoctor.system.printable import printable

if TYPE_CHECKING:
    from tfdoctor.facts.model import Facts

PROBES_LIMIT_S = 15.0
OPTIONS_IN_FULL = 3


def plan(
    driver: Annotated[
        str, typer.Option(metavar="VERSION", help="Plan for this NVIDIA driver, such as 535.104.05.")
    ] = "",
    gpu: Annotated[
        str,
        typer.Option(
            metavar="GPU",
            help='Plan for this GPU: a name ("RTX 3090"), a compute capability (8.6), or none for the CPU.',
        ),
    ] = "",
    python: Annotated[
        str, typer.Option(metavar="VERSION", help="Plan for this Python version, such as 3.12.")
    ] = "",
    os: Annotated[
        str,
        typer.Option(metavar="SYSTEM", help="Plan for linux, linux-aarch64, windows, macos or macos-x86_64."),
    ] = "",
    tensorflow: Annotated[
        str, typer.Option(metavar="RELEASES", help='Only these releases: "2.16.*", "~=2.15", ">=2.18".')
    ] = "",
    cuda: Annotated[
        str, typer.Option(metavar="VERSION", help="Only builds with this CUDA: 12 or 11.8.")
    ] = "",
    pre: Annotated[bool, typer.Option("--pre", help="Release candidates, too.")] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Every option in full.")] = False,
    matrix: Annotated[
        str, typer.Option(metavar="FILE", help="Use this compatibility matrix.", envvar="TFDOCTOR_MATRIX")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say which TensorFlow works on this machine, or on one described by options, with the install commands.

    What is not described is taken from this machine. Exit status 1: no release works.
    """
    from tfdoctor.documents import plan as make_plan
    from tfdoctor.fixes.machine import DescriptionError
    from tfdoctor.matrix.load import load_in_force
    from tfdoctor.matrix.model import MatrixError
    from tfdoctor.render.plan import plan_to_json, plan_to_text

    try:
        table = load_in_force(Path(matrix) if matrix else None)
        facts = _this_machine()
        said = {
            "tensorflow": tensorflow,
            "driver": driver,
            "gpu": gpu,
            "python": python,
            "os": os,
            "cuda": cuda,
        }
        made, ways = make_plan(table, facts, prereleases=pre, **said)
        candidates = (
            () if made.options or pre else make_plan(table, facts, prereleases=True, **said)[0].options
        )
    except (DescriptionError, MatrixError) as error:
        _wrong_usage(str(error))
    if candidates:
        sys.stderr.write("A release candidate works here: tfdoctor plan --pre\n")
    most = len(made.options) if show_all else OPTIONS_IN_FULL
    text = (
        json.dumps(plan_to_json(made, table, ways), indent=2) + "\n"
        if as_json
        else folded(plan_to_text(made, table, most, ways))
    )
    write_text(text)
    raise typer.Exit(0 if made.options else 1)


def _wrong_usage(message: str) -> NoReturn:
    sys.stderr.write(f"tfdoctor plan: {printable(message)}\n")
    raise typer.Exit(2)


def _this_machine() -> Facts:
    """What the probes say of this machine; nothing is computed and no TensorFlow is imported."""
    from tfdoctor.facts.model import Facts
    from tfdoctor.probes.all import PROBES
    from tfdoctor.probes.driver.release import joined
    from tfdoctor.probes.request import Request
    from tfdoctor.probes.runner import run_probes

    wanted = [probe for probe in PROBES if probe.name in ("host", "interpreter", "driver", "nvml")]
    facts, _ = run_probes(wanted, Request(), Facts(), deadline=time.monotonic() + PROBES_LIMIT_S)
    return joined(facts)
