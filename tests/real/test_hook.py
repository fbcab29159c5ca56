"""The hook of pre-commit, as `pre-commit try-repo` runs it in a repository of its own. Needs git, uv and the package index."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.needs import PACKAGES
from tfdoctor.ask.builds.files import kind_of

ROOT = Path(__file__).parents[2]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))


@pytest.mark.nightly
@pytest.mark.real
@pytest.mark.slow
def test_the_hook_fails_for_a_bad_file_and_passes_once_it_is_fixed(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )

    environ = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path.parent / "pre-commit")}
    made = tmp_path.parent / "tool"
    uv = [sys.executable, "-m", "uv"]
    run(*uv, "venv", "--quiet", "--python", sys.executable, str(made))
    if shutil.which("git") is None or run(*uv, "pip", "install", "--quiet", "--python", str(made), "pre-commit").returncode:  # fmt: skip
        pytest.skip(PACKAGES)
    run("git", "init", "--quiet")
    hook = [str(made / "bin" / "pre-commit"), "try-repo", str(ROOT), "tfdoctor-lint", "--all-files"]
    (tmp_path / "program.py").write_text("print(1)\n")
    file = tmp_path / "requirements.txt"
    for text, status, said in (
        ("tensorflow==2.10.0\nnumpy==2.0.0\n", 1, "numpy-abi-mismatch"),
        ("tensorflow==2.21.0\n", 0, "Passed"),
    ):
        file.write_text(text)
        run("git", "add", "--all")
        ran = run(*hook)
        assert (ran.returncode, said in ran.stdout) == (status, True), ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("a/Dockerfile", True), ("Dockerfile.gpu", True), ("gpu.dockerfile", True), ("Containerfile", True), ("dev-requirements.in", True),
        ("requirements/base.txt", True), ("constraints.txt", True), ("pyproject.toml", True), ("uv.lock", True), ("poetry.lock", True),
        ("pylock.gpu.toml", True), ("pixi.toml", True), ("pixi.lock", True), (".devcontainer/devcontainer.json", True), ("a.slurm", True), ("environment.yml", True),
        ("conda-gpu.yaml", True), ("a b.ipynb", True), ("compose.gpu.yaml", True), ("docker-compose.yml", True), ("a.py", False), ("readme.txt", False),
    ],
)  # fmt: skip
def test_the_hook_is_given_the_files_that_lint_knows_by_their_names(path: str, given: bool) -> None:
    assert (re.search(HOOKS[0]["files"], path) is not None, kind_of(path) is not None) == (
        given,
        given,
    )
