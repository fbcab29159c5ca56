"""A small environment that `check` finds broken and `fix` can bring in order: a TensorFlow of a few lines, its packages as wheels of
a few files, and pip, which gets them from a folder. No network is asked.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.apps.cli.running import CHECKOUT
from tests.unit.ask.probes.fake_environments import record_line, site_of

TENSORFLOW = """__version__ = "2.21.0"
import google.protobuf
if google.protobuf.__version__ < "6":
    raise ImportError("cannot import name 'runtime_version' from 'google.protobuf'")
"""


def wheel(folder: Path, name: str, version: str, files: dict[str, str], *requires: str) -> Path:
    """Writes a wheel of these files."""
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {each}\n" for each in requires)
    everything = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [record_line(path, text.encode()) for path, text in everything.items()]
    everything[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for each, text in everything.items():
            archive.writestr(each, text)
    return path


def protobuf(folder: Path, version: str) -> Path:
    files = {
        "google/protobuf/__init__.py": f'__version__ = "{version}"\n',
        "google/protobuf/more.py": "NUMBER = 1\n",
    }
    return wheel(folder, "protobuf", version, files)


def index(folder: Path) -> Path:
    """The wheels that pip can choose from."""
    for version in ("4.25.3", "6.31.1", "6.33.0"):
        protobuf(folder, version)
    files = {
        "tensorflow/__init__.py": TENSORFLOW,
        "tensorflow/tools/pip_package/setup.py": "_VERSION = '2.21.0'\n",
    }
    wheel(folder, "tensorflow", "2.21.0", files, "protobuf>=6.31.1,<8.0.0")
    return folder


def environment(folder: Path, wheels: Path) -> Path:
    """A virtual environment with pip, that TensorFlow and a protobuf that is too old for it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = site_of(folder)
    for each in pip_files():
        shutil.copytree(each, site / each.name)
    pip(
        folder,
        "install",
        "--no-index",
        "--find-links",
        str(wheels),
        "--no-deps",
        "tensorflow",
        "protobuf==4.25.3",
    )
    return folder


def pip_files() -> list[Path]:
    """pip of the Python that runs the tests: what ensurepip would bring."""
    import pip as module

    site = Path(module.__file__).parents[1]
    return [Path(module.__file__).parent, next(site.glob("pip-*.dist-info"))]


def pip(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", *words],
        capture_output=True, text=True, check=True,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    return done.stdout


@dataclass(frozen=True)
class Patient:
    """An environment, the wheels that pip can get for it, and where tfdoctor keeps its state."""

    root: Path
    environment: Path
    wheels: Path

    @property
    def python(self) -> str:
        return str(self.environment / "bin" / "python")

    def command(self, *arguments: str, to: tuple[str, ...] | None = None) -> list[str]:
        target = ("--python", str(self.environment)) if to is None else to
        return [sys.executable, "-m", "tfdoctor", "fix", *target, *arguments]

    def variables(self, **more: str) -> dict[str, str]:
        return {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.root / "home"), "XDG_STATE_HOME": str(self.root / "state"),
            "PYTHONPATH": str(CHECKOUT), "LANG": "C.UTF-8", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels),
            "TFDOCTOR_NO_REQUIRE_GPU": "1", **more,
        }  # fmt: skip

    def fix(
        self,
        *arguments: str,
        to: tuple[str, ...] | None = None,
        before: tuple[str, ...] = (),
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        """`tfdoctor fix` as a user runs it, with pip that knows the folder of wheels alone. `to`: which environment it is told."""
        return subprocess.run(
            [*before, *self.command(*arguments, to=to)], env=self.variables(**more), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=180, check=False,
        )  # fmt: skip

    def listed(self) -> list[dict[str, Any]]:
        """What `--list` says."""
        fixes: list[dict[str, Any]] = json.loads(self.fix("--list", "--json", to=()).stdout)[
            "fixes"
        ]
        return fixes

    def installed(self) -> dict[str, str]:
        """Versions by name."""
        folders = (
            each.name.removesuffix(".dist-info")
            for each in site_of(self.environment).glob("*.dist-info")
        )
        return {name: version for name, _, version in (each.partition("-") for each in folders)}

    def beside(self) -> list[str]:
        """What is left beside the environment."""
        return sorted(
            each.name for each in self.environment.parent.iterdir() if each != self.environment
        )


def patient(root: Path, name: str = "tf") -> Patient:
    """A new one: a copy of one that is made once in each process."""
    (root / "home").mkdir(parents=True)
    (root / "envs").mkdir()
    made = _template()
    shutil.copytree(made / "wheels", root / "wheels")
    shutil.copytree(made / "tf", root / "envs" / name, symlinks=True)
    return Patient(root, root / "envs" / name, root / "wheels")


@functools.cache
def _template() -> Path:
    root = Path(tempfile.mkdtemp(prefix="tfdoctor-standin-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    environment(root / "tf", index(root / "wheels"))
    return root


def uv() -> str:
    """uv of the tests' own packages."""
    from uv import find_uv_bin

    return str(find_uv_bin())


def picture(root: Path) -> dict[str, tuple[object, ...]]:
    """All of a tree: kind and mode, time, and what is in it."""
    found: dict[str, tuple[object, ...]] = {}
    for where, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            path = Path(where, name)
            status = path.lstat()
            inside = (
                os.readlink(path)
                if path.is_symlink()
                else hashlib.sha256(path.read_bytes()).hexdigest()
                if path.is_file()
                else ""
            )
            found[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, inside)
    return found
