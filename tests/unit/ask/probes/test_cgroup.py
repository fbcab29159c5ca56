"""Control groups of both versions, as containers, schedulers and systemd lay them out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.memory_group import memory_group
from tests.unit.ask.probes.laid_out import lay_out
from tfdoctor.ask.probes.host.cgroup import own_cgroup
from tfdoctor.ask.probes.host.memory import memory_of
from tfdoctor.base.cgroup import Cgroup
from tfdoctor.facts.model import Memory
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or

GIB = 1 << 30
V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "31 23 0:27 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,nosuid shared:14 - cgroup cgroup rw,memory\n"
    "38 31 0:35 / /sys/fs/cgroup/pids rw,nosuid shared:17 - cgroup cgroup rw,pids\n"
)
NO_LIMIT_V1 = "9223372036854771712\n"


def of(root: Path, files: dict[str, str]) -> Memory:
    return memory_of(lay_out(root, files))


TOP, MEMORY = "/sys/fs/cgroup", "/sys/fs/cgroup/memory"
SLICE, JOB = f"{TOP}/user.slice", f"{MEMORY}/slurm/uid_1000/job_7"
LAYOUTS: dict[str, tuple[str, str, dict[str, str], dict[str, Any]]] = {
    "version 2 in a container with its own namespace": (
        "0::/", V2,
        {
            f"{TOP}/memory.max": f"{2 * GIB}\n", f"{TOP}/memory.current": f"{GIB}\n", f"{TOP}/pids.max": "512\n",
            f"{TOP}/memory.stat": f"anon 1\nfile 2\ninactive_file {GIB // 4}\nactive_file 1\n",
            f"{TOP}/memory.events": "low 0\nhigh 0\nmax 3\noom 2\noom_kill 2\n",
            f"{TOP}/memory.events.local": "low 0\nhigh 0\nmax 1\noom 1\noom_kill 1\n",
        },
        {
            "cgroup_version": Known(2, "/proc/self/cgroup"), "cgroup_limit": Known(2 * GIB, TOP),
            "cgroup_used": Known(GIB - GIB // 4, f"{TOP}/memory.current without inactive_file"),
            "cgroup_oom_kills": Known(1, f"{TOP}/memory.events.local"), "cgroup_pids_limit": Known(512, f"{TOP}/pids.max"),
        },
    ),
    "version 2 without local events takes those of the whole tree": (
        "0::/", V2, {f"{TOP}/memory.events": "oom_kill 4\n"}, {"cgroup_oom_kills": Known(4, f"{TOP}/memory.events")},
    ),
    "version 2, the smallest limit of all above counts, and its own use": (
        "0::/user.slice/user-1000.slice/session-3.scope", V2,
        {
            f"{SLICE}/user-1000.slice/session-3.scope/memory.max": "max\n", f"{SLICE}/user-1000.slice/session-3.scope/memory.current": "1000\n",
            f"{SLICE}/user-1000.slice/memory.max": f"{8 * GIB}\n", f"{SLICE}/user-1000.slice/memory.current": "3000\n",
            f"{SLICE}/memory.max": f"{4 * GIB}\n", f"{SLICE}/memory.current": f"{3 * GIB}\n", f"{SLICE}/memory.stat": "inactive_file 0\n",
        },
        {"cgroup_limit": Known(4 * GIB, SLICE), "cgroup_used": Known(3 * GIB, f"{SLICE}/memory.current without inactive_file")},
    ),
    "version 2, a group without the controller is judged by the one above": (
        "0::/a/b", V2, {f"{TOP}/a/b/cgroup.procs": "1\n", f"{TOP}/a/memory.max": "1048576\n", f"{TOP}/a/memory.events": "oom_kill 7\n"},
        {"cgroup_limit": Known(1 << 20, f"{TOP}/a"), "cgroup_oom_kills": Known(7, f"{TOP}/a/memory.events")},
    ),
    "version 2 without any limit": (
        "0::/a", V2, {f"{TOP}/a/memory.max": "max\n"},
        dict.fromkeys(("cgroup_limit", "cgroup_used", "cgroup_oom_kills", "cgroup_pids_limit"), Absent),
    ),
    "a zero limit is a limit": ("0::/", V2, {f"{TOP}/memory.max": "0\n"}, {"cgroup_limit": Known(0, TOP)}),
    "version 1 on a host": (
        "11:pids:/slurm\n4:memory:/slurm/uid_1000/job_7\n1:name=systemd:/x", V1,
        {
            f"{JOB}/memory.limit_in_bytes": f"{GIB}\n", f"{JOB}/memory.memsw.limit_in_bytes": f"{2 * GIB}\n", f"{JOB}/memory.usage_in_bytes": "5000\n",
            f"{JOB}/memory.stat": f"cache 1\ntotal_inactive_file 1000\nhierarchical_memory_limit {GIB}\n",
            f"{JOB}/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
            f"{MEMORY}/memory.limit_in_bytes": NO_LIMIT_V1, f"{TOP}/pids/slurm/pids.max": "100\n",
        },
        {
            "cgroup_version": Known(1, "/proc/self/cgroup"), "cgroup_limit": Known(GIB, JOB),
            "cgroup_used": Known(4000, f"{JOB}/memory.usage_in_bytes without total_inactive_file"),
            "cgroup_oom_kills": Known(3, f"{JOB}/memory.oom_control"), "cgroup_pids_limit": Known(100, f"{TOP}/pids/slurm/pids.max"),
        },
    ),
    "version 1 in docker, where the mount shows the own group alone": (
        "4:memory:/docker/0123456789ab", "35 31 0:32 /docker/0123456789ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
        {f"{MEMORY}/memory.limit_in_bytes": f"{GIB}\n", f"{MEMORY}/memory.usage_in_bytes": "1000\n", f"{MEMORY}/memory.stat": "total_inactive_file 0\n"},
        {"cgroup_limit": Known(GIB, MEMORY)},
    ),
    "version 1, the huge number is no limit": (
        "4:memory:/", V1,
        {f"{MEMORY}/memory.limit_in_bytes": NO_LIMIT_V1, f"{MEMORY}/memory.stat": f"hierarchical_memory_limit {NO_LIMIT_V1}"},
        {"cgroup_limit": Absent},
    ),
    "version 1, of a limit above the container's view the use is not known": (
        "4:memory:/", V1,
        {f"{MEMORY}/memory.limit_in_bytes": NO_LIMIT_V1, f"{MEMORY}/memory.usage_in_bytes": "1000\n", f"{MEMORY}/memory.stat": f"hierarchical_memory_limit {GIB}\n"},
        {"cgroup_limit": GIB, "cgroup_used": Failed},
    ),
    "version 1, a limit of memory and swap together": (
        "4:memory:/", V1,
        {f"{MEMORY}/memory.limit_in_bytes": NO_LIMIT_V1, f"{MEMORY}/memory.memsw.limit_in_bytes": f"{GIB}\n", f"{MEMORY}/memory.memsw.usage_in_bytes": "7000\n"},
        {"cgroup_limit": Known(GIB, MEMORY), "cgroup_used": Known(7000, f"{MEMORY}/memory.memsw.usage_in_bytes")},
    ),
    "version 1 of an old kernel counts no kills": (
        "4:memory:/", V1, {f"{MEMORY}/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"}, {"cgroup_oom_kills": Failed},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_a_laid_out_group_says(name: str, tmp_path: Path) -> None:
    group, mounts, files, expected = LAYOUTS[name]
    memory = of(
        tmp_path, {"/proc/self/cgroup": f"{group}\n", "/proc/self/mountinfo": mounts, **files}
    )
    for fact, wanted in expected.items():
        found = getattr(memory, fact)
        if isinstance(wanted, int):
            assert value_or(found, -1) == wanted
        else:
            assert found == wanted if isinstance(wanted, Known) else isinstance(found, wanted)


# --- both, neither, and what can't be seen


@pytest.mark.parametrize(("controller", "version"), [("memory", 1), ("pids", 2)])
def test_a_hybrid_system_gives_each_controller_to_one_version(
    tmp_path: Path, controller: str, version: int
) -> None:
    system = lay_out(
        tmp_path,
        {
            "/proc/self/cgroup": "4:memory:/m\n0::/u\n",
            "/proc/self/mountinfo": V1 + V2.replace("/sys/fs/cgroup", "/sys/fs/cgroup/unified"),
            "/sys/fs/cgroup/memory/m/": "",
            "/sys/fs/cgroup/unified/u/": "",
        },
    )
    fact = own_cgroup(system, controller)
    assert isinstance(fact, Known)
    assert fact.value.version == version


def test_one_v1_tree_may_carry_several_controllers(tmp_path: Path) -> None:
    mount = "35 31 0:32 / /sys/fs/cgroup/all rw - cgroup cgroup rw,cpu,memory\n"
    files = {
        "/proc/self/cgroup": "4:cpu,memory:/a\n",
        "/proc/self/mountinfo": mount,
        "/sys/fs/cgroup/all/a/": "",
    }
    fact = own_cgroup(lay_out(tmp_path, files), "memory")
    assert fact == Known(
        Cgroup(1, "/sys/fs/cgroup/all/a", "/sys/fs/cgroup/all"), "/proc/self/cgroup"
    )


@pytest.mark.parametrize(
    "files",
    [
        {
            "/proc/self/cgroup": "0::/../sibling\n",
            "/proc/self/mountinfo": V2,
            "/sys/fs/cgroup/sibling/": "",
        },
        {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": V2.replace("0:26 / ", "0:26 /b ")},
        {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": V2},  # the folder is not there
        {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": ""},  # nothing is mounted
        {
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": V2,
            "/sys/fs/cgroup/memory.max": "much\n",
        },
        {
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": V2,
            "/sys/fs/cgroup/memory.max": "",
        },
        {},
    ],
)
def test_what_can_not_be_seen_is_failed_and_never_no_limit(
    tmp_path: Path, files: dict[str, str]
) -> None:
    memory = of(tmp_path, files)
    assert isinstance(memory.cgroup_limit, Failed)
    assert isinstance(memory.cgroup_used, Failed)


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"/sys/fs/cgroup/memory.max": "1024\n", "/sys/fs/cgroup/memory.current": "512\n"}, 2),
        (
            {
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1024\n",
                "/sys/fs/cgroup/memory/memory.usage_in_bytes": "512\n",
            },
            1,
        ),
    ],
)
def test_a_recorded_tree_without_proc_uses_the_usual_places(
    tmp_path: Path, files: dict[str, str], version: int
) -> None:
    memory = of(tmp_path, files)
    assert memory.cgroup_version == Known(version, "/proc/self/cgroup")
    assert isinstance(memory.cgroup_limit, Known)
    assert memory.cgroup_limit.value == 1024
    assert isinstance(memory.cgroup_used, Known)
    assert memory.cgroup_used.value == 512


# --- this machine

CHILD = """
import os, subprocess, sys
open(sys.argv[1] + "/cgroup.procs", "w").write(str(os.getpid()))
from tfdoctor.ask.probes.host.memory import memory_of
from tfdoctor.base.sysroot import System
before = memory_of(System())
end = subprocess.run([sys.executable, "-c", "bytearray(600 << 20)"]).returncode
after = memory_of(System())
print(before.cgroup_limit.value, before.cgroup_oom_kills.value, after.cgroup_oom_kills.value, end)
"""


@pytest.mark.real
def test_a_real_kill_at_a_limit_of_the_group_above_is_counted_in_the_own_group(
    tmp_path: Path,
) -> None:
    with memory_group(300 << 20) as outer:
        child = [sys.executable, "-c", CHILD, str(outer.child())]
        result = subprocess.run(child, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.split() == [str(300 << 20), "0", "1", "-9"], result.stderr
