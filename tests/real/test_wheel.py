"""The wheel as users install it: by pip, pipx and uv tool, on each Python that it is for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real.test_plan import folder_of
from tfdoctor import __version__
from tools.build.trial import WAYS, run

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

ROOT = Path(__file__).parents[2]
CHROOT = "needs root and debootstrap (tests/setup-machine debootstrap)"
LOG = "E cuda_driver.cc:265] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"

Ask = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run("uv", "build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    return next(folder.glob("*.whl"))


def answers(ask: Ask) -> None:
    """The installed program says its version, examines, reads a log and explains."""
    assert ask("--version").stdout.split()[-1] == __version__
    report = json.loads(ask("check", "--smoke", "none", "--json").stdout)
    assert (report["tool"]["version"], report["summary"] != "") == (__version__, True)
    diagnosis = json.loads(ask("diagnose", "--json", "-", given=LOG).stdout)
    assert diagnosis["verdict"] == "cause-found"
    assert ask("explain", "driver-too-old").returncode == 0


@pytest.mark.parametrize("install", WAYS)
@pytest.mark.parametrize("minor", ("3.10", "3.11", "3.12", "3.13"))
def test_the_wheel_answers(
    minor: str, install: Callable[..., Path], wheel: Path, tmp_path: Path
) -> None:
    program = install(wheel, tmp_path / "at", f"{folder_of(minor)}/python{minor}")
    (tmp_path / "home").mkdir()
    variables = {"PATH": os.defpath, "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}

    def ask(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *words], cwd=tmp_path / "home", env=variables, input=given, capture_output=True, text=True, timeout=60, check=False
        )  # fmt: skip

    answers(ask)


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("debootstrap"), reason=CHROOT)
def test_the_wheel_answers_on_debians_python_3_14(wheel: Path, tmp_path: Path) -> None:
    """Debian unstable, in a folder of its own; it gets the wheels from here and has no network."""
    house = tmp_path / "sid" / "wheels"
    suite = ["debootstrap", "--variant=minbase", "--include=python3.14,python3.14-venv", "sid"]
    subprocess.run([*suite, str(house.parent)], check=True, stdout=subprocess.DEVNULL, timeout=420)
    house.mkdir()
    only = ("--python-version", "3.14", "--only-binary", ":all:", "--quiet", "--dest", house)
    run("python", "-m", "pip", "download", *only, wheel)

    def inside(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["chroot", str(house.parent), *words], input=given, capture_output=True, text=True, timeout=120, check=False
        )  # fmt: skip

    made = inside("/usr/bin/python3.14", "-m", "venv", "/doctor")
    assert made.returncode == 0, made.stdout + made.stderr
    got = inside(
        "/doctor/bin/pip", "install", "--quiet", "--no-index", "--find-links", "/wheels", "tfdoctor"
    )
    assert got.returncode == 0, got.stderr
    answers(lambda *words, **more: inside("/doctor/bin/tfdoctor", *words, **more))
