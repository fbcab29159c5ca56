"""Each attack has one document or one line, the right exit status, little memory, and leaves no process, no file, no canary.

Those marked as quick are in every run; `make attacks` makes all of them (TFDOCTOR_ATTACKS=all).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.attacks.attack import WRONG_USAGE, Attack
from tests.attacks.table import ATTACKS
from tests.attacks.world import CANARY, MOST_BYTES, MOST_S, World

pytestmark = [pytest.mark.nightly, pytest.mark.slow]  # each starts the program
EVERY = os.environ.get("TFDOCTOR_ATTACKS") == "all"


def listed(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    )


@pytest.mark.parametrize(
    "attack", [each for each in ATTACKS if each.quick or EVERY], ids=lambda each: each.name
)
def test_it_holds(attack: Attack, tmp_path: Path) -> None:
    world = World(tmp_path)
    words = attack.prepare(world)
    before = listed(world.work)
    ended = world.run(*words)
    assert ended.status in attack.statuses, ended.err.decode("utf-8", "replace")
    said = ended.out + ended.err
    assert b"Traceback" not in said and b"internal error" not in said
    assert CANARY.encode() not in said
    assert said.decode("utf-8").replace("\n", "").isprintable()
    if ended.status == WRONG_USAGE or (words[0] == "healthcheck" and "-o" in words):
        assert (ended.out, ended.err.count(b"\n")) == (b"", 1)
    else:
        assert ended.document["schema_version"] == "1.0"
    assert ended.peak < MOST_BYTES
    assert ended.seconds < MOST_S
    assert world.left_processes() == []
    assert listed(world.work) == before
    assert [name for name in listed(world.tmp) if not name.startswith("tfdoctor/driver.")] in (
        [],
        ["tfdoctor"],
    )
