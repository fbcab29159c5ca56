"""Secrets where another program starts the doctor, or where it answers well: a kernel's card, an update that succeeds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.test_no_canary import CANARY, LINES, VARIABLES
from tests.attacks.world import World
from tests.scenarios.conftest import base
from tests.unit.knowledge.matrix.wheels import Site, serving, wheel, wheel_name
from tfdoctor.apps.jupyter.judge import Verdict

pytestmark = [pytest.mark.nightly, pytest.mark.slow]  # starts programs

DEATH = {name: fact for name, fact in base("watched").items() if name.startswith("death.")}


def observed(world: World) -> dict[str, object]:
    """What Jupyter's side hands to the judging process about a kernel in whose words and command the secrets stand."""
    told = "\n".join(LINES)
    return {
        "facts": {
            **DEATH,
            "death.said": {"status": "failed", "kind": "unreadable", "error": told},
            "death.kernel_kills": {"status": "failed", "kind": "refused", "error": LINES[0]},
        },
        "samples": [],
        "interval_s": 1.0,
        "notes": LINES,
        "command": ["python", "-m", "ipykernel", f"--token={CANARY}", "--password", CANARY],
        "status": 137,
        "kernel_id": "958cf5f9-f9f6-4ecd-914f-b4bf4844b24e",
        "execution_count": 3,
        "died_at": 1_763_800_000.25,
        "folder": str(world.work / "reports"),
    }


def test_a_kernels_report_and_card(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.variables = dict(VARIABLES)
    done = subprocess.run(
        [sys.executable, "-c", "from tfdoctor.apps.jupyter.judge import main; main()"],
        input=json.dumps(observed(world)).encode(), capture_output=True, check=True, env=world.environment(),
    )  # fmt: skip
    verdict = Verdict(**json.loads(done.stdout))
    written = Path(verdict.path).read_text(encoding="utf-8")
    assert "memory" in verdict.text
    assert "memory" in verdict.html
    assert json.loads(written)["execution_count"] == 3
    for said in (verdict.line, verdict.text, verdict.html, written, done.stderr.decode()):
        assert CANARY not in said


def test_an_update_that_succeeds(tmp_path: Path) -> None:
    world = World(tmp_path)
    with serving(Site()) as site:
        for python in ("310", "311"):
            site.wheels[wheel_name("2.99.0", python)] = wheel("2.99.0")
        address = site.address.replace("://", f"://me:{CANARY}@")
        world.variables = {
            **VARIABLES,
            "PIP_INDEX_URL": address,
            "XDG_CACHE_HOME": str(world.work / "cache"),
        }
        ended = world.run("matrix", "update")
        shown = world.run("matrix", "show", "--json")
    assert b"2.99.0" in ended.out, ended.err
    assert b"2.99.0" in shown.out
    kept = b"".join(path.read_bytes() for path in world.work.rglob("*") if path.is_file())
    assert b"2.99.0" in kept
    assert CANARY.encode() not in ended.out + ended.err + shown.out + shown.err + kept
