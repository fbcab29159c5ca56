"""Environments read from their files alone, as below a sysroot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import (
    add_distribution,
    add_tensorflow,
    make_venv,
    site_of,
)
from tfdoctor.ask.probes.python.environments import (
    has_tensorflow,
    kind_of,
    read_layout,
    read_pyvenv,
)
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.versions import PythonRelease


def test_debians_own_python(tmp_path: Path) -> None:
    usr = tmp_path / "usr"
    for name in (
        "bin",
        "lib/python3.11/lib-dynload",
        "lib/python3/dist-packages",
        "local/lib/python3.11/dist-packages",
    ):
        (usr / name).mkdir(parents=True)
    (usr / "bin" / "python3.11").touch()
    (usr / "bin" / "python3").symlink_to("python3.11")
    layout = read_layout(str(usr / "bin" / "python3"), System(tmp_path, {}))
    assert layout.kind == "system"
    assert isinstance(layout.version, Known)
    assert layout.version.value == PythonRelease("3.11")
    assert layout.site_packages == (
        str(usr / "local/lib/python3.11/dist-packages"),
        str(usr / "lib/python3/dist-packages"),
    )
    assert layout.sys_path[0] == str(usr / "lib/python3.11")


def test_condas_record_says_the_version(tmp_path: Path) -> None:
    (tmp_path / "conda-meta").mkdir()
    (tmp_path / "conda-meta" / "python-3.10.14-hd12c33a_0_cpython.json").touch()
    (tmp_path / "lib/python3.10/site-packages").mkdir(parents=True)
    layout = read_layout(str(tmp_path / "bin" / "python"), System(environ={}))
    assert layout.kind == "conda"
    assert layout.version == Known(
        PythonRelease("3.10.14"),
        str(tmp_path / "conda-meta/python-3.10.14-hd12c33a_0_cpython.json"),
    )
    assert layout.site_packages == (str(tmp_path / "lib/python3.10/site-packages"),)


@pytest.mark.parametrize(
    ("prefix", "config", "kind"),
    [
        ("/home/me/.venv", {"home": "/usr/bin"}, "venv"),
        ("/home/me/.venv", {"virtualenv": "20.26.0"}, "virtualenv"),
        ("/home/me/.pyenv/versions/3.11.7", None, "pyenv"),
        ("/home/me/.local/share/uv/python/cpython-3.12.4-linux-x86_64-gnu", None, "uv"),
        ("/usr", None, "system"),
        ("/opt/python", None, "other"),
    ],
)
def test_kinds(prefix: str, config: dict[str, str] | None, kind: str) -> None:
    assert kind_of(Path(prefix), config, System(environ={})) == kind


def test_lines_of_code_in_pth_files_are_not_run(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (tmp_path / "project").mkdir()
    (site_of(venv) / "a.pth").write_text(
        f"# comment\nimport os; os.mkdir('{tmp_path / 'ran'}')\n{tmp_path / 'project'}\n/gone\n"
    )
    layout = read_layout(str(venv / "bin" / "python"), System(environ={}))
    assert layout.sys_path[-1] == str(tmp_path / "project")
    assert not (tmp_path / "ran").exists()


def test_a_pyvenv_cfg_without_home_is_told(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env")
    (venv / "pyvenv.cfg").write_text("version = 3.11.7\n")
    layout = read_layout(str(venv / "bin" / "python"), System(environ={}))
    assert isinstance(layout.base_prefix, Failed)
    assert "has no line `home" in layout.base_prefix.error


def test_a_pyvenv_cfg_that_can_not_be_read_is_failed(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").mkdir()
    assert isinstance(read_pyvenv(tmp_path), Failed)


def test_the_environments_of_the_system_are_joined_where_asked(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "env", **{"include-system-site-packages": "true"})
    layout = read_layout(str(venv / "bin" / "python"), System(environ={}))
    assert layout.site_packages[0] == str(site_of(venv))
    assert len(layout.site_packages) > 1


def test_has_tensorflow_by_package_or_metadata(tmp_path: Path) -> None:
    whole, metadata, other = tmp_path / "whole", tmp_path / "metadata", tmp_path / "other"
    add_tensorflow(whole)
    add_distribution(metadata, "tf-nightly", "2.22.0.dev20261101")
    add_distribution(other, "tensorflow-hub", "0.16.1")
    assert has_tensorflow([str(whole)])
    assert has_tensorflow(["/gone", str(metadata)])
    assert not has_tensorflow([str(other)])
