"""Real Python environments with real wheels, made once and kept below the cache folder.

uv lays files as hard links into its own cache: to break one, replace it (`damage.py`), never write into it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

EVERY_REPAIR = os.environ.get("TFDOCTOR_REPAIRS") == "all"
"""`make repairs`: also the fixes that install gigabytes again."""

CACHE = Path(
    os.environ.get(
        "TFDOCTOR_TEST_CACHE", Path(__file__).parents[2] / ".cache" / "test-environments"
    )
)


class CannotBuild(Exception):  # noqa: N818  # it says what happened, as its callers read it
    """The environment could not be made; the message is the tool's own last words."""


def environment(*requirements: str, python: str = "") -> Path:
    """The interpreter of a kept environment with exactly these requirements installed. Treat it as read-only."""
    key = hashlib.sha256(repr((requirements, python, sys.version_info[:2])).encode()).hexdigest()[
        :12
    ]
    folder = CACHE / f"{requirements[0].split('[')[0].split('=')[0]}-{key}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = folder / "ready"
        if not ready.exists():
            make(folder, *requirements, python=python, options=("--compile-bytecode",))
            ready.touch()
    return folder / "bin" / "python"


def with_jupyter() -> Path:
    """The interpreter of one with Jupyter's programs and this very doctor, without TensorFlow. Read-only."""
    doctor = f"{Path(__file__).parents[2]}[jupyter]"
    return environment("ipykernel", "nbclient", "jupyter-server", "papermill", "--editable", doctor)


def make(folder: Path, *requirements: str, python: str = "", options: tuple[str, ...] = ()) -> Path:
    """A new environment with pip in it, to be broken at will. Returns its interpreter."""
    base = python or f"{sys.version_info.major}.{sys.version_info.minor}"
    base = base if "/" in base else str(interpreter(base) or base)
    _uv("venv", "--quiet", "--clear", "--seed", "--python", base, str(folder))
    if requirements:
        install(folder / "bin" / "python", *requirements, options=options)
    return folder / "bin" / "python"


def interpreter(version: str) -> Path | None:
    """A working `pythonX.Y`: this one's own, on PATH, or among pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [Path(sys.executable).resolve().parent, *map(Path, os.environ["PATH"].split(":"))]
    for folder in (*folders, *sorted(pyenv.glob(f"{version}.*/bin"))):
        program = folder / f"python{version}"
        if (
            program.exists()
            and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode
            == 0
        ):
            return program
    return None


def install(python: Path, *requirements: str, options: tuple[str, ...] = ()) -> None:
    _uv("pip", "install", "--quiet", "--python", str(python), *options, *requirements)


def _uv(*arguments: str) -> None:
    command = [sys.executable, "-m", "uv", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != 0:
        raise CannotBuild(f"{' '.join(arguments)}: {done.stderr.strip()[-600:]}")


def site_packages(python: Path) -> Path:
    return next((python.parent.parent / "lib").glob("python3*/site-packages"))


def truncate(file: Path, keep: float) -> None:
    """Cuts a file to a part of its length, in a copy: the original may be a link into the cache."""
    size = int(file.stat().st_size * keep)
    copy = file.with_name(file.name + ".cut")
    with file.open("rb") as source, copy.open("wb") as target:
        remaining = size
        while remaining > 0 and (chunk := source.read(min(remaining, 1 << 22))):
            target.write(chunk)
            remaining -= len(chunk)
    copy.replace(file)
