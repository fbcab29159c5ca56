"""Matrices, settings and states that are read, and places that are written."""

from __future__ import annotations

import hashlib
import json
import os

from tests.attacks.attack import ATTACKS, HEALTHY, WRONG_USAGE, Attack, Prepare, attack, check
from tests.attacks.world import CANARY, World

SAVED = ("check", "--json", "--facts", HEALTHY)


def laid(world: World, name: str, content: str) -> str:
    """The file of that name; without a content it is a pipe."""
    if content:
        return str(world.write(name, content))
    os.mkfifo(world.work / name)
    return str(world.work / name)


def matrix(content: str) -> Prepare:
    return lambda world: (*SAVED, "--matrix", laid(world, "matrix.yaml", content))


def settings(content: str, name: str = "tfdoctor.toml") -> Prepare:
    def prepare(world: World) -> tuple[str, ...]:
        laid(world, name, content)
        return SAVED

    return prepare


def cached(content: str) -> Prepare:
    def prepare(world: World) -> tuple[str, ...]:
        folder = world.folder / "cache" / "tfdoctor"
        folder.mkdir(parents=True)
        (folder / "compat_matrix.json").write_text(content)
        (folder / "compat_matrix.sha256").write_text(hashlib.sha256(content.encode()).hexdigest())
        world.variables["XDG_CACHE_HOME"] = str(folder.parent)
        return SAVED

    return prepare


def state(content: str | None) -> Prepare:
    """None: over a folder."""
    return lambda world: check(world, "--state", str(world.work) if content is None else laid(world, "state", content))  # fmt: skip


ALIASES = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
)
QUICK = True
ATTACKS.extend(
    Attack(name, prepare, (status,), quick)
    for name, prepare, status, quick in (
        ("a-matrix-that-is-a-pipe", matrix(""), WRONG_USAGE, False),
        ("a-matrix-of-nested-aliases", matrix(ALIASES), WRONG_USAGE, False),
        ("a-matrix-that-builds-objects", matrix(f"a: !!python/object/apply:os.system ['echo {CANARY}']"), WRONG_USAGE, False),
        ("a-cached-matrix-nested-for-ever", cached('{"a":' + "[" * 50_000 + "]" * 50_000 + "}"), 0, QUICK),
        ("a-cached-matrix-of-a-version-without-end", cached(json.dumps({"version": "2027.01.01." + "9" * 5000})), 0, False),
        ("settings-of-400-digits", settings("min-free-memory = " + "9" * 400), WRONG_USAGE, QUICK),
        ("settings-nested-for-ever", settings("ignore = " + "[" * 20_000), WRONG_USAGE, False),
        ("a-tool-that-is-no-table", settings("tool = 1  # tfdoctor", "pyproject.toml"), 0, False),
        ("settings-that-are-a-pipe", settings(""), 0, False),
        ("a-sysroot-that-is-not-there", lambda world: ("check", "--json", "--sysroot", str(world.work / "nowhere")), WRONG_USAGE, False),
        ("output-over-a-folder", lambda world: (*SAVED, "-o", str(world.work)), WRONG_USAGE, QUICK),
        ("state-over-a-pipe", state(""), WRONG_USAGE, QUICK),
        ("state-over-a-folder", state(None), WRONG_USAGE, False),
    )
)  # fmt: skip


@attack(WRONG_USAGE)
def output_through_links_in_a_ring(world: World) -> tuple[str, ...]:
    (world.work / "a").symlink_to("b")
    (world.work / "b").symlink_to("a")
    return (*SAVED, "-o", str(world.work / "a"))
