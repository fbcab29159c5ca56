"""Package fixes: the environment's own installer, exact versions, no place but the examined one."""

from __future__ import annotations

import shlex

import pytest

from tests.scenarios.conftest import base, bundled
from tfdoctor.base.records import replace
from tfdoctor.base.version_ranges import tightest
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Distribution
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.fix.packages import (
    fitting,
    in_new_environment,
    install_fitting,
    install_fix,
    keep_one,
    reinstall,
)
from tfdoctor.knowledge.actions import applicable, described
from tfdoctor.knowledge.lines import name_in

PYTHON = "/home/me/project/.venv/bin/python"


@pytest.fixture
def venv() -> Facts:
    return from_json(base("cpu"), Facts)


def with_interpreter(facts: Facts, **changes: object) -> Facts:
    known = {name: Known(value, "test") for name, value in changes.items()}
    return replace(facts, interpreter=replace(facts.interpreter, **known))  # type: ignore[arg-type]  # names of facts


def by_conda(facts: Facts) -> Facts:
    return installed_by(
        with_interpreter(facts, environment="conda", prefix="/opt/conda/envs/tf"), "conda"
    )


def test_pip_of_the_examined_environment(venv: Facts) -> None:
    fix = install_fix(venv, bundled(), "Install numpy", "numpy>=1.26,<2")
    assert shlex.split(fix.commands[0]) == [PYTHON, "-m", "pip", "install", "numpy>=1.26,<2"]


def installed_by(facts: Facts, installer: str) -> Facts:
    assert isinstance(facts.packages.installed, Known)
    listed = tuple(replace(each, installer=installer) for each in facts.packages.installed.value)
    return replace(facts, packages=replace(facts.packages, installed=Known(listed, "test")))


def test_an_environment_of_uv_without_pip_is_served_by_uv(venv: Facts) -> None:
    fix = install_fix(
        installed_by(with_interpreter(venv, has_pip=False), "uv"),
        bundled(),
        "Install numpy",
        "numpy<2",
    )
    assert shlex.split(fix.commands[0]) == ["uv", "pip", "install", "--python", PYTHON, "numpy<2"]


def test_an_environment_that_lost_its_pip_gets_it_back_first(venv: Facts) -> None:
    fix = install_fix(with_interpreter(venv, has_pip=False), bundled(), "Install numpy", "numpy<2")
    assert fix.commands[0] == f'{PYTHON} -m ensurepip && {PYTHON} -m pip install "numpy<2"'


def test_what_conda_installed_conda_mends(venv: Facts) -> None:
    fix = install_fix(by_conda(venv), bundled(), "Install numpy", "numpy<2")
    assert shlex.split(fix.commands[0]) == [
        "conda",
        "install",
        "--yes",
        "--prefix",
        "/opt/conda/envs/tf",
        "numpy<2",
    ]


def test_a_systems_python_gets_no_new_tensorflow(venv: Facts) -> None:
    managed = with_interpreter(
        venv, environment="system", externally_managed="/usr/lib/python3.11/EXTERNALLY-MANAGED"
    )
    (fix,) = install_fitting(managed, bundled())
    assert fix.commands[0].startswith("python3.11 -m venv ")
    assert all("--break-system-packages" not in command for command in fix.commands)


def test_files_are_laid_anew_and_nothing_else_changes(venv: Facts) -> None:
    (command,) = reinstall(venv).commands
    assert shlex.split(command)[2:] == [
        "pip",
        "install",
        "--force-reinstall",
        "--no-deps",
        "tensorflow==2.21.0",
    ]


def test_what_is_listed_is_reinstalled_where_its_files_are_gone(venv: Facts) -> None:
    assert isinstance(venv.tensorflow.distributions, Known)
    (own,) = venv.tensorflow.distributions.value
    listed: tuple[Distribution, ...] = (replace(own, name="tensorflow-cpu", version="2.20.0"),)
    cpu = Known(listed, "METADATA")
    gone = replace(
        venv.tensorflow, distributions=cpu, distribution=Absent("the folder tensorflow is gone")
    )
    assert reinstall(replace(venv, tensorflow=gone)).commands[0].endswith(" tensorflow-cpu==2.20.0")


def test_a_new_environment_gets_the_package_that_asks_for_it(venv: Facts) -> None:
    assert isinstance(venv.packages.installed, Known)
    (one, *_) = venv.packages.installed.value
    addons, odd = (
        replace(one, name=name, version="0.23.0") for name in ("tensorflow-addons", "--pre")
    )
    facts = replace(
        venv, packages=replace(venv.packages, installed=Known((addons, odd), "METADATA"))
    )
    release = fitting(facts, bundled(), spec="<2.16")
    assert release is not None
    made = in_new_environment(facts, bundled(), release, "tensorflow-addons", "not-there", "--pre")
    words = shlex.split(made.commands[1])
    assert words[-1] == "tensorflow-addons==0.23.0"
    assert not {"--pre", "--pre==0.23.0", "not-there"} & set(words)
    done = applicable(described(made))
    assert done.applies and done.action is not None
    assert done.action.values["environment"] == "tensorflow-2.15.1"
    assert "tensorflow-addons==0.23.0" in done.action.values["install"]
    assert set(done.action.values["pythons"]) == {"3.9", "3.10", "3.11"}


def test_a_text_that_is_no_version_yields_no_command(venv: Facts) -> None:
    assert isinstance(venv.tensorflow.distributions, Known)
    odd = tuple(
        replace(each, version="2.21.0; touch X") for each in venv.tensorflow.distributions.value
    )
    facts = replace(venv, tensorflow=replace(venv.tensorflow, distributions=Known(odd, "METADATA")))
    assert reinstall(facts).commands == ()
    assert "touch" not in reinstall(facts).title + reinstall(facts).note
    assert keep_one(venv, bundled(), ("tensorflow",), "tensorflow==2.21.0; touch X").commands == ()


def test_all_are_removed_before_one_is_installed(venv: Facts) -> None:
    fix = keep_one(venv, bundled(), ("tensorflow", "tensorflow-cpu"), "tensorflow==2.21.0")
    assert shlex.split(fix.commands[0])[2:] == [
        "pip",
        "uninstall",
        "--yes",
        "tensorflow",
        "tensorflow-cpu",
    ]
    assert "tensorflow==2.21.0" in shlex.split(fix.commands[1])


def test_newest_release_that_this_python_can_have(venv: Facts) -> None:
    release = fitting(with_interpreter(venv, version=PythonRelease("3.9.18")), bundled())
    assert release is not None
    assert release.tensorflow == "2.20.0"
    assert fitting(with_interpreter(venv, version=PythonRelease("3.14.0")), bundled()) is None
    other = fitting(
        with_interpreter(venv, version=PythonRelease("3.14.0")), bundled(), any_python=True
    )
    assert other is not None
    assert other.tensorflow == "2.21.0"


@pytest.mark.parametrize(
    ("specifiers", "expected"),
    [
        (("<2.0.0,>=1.23.5", "<2"), ">=1.23.5,<2"),
        ((">=5.28.0", ">=5.28.3"), ">=5.28.3"),
        (("!=0.5.0,>=0.2.1", ""), ">=0.2.1,!=0.5.0"),
        (("~=2.4",), "~=2.4"),
        (("not a specifier", ">=1"), ">=1"),
        ((), ""),
    ],
)
def test_tightest(specifiers: tuple[str, ...], expected: str) -> None:
    assert tightest(*specifiers) == expected


@pytest.mark.parametrize("spec", ["numpy>=1", "numpy", "numpy[x]==1", "numpy~=1.2", "numpy!=3"])
def test_name_in(spec: str) -> None:
    assert name_in(spec) == "numpy"
