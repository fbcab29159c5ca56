"""Where a health check has to live: many at once, a hanging driver, killed in the middle, no /proc, no /tmp, no HOME."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.memory_group import memory_group
from tests.needs import USER_NAMESPACES
from tests.waiting import until
from tfdoctor.apps.health import state as clock

from .machine import Machine, run

pytestmark = pytest.mark.slow  # all of it waits for something

HANGING = Scenario(faults=(Fault.hang("cuInit", deaf=True),))


def waiting(machine: Machine) -> list[int]:
    """The processes of health checks of this machine that are alive."""
    mark = str(machine.state_file).encode()
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdecimal() and int(path.name) != os.getpid():
            try:
                if mark in (path / "cmdline").read_bytes():
                    found.append(int(path.name))
            except OSError:
                continue
    return found


def at_once(machine: Machine, count: int, *options: str) -> list[tuple[int, str]]:
    with ThreadPoolExecutor(count) as pool:
        said = list(pool.map(lambda _: machine.check(*options), range(count)))
    return [(one.status, one.first) for one in said]


@pytest.mark.slow  # takes a second
def test_twenty_at_once_ask_the_driver_one_after_the_other_simulated(machine: Machine) -> None:
    machine.write_state()
    machine.driver.write(Scenario(faults=(Fault.slow("cuInit", 0.1),)))
    environment = machine.environment()
    environment["TFSIM_TRACE"] = str(machine.driver.trace_file)
    with ThreadPoolExecutor(20) as pool:
        command = machine.command("--timeout", "60")
        said = list(pool.map(lambda _: run(command, environment, timeout=90), range(20)))
    assert {(one.status, one.first) for one in said} == {(0, "healthy: 1 GPU, examined 60 min ago")}
    calls = [
        call.name
        for call in machine.driver.trace()
        if call.kind == "call" and call.name in ("cuInit", "cuDeviceGetCount")
    ]
    assert calls == ["cuInit", "cuDeviceGetCount"] * 20, "never two at once"


@pytest.mark.slow  # waits for a limit
def test_a_hanging_driver_is_answered_in_time_and_leaves_nobody_behind_simulated(
    machine: Machine,
) -> None:
    machine.driver.write(HANGING)
    said = machine.check("--timeout", "3")
    assert waiting(machine) == []
    assert (said.status, said.first) == (1, "unhealthy: the driver hangs in cuInit")


def test_checks_beside_a_hanging_driver_wait_for_nothing_simulated(machine: Machine) -> None:
    machine.driver.write(HANGING)
    said = at_once(machine, 8, "--timeout", "3")
    assert {(status, first.removesuffix(" and can't be ended")) for status, first in said} <= {
        (1, "unhealthy: the driver hangs in cuInit"),
        (0, "unknown: another health check is running"),
    }
    assert 1 in {status for status, _ in said}


def ended_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_child_that_can_not_be_ended_keeps_the_lock_simulated(machine: Machine) -> None:
    """As one in the kernel's uninterruptible sleep would; here the lock's holder is simply somebody else."""
    machine.write_state()
    folder = machine.run_folder / "tfdoctor"
    folder.mkdir(mode=0o700)
    with (folder / "driver.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(f"{clock.since_boot() - 10} 9 {ended_process()}\n")
        lock.flush()
        said = machine.check("--timeout", "1")
        assert (said.status, said.first) == (
            1,
            "unhealthy: the driver has not answered another health check",
        )
        lock.seek(0)
        lock.write(f"{clock.since_boot() - 10} 99 {ended_process()}\n")
        lock.flush()
        said = machine.check("--timeout", "1")
        assert (said.status, said.first) == (0, "unknown: another health check is running")
        lock.seek(0)
        lock.write(f"{clock.since_boot()} 0 {os.getpid()}\n")
        lock.flush()
        said = machine.check("--timeout", "1")
        assert (said.status, said.first) == (0, "unknown: another health check is running"), (
            "late, but at it"
        )
        machine.memory_limit(1 << 30, 1 << 30)
        assert machine.check("--timeout", "1").status == 1, (
            "a fault of the memory is seen all the same"
        )
    machine.memory_limit(1 << 30, 1 << 20)
    assert machine.check().status == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_in_the_middle_it_leaves_no_child_and_no_lock_simulated(
    machine: Machine, number: int
) -> None:
    machine.driver.write(HANGING)
    environ = {**machine.environment(), "TFSIM_TRACE": str(machine.driver.trace_file)}
    started = subprocess.Popen(
        machine.command("--timeout", "60"), env=environ, stdout=subprocess.DEVNULL
    )
    until(lambda: "cuInit" in machine.driver.calls())
    started.send_signal(number)
    started.wait(60)
    until(lambda: not waiting(machine))
    assert machine.check("--node", scenario=Scenario()).status == 0


def in_a_namespace(
    machine: Machine, setup: str, *options: str, **variables: str
) -> tuple[int, str]:
    """The command as root of a namespace whose mounts a shell has changed. Skipped where this user may make none."""
    if (
        not shutil.which("unshare")
        or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode
    ):
        pytest.skip(USER_NAMESPACES)
    command = " ".join(f"'{word}'" for word in machine.command(*options))
    said = run(
        ["unshare", "-rm", "sh", "-c", f"{setup} && exec {command}"],
        machine.environment(**variables),
    )
    assert said.errors == ""
    return said.status, said.first


def test_without_proc_simulated(machine: Machine) -> None:
    machine.write_state(uid=0)
    status, first = in_a_namespace(machine, "mount -t tmpfs none /proc")
    assert (status, first) == (0, "healthy: 1 GPU, examined 60 min ago")


def test_without_a_place_to_write_simulated(machine: Machine) -> None:
    """No runtime folder, no temporary one, /dev/shm read-only: it can't promise to be alone, and says so."""
    machine.write_state(uid=0)
    setup = "mount -t tmpfs -o ro none /dev/shm"
    nowhere = {"XDG_RUNTIME_DIR": "/nowhere", "TMPDIR": "/nowhere"}
    status, first = in_a_namespace(machine, setup, "--json", **nowhere)
    assert status == 0
    assert "no private folder for a lock" in first


def test_dev_shm_near_its_end_simulated(machine: Machine) -> None:
    machine.write_state(uid=0)
    setup = "mount -t tmpfs -o size=1m none /dev/shm && dd if=/dev/zero of=/dev/shm/x bs=1024 count=1000 2>/dev/null"
    live = [word for word in machine.command() if word not in ("--sysroot", str(machine.root))]
    machine.command = lambda *options: [*live, *options]  # type: ignore[method-assign]  # /dev/shm is asked of the live system
    status, first = in_a_namespace(machine, setup)
    assert (status, first) == (1, "unhealthy: /dev/shm: 0 of 1 MiB free")


@pytest.mark.parametrize("left_out", ["HOME", "XDG_RUNTIME_DIR", "PATH"])
def test_without_a_variable_simulated(machine: Machine, left_out: str) -> None:
    machine.write_state()
    environment = machine.environment()
    del environment[left_out]
    said = run(machine.command(), environment)
    assert (said.status, said.first) == (0, "healthy: 1 GPU, examined 60 min ago")


@pytest.mark.slow  # takes a second
def test_without_any_open_file_simulated(machine: Machine) -> None:
    """Standard input, output and error closed by the caller: the exit status still tells."""
    machine.write_state()
    command = " ".join(f"'{word}'" for word in machine.command())
    closed = run(["sh", "-c", f"{command} <&- >&- 2>&-"], machine.environment())
    assert closed.status == 0
    seen = run(
        ["sh", "-c", f"{command} -o {machine.folder}/answer <&- >&- 2>&-"], machine.environment()
    )
    assert (seen.status, (machine.folder / "answer").read_text().splitlines()[0]) == (
        0,
        "healthy: 1 GPU, examined 60 min ago",
    )
    machine.driver.write(HANGING)
    assert (
        run(["sh", "-c", f"{command} --timeout 0.9 <&- >&- 2>&-"], machine.environment()).status
        == 1
    )


def test_a_closed_pipe_is_quiet_simulated(machine: Machine) -> None:
    machine.write_state()
    command = " ".join(f"'{word}'" for word in machine.command())
    said = run(["sh", "-c", f"{command} | true"], machine.environment())
    assert said.errors == ""


def test_a_folder_of_somebody_else_is_not_trusted_simulated(
    machine: Machine, tmp_path: Path
) -> None:
    """A link, or a folder that others may enter, in the place of the runtime folder."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (machine.run_folder / "tfdoctor").symlink_to(elsewhere)
    machine.write_state()
    assert machine.check().status == 0
    assert list(elsewhere.iterdir()) == []
    (machine.run_folder / "tfdoctor").unlink()
    (machine.run_folder / "tfdoctor").mkdir()
    (machine.run_folder / "tfdoctor").chmod(0o777)
    assert machine.check().status == 0
    assert list((machine.run_folder / "tfdoctor").iterdir()) == []


def test_a_container_of_64_megabytes_is_enough_simulated(machine: Machine) -> None:
    machine.write_state()
    with memory_group(64 << 20) as group:
        said = run([*group.inside(*machine.command())], machine.environment())
        peak = group.most_used()
    assert (said.status, said.first) == (0, "healthy: 1 GPU, examined 60 min ago")
    assert peak < 30_000_000, "its own memory and the file pages that it brought in"


def test_little_memory_is_enough_simulated(machine: Machine) -> None:
    """64 MB of addresses hold interpreter, driver and answer; a memory cgroup counts less than that."""
    machine.write_state()
    limited = "import os,resource,sys; resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20)); os.execv(sys.argv[1], sys.argv[1:])"
    said = run([sys.executable, "-c", limited, *machine.command()], machine.environment())
    assert (said.status, said.first) == (0, "healthy: 1 GPU, examined 60 min ago")
