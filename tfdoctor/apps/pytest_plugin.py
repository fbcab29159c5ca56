"""The plug-in for pytest: the option `--require-gpu`, and the fixture `tensorflow_gpu` for tests that need TensorFlow on a GPU."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

import tfdoctor


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option."""
    words = "Fail the tests with the fixture tensorflow_gpu where TensorFlow sees no GPU; without it they are skipped."
    parser.getgroup("tfdoctor").addoption("--require-gpu", action="store_true", help=words)


@pytest.fixture(scope="session")
def tensorflow_gpu(request: pytest.FixtureRequest) -> list[Any]:
    """The GPUs that TensorFlow sees. Where it sees none, the test is skipped, or fails with --require-gpu, and is told why."""
    found = _gpus()
    if not found:
        end = pytest.fail if request.config.getoption("--require-gpu") else pytest.skip
        end(f"TensorFlow sees no GPU: {_why()}")
    return found


def _gpus() -> list[Any]:
    try:
        tensorflow = importlib.import_module("tensorflow")
    except Exception:  # noqa: BLE001  # a broken installation raises anything; the check names it
        return []
    return list(tensorflow.config.list_physical_devices("GPU"))


def _why() -> str:
    """The first cause and its first command."""
    report = tfdoctor.check(sys.executable, smoke="none", require_gpu=True)
    commands = [
        line for each in report.findings[:1] for fix in each.fixes[:1] for line in fix.commands
    ]
    return report.summary + (
        f" Fix: {commands[0]}" if commands else " See: tfdoctor check --require-gpu"
    )
