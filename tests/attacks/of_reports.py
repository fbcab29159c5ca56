"""Saved reports that were made to harm."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from tests.attacks.attack import ATTACKS, WRONG_USAGE, Attack, Prepare, attack
from tests.attacks.world import CANARY, World


def judged(world: World, change: Callable[[dict[str, Any]], None]) -> tuple[str, ...]:
    return ("check", "--json", "--facts", world.report(change))


def fact(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    known = {"status": "known", "value": value, "from": "an attack"}
    return lambda document: document["facts"].update({name: known})


def says(name: str, value: object) -> Prepare:
    return lambda world: judged(world, fact(name, value))


def content(data: str | bytes) -> Prepare:
    return lambda world: ("check", "--json", "--facts", str(world.write("report.json", data)))


SECRETS = {
    "A_TOKEN": CANARY, "DB_PASS": CANARY, "MYSQL_PWD": CANARY, "SOME_URL": f"https://me:{CANARY}@host/x?token={CANARY}",
    "A_HEADER": f"Authorization: Bearer {CANARY}", "A_COOKIE": f"Cookie: session={CANARY}", "A_JSON": json.dumps({"password": CANARY}),
}  # fmt: skip
READ, QUICK = (0, 1, 2, 3), True
ATTACKS.extend(
    Attack(name, prepare, statuses, quick)
    for name, prepare, statuses, quick in (
        ("a-long-xla-flags", says("environment.variables", {"XLA_FLAGS": "--a=" * 30_000}), (0, 1, 3), QUICK),
        ("a-text-of-200-kilobytes", says("host.os", "=\"'" * 66_000), (0, 1, 3), False),
        ("terminal-escapes-everywhere", says("host.os", "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"), (0, 1, 3), QUICK),
        ("secrets-in-every-form", says("environment.variables", SECRETS), (0, 1, 3), QUICK),
        ("versions-that-are-none", says("tensorflow.version", "9" * 5000), READ, False),
        ("infinite-numbers", says("memory.ram_total", float("inf")), READ, False),
        ("lone-surrogates", says("host.os", "\ud800 x"), READ, False),
        ("a-report-nested-for-ever", content('{"facts":' + "[" * 100_000), (WRONG_USAGE,), False),
        ("numbers-without-end", content('{"schema_version": "1.0", "facts": {"a": ' + "9" * 400_000 + "}}"), (WRONG_USAGE,), False),
        ("a-report-of-random-bytes", content(bytes(range(256)) * 4096), (WRONG_USAGE,), False),
    )
)  # fmt: skip


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
def a_report_with_facts_of_wrong_types(world: World) -> tuple[str, ...]:
    return judged(
        world, lambda document: document.update(findings={"x": [None]}, probes="no", smoke=7)
    )
