"""Tries a built wheel as its users will: installed by pip, pipx and uv tool, it examines an environment beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.real.environments import environment
from tests.real.fixtures import NEWEST

_BIN = Path(sys.executable).parent


class ReleaseError(Exception):
    """What keeps the release back, in words for the one who makes it."""


def run(program: str, *arguments: object, **variables: str) -> str:
    """What the program of this environment, or else of the system, prints. Raises CalledProcessError."""
    own = _BIN / program
    command = [str(own if own.exists() else program), *map(str, arguments)]
    done = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return done.stdout


def by_pip(wheel: Path, folder: Path, own: str = sys.executable) -> Path:
    subprocess.run([own, "-m", "venv", str(folder)], check=True, capture_output=True, text=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", str(wheel)],
        check=True,
        capture_output=True,
        text=True,
    )
    return folder / "bin" / "tfdoctor"


def by_pipx(wheel: Path, folder: Path, own: str = sys.executable) -> Path:
    programs = folder / "bin"
    homes = {
        "PIPX_HOME": str(folder / "home"),
        "PIPX_BIN_DIR": str(programs),
        "PIPX_MAN_DIR": str(folder),
    }
    run("pipx", "install", "--python", own, wheel, **homes)
    return programs / "tfdoctor"


def by_uv_tool(wheel: Path, folder: Path, own: str = sys.executable) -> Path:
    programs = folder / "bin"
    homes = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(programs)}
    run("uv", "tool", "install", "--quiet", "--python", own, wheel, **homes)
    return programs / "tfdoctor"


WAYS = (by_pip, by_pipx, by_uv_tool)


def try_wheel(wheel: Path, version: str) -> None:
    """Raises ReleaseError where an installed doctor does not examine the environment beside it, or is not this version."""
    patient = environment(f"tensorflow=={NEWEST}").parent.parent
    with tempfile.TemporaryDirectory(prefix="tfdoctor-trial-") as folder:
        for install in WAYS:
            place = Path(folder) / install.__name__
            examine(install(wheel, place), patient, place, version)
            sys.stdout.write(f"{install.__name__}: {version} examined the environment beside it\n")


def examine(program: Path, patient: Path, folder: Path, version: str) -> None:
    """As a user in an active environment would: nothing of this checkout is in reach."""
    home = folder / "empty"
    home.mkdir()
    variables = {
        "PATH": os.defpath,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "VIRTUAL_ENV": str(patient),
    }
    done = subprocess.run(
        [program, "check", "--json", "--no-redact"],
        cwd=home, env=variables, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    if done.returncode != 0 or done.stderr:
        raise ReleaseError(
            f"{program} check ended with {done.returncode}: {done.stderr[-2000:]}{done.stdout[-2000:]}"
        )
    report = json.loads(done.stdout)
    seen = (report["tool"]["version"], report["verdict"], report["subject"]["python"])
    if seen[:2] != (version, "healthy") or Path(seen[2]).parent != patient / "bin":
        raise ReleaseError(f"{program} check: version, verdict and subject are {seen}")
    for words in (["--version"], ["explain", "driver-too-old"], ["plan"], ["matrix", "show"]):
        subprocess.run(
            [program, *words], cwd=home, env=variables, check=True, capture_output=True, text=True
        )
