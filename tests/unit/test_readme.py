"""What the README promises exists: its files, its commands and options, its targets, its exit statuses."""

from __future__ import annotations

import re
from typing import Any

import typer

from tests.unit.documents import ROOT, fences, links
from tfdoctor.apps.cli.app import app

README = ROOT / "README.md"


def readme() -> str:
    return README.read_text(encoding="utf-8")


def help_of(command: str, option: str) -> str:
    group: Any = typer.main.get_command(app)
    found = [
        param
        for param in group.get_command(None, command).params
        if option in (*param.opts, *param.secondary_opts)
    ]
    return str(found[0].help)


def test_links_resolve() -> None:
    assert [link.target for link in links(README) if link.relative and not link.path.exists()] == []


def test_defaults_are_the_programs() -> None:
    group: Any = typer.main.get_command(app)
    fail_on = next(
        param for param in group.get_command(None, "check").params if "--fail-on" in param.opts
    )
    assert f"`--fail-on` (default: {fail_on.default})" in readme()


def test_makes_targets_exist() -> None:
    targets = set(
        re.findall(
            r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE
        )
    )
    named = set(
        re.findall(
            r"\bmake ([a-z-]+)",
            "\n".join([*fences(readme(), "console"), *re.findall(r"`([^`\n]+)`", readme())]),
        )
    )
    assert {"check", "test", "locked"} <= named <= targets
