"""A variable that a notebook kernel's own file sets is put right in that file, by the command that is printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.conftest import named
from tests.unit.judge.machines import base, changed, finding
from tfdoctor.ask.probes.python.jupyter import ask
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known

ARGV = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]


def with_kernel(folder: Path, facts: Facts, document: dict[str, Any]) -> tuple[Facts, Path]:
    """The facts, as the kernel "tf" of that document starts there."""
    file = folder / "kernels" / "tf" / "kernel.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"argv": ARGV, "display_name": "TF", **document}))
    asked = ask(Request(System(Path("/"), {"JUPYTER_PATH": str(folder)}), kernel="tf"), Facts())
    executable = {
        "executable": Known(sys.executable, "the kernel"),
        "chosen_by": Known("--kernel tf", "x"),
    }
    named = {"examined_kernel": asked.examined_kernel}
    return changed(facts, jupyter=named, interpreter=executable), file


def told(scenario: str) -> tuple[Facts, dict[str, str]]:
    facts = named(scenario).facts()
    variables = facts.environment.variables
    found = variables.value if isinstance(variables, Known) else {}
    return facts, {name: value for name, value in found.items() if name != "PATH"}


@pytest.mark.parametrize(
    ("scenario", "left"),
    [
        ("gpu-hidden/empty", {}),
        ("gpu-hidden/wrong-index", {}),
        ("environment-variable-ignored/growth-by-number", {"TF_FORCE_GPU_ALLOW_GROWTH": "true"}),
        (
            "environment-variable-ignored/growth-misspelt-value",
            {"TF_FORCE_GPU_ALLOW_GROWTH": "true"},
        ),
        ("environment-variable-ignored/name-misspelt", {"CUDA_VISIBLE_DEVICES": "0"}),
        ("keras-backend-unusable/unclimbed", {}),
        ("pythonpath-leak/unclimbed", {"PYTHONPATH": "/srv/mine"}),
    ],
)
def test_printed_command_edits_the_file(
    tmp_path: Path, scenario: str, left: dict[str, str]
) -> None:
    facts, variables = told(scenario)
    facts, file = with_kernel(tmp_path, facts, {"env": variables, "metadata": {"debugger": True}})
    fix = finding(facts, scenario.partition("/")[0]).fixes[0]
    assert str(file) in fix.note
    for line in fix.commands:
        subprocess.run(["sh", "-c", line], check=True, timeout=30)
    assert json.loads(file.read_text()) == {
        "argv": ARGV, "display_name": "TF", "env": left, "metadata": {"debugger": True},
    }  # fmt: skip


def test_variable_of_the_users_shell_stays_the_shells(tmp_path: Path) -> None:
    facts, _ = told("gpu-hidden/empty")
    facts, file = with_kernel(tmp_path, facts, {"env": {"KERAS_HOME": "/srv"}})
    fix = finding(facts, "gpu-hidden").fixes[0]
    assert fix.commands == ("unset CUDA_VISIBLE_DEVICES",)
    assert str(file) not in fix.note


def test_variable_in_the_kernels_argv_is_for_a_person(tmp_path: Path) -> None:
    facts, _ = told("gpu-hidden/empty")
    facts, file = with_kernel(tmp_path, facts, {"argv": ["env", "CUDA_VISIBLE_DEVICES=", *ARGV]})
    fix = finding(facts, "gpu-hidden").fixes[0]
    assert fix.commands == ()
    assert f'{file} sets CUDA_VISIBLE_DEVICES for this kernel, under "argv"' in fix.note


def test_path_for_the_loader_keeps_what_the_file_has(tmp_path: Path) -> None:
    from tfdoctor.fix.kernel import in_its_file
    from tfdoctor.fix.variables import search_here

    variables = {"LD_LIBRARY_PATH": "/srv/old"}
    facts = changed(base(), environment={"variables": Known(variables, "x")})
    facts, file = with_kernel(tmp_path, facts, {"env": variables})
    [fix] = in_its_file(facts, search_here(facts, ("/srv/new",)))
    subprocess.run(["sh", "-c", fix.commands[0]], check=True, timeout=30)
    assert json.loads(file.read_text())["env"] == {"LD_LIBRARY_PATH": "/srv/new:/srv/old"}
