"""What a fix of a finding installs and says, by facts that few machines have."""

from __future__ import annotations

import shlex
from typing import Any

from tests.scenarios.conftest import Scenario, named
from tfdoctor.knowledge.model import Finding


def finding(scenario: Scenario) -> Finding:
    return next(each for each in scenario.judged().findings if each.code == scenario.code)


def installed(**packages: str) -> dict[str, Any]:
    return {
        f"packages.installed[{name.replace('_', '-')}]": {"version": version}
        for name, version in packages.items()
    }


def with_probability(**beside: str) -> list[str]:
    """The packages that the first fix of a TensorFlow Probability for Keras 2 installs beside Keras 3."""
    facts = installed(tensorflow_probability="0.23.0", keras="3.11.1", **beside)
    said = {"base": "cpu", "release": "2.18.1", "facts": facts}
    first = finding(Scenario("keras-legacy-needed", "", said)).fixes[0]
    return shlex.split(first.commands[0])[4:]


def test_a_package_that_moved_from_keras_2_to_tf_keras_gets_that_too() -> None:
    newer = "tensorflow-probability>=0.24,<1"
    assert with_probability() == [newer, "tf-keras==2.18.*", "tensorflow==2.18.1"]
    assert with_probability(tf_keras="2.18.0") == [newer]


def test_the_folder_is_named_where_pip_left_something_aside() -> None:
    first = finding(named("tensorflow-install-broken/pip-stopped")).fixes[0]
    assert first.note == "Then delete what begins with ~ in /home/me/project/.venv/lib/python3.11/site-packages."  # fmt: skip
