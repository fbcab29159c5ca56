"""Saved reports that were made to harm."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from tests.attacks.attack import WRONG_USAGE, attack
from tests.attacks.world import CANARY, World


def judged(world: World, change: Callable[[dict[str, Any]], None]) -> tuple[str, ...]:
    return ("check", "--json", "--facts", world.report(change))


def fact(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        document["facts"][name] = {"status": "known", "value": value, "from": "an attack"}

    return change


@attack(0, 1, 3, quick=True)
def a_long_xla_flags(world: World) -> tuple[str, ...]:
    return judged(world, fact("environment.variables", {"XLA_FLAGS": "--a=" * 30_000}))


@attack(0, 1, 3)
def a_text_of_200_kilobytes(world: World) -> tuple[str, ...]:
    return judged(world, fact("host.os", "=\"'" * 66_000))


@attack(0, 1, 3, quick=True)
def terminal_escapes_everywhere(world: World) -> tuple[str, ...]:
    return judged(world, fact("host.os", "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"))


@attack(0, 1, 3, quick=True)
def secrets_in_every_form(world: World) -> tuple[str, ...]:
    texts = {
        "A_TOKEN": CANARY,
        "DB_PASS": CANARY,
        "MYSQL_PWD": CANARY,
        "SOME_URL": f"https://me:{CANARY}@host/x?token={CANARY}",
        "A_HEADER": f"Authorization: Bearer {CANARY}",
        "A_COOKIE": f"Cookie: session={CANARY}",
        "A_JSON": json.dumps({"password": CANARY}),
    }
    return judged(world, fact("environment.variables", texts))


@attack(WRONG_USAGE)
def a_report_nested_for_ever(world: World) -> tuple[str, ...]:
    path = world.write("deep.json", '{"facts":' + "[" * 100_000)
    return ("check", "--json", "--facts", str(path))


@attack(WRONG_USAGE)
def a_report_of_numbers_without_end(world: World) -> tuple[str, ...]:
    path = world.write("number.json", '{"schema_version": "1.0", "facts": {"a": ' + "9" * 400_000 + "}}")
    return ("check", "--json", "--facts", str(path))


@attack(WRONG_USAGE)
def a_report_that_is_a_pipe(world: World) -> tuple[str, ...]:
    os.mkfifo(world.work / "pipe")
    return ("check", "--json", "--facts", str(world.work / "pipe"))


@attack(WRONG_USAGE)
def a_report_that_is_an_endless_device(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", "/dev/zero")


@attack(WRONG_USAGE)
def a_report_that_is_a_folder(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", str(world.work))


@attack(WRONG_USAGE)
def a_report_of_random_bytes(world: World) -> tuple[str, ...]:
    return ("check", "--json", "--facts", str(world.write("noise", bytes(range(256)) * 4096)))


@attack(WRONG_USAGE)
def a_report_with_facts_of_wrong_types(world: World) -> tuple[str, ...]:
    return judged(world, lambda document: document.update(findings={"x": [None]}, probes="no", smoke=7))


@attack(0, 1, 2, 3)
def a_report_with_versions_that_are_none(world: World) -> tuple[str, ...]:
    return judged(world, fact("tensorflow.version", "9" * 5000))


@attack(0, 1, 2, 3)
def a_report_with_infinite_numbers(world: World) -> tuple[str, ...]:
    return judged(world, fact("memory.ram_total", float("inf")))


@attack(0, 1, 2, 3)
def a_report_with_lone_surrogates(world: World) -> tuple[str, ...]:
    return judged(world, fact("host.os", "\ud800 x"))
