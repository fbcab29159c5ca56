"""Real deaths under `tfdoctor run`: kills for lack of memory in real cgroups, crashes of compiled programs, wrappers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory_group import MemoryGroup, memory_group
from tests.needs import SYSTEM_PYTHON, need_gcc
from tests.unit.ask.recorder.watched import RUN, Watched, environment, watched
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.real]

EATS = "import time; time.sleep(0.5); x = [bytearray(10 << 20) for _ in range(100)]"  # seen in its group before
LIMIT = 150 << 20
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")  # fmt: skip
PYTHON = sys.executable


@pytest.fixture
def group() -> Iterator[MemoryGroup]:
    with memory_group(LIMIT) as found:
        yield found


def compiled(folder: Path, body: str) -> str:
    need_gcc()
    source, program = folder / "crash.c", folder / "crash"
    source.write_text(
        f"#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n#include <sys/mman.h>\nint main(void) {{ {body} }}\n"
    )
    subprocess.run(["gcc", "-O0", "-w", "-o", str(program), str(source)], check=True)
    return str(program)


def is_container_kill(run: Watched) -> None:
    assert run.outcome == "container-oom-killed", run.stderr
    assert run.roots == ["container-oom-killed"]
    found = run.finding("container-oom-killed")
    assert found["confidence"] == "certain"
    assert any(
        "oom_kill" in each["observed"] or "oom-kill" in each["observed"]
        for each in found["evidence"]
    )


def test_command_and_recorder_in_the_same_group(tmp_path: Path, group: MemoryGroup) -> None:
    run = watched(tmp_path, PYTHON, "-c", EATS, before=group.inside())
    is_container_kill(run)
    assert run.status == 128 + signal.SIGKILL


def test_the_command_alone_in_its_group(tmp_path: Path, group: MemoryGroup) -> None:
    is_container_kill(
        watched(tmp_path, *group.inside(PYTHON, "-c", f"import time; time.sleep(.3); {EATS}"))
    )


@pytest.mark.parametrize(
    "wrapper",
    [
        ("sh", "-c", '"$@"; exit $?', "sh"),
        ("env", "A=1", "sh", "-c", '"$@"; exit $?', "sh"),
        ("nice", "sh", "-c", '"$@" || exit $?', "sh"),
    ],
)
def test_a_wrapper_passes_137_on(
    tmp_path: Path, group: MemoryGroup, wrapper: tuple[str, ...]
) -> None:
    run = watched(
        tmp_path, *wrapper, *group.inside(PYTHON, "-c", f"import time; time.sleep(.3); {EATS}")
    )
    is_container_kill(run)
    assert run.status == 137 and run.fact("death.lost")[0]["signal"] == signal.SIGKILL


def test_a_traceback_only_passes_on_the_death_of_a_worker(
    tmp_path: Path, group: MemoryGroup
) -> None:
    program = (
        "from concurrent.futures import ProcessPoolExecutor as P\nimport time\n"
        "def eat(n):\n time.sleep(.3)\n return len([bytearray(10 << 20) for _ in range(100)])\n"
        "print(P(1).submit(eat, 1).result())"
    )
    script = tmp_path / "pool.py"
    script.write_text(program)
    is_container_kill(watched(tmp_path, *group.inside(PYTHON, str(script))))


def test_a_worker_that_was_killed_while_the_command_ended_well(
    tmp_path: Path, group: MemoryGroup
) -> None:
    program = f"import subprocess, sys, time; subprocess.run([sys.executable, '-c', 'import time; time.sleep(.3); {EATS}']); time.sleep(.2)"
    run = watched(tmp_path, *group.inside(PYTHON, "-c", program))
    assert (run.status, run.outcome, run.roots) == (0, "success", ["container-oom-killed"])


def test_a_foreign_kill_in_the_same_group_is_not_blamed(tmp_path: Path, group: MemoryGroup) -> None:
    """Another program of the group is killed for lack of memory while the command is ended by hand."""
    other = shutil.copy(PYTHON, tmp_path / "other-program")
    run = subprocess.Popen(
        [*RUN, "--report", str(tmp_path / "r.json"), "--", *group.inside("sleep", "60")],
        env=environment(tmp_path), stderr=subprocess.PIPE,
    )  # fmt: skip
    until(group.members)
    subprocess.run(
        group.inside(str(other), "-c", EATS),
        env={**os.environ, "PYTHONHOME": sys.base_prefix},
        check=False,
    )
    sleeping = group.members()[0]
    os.kill(sleeping, signal.SIGKILL)
    _, words = run.communicate(timeout=60)
    assert run.returncode == 137 and b"killed-by-user" in words, words


def test_a_limit_that_leaves_tfdoctor_little_address_space(tmp_path: Path) -> None:
    small = ("sh", "-c", 'ulimit -v 400000; exec "$@"', "sh")
    run = watched(tmp_path, PYTHON, "-c", "bytearray(10**9)", before=small)
    assert (run.status, run.roots) == (1, ["memory-limit-too-small"])


def test_killed_by_hand(tmp_path: Path) -> None:
    run = watched(tmp_path, "sh", "-c", "kill -9 $$")
    assert (run.outcome, run.roots) == ("killed-by-user", [])


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("*(volatile int *)0 = 1;", signal.SIGSEGV),
        ("abort();", signal.SIGABRT),
        ("__builtin_trap();", signal.SIGILL),
        ("volatile int zero = 0; return 700 / zero;", signal.SIGFPE),
        ('char n[] = "/tmp/tfdXXXXXX"; int f = mkstemp(n); unlink(n); char *p = mmap(0, 4096, 3, MAP_SHARED, f, 0); p[0] = 1;', signal.SIGBUS),
    ],
)  # fmt: skip
def test_crashes_of_compiled_programs(tmp_path: Path, body: str, number: signal.Signals) -> None:
    program = compiled(tmp_path, body)
    for command in ((program,), ("sh", "-c", f"{program}; exit $?")):
        run = watched(tmp_path, *command)
        assert run.status == 128 + number
        assert (run.outcome, run.roots) == ("native-crash", ["native-crash"])
        assert signal.Signals(number).name in run.finding("native-crash")["explanation"]


def test_python_tells_where_it_crashed(tmp_path: Path) -> None:
    script = tmp_path / "crash.py"
    script.write_text("import ctypes\ndef deep():\n    ctypes.string_at(0)\ndeep()\n")
    run = watched(tmp_path, PYTHON, str(script))
    assert run.outcome == "native-crash"
    assert "string_at" in run.finding("native-crash")["explanation"]


def test_without_rights_to_see_the_kernel_log(anybodys: Path, group: MemoryGroup) -> None:
    """An unprivileged user: the log is closed, the counters are open."""
    # Ours may lie where only its owner may look.
    other = shutil.which("python3", path="/usr/bin:/bin")
    if other is None:
        pytest.skip(SYSTEM_PYTHON)
    run = watched(anybodys, other, "-c", EATS, before=group.inside(*NOBODY))
    assert run.report["facts"]["death.kernel_kills"]["status"] == "failed", run.report["facts"]
    is_container_kill(run)


def test_recorder_and_command_killed_together(tmp_path: Path, group: MemoryGroup) -> None:
    """As with memory.oom.group: SIGKILL for all of the group at the limit; the black box is judged afterwards."""
    script = f"x = [bytearray(10 << 20) for _ in range(9)]; {EATS}"
    run = subprocess.Popen(
        [*group.inside(*RUN, "--", PYTHON, "-c", script)],
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
    )
    while group.kills() == 0:
        time.sleep(0.002)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    last = subprocess.run(
        [*RUN, "--last"], capture_output=True, text=True, env=environment(tmp_path), check=False
    )
    assert last.returncode == 0 and "container-oom-killed" in last.stdout, last
