"""The same secrets through every command and every form that the program itself lists: none comes out again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attacks.world import World
from tests.unit.apps.cli.running import machine
from tests.unit.say.test_secrets import WRITTEN
from tfdoctor import __version__
from tfdoctor.apps.cli.app import COMMANDS
from tfdoctor.apps.cli.options import FIT_FORMATS as OF_FIT
from tfdoctor.apps.cli.options import HEALTH_FORMATS as OF_HEALTH
from tfdoctor.apps.cli.options import LINT_FORMATS as OF_LINT
from tfdoctor.apps.cli.options import LOG_FORMATS as OF_LOGS
from tfdoctor.apps.cli.options import REPORT_FORMATS as OF_REPORTS
from tfdoctor.apps.health.state import machine_id

pytestmark = pytest.mark.slow  # starts every command in every form
CANARY = "k4n4r1e7n4ch7"
LINES = [text.replace("CANARY", CANARY) for text in WRITTEN]
VARIABLES = {
    "GITHUB_TOKEN": CANARY, "MYSQL_PWD": CANARY, "DB_PASS": CANARY, "WANDB_API_KEY": CANARY, "NVIDIA_API_KEY": CANARY,
    "TF_VAR_database_password": CANARY, "XLA_FLAGS": f"--xla_dump_to=https://me:{CANARY}@host/x?token={CANARY}",
    "PIP_INDEX_URL": f"https://me:{CANARY}@127.0.0.1:9/simple", "UV_INDEX_URL": f"https://me:{CANARY}@127.0.0.1:9/simple",
}  # fmt: skip
PROGRAM = "import os, sys; print(sys.stdin.read()); sys.stdout.flush(); os.kill(os.getpid(), 9)"


def report(world: World, name: str, number: int) -> str:
    """A saved report that says the secrets wherever a text may stand; `number` tells two of them apart."""
    document = json.loads(Path(machine("healthy-cpu")).read_text(encoding="utf-8"))
    said = (
        {f"VAR_{n}": line for n, line in enumerate(LINES)} | VARIABLES | {"TF_NUMBER": str(number)}
    )
    for fact, value in {
        "environment.variables": said,
        "host.os": "\n".join(LINES[number::2]),
    }.items():
        document["facts"][fact] = {"status": "known", "value": value, "from": LINES[number]}
    document["facts"]["driver.version"] = {
        "status": "failed",
        "kind": "refused",
        "error": "\n".join(LINES),
    }
    return str(world.write(name, json.dumps(document)))


def log(world: World) -> str:
    """Each secret beside words that are evidence, so that its line is quoted."""
    errors = [f"E failed call to cuInit: CUDA_ERROR_NO_DEVICE: {line}" for line in LINES]
    trace = ["Traceback (most recent call last):", *(f"ValueError: {line}" for line in LINES)]
    return str(world.write("a.log", "\n".join([*LINES, *errors, *trace, "Killed"]) + "\n"))


def state(world: World) -> str:
    document = {
        "schema_version": "1.0", "tool": __version__, "written_at": 1.0, "boot_id": "another", "since_boot": 0.0,
        "machine": machine_id(), "uid": 0, "verdict": "broken", "summary": LINES[0], "roots": LINES, "python": LINES[0],
        "driver_version": LINES[0], "gpus": [{"uuid": "GPU-1", "name": LINES[0], "ecc": 0}], "cuda_count": 1, "xids": [],
        "failing": [[line, "driver", False, "root"] for line in LINES], "nvml_started": True, "ignored": LINES,
        "files": [[LINES[1], "/nowhere", 1, 1]],
    }  # fmt: skip
    return str(world.write("state.json", json.dumps(document)))


def requirements(world: World) -> str:
    """A build file with a finding, the secrets in its other lines, and one in the line of the finding."""
    said = "\n".join(f"# {line}" for text in LINES for line in text.split("\n"))
    world.write(
        "requirements.txt",
        f"{said}\n--index-url https://me:{CANARY}@127.0.0.1:9/simple\ntensorflow==2.21.0\nnumpy==1.24  # token={CANARY}\n",
    )
    world.write(
        "Dockerfile",
        f"FROM python:3.9\nENV GITHUB_TOKEN={CANARY}\nRUN pip install --index-url https://me:{CANARY}@127.0.0.1:9/simple tensorflow==2.21.0\n",
    )
    return str(world.work)


def training(world: World) -> str:
    """A file that dies of an error which says the secrets."""
    return str(world.write("train.py", f"raise RuntimeError({LINES!r})"))


def run_words(world: World) -> tuple[str, ...]:
    command = (sys.executable, "-I", "-c", PROGRAM, f"--token={CANARY}", "--password", CANARY)
    return ("run", "-v", "--report", "out.json", "--html", "out.html", "--", *command)


Words = Callable[[World], tuple[str, ...]]
HERE: dict[str, list[Words]] = {
    "check": [
        *(lambda world, form=form: ("check", "--facts", report(world, "a", 0), "--format", form) for form in OF_REPORTS),
        lambda world: ("check", "--json", "--facts", report(world, "a", 0), "-o", "out.json"),
        lambda world: ("check", "--facts", str(world.write("broken", f'{{"password": "{CANARY}"')), "--json"),
    ],
    "healthcheck": [
        *(lambda world, form=form: ("healthcheck", "-v", "--state", state(world), "--format", form) for form in OF_HEALTH),
    ],
    "diagnose": [
        *(lambda world, form=form: ("diagnose", log(world), "--format", form) for form in OF_LOGS),
        lambda world: ("diagnose", log(world), "--json", "--facts", report(world, "a", 0)),
    ],
    "run": [run_words],
    "fit": [
        *(lambda world, form=form: ("fit", "--python", sys.executable, training(world), "--format", form) for form in OF_FIT),
    ],
    "jupyter": [lambda world: ("jupyter", "status")],
    "plan": [lambda world: ("plan", "--json"), lambda world: ("plan",)],
    "explain": [lambda world: ("explain", "--list"), lambda world: ("explain", "driver-too-old")],
    "diff": [
        lambda world: ("diff", report(world, "a", 0), report(world, "b", 1)),
        lambda world: ("diff", report(world, "a", 0), report(world, "b", 1), "--json"),
    ],
    "fix": [
        lambda world: ("fix", "--list"),
        lambda world: ("fix", "--undo", "7"),
    ],
    "lint": [
        *(lambda world, form=form: ("lint", requirements(world), "--format", form) for form in OF_LINT),
        lambda world: ("lint", requirements(world), "--diff"),
    ],
    "matrix": [lambda world: ("matrix", "show", "--json"), lambda world: ("matrix", "update")],
    "mcp": [lambda world: ("mcp", "--allow", log(world))],  # its answers: tests/unit/apps/assistant/test_mcp.py
    "fleet": [lambda world: ("fleet", "node", "--facts", report(world, "a", 0))],
}  # fmt: skip


def test_no_command_is_left_out() -> None:
    assert set(HERE) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_secret_comes_out_again(command: str, tmp_path: Path) -> None:
    for number, words in enumerate(HERE[command]):
        (tmp_path / str(number)).mkdir()
        world = World(tmp_path / str(number))
        world.variables = dict(VARIABLES)
        given = words(world)
        ended = world.run(*given)
        said = ended.err if command == "run" else ended.out + ended.err
        written = [path.read_bytes() for path in sorted(world.work.glob("out.*"))]
        found = b"\n".join([said, *written])
        assert found.strip(), given
        assert b"--help" not in ended.err, "an option that there is not"
        at = found.find(CANARY.encode())
        assert at < 0, (given, found[max(at - 200, 0) : at + 100])
        assert b"Traceback (most recent call last):\n  File" not in said
