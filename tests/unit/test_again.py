"""The second run of what failed asks for tests by the names that pytest knows them by."""

from __future__ import annotations

import pytest

from tests.again import names


@pytest.mark.parametrize(
    ("failed", "name"),
    [
        ("tests/a.py::test_it", "tests/a.py::test_it"),
        ("tests/a.py::test_it@image", "tests/a.py::test_it"),
        ("tests/a.py::test_it[tensorflow-2.21]@tensorflow-cuda", "tests/a.py::test_it[tensorflow-2.21]"),
        ("tests/a.py::test_it[torch @ file]", "tests/a.py::test_it[torch @ file]"),
    ],
)
def test_the_group_is_no_part_of_the_name(failed: str, name: str) -> None:
    assert names([failed]) == [name]


def test_each_is_run_once() -> None:
    assert names(["tests/a.py::test_it@image", "tests/a.py::test_it"]) == ["tests/a.py::test_it"]
