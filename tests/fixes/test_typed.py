"""What can be typed on a machine of this kind is typed, as it is printed, into a shell in an empty home.

`make fixes` types all of them; CI a seeded few.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixes.printed import commands
from tests.fixes.test_accounted import kind_of

# Every sample is judged, once.
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.xdist_group("fixes"),
]

EVERY = os.environ.get("TFDOCTOR_FIXES") == "all"
FEW = 30

PROGRAM = re.compile(r"(?:cd ~ && )?(?:env -u PATH )?([^\s\"]+)")
NOT_UNDERSTOOD = re.compile(
    r"syntax error|unexpected|unrecognized option|invalid option|unknown option|No such option|Usage:|"
    r"bad substitution|not a valid identifier|invalid number|No such command|SyntaxError",
    re.IGNORECASE,
)
"""What shells and programs say to words that they can't read, whatever the machine is like."""
SHELL = {"export", "unset", "ulimit"}
LIMIT_S = 120


def here() -> list[str]:
    every = [command for command, _ in commands() if kind_of(command).get("here") is True]
    return every if EVERY else random.Random(4242).sample(every, FEW)


def program_of(command: str) -> str:
    found = PROGRAM.match(command)
    assert found, command
    return found[1]


def home(folder: Path) -> Path:
    """With what a user's commands speak of: a program, a log, settings of Keras."""
    (folder / ".keras").mkdir()
    (folder / ".keras" / "keras.json").write_text('{"backend": "jax"}')
    (folder / "train.py").write_text("print('fine')\r\n")
    (folder / "run.log").write_text("2024-05-01 10:00:00: CUDA_ERROR_UNKNOWN\n")
    (folder / "model.h5").touch()
    (folder / "logs").mkdir()
    return folder


def test_what_can_be_typed_here_is_understood(tmp_path: Path) -> None:
    ours = str(Path(sys.executable).parent)
    own = dict.fromkeys(
        ("HOME", "TMPDIR", "PIP_CACHE_DIR", "KERAS_HOME", "CUDA_CACHE_PATH"), str(home(tmp_path))
    )
    environ = {**os.environ, **own, "PATH": f"{ours}:{os.environ['PATH']}"}
    done, absent = [], set()
    for command in here():
        program = program_of(command)
        if program not in SHELL and shutil.which(program, path=environ["PATH"]) is None:
            absent.add(program)
            continue
        ended = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=LIMIT_S,
            cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        said = ended.stdout + ended.stderr
        assert ended.returncode not in (126, 127), f"{command}: {said[-800:]}"
        assert ended.returncode == 0 or not NOT_UNDERSTOOD.search(ended.stderr), (
            f"{command}: {said[-800:]}"
        )
        done.append(command)
    print(f"typed {len(done)}; programs that are not here: {', '.join(sorted(absent)) or 'none'}")  # noqa: T201  # for the dated result
    assert len(done) > FEW // 2
    if EVERY:
        assert {program_of(command) for command in done} >= SHELL | {
            "tfdoctor",
            "ls",
            "grep",
            "python",
        }
