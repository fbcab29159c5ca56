"""Which interpreter `--smoke tf` runs: the examined one, else the one that `check` would choose."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tfdoctor.apps.cli.healthcheck_smoke import interpreter
from tfdoctor.apps.health.answer import FAIL, UNKNOWN, CheckResult
from tfdoctor.apps.health.options import Options
from tfdoctor.ask.probes.python.target import choose_target
from tfdoctor.ask.probes.request import Request
from tfdoctor.facts.outcome import Known


def asked(**fields: str) -> Options:
    options = Options()
    for name, value in fields.items():
        setattr(options, name, value)
    return options


def an_environment(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="ascii")
    (folder / "bin/python").symlink_to(sys.executable)
    return folder


def test_it_is_the_choice_of_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conda = an_environment(tmp_path / "conda")
    for variables in (
        {"VIRTUAL_ENV": str(an_environment(tmp_path / "venv"))},
        {"VIRTUAL_ENV": str(tmp_path / "removed"), "CONDA_PREFIX": str(conda)},
        {"CONDA_PREFIX": str(conda)},
        {"PATH": str(conda / "bin")},
        {},
    ):
        with monkeypatch.context() as changed:
            for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
                changed.delenv(name, raising=False)
            for name, value in variables.items():
                changed.setenv(name, value)
            chosen = choose_target(Request()).executable
            assert isinstance(chosen, Known)
            assert interpreter(asked(), {}) == chosen.value
            assert variables.get("CONDA_PREFIX", "") in chosen.value, (
                "a variable that names nothing is passed over"
            )


def test_a_folder_is_taken_as_check_takes_it(tmp_path: Path) -> None:
    folder = an_environment(tmp_path / "own")
    assert interpreter(asked(python=str(folder)), {}) == str(folder / "bin/python")


def test_what_can_not_be_run_is_a_fault_in_the_words_of_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = interpreter(asked(python=str(tmp_path / "none")), {})
    assert isinstance(told, CheckResult)
    assert (told.status, told.words) == (
        FAIL,
        f"--python {tmp_path}/none: no such file or directory",
    )
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "")
    told = interpreter(asked(), {})
    assert isinstance(told, CheckResult)
    assert told.words == "no environment is active and no python3 is on PATH; name one by --python"


def test_an_unpacked_systems_interpreter_is_never_run(tmp_path: Path) -> None:
    folder = an_environment(tmp_path / "own")
    told = interpreter(asked(python=str(folder), sysroot=str(tmp_path)), {})
    assert isinstance(told, CheckResult)
    assert (told.status, told.words) == (
        UNKNOWN,
        "an interpreter of an unpacked system is never run",
    )
