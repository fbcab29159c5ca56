"""Where an answer ends with the command that applies its first fix: by literal facts, and as a user gets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.apps.repair import standin
from tests.unit.apps.repair.standin import Patient
from tests.unit.apps.repair.test_refusals import FIX, facts
from tests.unit.ask.probes.fake_environments import make_venv
from tfdoctor.apps.repair.offer import offered, target
from tfdoctor.base.records import replace
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Role, Severity

APPLIES = replace(FIX, applies=True)
ROOT = Finding("protobuf-incompatible", Severity.ERROR, Confidence.CERTAIN, "", "", (), (APPLIES,))
LOG = "ImportError: cannot import name 'runtime_version' from 'google.protobuf' (/x/site-packages/google/protobuf/__init__.py)\n"


def command(fix: Fix | None) -> str:
    return fix.commands[0] if fix else ""


@pytest.mark.parametrize(
    ("python", "kernel", "words"),
    [
        ("", "", "tfdoctor fix"),
        ("/home/me/my envs/tf", "", "tfdoctor fix --python '/home/me/my envs/tf'"),
        ("", "tf kernel", "tfdoctor fix --kernel 'tf kernel'"),
    ],
)
def test_it_keeps_the_target_that_the_user_gave(
    tmp_path: Path, python: str, kernel: str, words: str
) -> None:
    assert (
        command(offered((ROOT,), facts(make_venv(tmp_path / "tf")), target(python, kernel)))
        == words
    )


@pytest.mark.parametrize(
    "findings",
    [
        (),
        (replace(ROOT, role=Role.NOTE),),
        (replace(ROOT, confidence=Confidence.LIKELY),),
        (replace(ROOT, severity=Severity.INFO),),
        (replace(ROOT, fixes=()),),
        (replace(ROOT, fixes=(FIX, APPLIES)),),
        (replace(ROOT, fixes=(Fix("Unset it", ("unset X",)),)), ROOT),
    ],
)
def test_it_is_only_for_the_first_fix_of_a_certain_cause(
    tmp_path: Path, findings: tuple[Finding, ...]
) -> None:
    assert offered(findings, facts(make_venv(tmp_path / "tf")), ()) is None


def test_it_is_not_named_where_fix_refuses(tmp_path: Path) -> None:
    assert offered((ROOT,), facts(make_venv(tmp_path / "tf"), "conda"), ()) is None


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Patient:
    return standin.patient(tmp_path_factory.mktemp("offer"))


def tfdoctor(patient: Patient, *words: str, log: str = "") -> str:
    command = [sys.executable, "-m", "tfdoctor", *words, "--python", str(patient.environment)]
    done = subprocess.run(
        command, env=patient.variables(), input=log, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.slow
def test_check_ends_with_it(patient: Patient) -> None:
    typed = f"tfdoctor fix --python {patient.environment}"
    said = tfdoctor(patient, "check")
    assert f"Apply this fix, with undo:\n    {typed}\n" in said
    assert json.loads(tfdoctor(patient, "check", "--json"))["apply"]["commands"] == [typed]
    (patient.root / "report.json").write_text(tfdoctor(patient, "check", "--json"))
    again = [
        sys.executable,
        "-m",
        "tfdoctor",
        "check",
        "--facts",
        str(patient.root / "report.json"),
    ]
    assert (
        "tfdoctor fix"
        not in subprocess.run(again, capture_output=True, text=True, check=False).stdout
    )


@pytest.mark.slow
def test_diagnose_ends_with_it_where_this_machine_shows_the_same(patient: Patient) -> None:
    typed = f"tfdoctor fix protobuf-incompatible --python {patient.environment}"
    assert typed in tfdoctor(patient, "diagnose", "-", "--here", log=LOG)
    assert "tfdoctor fix" not in tfdoctor(
        patient, "diagnose", "-", "--here", log="E: CUDA_ERROR_NO_DEVICE\n"
    )


@pytest.mark.slow
def test_an_assistant_gets_the_plan_and_changes_nothing(patient: Patient) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    from tests.unit.apps.assistant.client import answered, document

    async def ask(client: Any) -> Any:
        return await document(client, "plan_fix", environment="tf")

    before = standin.picture(patient.environment)
    told = answered(ask, "--python", str(patient.environment), env=patient.variables())
    assert told["packages"] == [{"name": "protobuf", "from": "4.25.3", "to": "6.33.0"}]
    assert (told["state"], told["id"], patient.listed()) == ("planned", 0, [])
    assert standin.picture(patient.environment) == before
