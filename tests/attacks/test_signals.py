"""Signals at random moments: the right exit status, no process, no file. `make signals` sends five hundred (TFDOCTOR_SIGNALS)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.attacks.world import MARK, World
from tests.unit.apps.cli.running import CHECKOUT, environment

pytestmark = pytest.mark.slow  # each starts the program
ROUNDS = int(os.environ.get("TFDOCTOR_SIGNALS", "5"))
SIGNALS = (
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGKILL,
    signal.SIGQUIT,
    signal.SIGPIPE,
)
LONGEST_S = 1.2
GIVEN_UP_S = 300
INTERRUPTED = 130
DAEMON = "import os,time;(os.fork() or (os.setsid(), os.fork() or time.sleep(600), os._exit(0)))\n"
LOG = "E failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\nKilled\n"
COMMAND = "import time; time.sleep(0.7); raise SystemExit(7)"


@dataclass(frozen=True)
class Command:
    """`words` of the program; `statuses` are those of an end that no signal disturbed."""

    name: str
    words: Callable[[World], list[str]]
    statuses: tuple[int, ...]


def _report(world: World) -> list[str]:
    return ["-o", str(world.work / "report")]


def _check(world: World) -> list[str]:
    return ["check", "--json", "--smoke", "none", *_report(world), "--python", str(world.prefix)]


def _healthcheck(world: World) -> list[str]:
    return ["healthcheck", "--json", *_report(world)]


def _healthcheck_tf(world: World) -> list[str]:
    """The environment's start-up files run, and with them the daemon."""
    return [
        "healthcheck",
        "--smoke",
        "tf",
        "--no-require-gpu",
        *_report(world),
        "--python",
        str(world.prefix),
    ]


def _run(world: World) -> list[str]:
    return [
        "run",
        "--report",
        str(world.work / "report"),
        "--",
        sys.executable,
        "-I",
        "-c",
        COMMAND,
    ]


def _diagnose(world: World) -> list[str]:
    log = world.folder / "a.log"
    log.write_text(LOG * 200)
    return ["diagnose", "--json", *_report(world), str(log)]


def _diagnose_here(world: World) -> list[str]:
    return [*_diagnose(world), "--here", "--python", str(world.prefix)]


COMMANDS = (
    Command("check", _check, (1,)),  # there is no TensorFlow in the environment
    Command("healthcheck", _healthcheck, (0, 1)),
    Command("healthcheck --smoke tf", _healthcheck_tf, (0, 1)),
    Command("run", _run, (7,)),
    Command("diagnose", _diagnose, (3,)),
    Command("diagnose --here", _diagnose_here, (3,)),
    Command("plan", lambda world: ["plan", "--json"], (0,)),
)


def right(command: Command, status: int, number: int) -> bool:
    """As the signal demands; or as without it, where it came too late or the program had it ignored."""
    interrupted = number == signal.SIGINT and status in (INTERRUPTED, 1)
    handed_on = command.name == "run" and status == 128 + number  # its command died of it
    return status in (-number, *command.statuses) or interrupted or handed_on


def started(words: list[str], world: World) -> subprocess.Popen[bytes]:
    env = environment(
        HOME=str(world.home), TMPDIR=str(world.tmp), XDG_RUNTIME_DIR=str(world.tmp), PYTHONPATH=str(CHECKOUT),
        **{MARK: world.mark},
    )  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "tfdoctor", *words],
        env=env, cwd=world.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def files_left(world: World, *, killed: bool) -> list[str]:
    """What is neither the report nor the health checks' lock.

    Who was killed can't remove a part of the report, which this does, nor its scratch folder: the next that needs one
    does, once it is older than a minute, which is what this makes it.
    """
    found = {*os.listdir(world.work), *os.listdir(world.tmp)} - {"report", "tfdoctor"}
    for name in list(found) if killed else ():
        if name.startswith(".report."):
            (world.work / name).unlink()
    for folder in world.tmp.glob("tfdoctor-*"):
        if killed:
            os.utime(folder, (0, 0))
        if folder.stat().st_mtime == 0:
            found.discard(folder.name)
    return sorted(name for name in found if not (killed and name.startswith(".report.")))


def _is_daemon(process: psutil.Process) -> bool:
    """What DAEMON started, in a session whose leader has ended; it is ended here."""
    found = not psutil.pid_exists(os.getsid(process.pid))
    if found:
        process.kill()
    return found


def test_whenever_a_signal_comes_nothing_is_left(tmp_path: Path) -> None:
    world = World(tmp_path)
    (world.site / "a.pth").write_text(DAEMON)
    chance = random.Random(4711)
    wrong = []
    for round_ in range(ROUNDS):
        command = COMMANDS[round_ % len(COMMANDS)]
        number, after = chance.choice(SIGNALS), chance.uniform(0, LONGEST_S)
        process = started(command.words(world), world)
        time.sleep(after)
        process.send_signal(number)
        status = process.wait(GIVEN_UP_S)
        left = [
            str(each.cmdline())
            for each in world.left_processes()
            if not (
                number == signal.SIGKILL and _is_daemon(each)
            )  # whoever is killed outright can end nobody
        ]
        files = files_left(world, killed=number == signal.SIGKILL)
        if not right(command, status, number) or left or files:
            wrong.append((round_, command.name, number.name, round(after, 3), status, left, files))
    assert wrong == [], "\n".join(map(str, wrong))
    assert started(_healthcheck_tf(world), world).wait(GIVEN_UP_S) in (0, 1)
    assert list(world.tmp.glob("tfdoctor-*/keras")) == [], (
        "the next start removes what killed ones left"
    )


def test_each_command_ends_as_the_table_says_where_no_signal_comes(tmp_path: Path) -> None:
    world = World(tmp_path)
    (world.site / "a.pth").write_text(DAEMON)
    ended = {each.name: started(each.words(world), world).wait(GIVEN_UP_S) for each in COMMANDS}
    assert {each.name: ended[each.name] in each.statuses for each in COMMANDS} == dict.fromkeys(
        ended, True
    ), ended
    assert world.left_processes() == []
