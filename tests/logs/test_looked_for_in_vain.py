"""What an installer, a linker or a program looks for and does not find: releases, channels, libraries, parts of a module."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


def _said(lines: list[str]) -> tuple[str, str, str]:
    """The code, the title, and the commands of the first way out with its note."""
    found = judged(log(lines))
    first = found.roots[0].finding
    way = first.fixes[0]
    return root(found), first.title, " ".join((*way.commands, way.note, way.title))


@pytest.mark.parametrize(
    "words",
    [
        "Exception: Not all required packages are installed. Please install tensorflow",
        "RuntimeError: TensorFlow is required for this operation. Please install tensorflow>=2.4",
        "ImportError: ludwig requires TensorFlow to be installed",
    ],
)
def test_a_package_that_says_itself_that_it_finds_no_tensorflow(words: str) -> None:
    code, _, step = _said([words])
    assert code == "tensorflow-missing"
    assert "pip install tensorflow" in step


def test_another_package_that_is_asked_for_is_not_tensorflow() -> None:
    assert root(judged("ValueError: Please install TensorFlow Addons\n")) != "tensorflow-missing"


def test_a_companion_that_is_too_new_for_a_program_of_tensorflow_1() -> None:
    line = "ImportError: This version of TensorFlow Datasets requires TensorFlow version >= 2.1.0; Detected an installation of version 1.15.0. Please upgrade TensorFlow to proceed."
    assert "tensorflow-datasets<4" in _said([line])[2]
