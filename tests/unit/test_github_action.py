"""action.yml and the script that it runs, as a runner would: workflow commands, summary, outputs, exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.needs import PACKAGES
from tests.unit.apps.cli.running import CHECKOUT, environment

pytestmark = pytest.mark.slow  # each test starts the program

ACTION: dict[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
LOG = (
    "E cuda_dnn.cc:456] Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.6.0.\n"
)
HOSTILE = "::error::owned\n##[error]owned\n::add-mask::x\n::set-output name=code::owned\n::stop-commands::x\n"


class Step:
    """What a step left behind."""

    def __init__(self, folder: Path, ran: subprocess.CompletedProcess[str]) -> None:
        self.status, self.stderr, self.lines = ran.returncode, ran.stderr, ran.stdout.splitlines()
        self.summary = (folder / "summary").read_text(encoding="utf-8")
        self.outputs = dict(
            line.partition("=")[::2]
            for line in (folder / "output").read_text(encoding="utf-8").splitlines()
        )

    @property
    def commands(self) -> list[str]:
        """What a runner obeys: lines that begin with a command, outside of where commands are stopped (its toolkit's rules)."""
        found, until = [], ""
        for line in self.lines:
            if until:
                until = "" if line == f"::{until}::" else until
            elif line.startswith("::stop-commands::"):
                until = line.removeprefix("::stop-commands::")
            elif line.lstrip().startswith(("::", "##[")):
                found.append(line)
        assert not until
        return found


def step(folder: Path, *command: str, **inputs: str) -> Step:
    for name in ("summary", "output"):
        (folder / name).touch()
    variables = {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
    variables |= {
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    ran = subprocess.run(
        command or [sys.executable, str(CHECKOUT / "tools" / "build" / "github_action.py")],
        env=environment(**variables, RUNNER_TEMP=str(folder), GITHUB_ACTION_PATH=str(CHECKOUT)),
        cwd=folder, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Step(folder, ran)


def test_a_runner_is_checked_and_the_cause_annotated(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    done = step(tmp_path, python=str(tmp_path / "env"), smoke="none")
    assert done.status == 1, done.stderr
    [command] = done.commands
    assert command.startswith(
        "::error title=tfdoctor%3A tensorflow-missing::TensorFlow is not installed in this environment.%0AFix: "
    )
    assert "%0A  " in command
    assert done.outputs["verdict"] == "broken"
    assert done.outputs["code"] == "tensorflow-missing"
    assert json.loads(Path(done.outputs["report"]).read_text())["verdict"] == "broken"
    assert done.summary.startswith("## tfdoctor: BROKEN\n")
    assert "All facts" in done.summary
    assert step(tmp_path, python=str(tmp_path / "env"), smoke="none", fail_on="never").status == 0


def test_a_failed_steps_log_is_diagnosed(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    done = step(tmp_path, log="train.log\n")
    assert done.status == 0
    [command] = done.commands
    assert command.startswith(
        "::error title=tfdoctor%3A cudnn-version-mismatch::cuDNN 8.4.0 is loaded"
    )
    assert (done.outputs["verdict"], done.outputs["code"]) == (
        "cause-found",
        "cudnn-version-mismatch",
    )
    assert done.summary.startswith("## tfdoctor diagnose: CAUSE\n")


def test_text_of_a_log_is_no_workflow_command(tmp_path: Path) -> None:
    text = (
        HOSTILE
        + "Traceback (most recent call last):\n"
        + "".join(
            f"ValueError: {line} 100%0A::error::owned,file=x\x1b[31m\n"
            for line in HOSTILE.splitlines()
        )
    )
    (tmp_path / "train.log").write_text(text)
    done = step(tmp_path, log="train.log")
    assert any("::error::owned" in line for line in done.lines)
    assert [
        command
        for command in done.commands
        if not re.match(r"::(error|warning|notice) title=tfdoctor[^:,]*::", command)
    ] == []
    assert all("%250A" in command for command in done.commands if "100" in command)
    assert set(done.outputs) == {"verdict", "code", "report"}
    assert "\x1b" not in "".join(done.commands)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"log": "missing.log"}, "missing.log: "),
        ({"smoke": "all"}, "use one of auto, none, driver, tf, not 'all'"),
        ({"smoke": "none", "python": "/nowhere/python"}, "/nowhere/python"),
        ({"fail_on": "always"}, "fail-on is error, warning or never"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_annotation(inputs: dict[str, str], words: str, tmp_path: Path) -> None:
    done = step(tmp_path, **inputs)
    assert (done.status, done.stderr) == (2, "")
    [command] = done.commands
    assert command.startswith("::error title=tfdoctor::")
    assert words in command


def test_a_full_disk_is_one_annotation(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "summary").symlink_to("/dev/full")
    (tmp_path / "output").touch()
    variables = {
        "INPUT_LOG": "train.log",
        "GITHUB_STEP_SUMMARY": "/dev/full",
        "RUNNER_TEMP": str(tmp_path),
    }
    ran = subprocess.run(
        [sys.executable, str(CHECKOUT / "tools" / "build" / "github_action.py")],
        env=environment(**variables),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (3, "")
    assert (
        ran.stdout.splitlines()[-1] == "::error title=tfdoctor::the answer: No space left on device"
    )


def test_no_input_is_pasted_into_a_script_and_each_is_used() -> None:
    steps = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert all(each["shell"] == "bash" and "${{" not in each["run"] for each in steps)
    used = set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", json.dumps(steps)))
    assert used == set(ACTION["inputs"])
    assert all(
        each["description"] for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values())
    )
    assert set(ACTION["outputs"]) == {"verdict", "code", "report"}


@pytest.mark.real
def test_its_steps_install_and_run_it(tmp_path: Path) -> None:
    """Both steps as they stand, in order, with what a runner gives them."""
    install, answer = (
        ["bash", "-e", "-o", "pipefail", "-c", each["run"]] for each in ACTION["runs"]["steps"]
    )
    done = step(tmp_path, *install)
    if (
        done.status != 0
        and os.environ.get("TFDOCTOR_TESTS") != "all-must-work"
        and "No matching distribution" in done.stderr
    ):
        pytest.skip(PACKAGES)
    assert done.status == 0, done.stderr
    (tmp_path / "train.log").write_text(LOG)
    assert step(tmp_path, *answer, log="train.log").outputs["code"] == "cudnn-version-mismatch"
    venv.create(tmp_path / "env", symlinks=True)
    given = {name.replace("-", "_"): each["default"] for name, each in ACTION["inputs"].items()}
    checked = step(tmp_path, *answer, **{**given, "python": str(tmp_path / "env"), "smoke": "none"})
    assert (checked.status, checked.commands[0].partition("::TensorFlow")[0]) == (
        1,
        "::error title=tfdoctor%3A tensorflow-missing",
    )
