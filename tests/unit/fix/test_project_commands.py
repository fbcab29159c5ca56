"""Installations into the environment of a project, by the tool that keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import make_venv, request_for
from tests.unit.judge.machines import base, changed
from tfdoctor.ask.probes.python import interpreter
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.fix.commands import by_own_tool, pip_install, pip_reinstall
from tfdoctor.knowledge.lines import Pip


def kept(lock: str, installer: str) -> Facts:
    """The base machine's environment in /srv/app/.venv, whose packages that tool installed."""
    facts = base("cpu")
    assert isinstance(facts.packages.installed, Known)
    packages = tuple(replace(each, installer=installer) for each in facts.packages.installed.value)
    project: Fact[str] = Known(f"/srv/app/{lock}", "/srv/app") if lock else Absent("none")
    return changed(
        facts,
        interpreter={"project": project, "executable": Known("/srv/app/.venv/bin/python", "x"), "has_pip": Known(value=installer != "uv", source="x")},
        packages={"installed": Known(packages, "x")},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lock", "installer", "line", "newer"),
    [
        ("uv.lock", "uv", "uv add --project /srv/app \"numpy<2\"", "uv add --project /srv/app --upgrade-package keras keras"),
        ("poetry.lock", "Poetry 1.8.3", "poetry --directory /srv/app add \"numpy<2\"", "poetry --directory /srv/app add keras@latest"),
        ("uv.lock", "pip", "/srv/app/.venv/bin/python -m pip install \"numpy<2\"", "/srv/app/.venv/bin/python -m pip install --upgrade keras"),
        ("", "uv", "uv pip install --python /srv/app/.venv/bin/python \"numpy<2\"", "uv pip install --python /srv/app/.venv/bin/python --upgrade keras"),
    ],
)  # fmt: skip
def test_project_remembers_what_is_added(lock: str, installer: str, line: str, newer: str) -> None:
    facts = kept(lock, installer)
    assert pip_install(facts, "numpy<2") == line
    assert pip_install(facts, "keras", options=("--upgrade",)) == newer


def test_files_that_are_laid_again_are_no_change_of_the_project() -> None:
    line = pip_reinstall(kept("uv.lock", "uv"), "numpy==2.4.6")
    assert (
        line
        == "uv pip install --python /srv/app/.venv/bin/python --reinstall --no-deps numpy==2.4.6"
    )


@pytest.mark.parametrize("lock", ["uv.lock", "poetry.lock"])
def test_lock_file_beside_the_environment_shows_the_project(tmp_path: Path, lock: str) -> None:
    python = make_venv(tmp_path / "app é" / ".venv") / "bin" / "python"
    assert isinstance(interpreter.ask(request_for(python), Facts()).project, Absent)
    (tmp_path / "app é" / lock).write_text("")
    found = interpreter.ask(request_for(python), Facts()).project
    assert found == Known(str(tmp_path / "app é" / lock), str(tmp_path / "app é"))
    other = make_venv(tmp_path / "app é" / "another") / "bin" / "python"
    assert isinstance(interpreter.ask(request_for(other), Facts()).project, Absent)


@pytest.mark.parametrize(
    ("spec", "again"),
    [
        ("numpy>=1.26", True),
        ("numpy==2.4.6", True),
        ("numpy<2", False),
        ("tensorflow[and-cuda]==2.21.0", False),
        ("pandas", False),
    ],
)
def test_what_is_installed_already_is_installed_again(spec: str, again: bool) -> None:
    """pip says "Requirement already satisfied" and changes nothing, whatever happened to the files."""
    assert ("--force-reinstall --no-deps" in pip_install(base("cpu"), spec)) is again


def test_a_tables_line_is_typed_with_the_environments_own_tool() -> None:
    facts = kept("uv.lock", "uv")
    assert by_own_tool(facts, Pip("numpy<2")) == 'uv add --project /srv/app "numpy<2"'
    kept_as_it_is = by_own_tool(kept("", "pip"), Pip("tf-keras", keep="tensorflow-cpu==2.18.0"))
    assert (
        kept_as_it_is == "/srv/app/.venv/bin/python -m pip install tf-keras tensorflow-cpu==2.18.0"
    )
    other = Pip("tensorflow", python="keras-3/bin/python")
    assert by_own_tool(facts, other) is other
