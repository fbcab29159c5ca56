"""As whom containers run: a user without a home directory and without a name, who may not read all that PATH names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import SYSTEM_PYTHON, only_root
from tests.unit.apps.cli.running import CHECKOUT, MACHINES

NUMBER = 54321
WITHOUT_RIGHTS = ("setpriv", f"--reuid={NUMBER}", f"--regid={NUMBER}", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")  # fmt: skip
REPORT = str(MACHINES / "healthy-gpu" / "report.json")
pytestmark = [pytest.mark.slow, only_root]  # starts the program


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A directory that everybody may read, with the system's Python, which anybody may start, and our packages."""
    folder = Path(tempfile.mkdtemp(prefix="bare-", dir="/var/tmp"))
    folder.chmod(0o755)
    made = folder / "env"
    subprocess.run(
        ["/usr/bin/python3", "-m", "venv", "--without-pip", made], capture_output=True, check=False
    )
    ours = [each for each in sys.path if each.endswith("site-packages")]
    for packages in made.glob("lib/python3*/site-packages"):
        (packages / "tfdoctor.pth").write_text("\n".join([str(CHECKOUT), *ours]))
    (folder / "closed" / "bin").mkdir(parents=True)
    for name in ("python3", "python", "jupyter-lab", "ptxas"):
        (folder / "closed" / "bin" / name).symlink_to("/bin/true")
    (folder / "closed").chmod(0o700)
    (folder / "x.log").write_text(
        "ImportError: libcudart.so.11.0: cannot open shared object file\n"
    )
    yield folder
    shutil.rmtree(folder)


def said_by(
    place: Path, *arguments: str, cwd: str = "/", **variables: str
) -> subprocess.CompletedProcess[str]:
    path = f"{place}/env/bin:/usr/bin:/bin"
    env = {"PATH": path, "LANG": "C.UTF-8", "TMPDIR": "/var/tmp", **variables}
    words = [*WITHOUT_RIGHTS, f"{place}/env/bin/python", "-m", "tfdoctor", *arguments]
    done = subprocess.run(
        words,
        env=env,
        cwd=cwd,
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
    )
    if "No module named" in done.stderr or "Permission denied" in done.stderr.split("tfdoctor")[0]:
        pytest.skip(SYSTEM_PYTHON)
    return done


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("check", "--smoke", "none"), 1, "TensorFlow is not installed"),
        (("diagnose", "{place}/x.log"), 1, "libcudart.so.11.0"),
        (("diagnose", "--here", "{place}/x.log"), 1, "libcudart.so.11.0"),
        (("plan",), 0, "TensorFlow for"),
        (("matrix", "show"), 0, "2.21"),
        (("run", "--", "false"), 1, "exited with status 1"),
        (
            ("run", "-v", "--", "true"),
            0,
            "the black box could not be kept: the home directory is not known",
        ),
        (("run", "--last"), 2, "no run has been kept: the home directory is not known"),
        (("healthcheck", "--timeout", "30", "--json"), 1, "tensorflow-missing"),
        (("jupyter", "status"), 0, "kernel"),
        (("matrix", "update", "--from", REPORT), 2, "tfdoctor: "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_without_home_and_name(
    arguments: tuple[str, ...], status: int, words: str, place: Path
) -> None:
    done = said_by(place, *(word.format(place=place) for word in arguments))
    both = done.stdout + done.stderr
    assert "internal error" not in both
    assert "Traceback" not in both
    assert words in " ".join(both.split())
    assert done.returncode == status, both


CLOSED = "{place}/closed/bin"
LONG = "/" + "a" * 300


@pytest.mark.parametrize("folder", [CLOSED, LONG], ids=["closed", "too long"])
@pytest.mark.parametrize(
    "variable", ["PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME", "JUPYTER_PATH"]
)
def test_a_directory_that_cannot_be_searched_is_passed_over(
    variable: str, folder: str, place: Path
) -> None:
    named = folder.format(place=place)
    value = f"{named}:{place}/env/bin:/usr/bin:/bin" if variable == "PATH" else named
    done = said_by(place, "check", "--smoke", "none", **{"HOME": "/", variable: value})
    assert "TensorFlow is not installed" in " ".join(done.stdout.split())
    assert done.returncode == 1
    assert (
        "internal error"
        not in said_by(place, "jupyter", "status", **{"HOME": "/", variable: value}).stderr
    )


@pytest.mark.parametrize("named", ["closed/bin", "closed/bin/python3"])
def test_what_may_not_be_read_is_not_called_missing(named: str, place: Path) -> None:
    done = said_by(place, "check", "--smoke", "none", "--python", f"{place}/{named}", HOME="/")
    assert done.returncode == 2
    assert done.stderr == f"tfdoctor: --python {place}/{named}: can't be read (Permission denied)\n"


def test_no_file_named_tilde_is_left(place: Path) -> None:
    working = Path(tempfile.mkdtemp(dir=place))
    os.chown(working, NUMBER, NUMBER)
    tells = "import os; print(os.environ.get('TFDOCTOR_RUN_STEPS'))"
    done = said_by(place, "run", "--", f"{place}/env/bin/python", "-c", tells, cwd=str(working))
    assert done.stdout == "None\n"
    assert list(working.iterdir()) == []
