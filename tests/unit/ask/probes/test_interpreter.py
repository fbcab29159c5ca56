"""What an interpreter answers, and how its silence, nonsense, death and hanging differ."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest

from tests.needs import OTHER_PYTHON
from tests.unit.ask.probes.fake_environments import (
    FEATURE,
    PLAIN_ENVIRON,
    add_tensorflow,
    make_script,
    make_venv,
    request_for,
    site_of,
)
from tfdoctor.ask.probes.python import interpreter
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.workers import program
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Interpreter
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.versions import PythonRelease

pytestmark = pytest.mark.slow  # starts interpreters

VERSION = ".".join(map(str, sys.version_info[:3]))


def examine(python: Path, *, limit_s: float = 5.0, **environ: str) -> Interpreter:
    system = System(environ={**PLAIN_ENVIRON, **environ})
    return interpreter.ask(
        Request(python=str(python), system=system, child_limit_s=limit_s), Facts()
    )


def error_of(group: Interpreter) -> str:
    assert isinstance(group.sys_path, Failed)
    return group.sys_path.error


def test_a_healthy_environment_answers(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "my env é")
    group = examine(venv)
    source = str(venv / "bin" / "python3")
    assert group.executable == Known(source, "--python")
    assert group.version == Known(PythonRelease(VERSION), source)
    assert group.environment == Known("venv", str(venv))
    assert group.prefix == Known(str(venv), source)
    assert group.pointer_bits == Known(64, source)
    assert isinstance(group.site_packages, Known)
    assert group.site_packages.value[0] == str(site_of(venv))  # Debian's own Python tells two more
    assert isinstance(group.user_site, Absent)
    assert isinstance(group.externally_managed, Absent)
    assert group.has_pip == Known(False, "the folders of sys.path")
    assert isinstance(group.sys_path, Known)
    assert group.sys_path.value[-1] == str(site_of(venv))


def test_the_working_folder_is_not_on_sys_path_and_its_modules_do_not_end_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')\n")
    monkeypatch.chdir(tmp_path)
    group = examine(make_venv(tmp_path / "env"))
    assert isinstance(group.sys_path, Known)
    assert str(tmp_path) not in group.sys_path.value


def test_pythonpath_counts_and_its_modules_do_not_end_us(tmp_path: Path) -> None:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "json.py").write_text("raise SystemExit('shadowed')\n")
    group = examine(make_venv(tmp_path / "env"), PYTHONPATH=str(tmp_path / "extra"))
    assert isinstance(group.sys_path, Known)
    assert group.sys_path.value[0] == str(tmp_path / "extra")


@pytest.mark.parametrize(
    "odd",
    ['quo"te', "back\\slash", "tab\there", "é", "\U0001d11e", os.fsdecode(b"\xff"), "DEL\x7f"],
)
def test_odd_names_come_through_unchanged(tmp_path: Path, odd: str) -> None:
    group = examine(make_venv(tmp_path / "env"), PYTHONPATH=str(tmp_path / odd))
    assert isinstance(group.sys_path, Known)
    assert group.sys_path.value[0] == str(tmp_path / odd)


def test_what_is_no_text_on_sys_path_is_passed_over_as_by_import(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (site_of(venv) / "path.pth").write_text(
        "import sys, pathlib; sys.path.append(pathlib.Path('/a'))\n"
    )
    group = examine(venv)
    assert isinstance(group.sys_path, Known)
    assert "/a" not in group.sys_path.value


def test_pth_files_count(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (tmp_path / "project").mkdir()
    (site_of(venv) / "editable.pth").write_text(f"{tmp_path / 'project'}\n")
    group = examine(venv)
    assert isinstance(group.sys_path, Known)
    assert group.sys_path.value[-1] == str(tmp_path / "project")


def test_a_sitecustomize_that_prints_200_megabytes_is_outlived(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (site_of(venv) / "sitecustomize.py").write_text("for _ in range(200): print('x' * 1_000_000)\n")
    # A busy machine takes seconds for it.
    assert isinstance(examine(venv, limit_s=30.0).sys_path, Known)


def test_a_start_that_exits_is_told_with_its_status(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (site_of(venv) / "exits.pth").write_text("import os; os._exit(3)\n")
    group = examine(venv)
    assert "ended with status 3" in error_of(group)
    assert group.site_packages == Known((str(site_of(venv)),), f"the files below {venv}")
    assert isinstance(group.version, Known)


def test_silence(tmp_path: Path) -> None:
    assert "ended well and answered nothing" in error_of(
        examine(make_script(tmp_path / "bin/python3", "exit 0\n"))
    )


def test_nonsense(tmp_path: Path) -> None:
    group = examine(make_script(tmp_path / "bin/python3", "printf 'hello \\033[31mred'\n"))
    assert "answered something else than was asked: 'hello  [31mred'" in error_of(group)


def test_a_shim_that_finds_no_program_is_told_by_its_first_line(tmp_path: Path) -> None:
    text = "echo 'pyenv: python3: command not found' >&2\necho 'advice' >&2\nexit 127\n"
    group = examine(make_script(tmp_path / "bin/python3", text))
    assert error_of(group).endswith("ended with status 127: pyenv: python3: command not found")
    assert isinstance(group.site_packages, Failed)
    assert isinstance(group.has_pip, Failed)


def test_death_by_a_signal(tmp_path: Path) -> None:
    assert "died of SIGSEGV" in error_of(
        examine(make_script(tmp_path / "bin/python3", "kill -SEGV $$\n"))
    )


def test_hanging(tmp_path: Path) -> None:
    script = make_script(tmp_path / "bin/python3", "sleep 600\n")
    group = interpreter.ask(
        Request(python=str(script), system=System(environ={"PATH": "/bin"}), child_limit_s=0.5),
        Facts(),
    )
    assert "did not answer" in error_of(group)


def test_a_file_that_the_kernel_can_not_start(tmp_path: Path) -> None:
    path = tmp_path / "bin" / "python3"
    path.parent.mkdir()
    path.write_bytes(b"\x7fELF no more")
    path.chmod(0o755)
    assert "could not be started: Exec format error" in error_of(examine(path))


def test_a_wrong_pythonhome_is_named(tmp_path: Path) -> None:
    error = error_of(examine(make_venv(tmp_path / "env"), PYTHONHOME="/nonexistent"))
    assert "Fatal Python error" in error
    assert "PYTHONHOME is set to /nonexistent" in error


def test_a_broken_pyvenv_cfg_that_python_survives(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (venv / "pyvenv.cfg").write_bytes(b"\xff\xfe nonsense without any key\n")
    group = examine(venv)
    assert isinstance(group.version, Known)


def test_pyvenv_cfg_that_is_a_folder(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (venv / "pyvenv.cfg").unlink()
    (venv / "pyvenv.cfg").mkdir()
    assert isinstance(examine(venv).executable, Known)


def test_a_vanished_base_is_told_and_the_files_say_the_rest(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env", home="/opt/gone/bin", version="3.11.7")
    (venv / "bin" / "python").unlink()
    (venv / "bin" / "python").symlink_to("/opt/gone/bin/python3.11")
    group = examine(venv)
    assert isinstance(group.executable, Failed)
    assert group.version == Known(PythonRelease("3.11.7"), str(venv / "pyvenv.cfg"))
    assert isinstance(group.base_prefix, Failed)
    assert "/opt/gone/bin, which does not exist" in group.base_prefix.error
    assert group.site_packages == Known((str(site_of(venv)),), f"the files below {venv}")


def test_nothing_is_written_into_the_environment(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (site_of(venv) / "sitecustomize.py").write_text("import helper\n")
    (site_of(venv) / "helper.py").write_text("\n")
    before = {path for path, _, _ in os.walk(venv)}
    examine(venv)
    assert {path for path, _, _ in os.walk(venv)} == before


def test_another_active_environment_is_told(tmp_path: Path) -> None:
    empty, full = make_venv(tmp_path / "empty"), make_venv(tmp_path / "full")
    add_tensorflow(site_of(full))
    group = examine(empty, VIRTUAL_ENV=str(full), PATH="/nonexistent")
    assert group.active_with_tensorflow == Known(str(full / "bin" / "python3"), "VIRTUAL_ENV")


def test_below_a_sysroot_the_files_answer(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "usr" / "lib" / FEATURE).mkdir(parents=True)
    venv = make_venv(root / "opt" / "venv", home="/usr/bin", version="3.11.2")
    group = interpreter.ask(request_for("/opt/venv", root=root), Facts())
    assert group.version == Known(PythonRelease("3.11.2"), str(venv / "pyvenv.cfg"))
    assert group.base_prefix == Known(str(root / "usr"), str(venv / "pyvenv.cfg"))
    assert isinstance(group.sys_path, Known)
    assert group.sys_path.value[-1] == str(site_of(venv))
    assert isinstance(group.implementation, Failed)
    assert group.implementation.not_live


@pytest.mark.parametrize("name", ["ask_interpreter", "compare_files"])
def test_the_programs_for_children_keep_to_python_3_7(name: str) -> None:
    text = Path(program(name)).read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 7))


VERSIONS = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
OTHERS = sorted(VERSIONS.glob("[23].*")) if os.access(VERSIONS, os.R_OK) else []


@pytest.mark.real
@pytest.mark.parametrize(
    "prefix", OTHERS or [pytest.param(None, marks=pytest.mark.skip(reason=OTHER_PYTHON))]
)
def test_every_python_of_pyenv_answers(prefix: Path) -> None:
    group = examine(prefix)
    assert isinstance(group.version, Known)
    assert group.version.value.text == prefix.name
    assert isinstance(group.site_packages, Known)
    assert isinstance(group.user_site, Known)


def test_a_wrapper_that_was_named_is_what_is_started_and_shown(tmp_path: Path) -> None:
    """As Nix and scripts of IDEs do: without what it sets, its Python lacks packages."""
    packages = tmp_path / "packages"
    packages.mkdir()
    wrapper = make_script(
        tmp_path / "python3.11", f'export PYTHONPATH="{packages}"\nexec "{sys.executable}" "$@"\n'
    )
    group = examine(wrapper)
    assert group.executable == Known(str(wrapper), "--python")
    assert isinstance(group.sys_path, Known)
    assert str(packages) in group.sys_path.value
