"""Environments broken as people break them: the right root alone, and the printed fix fixes it, run unedited."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.real.command import by_shell, check, clone, fix_commands, typed
from tests.real.environments import (
    EVERY_REPAIR,
    environment,
    install,
    make,
    site_packages,
    truncate,
)

pytestmark = [pytest.mark.slow, pytest.mark.real]

WITHOUT_A_SECOND_FAULT = "setuptools<82"  # newer ones break the tensorboard command up to 2.20
NEWEST = "tensorflow==2.21.0"


@dataclass
class Broken:
    """An interpreter, and how it is used: variables beside the usual ones, the working folder."""

    python: Path
    variables: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None


def copy_of(folder: Path, *requirements: str) -> Path:
    return clone(environment(*requirements), folder / "environment")


def with_package(folder: Path, package: str, base: tuple[str, ...] = (NEWEST,)) -> Path:
    """`pip install` of something else, later, that brings this version along."""
    python = copy_of(folder, *base)
    install(python, package, options=("--no-deps",))
    return python


def numpy_2_under_2_16(folder: Path) -> Broken:
    return Broken(
        with_package(folder, "numpy==2.1.3", ("tensorflow==2.16.2", WITHOUT_A_SECOND_FAULT))
    )


def protobuf_5_under_2_21(folder: Path) -> Broken:
    return Broken(with_package(folder, "protobuf==5.29.5"))


def two_distributions(folder: Path) -> Broken:
    return Broken(with_package(folder, "tensorflow-cpu==2.20.0"))


def truncated_library(folder: Path) -> Broken:
    python = copy_of(folder, NEWEST)
    truncate(site_packages(python) / "tensorflow" / "libtensorflow_cc.so.2", keep=0.5)
    return Broken(python)


def deleted_file(folder: Path) -> Broken:
    python = copy_of(folder, NEWEST)
    (site_packages(python) / "tensorflow" / "python" / "framework" / "dtypes.py").unlink()
    return Broken(python)


def keras_2(folder: Path) -> Broken:
    return Broken(with_package(folder, "keras==2.15.0"))


def tf_keras_of_another_minor(folder: Path) -> Broken:
    return Broken(with_package(folder, "tf-keras==2.18.0"))


def legacy_keras_without_tf_keras(folder: Path) -> Broken:
    return Broken(copy_of(folder, NEWEST), {"TF_USE_LEGACY_KERAS": "1"})


def protobuf_told_to_use_what_it_dropped(folder: Path) -> Broken:
    return Broken(copy_of(folder, NEWEST), {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "cpp"})


def text_for_an_older_tensorflow(folder: Path) -> Broken:
    """TensorFlow was updated, the package with compiled ops was not; importing it stops with `undefined symbol`."""
    return Broken(with_package(folder, "tensorflow-text==2.18.1"))


def ml_dtypes_too_old(folder: Path) -> Broken:
    return Broken(with_package(folder, "ml-dtypes==0.3.2"))


def h5py_built_for_numpy_1(folder: Path) -> Broken:
    return Broken(with_package(folder, "h5py==3.8.0"))


def wrapt_from_before_python_3_11(folder: Path) -> Broken:
    return Broken(with_package(folder, "wrapt==1.10.11"))


def typing_extensions_too_old_for_optree(folder: Path) -> Broken:
    """New enough for TensorFlow's own metadata."""
    return Broken(with_package(folder, "typing-extensions==4.0.1"))


def installed_without_its_requirements(folder: Path) -> Broken:
    python = make(folder / "environment")
    install(python, NEWEST, options=("--no-deps", "--compile-bytecode"))
    return Broken(python)


def numpy_half_removed(folder: Path) -> Broken:
    python = copy_of(folder, NEWEST)
    shutil.rmtree(site_packages(python) / "numpy" / "_core")
    return Broken(python)


def setuptools_without_pkg_resources(folder: Path) -> Broken:
    return Broken(with_package(folder, "setuptools==82.0.0", ("tensorflow==2.20.0",)))


def a_random_of_the_users_on_pythonpath(folder: Path) -> Broken:
    return Broken(copy_of(folder, NEWEST), {"PYTHONPATH": str(own_module(folder, "random.py"))})


def a_numpy_of_the_users_in_the_working_folder(folder: Path) -> Broken:
    return Broken(copy_of(folder, NEWEST), folder=own_module(folder, "numpy.py"))


def own_module(folder: Path, name: str) -> Path:
    (folder / "own").mkdir()
    (folder / "own" / name).write_text("answer = 42\n")
    return folder / "own"


BREAKAGES: list[tuple[str, str, Callable[[Path], Broken]]] = [
    ("numpy-abi-mismatch", "broken", numpy_2_under_2_16),
    ("protobuf-incompatible", "broken", protobuf_5_under_2_21),
    ("protobuf-incompatible", "broken", protobuf_told_to_use_what_it_dropped),
    ("tensorflow-mixed-distributions", "degraded", two_distributions),
    ("tensorflow-install-broken", "broken", truncated_library),
    ("tensorflow-install-broken", "broken", deleted_file),
    ("keras-mismatch", "broken", keras_2),
    ("keras-mismatch", "degraded", tf_keras_of_another_minor),
    ("keras-legacy-needed", "broken", legacy_keras_without_tf_keras),
    ("custom-op-mismatch", "degraded", text_for_an_older_tensorflow),
    ("ml-dtypes-mismatch", "broken", ml_dtypes_too_old),
    ("dependency-mismatch", "broken", h5py_built_for_numpy_1),
    ("dependency-mismatch", "broken", wrapt_from_before_python_3_11),
    ("dependency-mismatch", "broken", typing_extensions_too_old_for_optree),
    ("dependency-mismatch", "broken", installed_without_its_requirements),
    ("dependency-mismatch", "broken", numpy_half_removed),
    ("setuptools-lacks-pkg-resources", "degraded", setuptools_without_pkg_resources),
    ("tensorflow-shadowed", "broken", a_random_of_the_users_on_pythonpath),
    ("tensorflow-shadowed", "degraded", a_numpy_of_the_users_in_the_working_folder),
]
"""`degraded`: TensorFlow was seen to work all the same, and something else or later does not."""
LONGEST = {two_distributions, truncated_library}
"""Their fix installs TensorFlow again, as that of `deleted_file` does: `make repairs` tries them."""
DAILY = {protobuf_5_under_2_21, keras_2, deleted_file}
"""What continuous integration tries, beside the two faults at once; the others are for `make nightly`."""
TRIED = [
    pytest.param(
        *each,
        id=f"{each[0]}-{each[2].__name__}",
        marks=() if each[2] in DAILY else pytest.mark.nightly,
    )
    for each in BREAKAGES
    if EVERY_REPAIR or each[2] not in LONGEST
]


@pytest.mark.parametrize(("code", "verdict", "how"), TRIED)
def test_the_right_root_alone_and_its_fix_mends_it(
    code: str, verdict: str, how: Callable[[Path], Broken], tmp_path: Path
) -> None:
    broken = how(tmp_path)
    variables = {**os.environ, **broken.variables}
    before = check(broken.python, env=variables, cwd=broken.folder)
    assert (before.roots, before.report["verdict"]) == ([code], verdict), before.report["summary"]
    shell = typed(*fix_commands(before, code), env=variables, cwd=broken.folder)
    after = check(broken.python, env=shell, cwd=broken.folder)
    assert (after.roots, after.report["verdict"]) == ([], "healthy"), after.report["summary"]
    assert code not in after.codes


def test_two_independent_faults_are_two_roots_and_each_fix_mends_its_own(tmp_path: Path) -> None:
    """A fresh environment of 2.16.2 gets a setuptools that stops tensorboard, whatever becomes of NumPy."""
    broken = numpy_2_under_2_16(tmp_path)
    install(broken.python, "setuptools==82.0.0", options=("--no-deps",))
    before = check(broken.python)
    assert before.roots == ["numpy-abi-mismatch", "setuptools-lacks-pkg-resources"]
    tensorboard = [str(broken.python), "-m", "tensorboard.main", "--version"]
    by_shell(*fix_commands(before, "numpy-abi-mismatch"))
    stopped = subprocess.run(tensorboard, capture_output=True, text=True, check=False)
    assert (stopped.returncode, "No module named 'pkg_resources'" in stopped.stderr) == (1, True), (
        stopped.stderr
    )
    between = check(broken.python)
    assert (between.roots, between.report["verdict"]) == (
        ["setuptools-lacks-pkg-resources"],
        "degraded",
    )
    by_shell(*fix_commands(between, "setuptools-lacks-pkg-resources"))
    subprocess.run(tensorboard, capture_output=True, check=True)
    after = check(broken.python)
    assert (after.roots, after.report["verdict"]) == ([], "healthy"), after.report["summary"]


def test_a_tensorflow_without_metadata_is_healthy_with_a_note(tmp_path: Path) -> None:
    """Nothing lists its files, so nobody can say that they are complete."""
    python = copy_of(tmp_path, NEWEST)
    shutil.rmtree(site_packages(python) / "tensorflow-2.21.0.dist-info")
    before = check(python)
    assert (before.roots, before.report["verdict"]) == ([], "healthy"), before.report["summary"]
    note = before.finding("tensorflow-install-broken")
    assert (note["role"], note["severity"]) == ("note", "info")
    assert "could not be compared" in note["explanation"]
    if EVERY_REPAIR:  # it installs TensorFlow again, as that of `deleted_file` does
        by_shell(*fix_commands(before, "tensorflow-install-broken"))
        assert "tensorflow-install-broken" not in check(python).codes
