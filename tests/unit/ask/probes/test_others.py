"""Environments and kernels that have TensorFlow where the examined Python has none."""

from __future__ import annotations

from pathlib import Path

from tests.unit.ask.probes.fake_environments import add_tensorflow, make_venv, site_of
from tfdoctor.ask.probes.python.others import environments_with_tensorflow, kernels_with_tensorflow
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Kernelspec


def test_environments_of_the_home_and_of_conda_are_found(tmp_path: Path) -> None:
    for name in ("venvs/tf", "tf2", "elsewhere/conda", "venvs/without"):
        make_venv(tmp_path / name)
    for name in ("venvs/tf", "tf2", "elsewhere/conda"):
        add_tensorflow(site_of(tmp_path / name))
    (tmp_path / ".conda").mkdir()
    (tmp_path / ".conda/environments.txt").write_text(f"{tmp_path}/elsewhere/conda\n/gone\n")
    found = environments_with_tensorflow(
        str(tmp_path / "tf2"), System(environ={"HOME": str(tmp_path)})
    )
    assert found == Known((f"{tmp_path}/venvs/tf", f"{tmp_path}/elsewhere/conda"), "their files")


def test_none_has_it(tmp_path: Path) -> None:
    make_venv(tmp_path / "venvs/without")
    system = System(environ={"HOME": str(tmp_path)})
    assert environments_with_tensorflow("/usr", system) == Absent("no other environment has it")
    assert isinstance(environments_with_tensorflow("/usr", System(root=tmp_path)), Absent)


def test_a_kernel_is_as_good_as_its_python(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "tf")
    add_tensorflow(site_of(venv))
    kernels = [
        Kernelspec("tf-gpu", "TF", "", (), Known(f"{venv}/bin/python3", "argv")),
        Kernelspec(
            "other", "Other", "", (), Known(f"{make_venv(tmp_path / 'x')}/bin/python3", "argv")
        ),
        Kernelspec("gone", "Gone", "", (), Absent("no such program")),
    ]
    assert kernels_with_tensorflow(kernels, System()) == Known(("tf-gpu",), "their files")
