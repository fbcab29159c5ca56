"""Environments broken by real pip commands: the right root alone, and the printed fix mends it, run unedited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.real.environments import install, make, site_packages, truncate

pytestmark = [pytest.mark.slow, pytest.mark.real]

FIX_LIMIT_S = 600


def check(python: Path, *options: str) -> dict[str, Any]:
    """The JSON report of `tfdoctor check` on an environment."""
    done = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "check", "--python", str(python), "--json", "--no-redact", *options],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    document: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == {"healthy": 0, "degraded": 0, "broken": 1, "unknown": 3}[document["verdict"]]
    return document


def roots(report: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in report["findings"] if finding["role"] == "root"]


def run_first_fix(report: dict[str, Any], code: str) -> None:
    """The first fix that has commands, by a shell, as printed."""
    finding = next(item for item in report["findings"] if item["code"] == code)
    commands = next(fix["commands"] for fix in finding["fixes"] if fix["commands"])
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(commands)],
        capture_output=True, text=True, timeout=FIX_LIMIT_S, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def numpy_2_under_2_16(folder: Path) -> Path:
    python = make(folder, "tensorflow==2.16.2")
    install(python, "numpy==2.1.3", options=("--no-deps",))
    return python


def protobuf_5_under_2_21(folder: Path) -> Path:
    python = make(folder, "tensorflow==2.21.0")
    install(python, "protobuf==5.29.5", options=("--no-deps",))
    return python


def two_distributions(folder: Path) -> Path:
    python = make(folder, "tensorflow==2.21.0")
    install(python, "tensorflow-cpu==2.20.0", options=("--no-deps",))
    return python


def truncated_library(folder: Path) -> Path:
    python = make(folder, "tensorflow==2.21.0")
    truncate(site_packages(python) / "tensorflow" / "libtensorflow_cc.so.2", keep=0.5)
    return python


def deleted_file(folder: Path) -> Path:
    python = make(folder, "tensorflow==2.21.0")
    (site_packages(python) / "tensorflow" / "python" / "framework" / "dtypes.py").unlink()
    return python


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("numpy-abi-mismatch", numpy_2_under_2_16),
        ("protobuf-incompatible", protobuf_5_under_2_21),
        ("tensorflow-mixed-distributions", two_distributions),
        ("tensorflow-install-broken", truncated_library),
        ("tensorflow-install-broken", deleted_file),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_the_right_root_alone_and_its_fix_mends_it(
    code: str, broken: Callable[[Path], Path], tmp_path: Path
) -> None:
    python = broken(tmp_path / "environment")
    report = check(python)
    assert roots(report) == [code]
    assert report["verdict"] == "broken"
    run_first_fix(report, code)
    after = check(python)
    assert code not in [finding["code"] for finding in after["findings"]]
    assert after["verdict"] == "healthy", after["summary"]
