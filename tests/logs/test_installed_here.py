"""Fixes for what is installed: its file of requirements, its distribution's name, no command that would change nothing."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.findings.model import Fix

LISTED = (
    "ERROR: Could not find a version that satisfies the requirement {asked} (from -r {file} (line {line})) (from versions: {offered})\n"
    "ERROR: No matching distribution found for {asked} (from -r {file} (line {line}))\n"
)
OF_312 = "2.16.1, 2.16.2, 2.17.0, 2.17.1, 2.18.0, 2.18.1, 2.19.0, 2.20.0, 2.21.0"


def fixes(text: str) -> tuple[Fix, ...]:
    return judged(text).roots[0].finding.fixes


@pytest.mark.parametrize(
    ("asked", "file", "line", "offered", "whole"),
    [
        ("tensorflow==2.9.1", "requirements.txt", 4, OF_312, "tensorflow==2.16.2"),
        ("tensorflow-cpu==2.15.1", "requirements/cpu.txt", 12, OF_312, "tensorflow-cpu==2.16.2"),
        ("tensorflow~=2.14.0", "reqs.txt", 1, OF_312, "tensorflow==2.16.2"),
        ("tensorflow-gpu==2.10.0", "requirements.txt", 2, "2.12.0", "tensorflow==2.12.0"),
        ("tensorflow==2.21.0", "requirements.txt", 3, "2.12.0, 2.13.0, 2.13.1", "tensorflow==2.13.1"),
    ],
)
def test_line_of_the_file_is_changed(asked: str, file: str, line: int, offered: str, whole: str) -> None:
    first = fixes(LISTED.format(asked=asked, file=file, line=line, offered=offered))[0]
    assert first.commands == (f"python -m pip install -r {file}",)
    assert first.note.startswith(f"In your files: {file}, line {line}: {whole} instead of {asked}.")


@pytest.mark.parametrize(
    "text",
    [
        LISTED.format(asked="tensorflow==1.15.0", file="requirements.txt", line=7, offered=OF_312),  # another API
        LISTED.format(asked="tensorflow==2.9.1", file="requirements.txt", line=7, offered="none"),
        LISTED.format(asked="tensorflow==2.9.1", file="x", line=7, offered=OF_312).replace("-r x (line 7)", "rasa==3.0"),
    ],
)  # fmt: skip
def test_no_line_of_the_users_can_be_changed(text: str) -> None:
    assert all("In your files" not in each.note for each in fixes(text))


@pytest.mark.parametrize(
    ("asked", "asker", "needed", "whole"),
    [
        ("numpy==1.19.5", "tensorflow 2.21.0", "numpy>=1.26.0", "numpy>=1.26.0"),
        ("protobuf==5.29.0", "tensorflow 2.15.1", "protobuf!=4.21.0, <5.0.0dev and >=3.20.3", "protobuf!=4.21.0,<5.0.0dev,>=3.20.3"),
        ("keras==2.15.0", "tensorflow-cpu 2.18.1", "keras>=3.5.0", "keras>=3.5.0"),
    ],
)  # fmt: skip
def test_requirements_that_exclude_each_other(asked: str, asker: str, needed: str, whole: str) -> None:
    text = (
        f"ERROR: Cannot install -r requirements.txt (line 3) and {asked} because these package versions have conflicting dependencies.\n\n"
        f"The conflict is caused by:\n    The user requested {asked}\n    {asker} depends on {needed}\n"
    )
    first = fixes(text)[0]
    assert first.commands == ("python -m pip install -r requirements.txt",)
    assert first.note == f"In your files: requirements.txt: {whole} instead of {asked}."


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


FROZEN = "numpy==1.26.4\nprotobuf=={}\ntensorflow==2.8.0\nwrapt==1.14.1\n"
WORDS = "TypeError: Descriptors cannot be created directly.\nIf this call came from a _pb2.py file, your generated code is out of date and must be regenerated with protoc >= 3.19.0.\n"


def test_installation_that_changes_nothing_is_no_fix() -> None:
    """The environment that was listed is another one than that which failed, or the list came later."""
    older = "python -m pip install 'protobuf>=3.9.2,<4'"
    assert (older,) in [each.commands for each in fixes(FROZEN.format("4.25.8") + WORDS)]
    found = fixes(FROZEN.format("3.20.3") + WORDS)
    assert found
    assert (older,) not in [each.commands for each in found]


@pytest.mark.parametrize(
    ("python", "spec"),
    [("3.11", "tensorflow==2.21.0"), ("3.9", "tensorflow==2.20.0"), ("", "tensorflow>=2.16")],
)
def test_version_that_is_known_to_work_is_named(python: str, spec: str) -> None:
    """By the Python of the log's own paths; without one nobody knows which wheels it has."""
    lib = f"/home/me/.venv/lib/python{python}/site-packages" if python else "/srv/site-packages"
    text = (
        f'Traceback (most recent call last):\n  File "{lib}/keras/engine/base_layer.py", line 866, in from_config\n    return cls(**config)\n'
        "TypeError: Error when deserializing class 'InputLayer' using config={'batch_shape': [None, 224, 224, 3], 'dtype': 'float32'}.\n\n"
        "Exception encountered: Unrecognized keyword arguments: ['batch_shape']\n"
    )
    assert any(spec in line for each in fixes(text) for line in each.commands)
