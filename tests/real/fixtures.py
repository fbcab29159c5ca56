"""Fixtures that hand out interpreters with a real TensorFlow, wherever a test needs one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import PACKAGES
from tests.real.environments import CannotBuild, environment

NEWEST = "2.21.0"


def _interpreter(variable: str, requirement: str) -> Path:
    """One that the developer names by a variable, else one made for the tests."""
    if given := os.environ.get(variable):
        return Path(given)
    try:
        return environment(requirement)
    except CannotBuild:
        if os.environ.get("TFDOCTOR_TESTS") == "all-must-work":
            raise
        pytest.skip(PACKAGES)


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A folder that every user may write: pytest's own are closed to others again whenever another session of it starts."""
    with tempfile.TemporaryDirectory(prefix="tfdoctor-test-") as name:
        Path(name).chmod(0o777)
        yield Path(name)


@pytest.fixture(scope="session")
def reachable_index() -> None:
    """Skips what needs the package index where that does not answer."""
    import requests  # of the few tests that ask it

    from tfdoctor.knowledge.matrix.wheels.index import index_address

    try:
        if requests.head(f"{index_address().rstrip('/')}/tensorflow/", timeout=10).ok:
            return
    except requests.RequestException:
        pass  # the skip below says it
    pytest.skip(PACKAGES)


@pytest.fixture(scope="session")
def tensorflow_python() -> Path:
    """An interpreter with the newest plain TensorFlow wheel. Read-only."""
    return _interpreter("TFDOCTOR_TEST_TF_PYTHON", f"tensorflow=={NEWEST}")


@pytest.fixture(scope="session")
def tensorflow_cuda_python() -> Path:
    """An interpreter with the newest TensorFlow and its [and-cuda] extra (6.4 GB). Read-only."""
    return _interpreter("TFDOCTOR_TEST_TF_CUDA_PYTHON", f"tensorflow[and-cuda]=={NEWEST}")


@pytest.fixture
def py_spy(monkeypatch: pytest.MonkeyPatch) -> None:
    """py-spy is on the path."""
    try:
        place = environment("py-spy").parent
    except CannotBuild:
        if os.environ.get("TFDOCTOR_TESTS") == "all-must-work":
            raise
        pytest.skip(PACKAGES)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
