"""Packages that TensorFlow requires and of which the files are gone or cut off that an import needs first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_elf import make_library
from tests.unit.ask.probes.fake_environments import (
    add_distribution,
    add_tensorflow,
    facts_of,
    record_line,
)
from tfdoctor.ask.probes.python import packages
from tfdoctor.ask.probes.request import Request
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import DamagedPackage

CORE = "numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so"
FILES = {"numpy/__init__.py": "import numpy._core\n", "numpy/_core/__init__.py": "x = 1\n", "numpy/_core/tests.py": "y = 1\n"}  # fmt: skip


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """TensorFlow and a NumPy with one compiled module, which is a whole file."""
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")
    folder = tmp_path / "site"
    add_tensorflow(folder, metadata="Requires-Dist: numpy>=1.26\nRequires-Dist: six")
    record = add_distribution(folder, "numpy", "2.4.6", FILES) / "RECORD"
    core = make_library(folder / CORE)
    record.write_text(f"{record.read_text()}{record_line(CORE, core.read_bytes())}\n")
    return folder


def damaged(site: Path) -> tuple[DamagedPackage, ...]:
    found = packages.ask(Request(), facts_of(site)).damaged
    return found.value if isinstance(found, Known) else ()


def test_whole(site: Path) -> None:
    assert isinstance(packages.ask(Request(), facts_of(site)).damaged, Absent)


@pytest.mark.parametrize("name", [CORE, "numpy/__init__.py", "numpy/_core/__init__.py"])
def test_file_is_gone_or_empty(site: Path, name: str) -> None:
    told = (DamagedPackage("numpy", "2.4.6", (name,), 1),)
    (site / name).write_bytes(b"")
    assert damaged(site) == told
    (site / name).unlink()
    assert damaged(site) == told


def test_compiled_module_is_cut_off(site: Path) -> None:
    (site / CORE).write_bytes((site / CORE).read_bytes()[:-100])
    assert [each.files for each in damaged(site)] == [(CORE,)]


def test_what_no_import_needs_first_and_what_others_change_is_no_damage(site: Path) -> None:
    """A stripped or patched library, a module that the compiler alone left, a package that TensorFlow does not ask for."""
    (site / "numpy/_core/tests.py").unlink()
    make_library(site / CORE, padding=4096)
    (site / "numpy/__init__.py").rename(site / "numpy/__init__.pyc")
    add_distribution(site, "pandas", "2.3.0", {"pandas/__init__.py": "z = 1\n"})
    (site / "pandas/__init__.py").unlink()
    assert damaged(site) == ()


def test_without_a_list_nothing_is_said(site: Path) -> None:
    (site / "numpy-2.4.6.dist-info" / "RECORD").unlink()
    (site / CORE).unlink()
    assert damaged(site) == ()
