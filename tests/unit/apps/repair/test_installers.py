"""Which installer is taken, and what it is asked for: real uv, and a program that answers as pip does (pip 26.3, 2026-11-29)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.bench import Bench
from tests.unit.ask.probes.fake_environments import make_script
from tfdoctor.apps.repair.installer import (
    Installer,
    InstallerError,
    Pip,
    Resolved,
    environ,
    installer_for,
)
from tfdoctor.apps.repair.journal import Change
from tfdoctor.apps.repair.trial import State, Trial
from tfdoctor.base.child import run_child
from tfdoctor.knowledge.model import Verdict
from tfdoctor.report.report import Report

REPORT = """{"version": "1", "pip_version": "26.3", "install": [
 {"download_info": {"url": "https://example.org/protobuf-6.33.0-py3-none-any.whl"}, "is_direct": false, "requested": true,
  "metadata": {"metadata_version": "2.1", "name": "protobuf", "version": "6.33.0"}},
 {"download_info": {"url": "https://example.org/Ml_Dtypes-0.6.0-py3-none-any.whl"}, "is_direct": false, "requested": false,
  "metadata": {"metadata_version": "2.1", "name": "Ml_Dtypes", "version": "0.6.0"}},
 {"download_info": {"url": "https://example.org/keras-3.15.1-py3-none-any.whl"}, "is_direct": false, "requested": false,
  "metadata": {"metadata_version": "2.1", "name": "keras", "version": "3.15.1"}}]}
"""
ASKED = """echo "$@" >>asked
while [ $# -gt 0 ]; do [ "$1" = -c ] && cp "$2" constraints; [ "$1" = --dest ] && cp wheels/*.whl "$2"; shift; done
"""


def pip(folder: Path, said: str = "", error: str = "", status: int = 0) -> Pip:
    """A pip that says so, keeps what it was asked and has its wheels in a folder."""
    (folder / "said").write_text(said)
    (folder / "error").write_text(error)
    words = f"cd {folder}\n{ASKED}cat said; cat error >&2; exit {status}\n"
    python = str(make_script(folder / "python", words))
    return Pip(python, (python, "-m", "pip"), None)


def test_pip_is_asked_what_it_would_change(tmp_path: Path) -> None:
    found = pip(tmp_path, REPORT).resolve(
        ["protobuf>=6"], {"protobuf": "4.25.3", "keras": "3.15.1"}, {"keras": "3.15.1"}
    )
    assert found == Resolved((Change("protobuf", "4.25.3", "6.33.0"), Change("ml-dtypes", "", "0.6.0")))  # fmt: skip
    assert (tmp_path / "constraints").read_text() == "keras==3.15.1\n"
    words = (tmp_path / "asked").read_text().split()
    assert words[:2] == ["-m", "pip"]
    assert {"--dry-run", "--only-binary", ":all:", "protobuf>=6"} <= set(words)
    assert "--no-deps" not in words
    pip(tmp_path, REPORT).resolve(["protobuf>=6"], {}, {}, alone=True)
    assert "--no-deps" in (tmp_path / "asked").read_text()


@pytest.mark.parametrize("said", ["", "[]", '{"install": [{}]}', "WARNING: x"])
def test_an_answer_of_pip_that_cant_be_read_changes_nothing(tmp_path: Path, said: str) -> None:
    assert pip(tmp_path, said).resolve(["a"], {}, {}) == Resolved()


def test_pips_refusal_is_in_its_words(tmp_path: Path) -> None:
    said = "ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.\n"
    found = pip(tmp_path, error=said, status=1).resolve(["a==1", "b==2"], {}, {})
    assert found.refused == "Cannot install a==1 and b==2 because these package versions have conflicting dependencies"  # fmt: skip


def test_pip_fetches_wheels_and_their_files_are_known(tmp_path: Path) -> None:
    """Their sizes it tells to nobody."""
    standin.wheel(tmp_path / "wheels", "one", "1.0", {"one/a.py": "12345", "one/b.py": ""})
    (tmp_path / "to").mkdir()
    made = pip(tmp_path)
    assert made.fetch(["one==1.0"], tmp_path / "to") == ""
    files, size = made.writes(tmp_path / "to")
    assert {each for each in files if "dist-info" not in each} == {"one/a.py", "one/b.py"}
    assert 5 < size < 1000
    one = Change("one", "", "1.0")
    assert made.sized((one,)) == (one,)
    broken = pip(tmp_path, error="ERROR: No matching distribution found for one==1.0\n", status=1)
    assert broken.fetch(["one==1.0"], tmp_path / "to") == "No matching distribution found for one==1.0"  # fmt: skip


@pytest.mark.parametrize("name", ["uv", "pip"])
def test_it_installs_what_was_fetched_without_network_and_nothing_else(
    bench: Bench, tmp_path: Path, name: str
) -> None:
    made: Installer = bench.installer() if name == "uv" else pip(tmp_path)
    words = made.install(["protobuf==6.33.0"], tmp_path)
    network, again = {"uv": ("--offline", "--reinstall"), "pip": ("--no-index", "--force-reinstall")}[name]  # fmt: skip
    assert {network, again, "--no-deps", "--only-binary", ":all:", "protobuf==6.33.0"} <= set(words)
    assert made.uninstall(["protobuf"])[-1] == "protobuf"
    assert "check" in made.complain()


def test_uv_fetches_installs_and_removes(bench: Bench, tmp_path: Path) -> None:
    made, folder = bench.installer(), tmp_path / "to"
    folder.mkdir()
    assert made.fetch(["protobuf==6.33.0"], folder) == ""
    files, size = made.writes(folder)
    assert {"google/protobuf/__init__.py", "google/protobuf/more.py"} <= files
    assert size == sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
    for words in (made.install(["protobuf==6.33.0"], folder), made.uninstall(["tensorflow"])):
        assert run_child(words, timeout_s=60, env=environ()).ok
    assert bench.installed() == {"protobuf": "6.33.0"}
    refused = made.fetch(["protobuf==99"], folder)
    assert refused.startswith("No solution found when resolving dependencies: Because ")


def test_what_an_installer_complains_of(bench: Bench) -> None:
    """Both say it in their own words."""
    state = Trial(None, ()).with_complaints(_state(), bench.installer())
    [line] = state.complaints
    assert line.startswith("The package `tensorflow` requires `protobuf>=6.31.1,<8.0.0`")
    said = "tensorflow 2.21.0 has requirement protobuf>=6.31.1, but you have protobuf 4.25.3.\nNo broken\n"
    state = Trial(None, ()).with_complaints(_state(), pip(bench.root, said, status=1))
    assert state.complaints == {"tensorflow 2.21.0 has requirement protobuf>=6.31.1"}


def _state() -> State:
    return State(Report(verdict=Verdict.BROKEN))


ANSWERS = """case "$*" in
*--version) {version};;
*"config list") {config};;
esac
"""
NEW_PIP = "echo pip 26.3 from /x/pip '(python 3.11)'"
NO_PIP = "echo No module named pip >&2; exit 1"


@pytest.mark.parametrize(
    ("config", "variable", "name"),
    [
        ("true", "", "uv"),
        ("echo \"global.timeout='60'\"", "", "uv"),
        ("echo \"global.index-url='https://example.org/simple'\"", "", "pip"),
        ("echo \":env:.extra-index-url='https://example.org/simple'\"", "", "pip"),
        ("echo \"install.find-links='/wheels'\"", "", "pip"),
        ("true", "PIP_INDEX_URL", "pip"),
        ("true", "PIP_CONFIG_FILE", "pip"),
    ],
)
def test_uv_is_taken_unless_pip_alone_knows_the_index(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, config: str, variable: str, name: str
) -> None:
    python = make_script(bench.root / "python", ANSWERS.format(version=NEW_PIP, config=config))
    if variable:
        monkeypatch.setenv(variable, "https://example.org/simple")
    assert installer_for(str(python), None, has_pip=True).name == name
    assert installer_for(str(python), None, has_pip=False).name == "uv"


@pytest.mark.parametrize(
    ("version", "why"),
    [
        (NEW_PIP, ""),
        ("echo pip 22.2 from /x/pip", ""),
        ("echo pip 21.3.1 from /x/pip", "the environment's pip 21.3.1 can't compute a change without making it; run `python -m pip install --upgrade pip` in it, or install uv"),
        (NO_PIP, "the environment's pip does not start; run `python -m ensurepip` in it"),
        ("true", "the environment's pip does not start; run `python -m ensurepip` in it"),
        ("echo pip of today", "the environment's pip does not start; run `python -m ensurepip` in it"),
    ],
)  # fmt: skip
def test_without_uv_the_environments_pip_has_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, why: str
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    python = make_script(tmp_path / "python", ANSWERS.format(version=version, config="true"))
    if not why:
        assert installer_for(str(python), None, has_pip=True).name == "pip"
        return
    with pytest.raises(InstallerError) as told:
        installer_for(str(python), None, has_pip=True)
    assert str(told.value) == why


def test_nothing_leads_it_to_another_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_TARGET", "UV_PYTHON", "VIRTUAL_ENV", "PYTHONPATH"):
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple")
    found = environ()
    assert "/elsewhere" not in found.values()
    assert (found["PIP_USER"], found["PIP_INDEX_URL"]) == ("0", "https://example.org/simple")
    assert found["PATH"] == os.environ["PATH"]
