"""Packages of the user site before those of a plain interpreter: the one kind of environment that a user site leads.

A virtual environment reads it never, or after its own packages.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.real.command import by_shell, check, fix_commands, typed
from tests.real.environments import environment, site_packages

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


def plain_interpreter(folder: Path, packages: Path) -> Path:
    """An interpreter that is no virtual environment: links to this one's standard library, with these packages."""
    base = Path(sys.base_prefix)
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / VERSION
    shutil.copy2((base / "bin" / VERSION).resolve(), python)
    library = folder / "lib" / VERSION
    skipped = shutil.ignore_patterns(
        "site-packages", "dist-packages", "test", "__pycache__", "config-*"
    )
    shutil.copytree(base / "lib" / VERSION, library, symlinks=True, ignore=skipped)
    shutil.copytree(packages, library / "site-packages", symlinks=True, copy_function=os.link)
    return python


@pytest.fixture
def python(tmp_path: Path) -> Path:
    return plain_interpreter(tmp_path / "plain", site_packages(environment("tensorflow==2.21.0")))


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONUSERBASE": str(tmp_path / "user")}


def test_older_packages_of_the_user_site(python: Path, env: dict[str, str]) -> None:
    by_shell(f"{python} -m pip install --user --no-deps numpy==1.24.4 protobuf==4.25.8", env=env)
    before = check(python, env=env)
    assert (before.roots, before.report["verdict"]) == (["user-site-leak"], "broken"), (
        before.report["summary"]
    )
    followed = {item["code"] for item in before.report["findings"] if item["role"] == "consequence"}
    assert {"numpy-abi-mismatch", "protobuf-incompatible"} <= followed
    after = check(python, env=typed(*fix_commands(before, "user-site-leak"), env=env))
    assert (after.roots, after.report["verdict"]) == ([], "healthy"), after.report["summary"]
    by_shell(*fix_commands(before, "user-site-leak", nth=1), env=env)
    removed = check(python, env=env)
    assert (removed.roots, removed.report["verdict"]) == ([], "healthy"), removed.report["summary"]


def test_one_that_works_all_the_same_is_a_warning(python: Path, env: dict[str, str]) -> None:
    by_shell(f"{python} -m pip install --user --no-deps six==1.16.0", env=env)
    run = check(python, env=env)
    assert (run.roots, run.report["verdict"]) == (["user-site-leak"], "degraded"), run.report[
        "summary"
    ]


def test_a_tensorflow_in_the_user_site_is_at_home_there(
    tmp_path: Path, env: dict[str, str]
) -> None:
    """`pip install --user tensorflow`, over an older NumPy of the system's."""
    empty = tmp_path / "empty"
    empty.mkdir()
    python = plain_interpreter(tmp_path / "plain", empty)
    ours = site_packages(environment("tensorflow==2.21.0"))
    shutil.copytree(
        ours,
        tmp_path / "user" / "lib" / VERSION / "site-packages",
        symlinks=True,
        copy_function=os.link,
    )
    by_shell(
        f"{python} -m pip install --target {python.parents[1]}/lib/{VERSION}/site-packages --no-deps numpy==1.24.4",
        env=env,
    )
    run = check(python, env=env)
    assert (run.roots, run.report["verdict"]) == ([], "healthy"), run.report["summary"]
