"""The documentation as a site, in site/: `make docs`. Nothing is fetched from elsewhere, neither while it is built nor read.

The pages of docs/ as they are; each code's page as `tfdoctor explain` prints it, with the messages that show it, so that
the search finds an error's exact text; a chart of GPUs and versions; and the commands with their options, from the program itself.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from tfdoctor.apps.cli.app import app
from tfdoctor.apps.documents import explain
from tfdoctor.knowledge.catalog import CODES, FAMILIES
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.say.compatibility import compatibility
from tfdoctor.say.pages import render_chart
from tools.build.knowledge import entries
from tools.build.manual import manual
from tools.build.open_knowledge import publish

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "site"
NAVIGATION = {
    "Use it": [
        "fix.md",
        "run.md",
        "fit.md",
        "diagnose.md",
        "lint.md",
        "jupyter.md",
        "python.md",
        "plugins.md",
        "mcp.md",
        "commands.md",
    ],
    "Operate it": [
        "healthcheck.md",
        "docker.md",
        "kubernetes.md",
        "systemd.md",
        "prometheus.md",
        "github.md",
        "fleet.md",
    ],
    "How it knows": [
        "smoke.md",
        "gpus.md",
        "matrix.md",
        "accuracy.md",
        "json.md",
        "security.md",
        "ARCHITECTURE.md",
    ],
}
_LINES_OF_A_CODE = 40
_IN_THE_BROWSER = """<a class="md-button md-button--primary" href="app/log.html">Paste your log</a>

It is read in your browser: nothing is installed, nothing is sent. There you can also <a href="app/plan.html">find a version that works</a>,
<a href="app/lint.html">check build files</a>, <a href="app/report.html">open a report</a> and <a href="app/compare.html">compare two reports</a>.

"""
_FIRST = "```console\n"
"""What begins the commands on the home page, behind what tfdoctor is."""


def main() -> int:
    """The exit status of the build, which is strict: a link that leads nowhere fails it."""
    shutil.rmtree(BUILD, ignore_errors=True)
    docs = BUILD / "docs"
    shutil.copytree(ROOT / "docs", docs)
    lines = _lines_by_code()
    for code in CODES:
        (docs / "codes" / f"{code}.md").write_text(
            explain(code) + _messages(lines[code]), encoding="utf-8"
        )
    home = (docs / "index.md").read_text(encoding="utf-8")
    (docs / "index.md").write_text(
        home.replace(_FIRST, f"{_IN_THE_BROWSER}{_FIRST}", 1), encoding="utf-8"
    )
    shutil.copy(ROOT / "tools" / "build" / "site.css", docs)
    (docs / "gpus.md").write_text(_gpus(), encoding="utf-8")
    (docs / "commands.md").write_text("".join(_commands()), encoding="utf-8")
    settings = (ROOT / "tools" / "build" / "site.toml").read_text(encoding="utf-8")
    (BUILD / "zensical.toml").write_text(
        settings.replace("nav = []", f"nav = {_inline(_navigation(docs))}"), encoding="utf-8"
    )
    built = subprocess.run(
        [
            sys.executable,
            "-m",
            "zensical",
            "build",
            "--strict",
            "--config-file",
            str(BUILD / "zensical.toml"),
        ],
        check=False,
    )
    if built.returncode == 0:
        shutil.rmtree(ROOT / "site", ignore_errors=True)
        (BUILD / "site").rename(ROOT / "site")
        publish(ROOT / "site")
        (ROOT / "site" / "tfdoctor.1").write_text(manual(), encoding="utf-8")
    return built.returncode


def _lines_by_code() -> dict[str, list[str]]:
    """The first sample of each message that shows a code."""
    found = defaultdict(list)
    for entry in entries():
        if entry.signature.code and entry.samples:
            found[entry.signature.code].append(entry.samples[0].splitlines()[0])
    return found


def _messages(lines: list[str]) -> str:
    if not lines:
        return ""
    shown = "\n".join(dict.fromkeys(lines[:_LINES_OF_A_CODE]))
    return f"\n## Messages that show it\n\n```text\n{shown}\n```\n"


def _gpus() -> str:
    """The chart that `matrix show --format html` prints."""
    chart = "".join(
        line.strip() for line in render_chart(compatibility(load_bundled())).splitlines()
    )
    return f"# GPUs, versions and drivers\n\nWith the commands for your machine: <a href='app/plan.html'>find a version that works</a>, or `tfdoctor plan`.\n\n{chart}\n"


def _commands() -> Iterator[str]:
    """Every command with its options, as `--help` has them."""
    yield "# Commands\n\nEach also prints this: `tfdoctor COMMAND --help`.\n"
    group: Any = typer.main.get_command(app)
    with group.make_context("tfdoctor", [], resilient_parsing=True) as context:
        for name in group.list_commands(context):
            yield from _command(f"tfdoctor {name}", group.get_command(context, name), context)


def _command(name: str, command: Any, outer: Any) -> Iterator[str]:
    with command.make_context(
        name.rpartition(" ")[2], [], parent=outer, resilient_parsing=True
    ) as context:
        nested = getattr(command, "commands", {})
        if not nested:
            usage = " ".join(command.collect_usage_pieces(context))
            yield f"\n## {name}\n\n{command.help or ''}\n\n```text\n{name} {usage}\n```\n"
            rows = [each.get_help_record(context) for each in command.get_params(context)]
            told = [row for row in rows if row and not row[0].startswith("--help")]
            if told:
                yield "\n| option | what it does |\n| --- | --- |\n"
                yield from (f"| `{_cell(option)}` | {_cell(what)} |\n" for option, what in told)
        for inner, each in nested.items():
            yield from _command(f"{name} {inner}", each, context)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _navigation(docs: Path) -> list[dict[str, Any]]:
    named = {page for pages in NAVIGATION.values() for page in pages} | {"index.md"}
    others = sorted(page.name for page in docs.glob("*.md") if page.name not in named)
    results = sorted(f"results/{page.name}" for page in (docs / "results").glob("*.md"))
    families = [
        {title: [f"codes/{code.code}.md" for code in CODES.values() if code.family == family]}
        for family, title in FAMILIES.items()
    ]
    return [
        {"Home": "index.md"},
        {"Paste your log": "/app/log.html"},
        *({title: pages} for title, pages in NAVIGATION.items()),
        {"Finding codes": [{"All codes": "codes/index.md"}, *families]},
        {"Measured": [*others, *results]},
    ]


def _inline(value: Any) -> str:
    """As TOML on one line."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(key)} = {_inline(each)}" for key, each in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(_inline(each) for each in value) + "]"
    return json.dumps(value)


if __name__ == "__main__":
    sys.exit(main())
