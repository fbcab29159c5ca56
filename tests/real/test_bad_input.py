"""A poor environment around the doctor, and a real wheel whose library is cut off: the right verdict all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.command import PATH, check, clone, doctor
from tests.real.environments import environment, site_packages

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.xdist_group("bad-input")]

STATIC = ("--smoke", "none")


def replace(file: Path, content: bytes, mode: int) -> None:
    file.unlink()
    file.write_bytes(content)
    file.chmod(mode)


def test_without_a_home_and_with_the_plain_locale(tensorflow_python: Path) -> None:
    env = {"PATH": PATH, "LANG": "C", "LC_ALL": "C"}
    assert check(tensorflow_python, *STATIC, env=env).report["verdict"] == "healthy"
    told = doctor("check", "--python", tensorflow_python, *STATIC, env=env)
    assert told.status == 0
    assert told.stdout.isascii()


def test_an_empty_environment(tensorflow_python: Path) -> None:
    done = subprocess.run(
        ["env", "-i", sys.executable, "-m", "tfdoctor", "check", "--python", tensorflow_python, "--json", *STATIC],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (json.loads(done.stdout)["verdict"], done.stderr) == ("healthy", "")


def test_a_truncated_library_is_read_and_never_loaded_by_the_doctor(tmp_path: Path) -> None:
    """The wheel's largest library cut at every awkward place: headers, section table, string table."""
    python = clone(environment("tensorflow==2.21.0"), tmp_path / "environment")
    library = site_packages(python) / "tensorflow" / "libtensorflow_framework.so.2"
    whole = library.read_bytes()
    for size in (0, 17, 100, len(whole) // 3, len(whole) - 1):
        replace(library, whole[:size], 0o755)
        run = check(python, *STATIC)
        assert run.roots == ["tensorflow-install-broken"], (size, run.report["summary"])
