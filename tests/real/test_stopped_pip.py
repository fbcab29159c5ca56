"""pip itself, killed while it replaces a TensorFlow: what it leaves, and what is said of that. The wheel is a small one made here."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.real.command import Run, check
from tests.unit.apps.repair.standin import pip_files
from tests.unit.ask.probes.fake_environments import TENSORFLOW_FILES, record_line, site_of

pytestmark = pytest.mark.slow

MANY = 6000


def wheel(folder: Path, name: str, version: str) -> Path:
    """With thousands of files, so that there is time to stop pip in the middle."""
    stem = f"{name.replace('-', '_')}-{version}"
    files = TENSORFLOW_FILES | {
        "tensorflow/tools/pip_package/setup.py": f"_VERSION = '{version}'\n"
    }
    files |= {
        f"tensorflow/python/many/part_{number}.py": f"NUMBER = {number}\n" for number in range(MANY)
    }
    files |= {
        f"{stem}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [record_line(path, text.encode()) for path, text in files.items()]
    made = folder / f"{stem}-py3-none-any.whl"
    with ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(
            f"{stem}.dist-info/RECORD", "\n".join([*lines, f"{stem}.dist-info/RECORD,,", ""])
        )
    return made


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """With the pip that runs beside the tests: ensurepip takes seconds to unpack its own."""
    made = tmp_path / "e"
    command = [sys.executable, "-m", "venv", "--without-pip", str(made)]
    subprocess.run(command, check=True, timeout=120)
    for each in pip_files():
        shutil.copytree(each, site_of(made) / each.name)
    return made / "bin" / "python"


def pip(python: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--no-index",
        "--no-deps",
        "--quiet",
        "--no-compile",
        *words,
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stopped(python: Path, made: Path, done: int) -> Path:
    """Killed once so many files of the new one are there. Returns site-packages."""
    site = next((python.parent.parent / "lib").glob("python3*/site-packages"))
    running = pip(python, "--force-reinstall", str(made))
    end = time.monotonic() + 60
    while time.monotonic() < end and running.poll() is None:
        new = site / "tensorflow" / "python" / "many"
        if list(site.glob("~*")) and new.is_dir() and done <= sum(1 for _ in new.iterdir()) < MANY:
            break
    running.send_signal(signal.SIGKILL)
    running.wait(10)
    assert list(site.glob("~*.dist-info")), "pip was done before it could be stopped"
    return site


def ask(python: Path) -> Run:
    return check(python, "--smoke", "none")


@pytest.mark.parametrize(
    "name",
    ["tensorflow", "tf-nightly", pytest.param("tensorflow-cpu", marks=pytest.mark.nightly)],
)
def test_stopped_in_the_middle_and_put_right(python: Path, tmp_path: Path, name: str) -> None:
    made = wheel(tmp_path, name, "2.21.0")
    assert pip(python, str(made)).wait(120) == 0
    assert "tensorflow-install-broken" not in ask(python).codes
    stopped(python, made, done=200)
    found = ask(python).finding("tensorflow-install-broken")
    assert (found["severity"], found["role"]) == ("error", "root")
    assert found["title"] == f"The installation of {name} was interrupted."
    assert found["fixes"][0]["commands"][0].endswith(f"--no-deps {name}==2.21.0")
    assert pip(python, "--force-reinstall", str(made)).wait(120) == 0
    assert "tensorflow-install-broken" not in ask(python).codes


def test_stopped_before_the_new_files(python: Path, tmp_path: Path) -> None:
    """The moment in which pip has moved the old files aside and laid none."""
    made = wheel(tmp_path, "tensorflow-cpu", "2.20.0")
    assert pip(python, str(made)).wait(120) == 0
    site = next((python.parent.parent / "lib").glob("python3*/site-packages"))
    (site / "tensorflow").rename(site / "~ensorflow")
    (site / "tensorflow_cpu-2.20.0.dist-info").rename(site / "~ensorflow_cpu-2.20.0.dist-info")
    run = ask(python)
    assert run.roots == ["tensorflow-missing"]
    found = run.finding("tensorflow-missing")
    assert (
        found["title"]
        == "The installation of tensorflow-cpu was interrupted, and no TensorFlow is left."
    )
    assert found["fixes"][0]["commands"][0].endswith("pip install tensorflow-cpu==2.20.0")
