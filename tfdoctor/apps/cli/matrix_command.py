"""`tfdoctor matrix`: look at the compatibility matrix, prove it against the published wheels, fetch a newer one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from tfdoctor.apps.cli.guard import INTERRUPTED, NO_VERDICT, UsageError, say
from tfdoctor.apps.cli.output import (
    as_bytes,
    folded,
    form_by_name,
    output_of,
    tell_written,
    write_text,
)
from tfdoctor.base.units import counted
from tfdoctor.knowledge.matrix.load import load_in_force

if TYPE_CHECKING:
    from tfdoctor.knowledge.matrix.cells import Row
    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.knowledge.matrix.wheels.read import Read, Unreadable

app = typer.Typer(
    name="matrix",
    help="Show, verify or update the compatibility matrix.",
    add_completion=False,
    rich_markup_mode=None,
)

MatrixOption = Annotated[
    str,
    typer.Option(
        "--matrix", metavar="FILE", help="Use this compatibility matrix.", envvar="TFDOCTOR_MATRIX"
    ),
]
PlatformOption = Annotated[
    list[str] | None,
    typer.Option(
        "--platform",
        metavar="NAME",
        help="Only this platform, such as linux_x86_64; can be repeated.",
    ),
]
DistributionOption = Annotated[
    list[str] | None,
    typer.Option("--distribution", metavar="NAME", help="Only this distribution; can be repeated."),
]


class Form(str, Enum):
    terminal = "terminal"
    json = "json"
    html = "html"


@app.command()
def show(
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", help="One release, such as 2.21.0.")
    ] = "",
    platform: PlatformOption = None,
    distribution: DistributionOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every wheel; of one release every cell with its source.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    form: Annotated[
        Form,
        typer.Option("--format", help="html: a chart of GPUs by versions with the lowest driver."),
    ] = Form.terminal,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write to this file; .json or .html sets the format.",
        ),
    ] = "",
    matrix: MatrixOption = "",
) -> None:
    """Show what each TensorFlow version needs, or all that is known of one."""
    asked = "json" if as_json else form.value if form is not Form.terminal else ""
    form = Form(form_by_name(asked, output, form.value, ("json", "html", "txt")))
    out = output_of(output)
    with _errors():
        table = load_in_force(matrix)
        if form is Form.html:
            if release or platform or distribution:
                raise UsageError(
                    "--format html is the chart of all versions on Linux; leave out the release, --platform and --distribution",
                )
            out.write(_html(table))
            tell_written(out, "")
            return
        chosen = _chosen(table, [release] if release else [], distribution, platform)
        if form is Form.json:
            from tfdoctor.knowledge.matrix.show import shown

            text = json.dumps(shown(table, chosen), indent=1) + "\n"
        else:
            text = _shown(
                table, chosen, release, everything=everything or bool(platform or distribution)
            )
        out.write(as_bytes(text, to_file=out.to_file))
        tell_written(out, "")


def _html(table: Matrix) -> bytes:
    from tfdoctor.say.compatibility import compatibility_view
    from tfdoctor.say.pages import render_html

    return render_html(compatibility_view(table)).encode("utf-8")


def _shown(table: Matrix, chosen: list[Row], release: str, *, everything: bool) -> str:
    from tfdoctor.facts.outcome import Known
    from tfdoctor.knowledge.matrix import show

    if everything:
        return folded(show.release_text(table, chosen)) if release else show.listing(table, chosen)
    here = _platform()
    if not release:
        return show.versions(table, here)
    found = table.release(release, platform=here)
    if not isinstance(found, Known):
        found = table.release(release)
    return folded(
        show.version(table, found.value)
        if isinstance(found, Known)
        else show.release_text(table, chosen)
    )


def _platform() -> str:
    """This machine's, as wheels name it; Linux on x86-64 where there are no wheels for it."""
    import platform

    machine = platform.machine().lower()
    if sys.platform == "win32":
        return "win_amd64"
    if sys.platform == "darwin":
        return f"macosx_{machine}"
    return f"linux_{machine}" if machine in ("x86_64", "aarch64") else "linux_x86_64"


@app.command()
def verify(
    releases: Annotated[
        list[str] | None, typer.Argument(metavar="[RELEASE]...", help="Releases to verify.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every release of the matrix.")] = False,
    platform: PlatformOption = None,
    distribution: DistributionOption = None,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs", help="Instead, resolve the sets with torch and jax again. Needs uv."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    matrix: MatrixOption = "",
) -> None:
    """Compare the matrix with the published wheels. Needs the network.

    Exit status 1: something differs. 3: some wheels could not be read.
    """
    if bool(releases) == everything:
        raise UsageError("name the releases to verify, or say --all")
    if pairs and (platform or distribution):
        raise UsageError(
            "--pairs: the sets are of tensorflow on Linux x86-64; leave out --platform and --distribution"
        )
    with _errors():
        if pairs:
            _verify_pairs(load_in_force(matrix), releases or [], as_json=as_json)
        from tfdoctor.knowledge.matrix.wheels.verify import verify_wheels

        table = load_in_force(matrix)
        chosen = _chosen(table, releases or [], distribution or ["tensorflow"], platform)
        with _progress("verified") as step:
            outcome = verify_wheels(table, chosen, step)
    write_text(outcome.to_json() if as_json else outcome.to_text())
    raise typer.Exit(outcome.exit_code)


def _verify_pairs(table: Matrix, releases: list[str], *, as_json: bool) -> None:
    from tfdoctor.knowledge.matrix.wheels.index import Index
    from tfdoctor.knowledge.matrix.wheels.together import Resolver, verify_together

    _chosen(table, releases, ["tensorflow"], None)
    with _progress("resolved", "sets") as step:
        outcome = verify_together(table, releases, Resolver(Index()), step)
    if outcome.stopped:
        say(outcome.stopped)
    write_text(outcome.to_json() if as_json else outcome.to_text())
    raise typer.Exit(outcome.exit_code)


@app.command()
def update(
    source: Annotated[
        str, typer.Option("--from", metavar="URL|FILE", help="Take the matrix from here.")
    ] = "",
    sha256: Annotated[
        str, typer.Option("--sha256", metavar="DIGEST", help="Its SHA-256 digest.")
    ] = "",
) -> None:
    """Add new versions to the matrix, or take a newer matrix. Needs the network."""
    if bool(source) != bool(sha256):
        raise UsageError("--from and --sha256 need each other")
    with _errors():
        if source:
            from tfdoctor.knowledge.matrix.wheels.update import fetch

            write_text(f"matrix {fetch(source, sha256).version} is in the cache\n")
            return
        _update_from_index()


def _update_from_index() -> None:
    from datetime import datetime, timezone

    from tfdoctor.knowledge.matrix.wheels.index import Index
    from tfdoctor.knowledge.matrix.wheels.update import harvest_new

    table = load_in_force()
    with _progress("read") as step:
        added, failed = harvest_new(table, Index(), step, datetime.now(timezone.utc).date())
    for each in failed:
        say(f"{each.wheel.filename}: {each.error}")
    for row in added:
        write_text(f"{row.distribution} {row.release} on {row.platform}\n")
    rows = counted(len(added), "row")
    write_text(
        f"{rows} added\n" if added else f"matrix {table.version} knows every published release\n"
    )
    if failed:
        raise typer.Exit(3)


def _chosen(
    table: Matrix, releases: list[str], distributions: list[str] | None, platforms: list[str] | None
) -> list[Row]:
    from tfdoctor.knowledge.matrix.wheels.verify import selected

    found = selected(table, releases, distributions or [], platforms or [])
    known = {row.release for row in found}
    missing = [release for release in releases if release not in known]
    if missing or not found:
        what = f"the release {missing[0]}" if missing else "any such wheel"
        near = sorted(
            {
                row.release
                for row in table.rows
                if missing and row.release.startswith(f"{missing[0]}.")
            }
        )
        hint = (
            f"it knows {' and '.join(near)}"
            if near
            else "`tfdoctor matrix show` lists what it knows"
        )
        raise UsageError(f"matrix {table.version} does not know {what}; {hint}")
    return found


@contextmanager
def _errors() -> Iterator[None]:
    """A MatrixError is one line on stderr and exit status 3; Ctrl-C ends quietly."""
    from tfdoctor.knowledge.matrix.model import MatrixError

    try:
        yield
    except MatrixError as error:
        say(str(error))
        raise typer.Exit(NO_VERDICT) from error
    except KeyboardInterrupt:
        say("stopped; nothing was changed")
        raise typer.Exit(INTERRUPTED) from None


class _Step:
    """Counts wheels, or what else, on stderr, in place on a terminal and not at all elsewhere."""

    def __init__(self, verb: str, what: str) -> None:
        self._verb, self._what, self._count, self._bytes = verb, what, 0, 0
        self._live = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, each: Read | Unreadable | None = None) -> None:
        self._count += 1
        self._bytes += getattr(each, "received", 0)
        if self._live:
            size = f", {self._bytes / 1e6:.0f} MB" if self._bytes else ""
            sys.stderr.write(f"\r{self._count} {self._what} {self._verb}{size}")
            sys.stderr.flush()

    def end(self) -> None:
        if self._live and self._count:
            sys.stderr.write("\n")


@contextmanager
def _progress(verb: str, what: str = "wheels") -> Iterator[_Step]:
    step = _Step(verb, what)
    try:
        yield step
    finally:
        step.end()
