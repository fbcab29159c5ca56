"""Control groups of both versions, as containers, schedulers and systemd lay them out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.memory_group import memory_group
from tests.unit.probes.laid_out import lay_out
from tfdoctor.facts.model import Memory
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.probes.host.cgroup import own_cgroup
from tfdoctor.probes.host.memory import memory_of
from tfdoctor.system.cgroup import Cgroup

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


# --- version 2


def test_v2_in_a_container_with_its_own_namespace(tmp_path: Path) -> None:
    top = "/sys/fs/cgroup"
    memory = of(
        tmp_path,
        {
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": V2,
            f"{top}/memory.max": f"{2 * GIB}\n",
            f"{top}/memory.current": f"{GIB}\n",
            f"{top}/memory.stat": f"anon 1\nfile 2\ninactive_file {GIB // 4}\nactive_file 1\n",
            f"{top}/memory.events": "low 0\nhigh 0\nmax 3\noom 2\noom_kill 2\n",
            f"{top}/memory.events.local": "low 0\nhigh 0\nmax 1\noom 1\noom_kill 1\n",
            f"{top}/pids.max": "512\n",
        },
    )
    assert memory.cgroup_version == Known(2, "/proc/self/cgroup")
    assert memory.cgroup_limit == Known(2 * GIB, top)
    assert memory.cgroup_used == Known(GIB - GIB // 4, f"{top}/memory.current without inactive_file")
    assert memory.cgroup_oom_kills == Known(1, f"{top}/memory.events.local")
    assert memory.cgroup_pids_limit == Known(512, f"{top}/pids.max")


def test_v2_without_local_events_takes_those_of_the_whole_tree(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "0::/\n",
        "/proc/self/mountinfo": V2,
        "/sys/fs/cgroup/memory.events": "oom_kill 4\n",
    }
    assert of(tmp_path, files).cgroup_oom_kills == Known(4, "/sys/fs/cgroup/memory.events")


def test_v2_nested_the_smallest_limit_of_all_ancestors_counts_and_its_own_use(tmp_path: Path) -> None:
    slice_ = "/sys/fs/cgroup/user.slice"
    own = f"{slice_}/user-1000.slice/session-3.scope"
    memory = of(
        tmp_path,
        {
            "/proc/self/cgroup": "0::/user.slice/user-1000.slice/session-3.scope\n",
            "/proc/self/mountinfo": V2,
            f"{own}/memory.max": "max\n",
            f"{own}/memory.current": "1000\n",
            f"{slice_}/user-1000.slice/memory.max": f"{8 * GIB}\n",
            f"{slice_}/user-1000.slice/memory.current": "3000\n",
            f"{slice_}/memory.max": f"{4 * GIB}\n",
            f"{slice_}/memory.current": f"{3 * GIB}\n",
            f"{slice_}/memory.stat": "inactive_file 0\n",
        },
    )
    assert memory.cgroup_limit == Known(4 * GIB, slice_)
    assert memory.cgroup_used == Known(3 * GIB, f"{slice_}/memory.current without inactive_file")


def test_v2_a_group_without_the_controller_is_judged_by_the_one_above(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "0::/a/b\n",
        "/proc/self/mountinfo": V2,
        "/sys/fs/cgroup/a/b/cgroup.procs": "1\n",
        "/sys/fs/cgroup/a/memory.max": "1048576\n",
        "/sys/fs/cgroup/a/memory.events": "oom_kill 7\n",
    }
    memory = of(tmp_path, files)
    assert memory.cgroup_limit == Known(1 << 20, "/sys/fs/cgroup/a")
    assert memory.cgroup_oom_kills == Known(7, "/sys/fs/cgroup/a/memory.events")


def test_v2_without_any_limit_is_absent(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "0::/a\n",
        "/proc/self/mountinfo": V2,
        "/sys/fs/cgroup/a/memory.max": "max\n",
    }
    memory = of(tmp_path, files)
    for fact in (memory.cgroup_limit, memory.cgroup_used, memory.cgroup_oom_kills, memory.cgroup_pids_limit):
        assert isinstance(fact, Absent)


def test_a_zero_limit_is_a_limit(tmp_path: Path) -> None:
    files = {"/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": V2, "/sys/fs/cgroup/memory.max": "0\n"}
    assert of(tmp_path, files).cgroup_limit == Known(0, "/sys/fs/cgroup")


# --- version 1


def test_v1_on_a_host(tmp_path: Path) -> None:
    own = "/sys/fs/cgroup/memory/slurm/uid_1000/job_7"
    memory = of(
        tmp_path,
        {
            "/proc/self/cgroup": "11:pids:/slurm\n4:memory:/slurm/uid_1000/job_7\n1:name=systemd:/x\n",
            "/proc/self/mountinfo": V1,
            f"{own}/memory.limit_in_bytes": f"{GIB}\n",
            f"{own}/memory.memsw.limit_in_bytes": f"{2 * GIB}\n",
            f"{own}/memory.usage_in_bytes": "5000\n",
            f"{own}/memory.stat": f"cache 1\ntotal_inactive_file 1000\nhierarchical_memory_limit {GIB}\n",
            f"{own}/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": NO_LIMIT_V1,
            "/sys/fs/cgroup/pids/slurm/pids.max": "100\n",
        },
    )
    assert memory.cgroup_version == Known(1, "/proc/self/cgroup")
    assert memory.cgroup_limit == Known(GIB, own)
    assert memory.cgroup_used == Known(4000, f"{own}/memory.usage_in_bytes without total_inactive_file")
    assert memory.cgroup_oom_kills == Known(3, f"{own}/memory.oom_control")
    assert memory.cgroup_pids_limit == Known(100, "/sys/fs/cgroup/pids/slurm/pids.max")


def test_v1_in_docker_the_mount_shows_the_own_group_alone(tmp_path: Path) -> None:
    group = "/docker/0123456789ab"
    memory = of(
        tmp_path,
        {
            "/proc/self/cgroup": f"4:memory:{group}\n",
            "/proc/self/mountinfo": f"35 31 0:32 {group} /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIB}\n",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n",
            "/sys/fs/cgroup/memory/memory.stat": "total_inactive_file 0\n",
        },
    )
    assert memory.cgroup_limit == Known(GIB, "/sys/fs/cgroup/memory")


def test_v1_the_huge_number_is_no_limit(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "4:memory:/\n",
        "/proc/self/mountinfo": V1,
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": NO_LIMIT_V1,
        "/sys/fs/cgroup/memory/memory.stat": f"hierarchical_memory_limit {NO_LIMIT_V1}",
    }
    assert isinstance(of(tmp_path, files).cgroup_limit, Absent)


def test_v1_a_limit_above_the_containers_view_is_known_but_its_use_is_not(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "4:memory:/\n",
        "/proc/self/mountinfo": V1,
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": NO_LIMIT_V1,
        "/sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n",
        "/sys/fs/cgroup/memory/memory.stat": f"hierarchical_memory_limit {GIB}\n",
    }
    memory = of(tmp_path, files)
    assert isinstance(memory.cgroup_limit, Known)
    assert memory.cgroup_limit.value == GIB
    assert isinstance(memory.cgroup_used, Failed)


def test_v1_a_limit_of_memory_and_swap_together(tmp_path: Path) -> None:
    top = "/sys/fs/cgroup/memory"
    files = {
        "/proc/self/cgroup": "4:memory:/\n",
        "/proc/self/mountinfo": V1,
        f"{top}/memory.limit_in_bytes": NO_LIMIT_V1,
        f"{top}/memory.memsw.limit_in_bytes": f"{GIB}\n",
        f"{top}/memory.memsw.usage_in_bytes": "7000\n",
    }
    memory = of(tmp_path, files)
    assert memory.cgroup_limit == Known(GIB, top)
    assert memory.cgroup_used == Known(7000, f"{top}/memory.memsw.usage_in_bytes")


def test_v1_of_an_old_kernel_counts_no_kills(tmp_path: Path) -> None:
    files = {
        "/proc/self/cgroup": "4:memory:/\n",
        "/proc/self/mountinfo": V1,
        "/sys/fs/cgroup/memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n",
    }
    assert isinstance(of(tmp_path, files).cgroup_oom_kills, Failed)


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
    assert fact == Known(Cgroup(1, "/sys/fs/cgroup/all/a", "/sys/fs/cgroup/all"), "/proc/self/cgroup")


@pytest.mark.parametrize(
    "files",
    [
        {"/proc/self/cgroup": "0::/../sibling\n", "/proc/self/mountinfo": V2, "/sys/fs/cgroup/sibling/": ""},
        {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": V2.replace("0:26 / ", "0:26 /b ")},
        {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": V2},  # the folder is not there
        {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": ""},  # nothing is mounted
        {"/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": V2, "/sys/fs/cgroup/memory.max": "much\n"},
        {"/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": V2, "/sys/fs/cgroup/memory.max": ""},
        {},
    ],
)
def test_what_can_not_be_seen_is_failed_and_never_no_limit(tmp_path: Path, files: dict[str, str]) -> None:
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
from tfdoctor.probes.host.memory import memory_of
from tfdoctor.system.sysroot import System
before = memory_of(System())
end = subprocess.run([sys.executable, "-c", "bytearray(600 << 20)"]).returncode
after = memory_of(System())
print(before.cgroup_limit.value, before.cgroup_oom_kills.value, after.cgroup_oom_kills.value, end)
"""


@pytest.mark.real
def test_a_real_kill_at_a_limit_of_the_group_above_is_counted_in_the_own_group(tmp_path: Path) -> None:
    with memory_group(300 << 20) as outer:
        child = [sys.executable, "-c", CHILD, str(outer.child())]
        result = subprocess.run(child, capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout.split() == [str(300 << 20), "0", "1", "-9"], result.stderr
