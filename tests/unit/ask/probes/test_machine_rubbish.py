"""Rubbish in every file that the machine's probes read: they answer, and what they answer can be written out."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.ask.probes.laid_out import Link, lay_out
from tfdoctor.ask.probes.driver import driver_files
from tfdoctor.ask.probes.host import environment, host, kernel_log, memory
from tfdoctor.ask.probes.python import jupyter
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known

SLOW = pytest.mark.slow  # a machine for each file
V2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
V1 = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
PCI = "/sys/bus/pci/devices/0000:3b:00.0"
MODULES = "/lib/modules/6.1"
# each file with a content that leads the probes on to the next one
SOUND = {
    "/etc/os-release": "ID=ubuntu\nVERSION_ID=22.04\n",
    "/lib64/libc.so.6": "GNU C Library stable release version 2.36.\n",
    "/proc/cpuinfo": "processor : 0\nmodel name : x\nflags : lm avx\n",
    "/proc/sys/kernel/osrelease": "6.1\n",
    "/proc/sys/kernel/arch": "x86_64\n",
    "/proc/1/environ": "container=lxc\0",
    "/proc/1/cgroup": "0::/\n",
    "/proc/self/cgroup": "4:memory:/a\n0::/a\n",
    "/proc/self/mountinfo": V1 + V2 + "1 2 0:3 / /dev/shm rw - tmpfs shm rw,size=64m\n",
    "/proc/self/limits": "Max open files            1024                 4096                 files     \n",
    "/proc/meminfo": "MemTotal: 16384 kB\nSwapTotal: 5 kB\n",
    "/proc/pressure/memory": "full avg10=3.50 avg60=1.00 avg300=0.00 total=1\n",
    "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat\n",
    "/proc/device-tree/compatible": "nvidia,tegra234\0",
    "/run/systemd/container": "lxc\n",
    "/sys/class/dmi/id/sys_vendor": "QEMU\n",
    "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1048576\n",
    "/sys/fs/cgroup/memory/a/memory.usage_in_bytes": "1048576\n",
    "/sys/fs/cgroup/memory/a/memory.stat": "total_inactive_file 5\n",
    "/sys/fs/cgroup/memory/a/memory.oom_control": "oom_kill 5\n",
    "/sys/fs/cgroup/a/pids.max": "100\n",
    f"{PCI}/class": "0x030000\n",
    f"{PCI}/vendor": "0x10de\n",
    f"{PCI}/device": "0x2236\n",
    f"{PCI}/uevent": "DRIVER=nvidia\n",
    "/var/log/kern.log": "Nov 20 09:00:00 n kernel: [ 1.0] NVRM: Xid (PCI:0000:3b:00): 79, x\n",
    "/home/me/.local/share/jupyter/kernels/a/kernel.json": '{"argv": ["/usr/bin/python3"]}',
    f"{MODULES}/updates/dkms/nvidia.ko": "",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.535.104.05": "",
    "/dev/nvidia0": "",
}
TOKENS = (
    "0::/", "4:memory:/..", "max", "9" * 30, "-1", "1e999", "nan", "inf", "\0", "\x1b[31m", "\udcff", "٣", "²", "size=", "100%",
    "NVRM: Xid (PCI:", "): 79, ", "kernel: [", "9" * 400 + ".5] ", "Linux version 9", "avg10=nan", "full ", ": ", "=", "\\040",
    "\\777", " - cgroup2 cgroup2 rw", "MemTotal:", " kB", "ID=", '"', "{", "[", '{"argv": ["', "\ud800", "GLIBC_99999.1\0", "..",
    "processor", "oom_kill ", "/" * 300, "a" * 5000, "\r", "\u2028",
)  # fmt: skip
RUBBISH = st.one_of(
    st.binary(max_size=200).map(lambda data: data.decode("utf-8", "surrogateescape")),
    st.lists(st.sampled_from((*TOKENS, "\n", " ")), max_size=12)
    .map("".join)
    .map(lambda text: text.replace("\ud800", "?")),
)


def everything(system: System) -> Facts:
    request, facts = Request(system, kernel="a"), Facts()
    group = facts.driver
    return replace(
        facts,
        host=host.ask(request, facts),
        memory=memory.ask(request, facts),
        kernel_log=kernel_log.ask(request, facts),
        jupyter=jupyter.ask(request, facts),
        environment=environment.ask(request, facts),
        driver=replace(
            group,
            module_version=driver_files.module_version(system),
            module_flavour=driver_files.module_flavour(system),
            module_on_disk=driver_files.module_on_disk(system),
            other_libraries=driver_files.other_libraries(system),
        ),
    )


def assert_sound(facts: Facts) -> None:
    for path, fact in facts.items():
        assert isinstance(fact, (Known, Absent, Failed)), path
        if isinstance(fact, Known):
            assert fact.value not in ("", (), None, {}), path
    document = to_json(facts)
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    text.encode("utf-8")
    # Kept as they are.
    shown = {path: fact for path, fact in document.items() if path != "environment.variables"}
    assert "\x1b" not in _all_text(shown)
    assert to_json(from_json(json.loads(text), Facts)) == json.loads(text)


def _all_text(document: Any) -> str:
    if isinstance(document, dict):
        return "".join(_all_text(item) for item in document.values())
    if isinstance(document, list):
        return "".join(_all_text(item) for item in document)
    return str(document)


def test_the_sound_machine_is_known_in_every_part(tmp_path: Path) -> None:
    """Else the rubbish below would never reach the code that it is meant for."""
    facts = everything(lay_out(tmp_path, SOUND, {"HOME": "/home/me", "XLA_FLAGS": "x"}))
    assert_sound(facts)
    for group in (
        facts.host.gpus_on_bus,
        facts.host.glibc,
        facts.memory.cgroup_used,
        facts.memory.shm_total,
        facts.kernel_log.xids,
    ):
        assert isinstance(group, Known)
    assert isinstance(facts.jupyter.kernels, Known)
    assert isinstance(facts.driver.module_on_disk, Known)


@pytest.mark.slow  # 150 laid-out machines
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(sorted(SOUND)), RUBBISH, min_size=1, max_size=4), RUBBISH)
def test_rubbish_in_some_files(rubbish: dict[str, str], value: str) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        environ = {
            "HOME": "/home/me",
            "JUPYTER_PATH": value,
            "XLA_FLAGS": value,
            "SLURM_JOB_ID": value,
            "CUDA_VISIBLE_DEVICES": value,
        }
        assert_sound(everything(lay_out(folder, SOUND | rubbish, environ)))
    finally:
        shutil.rmtree(folder)


@pytest.mark.slow  # an examination for each file
@pytest.mark.parametrize("name", sorted(SOUND))
@pytest.mark.parametrize(
    "kind",
    ["gone", *(pytest.param(kind, marks=SLOW) for kind in ("folder", "loop", "empty", "outside"))],
)
def test_something_else_in_place_of_a_file(tmp_path: Path, name: str, kind: str) -> None:
    files = {other: content for other, content in SOUND.items() if other != name}
    instead: dict[str, dict[str, str]] = {
        "folder": {f"{name}/": ""},
        "loop": {name: Link(name)},
        "empty": {name: ""},
        "gone": {},
        "outside": {name: Link("/../../../../../../etc/hostname")},
    }
    files |= instead[kind]
    assert_sound(everything(lay_out(tmp_path, files, {"HOME": "/home/me", "XLA_FLAGS": "x"})))


@pytest.mark.slow  # an examination for each file
@pytest.mark.parametrize(
    "place",
    [
        "/proc",
        "/sys",
        "/dev",
        "/etc",
        "/lib",
        "/usr",
        "/sys/bus/pci/devices",
        "/proc/self",
        "/home",
    ],
)
def test_a_file_in_place_of_a_folder(tmp_path: Path, place: str) -> None:
    files = {name: content for name, content in SOUND.items() if not name.startswith(place + "/")}
    assert_sound(
        everything(lay_out(tmp_path, files | {place: "x"}, {"HOME": "/home/me", "XLA_FLAGS": "x"}))
    )
