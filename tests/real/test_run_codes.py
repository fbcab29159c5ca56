"""Every code of the memory and process families by a real death under `tfdoctor run`, or why this machine can't die so.

`DIES` is the table: small programs that end here in seconds. `make deaths` has the longer ones, of real TensorFlow
(`LONG`), `ELSEWHERE` names other tests, and `NOT_HERE` says what was not made to happen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.needs import MOUNTS, ROOT, SYSTEM_PYTHON, USER_NAMESPACES
from tests.real.command import NO_FOLDERS
from tests.real.deaths import LONG
from tests.real.test_run_deaths import NOBODY
from tests.unit.ask.recorder.watched import watched
from tfdoctor.knowledge.catalog import CODES

pytestmark = [pytest.mark.slow, pytest.mark.real]

PYTHON = sys.executable
SMALL_DISK = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1m none /mnt && exec "$@"', "sh")
SMALL_SHM = (
    "unshare",
    "-m",
    "sh",
    "-c",
    'mount -t tmpfs -o size=1m none /dev/shm && exec "$@"',
    "sh",
)
FILLS_SHM = "import mmap, os, time\nf = os.open('/dev/shm/x', os.O_RDWR | os.O_CREAT)\nos.ftruncate(f, 8 << 20)\nm = mmap.mmap(f, 8 << 20)\ntime.sleep(0.5)\nfor i in range(0, 8 << 20, 4096): m[i] = 1"
THREADS = "import threading, time\nfor _ in range(200): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"
SLURM = "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=1.0. Some of your processes may have been killed by the cgroup out-of-memory handler."
CHECK = "F external/xla/xla/tsl/platform/statusor.cc:34] Check failed: a == b (1 vs. 2)"


@dataclass(frozen=True)
class Dies:
    """A command and how it ends. `before` starts the recorder, so both live in it. `roots`: () where the code is a note."""

    command: tuple[str, ...]
    status: int
    before: tuple[str, ...] = ()
    roots: bool = True


def shell(*lines: str) -> tuple[str, ...]:
    return ("sh", "-c", "; ".join(lines))


DIES: Mapping[str, Dies] = {
    "host-memory-exhausted": Dies(("prlimit", "--as=400000000", PYTHON, "-c", "x = [bytearray(50 << 20) for _ in range(100)]"), 1),
    "shared-memory-too-small": Dies((PYTHON, "-c", FILLS_SHM), 135, before=SMALL_SHM),
    "file-descriptors-exhausted": Dies(("prlimit", "--nofile=64", PYTHON, "-c", "x = [open('/dev/null') for _ in range(100)]"), 1),
    "threads-exhausted": Dies((*NOBODY, "prlimit", "--nproc=40", "/usr/bin/python3", "-c", THREADS), 1),
    "disk-full": Dies((PYTHON, "-c", "open('/mnt/x', 'wb').write(b'x' * (4 << 20))"), 1, before=SMALL_DISK),
    "temporary-folder-missing": Dies(("unshare", "-m", "sh", "-c", f'{NO_FOLDERS} && exec "$@"', "sh", PYTHON, "-c", "import tempfile; tempfile.gettempdir()"), 1),
    "environment-variable-refused": Dies(("env", "PYTHONHASHSEED=abc", PYTHON, "-c", "pass"), 1),
    "native-crash": Dies((PYTHON, "-c", "import ctypes; ctypes.string_at(0)"), 139),
    "check-failed": Dies(shell(f"echo '{CHECK}' >&2", "kill -ABRT $$"), 134),  # its words are TensorFlow's, its death is real
    "scheduler-killed": Dies(shell(f"echo '{SLURM}' >&2", "kill -KILL $$"), 137),  # its words are Slurm's, its death is real
    "killed-by-user": Dies(shell("kill -KILL $$"), 137, roots=False),
    "python-exception": Dies((PYTHON, "-c", "1 / 0"), 1),
    "exited-nonzero": Dies((PYTHON, "-c", "import os; os._exit(3)"), 3),
    "command-not-started": Dies(("/dev/null/nothing-there",), 127),
    "output-closed": Dies(shell("kill -PIPE $$"), 141, roots=False),
}  # fmt: skip

ELSEWHERE = {
    "container-oom-killed": "tests/real/test_run_deaths.py::test_the_command_alone_in_its_group",
    "gpu-out-of-memory": "tests/real/test_run_keras.py::test_a_batch_that_dies_is_told_an_upper_bound_on_a_simulated_gpu",
    "stalled": "tests/unit/ask/recorder/test_stall.py",
    "jupyter-kernel-died": "tests/real/test_jupyter.py",
    "success": "tests/unit/ask/recorder/test_streams.py::test_the_last_run_that_ended_well_is_told_without_its_report",
}

NOT_HERE = {
    "host-oom-killed": "it takes the whole machine's memory: make host-deaths (tests/real/host_deaths.py)",
    "memory-limit-too-small": "a warning about a machine; its end is host-memory-exhausted or container-oom-killed",
    "swap-thrashing": "it takes a swap: make host-deaths (tests/real/host_deaths.py)",
    "environment-variable-ignored": "a note about a machine, no end of a program",
    "installer-stopped": "what a log says, for `diagnose` alone: tests/logs/test_installer_stopped.py",
    "other-program-failed": "what a log says, for `diagnose` alone: tests/logs/test_other_programs.py",
}


def test_the_table_has_every_code_of_both_families_once() -> None:
    wanted = sorted(code.code for code in CODES.values() if code.family in ("memory", "process"))
    assert sorted([*DIES, *LONG, *ELSEWHERE, *NOT_HERE]) == wanted


def test_the_tests_that_the_table_names_are_there() -> None:
    for place in ELSEWHERE.values():
        file, _, name = place.partition("::")
        assert f"def {name or 'test_'}" in (Path(__file__).parents[2] / file).read_text("utf-8"), (
            place
        )


@pytest.fixture(scope="module")
def mounts() -> None:
    """A file system of one's own takes a right that root may lack in a container."""
    if subprocess.run([*SMALL_DISK, "true"], capture_output=True, check=False).returncode:
        pytest.skip(MOUNTS)


@pytest.mark.parametrize("code", DIES)
def test_a_real_death(code: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    dies = DIES[code]
    if "unshare" in (*dies.before, *dies.command):
        request.getfixturevalue("mounts")
    if NOBODY[0] in dies.command and (os.geteuid() or not shutil.which("python3", path="/usr/bin")):
        pytest.skip(ROOT if os.geteuid() else SYSTEM_PYTHON)
    run = watched(tmp_path, *dies.command, before=dies.before)
    assert run.outcome == code, run.stderr.decode()
    assert run.roots == ([code] if dies.roots else []), run.codes
    assert run.status == dies.status
    assert run.report["evidence"] and all(each["observed"] for each in run.report["evidence"])


SYSTEMS = "/usr/bin/python3"  # ours may lie where only its owner may look
IN_EACH_RUN = ("host-memory-exhausted", "native-crash", "killed-by-user")
UNPRIVILEGED = [
    code for code in DIES if code in IN_EACH_RUN or os.environ.get("TFDOCTOR_DEATHS") == "all"
]
"""Three of them in each run of the tests, all in `make deaths`."""


def nobodys(dies: Dies) -> tuple[str, ...]:
    """The same command for nobody, who is one already, and whose private mounts need a user namespace."""
    words = dies.command[len(NOBODY) :] if dies.command[: len(NOBODY)] == NOBODY else dies.command
    words = ("unshare", "-rm", *words[2:]) if words[:2] == ("unshare", "-m") else words
    return tuple(SYSTEMS if word == PYTHON else word for word in words)


@pytest.mark.parametrize("code", UNPRIVILEGED)
def test_a_real_death_seen_without_privileges(
    code: str, anybodys: Path, request: pytest.FixtureRequest
) -> None:
    """Recorder and command are nobody's: the kernel's log is closed to them, and other users' processes."""
    if os.geteuid() or not shutil.which("python3", path="/usr/bin"):
        pytest.skip(ROOT if os.geteuid() else SYSTEM_PYTHON)
    dies, command = DIES[code], nobodys(DIES[code])
    if "unshare" in (*dies.before, *dies.command):
        request.getfixturevalue("mounts")
    if (
        command[0] == "unshare"
        and subprocess.run(
            [*NOBODY, "unshare", "-rm", "true"], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip(USER_NAMESPACES)
    run = watched(anybodys, *command, before=(*dies.before, *NOBODY))
    assert run.outcome == code, run.stderr.decode()
    assert run.roots == ([code] if dies.roots else []), run.codes
    closed = run.report["facts"]["death.kernel_kills"]["status"]
    assert closed == ("absent" if code == "command-not-started" else "failed")
