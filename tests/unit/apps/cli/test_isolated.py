"""Modules and programs of the folder that one stands in are examined, not run."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import environment
from tfdoctor.base.child import find_program
from tfdoctor.base.sysroot import System, without_working_folder

COMMANDS = (
    ("check", "--smoke", "none", "--json", "--python", sys.executable),
    ("healthcheck", "--json"),
    ("explain", "--list"),
)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A working folder full of modules and programs that leave a mark where they run."""
    folder = tmp_path / "working"
    folder.mkdir()
    for name in ("re", "json", "typing", "typer", "random", "subprocess", "hyperscan"):
        (folder / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n"
        )
    for name in ("python3", "python", "ptxas", "pip", "journalctl", "dmesg", "nvidia-smi"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> {tmp_path}/ran\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.slow  # starts the program
@pytest.mark.parametrize("path", [":{checkout}", ".:{checkout}", "{checkout}"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_working_folder_brings_nothing_into_the_doctor(
    command: tuple[str, ...], path: str, trap: Path
) -> None:
    clean = environment()
    env = {
        **clean,
        "PATH": f".:{clean['PATH']}",
        "PYTHONPATH": path.format(checkout=clean["PYTHONPATH"]),
    }
    start = "import sys; sys.argv[0] = 'tfdoctor'; from tfdoctor.apps.cli.entry import main; main()"  # as a script in bin/
    isolated = [sys.executable, "-c", f"import sys; sys.path[:1] = []; {start}"]
    for program in (isolated, [sys.executable, "-m", "tfdoctor"]):
        ran = subprocess.run(
            [*program, *command],
            cwd=trap,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.stderr == ""
        assert ran.stdout
        if "--json" in command:
            json.loads(ran.stdout)
        mark = trap.parent / "ran"
        assert not mark.exists(), mark.read_text()


@pytest.mark.slow
def test_where_pythons_own_start_has_run_such_a_module_the_doctor_begins_again(trap: Path) -> None:
    mark = trap.parent / "ran"
    (trap / "sitecustomize.py").write_text("import re\n")
    env = {**environment(), "PYTHONPATH": f".:{environment()['PYTHONPATH']}"}
    ran = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "check", "--smoke", "none", "--json", "--python", sys.executable],
        cwd=trap, env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert json.loads(ran.stdout)["schema_version"] == "1.0"
    assert mark.read_text().split() == ["re"], (
        "by sitecustomize, before any line of the doctor; never again"
    )


@pytest.mark.slow
def test_an_environment_below_the_working_folder_is_not_taken_for_the_folder(
    tmp_path: Path,
) -> None:
    """`project/.venv` whose start-up files import what is installed in it, with PYTHONPATH=. set."""
    venv.create(tmp_path / ".venv", symlinks=True)
    [site] = (tmp_path / ".venv").glob("lib/python*/site-packages")
    (site / "started.py").write_text("")
    (site / "here.pth").write_text(f"{Path(pytest.__file__).parents[1]}\nimport started\n")
    env = {**environment(), "PYTHONPATH": f".:{environment()['PYTHONPATH']}"}
    ran = subprocess.run(
        [str(tmp_path / ".venv" / "bin" / "python"), "-m", "tfdoctor", "--version"],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")


def test_relative_entries_of_path_are_passed_over(
    trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap)
    assert System(environ={"PATH": ".::bin:/usr/bin"}).program_folders() == ["/usr/bin"]
    with pytest.raises(FileNotFoundError):
        find_program("ptxas", {"PATH": ".::/nonexistent"})
    assert find_program("sh", {"PATH": ".:/bin"}) == "/bin/sh"


@pytest.mark.parametrize(
    ("said", "left"),
    [("", None), (":/x", "/x"), ("/x:./:/y:lib", "/x:/y:lib"), (".", None), ("/x", "/x")],
)
def test_an_examined_interpreter_gets_pythonpath_without_the_working_folder(
    said: str, left: str | None
) -> None:
    assert without_working_folder({"PYTHONPATH": said, "A": "b"}).get("PYTHONPATH") == left
