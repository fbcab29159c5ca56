"""Which Python is examined, and what is refused as wrong usage."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import (
    add_tensorflow,
    make_script,
    make_venv,
    request_for,
    site_of,
)
from tfdoctor.ask.probes.python import target
from tfdoctor.ask.probes.python.target import choose_target, other_with_tensorflow
from tfdoctor.ask.probes.request import Request, RequestError
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Failed, Known


def test_a_folder_names_its_interpreter_and_the_link_is_kept(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "my env é")
    chosen = choose_target(request_for(venv))
    assert chosen.executable == Known(str(venv / "bin" / "python3"), "--python")
    assert chosen.prefix == str(venv)
    assert chosen.runs


def test_a_linked_environment_is_examined_where_the_link_stands(tmp_path: Path) -> None:
    make_venv(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    chosen = choose_target(request_for(tmp_path / "link"))
    assert chosen.executable == Known(str(tmp_path / "link" / "bin" / "python3"), "--python")


def test_a_name_is_looked_up_on_path(tmp_path: Path) -> None:
    program = make_script(tmp_path / "bin" / "python3.11", "exit 0\n")
    chosen = choose_target(request_for("python3.11", PATH=f"/nonexistent:{program.parent}"))
    assert chosen.executable == Known(str(program), "--python")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder / "gone", "no such file or directory"),
        (lambda folder: folder, "not an environment"),
        (lambda folder: make_script(folder / "ls", "exit 0\n"), "isn't a Python interpreter"),
        (lambda folder: Path(str(_text_file(folder / "python.txt"))), "isn't executable"),
        (lambda folder: _pipe(folder / "python3"), "neither a program nor a folder"),
        (lambda folder: Path("no-such-python"), "no program on PATH"),
    ],
)
def test_what_is_no_interpreter_is_wrong_usage(tmp_path: Path, make: object, words: str) -> None:
    named = make(tmp_path)  # type: ignore[operator]  # a function from the parameters above
    with pytest.raises(RequestError, match=words):
        choose_target(request_for(named))


def _pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def _text_file(path: Path) -> Path:
    path.write_text("just text\n")
    path.chmod(0o644)
    return path


def test_an_environment_whose_base_vanished_is_a_fact_and_no_wrong_usage(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env", home="/opt/gone/bin")
    (venv / "bin" / "python").unlink()
    (venv / "bin" / "python").symlink_to("/opt/gone/bin/python3.11")
    for named in (venv, venv / "bin" / "python"):
        chosen = choose_target(request_for(named))
        assert isinstance(chosen.executable, Failed)
        assert "/opt/gone/bin/python3.11" in chosen.executable.error
        assert chosen.prefix == str(venv)


def test_an_environment_without_any_interpreter_is_a_fact(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\n")
    chosen = choose_target(request_for(tmp_path))
    assert isinstance(chosen.executable, Failed)
    assert "has no interpreter" in chosen.executable.error


def test_the_order_is_virtual_env_then_conda_then_path(tmp_path: Path) -> None:
    venv, conda = make_venv(tmp_path / "v"), make_venv(tmp_path / "c")
    program = make_script(tmp_path / "bin" / "python3", "exit 0\n")
    both = request_for(VIRTUAL_ENV=str(venv), CONDA_PREFIX=str(conda), PATH=str(program.parent))
    assert choose_target(both).chosen_by == "VIRTUAL_ENV"
    only_conda = request_for(CONDA_PREFIX=str(conda), PATH=str(program.parent))
    assert choose_target(only_conda).executable == Known(
        str(conda / "bin" / "python3"), "CONDA_PREFIX"
    )


def test_a_stale_variable_is_passed_over_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_script(tmp_path / "bin" / "python3", "exit 0\n")
    monkeypatch.setattr(target, "has_tensorflow", lambda folders: False)
    chosen = choose_target(request_for(VIRTUAL_ENV="/gone", PATH=str(program.parent)))
    assert chosen.executable == Known(
        str(program), "python3 on PATH (VIRTUAL_ENV names /gone, which does not exist)"
    )


def test_our_own_environment_counts_where_it_has_tensorflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_tensorflow(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    chosen = choose_target(request_for(PATH="/nonexistent"))
    assert chosen.chosen_by == "the environment of tfdoctor itself"
    assert chosen.executable == Known(os.path.abspath(sys.executable), chosen.chosen_by)


def test_nothing_to_choose_from_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "has_tensorflow", lambda folders: False)
    assert isinstance(choose_target(request_for(PATH="/nonexistent")).executable, Absent)


def _kernel(tmp_path: Path, argv: list[str]) -> Request:
    folder = tmp_path / "data" / "kernels" / "mine"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Mine"}))
    return Request(
        kernel="Mine", system=System(environ={"JUPYTER_PATH": str(tmp_path / "data"), "PATH": ""})
    )


def test_a_kernel_names_its_interpreter(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    request = _kernel(tmp_path, [str(venv / "bin" / "python"), "-m", "ipykernel_launcher"])
    assert choose_target(request).executable == Known(str(venv / "bin" / "python"), "--kernel Mine")


def test_a_kernel_whose_program_is_gone_is_a_fact(tmp_path: Path) -> None:
    chosen = choose_target(_kernel(tmp_path, ["/gone/bin/python", "-m", "ipykernel_launcher"]))
    assert isinstance(chosen.executable, Failed)
    assert "/gone/bin/python does not exist" in chosen.executable.error


def test_an_unknown_kernel_is_wrong_usage_and_the_known_ones_are_named(tmp_path: Path) -> None:
    known = _kernel(tmp_path, ["/bin/python"])
    with pytest.raises(RequestError, match="Jupyter has mine"):
        choose_target(Request(kernel="other", system=known.system))


def test_both_python_and_kernel_are_wrong_usage() -> None:
    with pytest.raises(RequestError, match="two interpreters"):
        choose_target(Request(python="python3", kernel="mine"))


def test_another_active_environment_with_tensorflow_is_found(tmp_path: Path) -> None:
    empty, full = make_venv(tmp_path / "empty"), make_venv(tmp_path / "full")
    add_tensorflow(site_of(full))
    system = request_for(VIRTUAL_ENV=str(empty), CONDA_PREFIX=str(full), PATH="/nonexistent").system
    found = other_with_tensorflow(str(empty / "bin" / "python3"), system)
    assert found == Known(str(full / "bin" / "python3"), "CONDA_PREFIX")


def test_below_a_sysroot_an_interpreter_is_read_and_not_run(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "root" / "opt" / "venv", home="/usr/bin")
    for named in ("/opt/venv", venv, "/opt/venv/bin/python"):
        chosen = choose_target(request_for(named, root=tmp_path / "root"))
        assert not chosen.runs
        assert isinstance(chosen.executable, Known)


def test_with_a_sysroot_an_interpreter_outside_of_it_is_taken_as_it_is(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (tmp_path / "root").mkdir()
    chosen = choose_target(request_for(venv, root=tmp_path / "root"))
    assert chosen.runs
