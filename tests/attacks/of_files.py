"""Matrices, settings and states that are read, and places that are written."""

from __future__ import annotations

import json
import os

from tests.attacks.attack import HEALTHY, WRONG_USAGE, attack, check
from tests.attacks.world import CANARY, World


@attack(WRONG_USAGE)
def a_matrix_that_is_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "pipe")
    return ("check", "--json", "--facts", HEALTHY, "--matrix", str(world.work / "pipe"))


@attack(WRONG_USAGE)
def a_matrix_of_nested_aliases(world: World) -> tuple[str, ...]:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    return (
        "check",
        "--json",
        "--facts",
        HEALTHY,
        "--matrix",
        str(world.write("bomb.yaml", "\n".join(lines))),
    )


@attack(WRONG_USAGE)
def a_matrix_that_builds_objects(world: World) -> tuple[str, ...]:
    text = f"a: !!python/object/apply:os.system ['echo {CANARY}']"
    return ("check", "--json", "--facts", HEALTHY, "--matrix", str(world.write("evil.yaml", text)))


def cached(world: World, content: str) -> tuple[str, ...]:
    import hashlib

    folder = world.folder / "cache" / "tfdoctor"
    folder.mkdir(parents=True)
    (folder / "compat_matrix.json").write_text(content)
    (folder / "compat_matrix.sha256").write_text(hashlib.sha256(content.encode()).hexdigest())
    world.variables["XDG_CACHE_HOME"] = str(folder.parent)
    return ("check", "--json", "--facts", HEALTHY)


@attack(0, quick=True)
def a_cached_matrix_nested_for_ever(world: World) -> tuple[str, ...]:
    return cached(world, '{"a":' + "[" * 50_000 + "]" * 50_000 + "}")


@attack(0)
def a_cached_matrix_of_a_version_without_end(world: World) -> tuple[str, ...]:
    return cached(world, json.dumps({"version": "2027.01.01." + "9" * 5000}))


@attack(WRONG_USAGE, quick=True)
def settings_of_400_digits(world: World) -> tuple[str, ...]:
    world.write("tfdoctor.toml", "min-free-memory = " + "9" * 400)
    return ("check", "--json", "--facts", HEALTHY)


@attack(WRONG_USAGE)
def settings_nested_for_ever(world: World) -> tuple[str, ...]:
    world.write("tfdoctor.toml", "ignore = " + "[" * 20_000)
    return ("check", "--json", "--facts", HEALTHY)


@attack(0)
def a_tool_that_is_no_table(world: World) -> tuple[str, ...]:
    world.write("pyproject.toml", "tool = 1  # tfdoctor")
    return ("check", "--json", "--facts", HEALTHY)


@attack(0)
def settings_that_are_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "tfdoctor.toml")
    return ("check", "--json", "--facts", HEALTHY)


@attack(WRONG_USAGE)
def a_sysroot_that_is_not_there(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--sysroot", str(world.work / "nowhere"))


# What is written


@attack(WRONG_USAGE, quick=True)
def output_over_a_folder(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", HEALTHY, "-o", str(world.work))


@attack(WRONG_USAGE)
def output_through_links_in_a_ring(world: World) -> tuple[str, ...]:
    (world.work / "a").symlink_to("b")
    (world.work / "b").symlink_to("a")
    return ("check", "--json", "--facts", HEALTHY, "-o", str(world.work / "a"))


@attack(WRONG_USAGE, quick=True)
def state_over_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "pipe")
    return check(world, "--state", str(world.work / "pipe"))


@attack(WRONG_USAGE)
def state_over_a_folder(world: World) -> tuple[str, ...]:
    return check(world, "--state", str(world.work))
