"""No fix holds a value of another machine: the rows of the tables, and what is printed for each log and scenario."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

import tfdoctor
from tests.fixes.test_every_row import drawn
from tests.logs.judged import judged
from tests.public.test_logs import NAMES, log_of
from tests.scenarios.conftest import all_scenarios
from tfdoctor.facts.codec import to_json
from tfdoctor.knowledge.model import Fix

LITERALS = {
    "path": r"(?:/home|/Users|/mnt|/srv|/scratch|/data|/opt|/workspace|/root)/\w[\w.+/-]*|~/(?!\.)\w[\w./-]*|\b[A-Z]:\\[A-Za-z][\w\\.-]*",
    "container or user": r"(?<=docker exec )(?!-|MY_)\w+|(?<=docker restart )(?!MY_)\w+|(?<=docker logs )(?!MY_)\w+|(?<=kubectl describe pod )(?!MY_)\w+|\b(?:alice|bob|john|jdoe|myuser)\b",
    "GPU": r"\b(?:(?:RTX|GTX|Titan|Tesla|Quadro)[ -]?[A-Z]?\d+\w*(?: (?:Ti|SUPER))?|(?:A|H|V|P|K)\d{2,3}\b|T4\b|L40S?\b)",
    "driver": r"\bnvidia-driver-\d{3}\b|\blibnvidia-compute-\d{3}\b|\bnvidia-utils-\d{3}\b|\b\d{3}\.\d{2,3}(?:\.\d{2})?\b",
    "version": r"==\d+(?:\.\d+)+(?![.*\d])|(?<=[\w/]):\d+\.\d+[\w.-]*",
}  # fmt: skip
"""What is looked for. A version counts in commands alone: a note may say which ones need what."""
COMPILED = Path(tfdoctor.__file__).parent / "knowledge/matrix/compat_matrix.json"
OUR_OWN = {
    # where AMD's, NVIDIA's and Homebrew's own installers put it
    "/opt/rocm", "/opt/rocm/bin", "/opt/rocm/lib", "/opt/rocm/llvm/bin", "/opt/rocm/lib/rocblas/library", "/opt/rocm/amdgcn/bitcode/opencl.bc",
    "/opt/homebrew/bin/python3.12", "C:\\tools\\cudnn\\bin",
    # where the fix itself makes an environment
    "~/tf", "C:\\tf", "C:\\tf\\Scripts\\python", "C:\\tfdml", "C:\\tfdml\\Scripts\\python",
    # a kind of GPU by an example, in a note
    "V100", "P100", "GTX 10xx", "RTX 30", "RTX 40", "RTX 50", "RTX 5090", "K80", "A100", "H100",
    # the branch that fits every build in the matrix, and the one that a note asks for at least
    "nvidia-driver-580",
    # the newest TensorFlow, the last of its kind, and a release that alone has what is needed
    "==2.21.0", "==2.20.0", "==2.16.2", "==2.15.1", "==2.10.1", "==0.2.2", "==0.3.3", "==2.1.6", "==2.3.1", "==3.20.3", "==0.2.0", "==2.15.0.3", "==0.31.0",
    ":23.02-tf2-py3", ":23.02-tf1-py3", ":3.12-slim",
}  # fmt: skip


def foreign(fix: Fix, known: str) -> list[str]:
    """The literals of a fix that neither what was read nor we ourselves have."""
    texts = {"version": " ".join(fix.commands)}
    every = " ".join((fix.title, *fix.commands, fix.note))
    found = (
        (kind, each[0].rstrip(".,:;"))
        for kind, form in LITERALS.items()
        for each in re.finditer(form, texts.get(kind, every))
    )
    return [
        f"{kind}: {each}"
        for kind, each in found
        if each not in OUR_OWN and _value(kind, each) not in known
    ]


def _value(kind: str, literal: str) -> str:
    """As it stands in what was read: a package's name has the number of the driver in it, and a path goes on below a known one."""
    if kind == "path":
        return "/".join(literal.split("/")[:3])
    return (
        literal.rpartition("-")[2] if kind == "driver" else literal.strip("=:").partition("-gpu")[0]
    )


@cache
def computed() -> str:
    """What the matrix knows: a version for a machine is chosen from it."""
    return COMPILED.read_text("utf-8")


def test_no_row_holds_a_value_of_another_machine() -> None:
    found = {f"{name}: {each}" for name, fix in drawn() for each in foreign(fix, "")}
    assert found == set()


EVERY = [
    pytest.param(name, marks=pytest.mark.nightly if number % 40 else ())
    for number, name in enumerate(NAMES)
]


@pytest.mark.parametrize("name", EVERY)
def test_no_answer_to_a_log_does(name: str) -> None:
    text = log_of(name)
    fixes = [fix for root in judged(text).roots for fix in root.finding.fixes]
    assert [each for fix in fixes for each in foreign(fix, text + computed())] == []


@pytest.mark.nightly
def test_no_answer_to_a_scenario_does() -> None:
    found: set[str] = set()
    for scenario in all_scenarios():
        known = json.dumps(to_json(scenario.facts())) + computed()
        fixes = [fix for each in scenario.judged().findings for fix in each.fixes]
        found |= {f"{scenario.name}: {each}" for fix in fixes for each in foreign(fix, known)}
    assert found == set()


@pytest.mark.parametrize(
    ("line", "literal"),
    [
        ("~/envs/tf/bin/python -m pip install ipykernel", "path: ~/envs/tf/bin/python"),
        ("docker exec trainer nvidia-smi", "container or user: trainer"),
        ("tfdoctor plan --driver 470.57.02", "driver: 470.57.02"),
        ("sudo apt-get install nvidia-driver-535", "driver: nvidia-driver-535"),
        ("tfdoctor plan --gpu 'RTX 3090'", "GPU: RTX 3090"),
        ("docker run tensorflow/tensorflow:2.19.0-gpu", "version: :2.19.0-gpu"),
        ("pip install nvidia-cudnn-cu12==9.3.0.75", "version: ==9.3.0.75"),
    ],
)
def test_such_a_value_is_seen_unless_it_was_read(line: str, literal: str) -> None:
    fix = Fix("Do it", (line,))
    assert foreign(fix, "") == [literal]
    assert foreign(fix, line) == []
