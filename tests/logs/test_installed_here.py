"""Fixes for what is installed: its distribution's name, no command that would change nothing."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.knowledge.model import Fix


def fixes(text: str) -> tuple[Fix, ...]:
    return judged(text).roots[0].finding.fixes


SHORT = "ImportError: /home/me/.venv/lib/python3.11/site-packages/tensorflow/python/../libtensorflow_cc.so.2: file too short\n"


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Successfully installed numpy-2.0.2 tensorflow-cpu-2.18.0\n", "tensorflow-cpu==2.18.0"),
        ("Requirement already satisfied: tensorflow-cpu==2.18.0 in /home/me/.venv/lib/python3.11/site-packages (2.18.0)\n", "tensorflow-cpu==2.18.0"),
        ("Successfully installed tensorflow-2.18.0\n", "tensorflow==2.18.0"),
        ("Package        Version\n-------------- -------\nnumpy          2.0.2\ntensorflow-cpu 2.18.0\nwrapt          1.17.0\n", "tensorflow-cpu==2.18.0"),
    ],
)  # fmt: skip
def test_what_is_installed_is_installed_again(told: str, name: str) -> None:
    line = fixes(told + SHORT)[0].commands[0]
    assert line.endswith(f" {name}")


def test_asked_distribution_gets_the_environment() -> None:
    text = "ERROR: Could not find a version that satisfies the requirement tensorflow-cpu==2.11.0 (from versions: 2.16.1, 2.16.2)\n"
    assert any("tensorflow-cpu==2.11.0" in line for each in fixes(text) for line in each.commands)


@pytest.mark.parametrize("python", ["3.11", "3.9", ""])
def test_a_file_of_keras_3_is_loaded_in_an_environment_with_a_python_that_has_it(
    python: str,
) -> None:
    """Whatever Python the log's own paths tell."""
    lib = f"/home/me/.venv/lib/python{python}/site-packages" if python else "/srv/site-packages"
    text = (
        f'Traceback (most recent call last):\n  File "{lib}/keras/engine/base_layer.py", line 866, in from_config\n    return cls(**config)\n'
        "TypeError: Error when deserializing class 'InputLayer' using config={'batch_shape': [None, 224, 224, 3], 'dtype': 'float32'}.\n\n"
        "Exception encountered: Unrecognized keyword arguments: ['batch_shape']\n"
    )
    first = fixes(text)[0].commands
    assert ("--python 3.12" in first[0], "tensorflow>=2.16" in first[1]) == (True, True)
