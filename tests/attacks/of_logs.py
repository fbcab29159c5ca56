"""Logs that were made to harm, and what the health check reads."""

from __future__ import annotations

import sys

from tests.attacks.attack import WRONG_USAGE, attack
from tests.attacks.world import CANARY, World


def told(world: World, text: bytes) -> tuple[str, ...]:
    return ("diagnose", "--json", str(world.write("a.log", text)))


@attack(0, 1, 3)
def a_log_of_one_line_of_megabytes(world: World) -> tuple[str, ...]:
    return told(world, b"CUDA_ERROR " * 400_000)


@attack(0, 1, 3)
def a_log_of_escapes_and_secrets(world: World) -> tuple[str, ...]:
    line = f"\x1b]0;x\x07 E failed call to cuInit: CUDA_ERROR_NO_DEVICE password={CANARY} \u202e\n"
    return told(world, line.encode() * 50)


@attack(WRONG_USAGE)
def a_log_of_packed_zeros(world: World) -> tuple[str, ...]:
    import gzip

    path = world.write("a.log.gz", gzip.compress(b"\0" * (64 << 20), 1))
    return ("diagnose", "--json", str(path))


@attack(WRONG_USAGE)
def a_log_that_is_not_there(world: World) -> tuple[str, ...]:
    return ("diagnose", "--json", str(world.work / "nowhere"))


# The health check


@attack(0, 1)
def a_health_state_of_deep_json(world: World) -> tuple[str, ...]:
    return ("healthcheck", "--json", "--state", str(world.write("state.json", "[" * 200_000)))


@attack(0, 1)
def a_health_state_that_is_an_endless_device(world: World) -> tuple[str, ...]:
    return ("healthcheck", "--json", "--state", "/dev/zero")


@attack(0, 1)
def a_health_output_through_links_in_a_ring(world: World) -> tuple[str, ...]:
    (world.work / "a").symlink_to("a")
    return ("healthcheck", "--json", "-o", str(world.work / "a"))


assert sys.platform == "linux", "the attacks are made of Linux' pipes and devices"
