"""`healthcheck --smoke tf` and the state of a real examination, with a real TensorFlow on the CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.apps.health.machine import REPOSITORY, Said, run

pytestmark = [pytest.mark.slow, pytest.mark.real]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "run").mkdir(mode=0o700)
    own = {
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path / "run"),
        "PYTHONPATH": str(REPOSITORY),
    }
    return {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path), **own}


def healthcheck(environment: dict[str, str], *options: str) -> Said:
    return run(
        [sys.executable, "-m", "tfdoctor", "healthcheck", *options], environment, timeout=180
    )


def test_an_examination_and_then_the_health_check(
    tensorflow_python: Path, environment: dict[str, str]
) -> None:
    command = [
        sys.executable,
        "-m",
        "tfdoctor",
        "check",
        "--python",
        str(tensorflow_python),
        "--smoke",
        "none",
        "--state",
        "--json",
    ]
    done = subprocess.run(
        command,
        env={**environment, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    verdict = json.loads(done.stdout)["verdict"]
    document = healthcheck(environment, "--json", "--max-age", "10m").document
    assert document["verdict"] == verdict
    told = {point["check"]: point for point in document["points"]}
    assert told["tensorflow"]["detail"] == "TensorFlow and its libraries are as examined"


def test_tensorflow_computes_at_most_as_often_as_asked(
    tensorflow_python: Path, environment: dict[str, str]
) -> None:
    options = ("--smoke", "tf", "--every", "10m", "--python", str(tensorflow_python), "--json")
    first, second = healthcheck(environment, *options), healthcheck(environment, *options)
    told = [
        {point["check"]: point for point in said.document["points"]}["smoke"]
        for said in (first, second)
    ]
    assert [point["status"] for point in told] == ["ok", "ok"], told
    assert told[0]["detail"].startswith("TensorFlow computes right")
    assert told[1]["detail"].startswith(told[0]["detail"]) and told[1]["detail"].endswith("ago)")
    assert second.document["duration_s"] < first.document["duration_s"] / 2


def test_an_interpreter_without_tensorflow_is_a_fault(environment: dict[str, str]) -> None:
    said = healthcheck(environment, "--smoke", "tf", "--python", sys.executable)
    assert said.status == 1
    # Cut at 80 characters, for there is more.
    assert "ModuleNotFoundError: No module named 'tensor" in said.first


def test_a_program_that_is_none_is_a_fault(environment: dict[str, str]) -> None:
    said = healthcheck(environment, "--smoke", "tf", "--python", "/nonexistent/python")
    assert said.status == 1
    assert said.first.startswith("unhealthy: --python /nonexistent/python: no such file or d")
