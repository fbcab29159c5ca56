"""The picture of docs/fix.md: what `fix` says in a real environment with a wrong protobuf. `--update-golden` draws it again."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.machines.test_picture import svg
from tests.real.command import doctor
from tests.real.environments import install, make
from tests.real.stories import QUIET, cpu

pytestmark = [pytest.mark.slow, pytest.mark.real, pytest.mark.nightly]
PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "fix.svg"
TITLE = "tfdoctor fix: the smallest change is shown, tried in a clone, kept because it helped, and undone"


def test_the_picture_is_what_the_program_prints(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    python = make(tmp_path / "envs" / "tf", *cpu("2.21.0"))
    install(python, "protobuf==4.25.3", options=("--no-deps",))
    cache = os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))
    env = {
        **os.environ,
        **QUIET,
        "HOME": str(tmp_path),
        "UV_CACHE_DIR": cache,
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "COLUMNS": "80",
    }
    env = {name: value for name, value in env.items() if not name.startswith(("PIP_", "TFDOCTOR_"))}
    lines = []
    for words in ("fix --python ~/envs/tf --yes", "fix --undo"):
        done = doctor(
            *words.replace("~", str(tmp_path)).split(), env=env, cwd=tmp_path, limit_s=600
        )
        assert done.status == 0, done
        lines += [
            f"$ tfdoctor {words}",
            *re.sub(r"\d+ MB kept", "14 MB kept", done.stdout).splitlines(),
            "",
        ]
    drawn = svg(lines[:-1], TITLE, "fix")
    if request.config.getoption("--update-golden"):
        PICTURE.write_text(drawn, encoding="utf-8")
    assert drawn == PICTURE.read_text(encoding="utf-8")
