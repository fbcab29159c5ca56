"""What an attack is: a prepared world, the words with which the doctor meets it, and the exit statuses that are right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.attacks.world import World
from tests.unit.apps.cli.running import machine

Prepare = Callable[[World], tuple[str, ...]]
HEALTHY = machine("healthy-cpu")
WRONG_USAGE = 2


@dataclass(frozen=True)
class Attack:
    """`quick`: one of those that every CI run makes."""

    name: str
    prepare: Prepare
    statuses: tuple[int, ...]
    quick: bool


ATTACKS: list[Attack] = []


def attack(*statuses: int, quick: bool = False) -> Callable[[Prepare], Prepare]:
    def add(prepare: Prepare) -> Prepare:
        ATTACKS.append(Attack(prepare.__name__.replace("_", "-"), prepare, statuses, quick))
        return prepare

    return add


def check(world: World, *more: str) -> tuple[str, ...]:
    assert world.site
    return (
        "check",
        "--json",
        "--smoke",
        "none",
        "--timeout",
        "20",
        "--python",
        str(world.prefix),
        *more,
    )
