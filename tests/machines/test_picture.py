"""The README's picture: what `check` prints on a machine with an old driver and on a healthy one. `--update-golden` draws it again."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.machines.test_golden import redacted_report
from tfdoctor.apps.documents import judge_again
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.say.report_view import report_view
from tfdoctor.say.terminal import Page, render_text

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "check.svg"
MOST_LINES = 21
FORM = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>@TITLE@</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def shown(machine: str) -> list[str]:
    report = judge_again(redacted_report(machine), load_in_force(), None)
    return render_text(report_view(report), Page(80, colour=True)).splitlines()


def picture() -> str:
    lines = [
        "$ tfdoctor check",
        *shown("driver-too-old")[:MOST_LINES],
        "  …\n\n$ tfdoctor check",
        *shown("healthy-gpu")[:-2],
    ]
    title = "tfdoctor check: a driver that is too old, with the command that fixes it; then a healthy machine"
    return svg(lines, title, "check")  # without version and time


def svg(lines: list[str], title: str, name: str) -> str:
    """A terminal with these lines; those with a prompt are bold."""
    console = Console(
        record=True,
        width=82,
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
    )
    for line in lines:
        if "$ " in line:
            console.print(line, style="bold", highlight=False, markup=False)
        else:
            console.print(Text.from_ansi(line), soft_wrap=True)
    form = FORM.replace("@TITLE@", title)
    return console.export_svg(title="tfdoctor", theme=MONOKAI, code_format=form, unique_id=name)


def test_the_picture_is_what_the_program_prints(request: pytest.FixtureRequest) -> None:
    drawn = picture()
    if request.config.getoption("--update-golden"):
        PICTURE.write_text(drawn, encoding="utf-8")
    assert drawn == PICTURE.read_text(encoding="utf-8")
    assert drawn.count("://") == 1, "the name space alone: nothing is fetched"
