"""What all tests share: a scrubbed environment, golden files that can be rewritten, skips that can be forbidden."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import hypothesis
import pytest

from tests import needs
from tools.build.knowledge import build, is_fresh

# No test is timed: a busy machine makes any example slow.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")
pytest_plugins = ("tests.real.fixtures",)

# What would make a test see the developer's own machine: TensorFlow's, CUDA's, the loader's, Python's, ours.
_FOREIGN = (
    "TF",
    "CUDA",
    "NVIDIA",
    "XLA",
    "LD_",
    "CONDA",
    "NCCL",
    "KERAS",
    "SLURM",
    "PYTHONPATH",
    "PYTHONNOUSERSITE",
)
_NAMES = ("VIRTUAL_ENV", "NO_COLOR", "FORCE_COLOR", "CI", "COLUMNS", "PYTHONHOME")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected outputs of tests/machines and of docs/",
    )


def pytest_configure() -> None:
    if not is_fresh():
        build()
    _signals_as_on_a_terminal()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks the simulated driver starts programs that a compiler made: slow, all of it."""
    for item in items:
        if "_simulated" in item.nodeid:
            item.add_marker(pytest.mark.slow)


def _signals_as_on_a_terminal() -> None:
    """Behind `nohup` or a shell's `&` signals are ignored, and programs that tests start and interrupt would inherit that."""
    for name, handler in (
        ("SIGINT", signal.default_int_handler),
        ("SIGHUP", signal.SIG_DFL),
        ("SIGQUIT", signal.SIG_DFL),
    ):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def scrubbed_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if (name.startswith(_FOREIGN) or name in _NAMES) and not name.startswith("TFDOCTOR_TEST"):
            monkeypatch.delenv(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """TFDOCTOR_TESTS=all-must-work: a test that was skipped for a reason that needs.MAY_LACK does not name has failed."""
    report = yield
    must_work = os.environ.get("TFDOCTOR_TESTS") == "all-must-work"
    expected = hasattr(report, "wasxfail")  # reported as skipped, too, and is none
    if report.skipped and must_work and not expected:
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if reason.removeprefix("Skipped: ") not in needs.MAY_LACK:
            report.outcome = "failed"
            report.longrepr = (
                f"tests/needs.py does not expect this in continuous integration: {reason}"
            )
    return report
