"""The light readers of the health check say what the full probes say, and its path imports what its budget allows."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.unit.ask.probes.laid_out import lay_out
from tfdoctor.apps.health import files, judge, readings
from tfdoctor.apps.health.answer import UNKNOWN
from tfdoctor.apps.health.judge import judge_devices
from tfdoctor.apps.health.options import Options
from tfdoctor.apps.health.state import machine_id
from tfdoctor.apps.health.state_writer import taken
from tfdoctor.ask.probes.host import kernel_log
from tfdoctor.ask.probes.host.memory import memory_of
from tfdoctor.ask.probes.request import Request
from tfdoctor.base import json_text as light_json
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.xids import HARDWARE_XIDS

from .machine import BOOT, REPOSITORY, Machine, xid
from .test_verdicts import STATE

GIB = 1 << 30
V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "31 23 0:27 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro,mode=755\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,nosuid shared:14 - cgroup cgroup rw,memory\n"
)
BELOW = "30 23 0:26 /kubepods/pod1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
NO_LIMIT_V1 = "9223372036854771712\n"
TOP = "/sys/fs/cgroup"


def v2(folder: str, limit: str, used: int, cache: int = 0) -> dict[str, str]:
    return {
        f"{folder}/memory.max": limit + "\n",
        f"{folder}/memory.current": f"{used}\n",
        f"{folder}/memory.stat": f"anon 1\ninactive_file {cache}\n",
    }


LAID_OUT = {
    "version 2 in a container": {"/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": V2, **v2(TOP, str(2 * GIB), GIB, GIB // 4)},
    "version 2, the parent's limit": {
        "/proc/self/cgroup": "0::/user/app\n", "/proc/self/mountinfo": V2,
        **v2(f"{TOP}/user/app", "max", GIB), **v2(f"{TOP}/user", str(GIB), GIB // 2),
    },
    "version 2 without limits": {"/proc/self/cgroup": "0::/a\n", "/proc/self/mountinfo": V2, **v2(f"{TOP}/a", "max", GIB)},
    "version 2 below its mount's root": {
        "/proc/self/cgroup": "0::/kubepods/pod1/c\n", "/proc/self/mountinfo": BELOW, **v2(f"{TOP}/c", str(GIB), GIB // 2),
    },
    "version 1": {
        "/proc/self/cgroup": "4:memory:/docker/x\n0::/\n", "/proc/self/mountinfo": V1,
        f"{TOP}/memory/docker/x/memory.limit_in_bytes": f"{GIB}\n", f"{TOP}/memory/docker/x/memory.usage_in_bytes": f"{GIB // 2}\n",
        f"{TOP}/memory/docker/x/memory.stat": f"cache 1\ntotal_inactive_file {GIB // 8}\n",
    },
    "version 1 without limits": {
        "/proc/self/cgroup": "4:memory:/\n", "/proc/self/mountinfo": V1,
        f"{TOP}/memory/memory.limit_in_bytes": NO_LIMIT_V1, f"{TOP}/memory/memory.usage_in_bytes": "1\n",
        f"{TOP}/memory/memory.stat": "total_inactive_file 0\n",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", LAID_OUT)
def test_the_memory_limit_is_the_probes(name: str, tmp_path: Path) -> None:
    full = memory_of(lay_out(tmp_path, LAID_OUT[name]))
    light = files.memory_limit(str(tmp_path))
    if isinstance(full.cgroup_limit, Absent):
        assert light is None
    else:
        assert light == (value_or(full.cgroup_limit, 0), value_or(full.cgroup_used, 0))


def test_a_limit_that_is_set_above_what_can_be_seen_is_no_group_without_limit(
    tmp_path: Path,
) -> None:
    above = {
        **LAID_OUT["version 1 without limits"],
        f"{TOP}/memory/memory.stat": f"hierarchical_memory_limit {GIB}\n",
    }
    full = memory_of(lay_out(tmp_path, above))
    assert (value_or(full.cgroup_limit, 0), isinstance(full.cgroup_used, Failed)) == (GIB, True)
    with pytest.raises(OSError, match="can't be seen"):
        files.memory_limit(str(tmp_path))


def test_a_group_that_can_not_be_seen_is_no_group_without_limit(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "/proc/self/cgroup": "0::/a\n",
            "/proc/self/mountinfo": "1 1 0:1 / / rw - ext4 /dev/x rw\n",
        },
    )
    with pytest.raises(OSError, match="can't be seen"):
        files.memory_limit(str(tmp_path))


LOGS = {
    "one": BOOT + xid(79),
    "several": BOOT + xid(79) + xid(48, 7.5) + xid(31),
    "none": BOOT,
    "of an earlier boot": xid(79) + BOOT + xid(48),
    "without a time": BOOT
    + "Nov 20 09:00:00 node kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n",
    "without PCI": BOOT + "Nov 20 09:00:00 node kernel: [ 1.000000] NVRM: Xid (0000:3b:00): 119\n",
    "cut": BOOT + "Nov 20 09:00:00 node kernel: [ 1.000000] NVRM: Xid (PCI:0000:3b:00",
    "odd": BOOT + "Nov 20 09:00:00 node kernel: [ 1.000000] NVRM: Xid (PCI:0000:3b:00): many\n",
}


@pytest.mark.parametrize("name", LOGS)
def test_the_xids_are_the_probes(name: str, tmp_path: Path) -> None:
    full = kernel_log.ask(
        Request(lay_out(tmp_path, {"/var/log/kern.log": LOGS[name]})), Facts()
    ).xids
    expected = [
        (each.number, each.pci_bus_id, value_or(each.seconds_since_boot, -1.0))
        for each in value_or(full, ())
        if each.number in HARDWARE_XIDS
    ]
    assert isinstance(full, Known | Absent)
    assert files.hardware_xids(str(tmp_path)) == expected


def test_the_kernels_ring_buffer_tells_the_xids_that_the_probe_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = "6,812,12250000,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=12, name=python\n SUBSYSTEM=pci\n"
    (tmp_path / "kmsg").write_text(entry, encoding="ascii")
    monkeypatch.setattr("tfdoctor.base.kernel_log.KMSG", str(tmp_path / "kmsg"))
    full = kernel_log.ask(Request(), Facts()).xids
    (told,) = value_or(full, ())
    assert (told.number, told.seconds_since_boot) == (79, Known(12.25, "/dev/kmsg"))
    line = b"[12.250000] NVRM: Xid (PCI:0000:3b:00): 79, pid=12, name=python"
    assert files._by_device() == line
    assert files._parsed(line) == (79, told.pci_bus_id, 12.25)


def test_this_machines_own_log_tells_the_xids_that_the_probe_reads() -> None:
    full = kernel_log.ask(Request(), Facts()).xids
    try:
        light = files.hardware_xids()
    except OSError:
        assert isinstance(full, Failed) or "journalctl" in str(full)  # which is not asked here
    else:
        assert {number for number, _, _ in light} <= {each.number for each in value_or(full, ())}


@pytest.mark.parametrize(
    ("laid", "told"),
    [
        (
            {**LAID_OUT["version 2 in a container"], "/proc/meminfo": "MemTotal: 16 kB\nMemAvailable: 12 kB\n", "/var/log/kern.log": LOGS["one"]},
            {"memory": (2 * GIB, GIB - GIB // 4), "available": 12 << 10, "xids": [(79, "0000:3b:00", 3600.25)]},
        ),
        (
            {**LAID_OUT["version 1 without limits"], "/proc/meminfo": "MemTotal: 16 kB\nMemAvailable: 17 kB\n", "/var/log/messages": LOGS["none"]},
            {"no_memory_limit": True, "available_error": "MemAvailable of MemTotal can't be: 17 kB of 16 kB", "xids": []},
        ),
        (
            {"/proc/self/cgroup": "4:cpu:/\n", "/proc/meminfo": "MemTotal: 16 kB\n", "/var/log/kern.log/": ""},
            {"no_memory_limit": True, "available_error": "/proc/meminfo tells no MemAvailable", "xids_error": "Is a directory"},
        ),
        (
            {"/proc/meminfo": "MemAvailable: many kB\n"},
            {"memory_error": "No such file or directory", "available_error": "invalid literal for int() with base 10: 'many'", "xids_error": "there is no kernel log"},
        ),
        (
            {**LAID_OUT["version 2 in a container"], f"{TOP}/memory.max": "a lot\n", "/proc/meminfo": ""},
            {"memory_error": f"{TOP}/memory.max: 'a lot' isn't a number", "available_error": "/proc/meminfo tells no MemAvailable", "xids_error": "there is no kernel log"},
        ),
    ],
    ids=["all there", "no limit", "a folder for a log", "nothing there", "a limit that is no number"],
)  # fmt: skip
def test_what_is_read_of_a_laid_out_machine(
    laid: dict[str, str], told: dict[str, object], tmp_path: Path
) -> None:
    lay_out(tmp_path, laid)
    options, said = Options(), dict[str, object]()
    options.sysroot, options.state = str(tmp_path), str(tmp_path / "state.json")
    files.read(options, said.__setitem__)
    assert (said.pop("at"), said.pop("state_error")) == (
        "the state file",
        "never examined (tfdoctor check --state)",
    )
    assert said == told


def test_of_a_node_only_the_kernel_log_and_the_examination_are_read(tmp_path: Path) -> None:
    lay_out(tmp_path, {**LAID_OUT["version 2 in a container"], "/var/log/kern.log": BOOT})
    options, said = Options(), dict[str, object]()
    options.node, options.sysroot, options.state = True, str(tmp_path), str(tmp_path / "none")
    files.read(options, said.__setitem__)
    assert said.keys() == {"at", "xids", "state_error"}


def test_of_a_kept_examination_it_is_told_what_changed_since(tmp_path: Path) -> None:
    library, now = tmp_path / "libcudnn.so.9", tmp_path / "state.json"
    library.write_text("as examined", encoding="ascii")
    kept = replace(STATE, machine=machine_id(), files=taken([("libcudnn.so.9", str(library))]))
    now.write_text(json.dumps(to_json(kept)), encoding="ascii")
    now.chmod(0o600)
    options, said = Options(), dict[str, object]()
    options.sysroot, options.state = str(tmp_path), str(now)
    files.read_last_examination(options, said.__setitem__)
    assert (said["state"], said["changed"], said["same_boot"]) == (to_json(kept), [], False)
    library.write_text("another", encoding="ascii")
    files.read_last_examination(options, said.__setitem__)
    assert said["changed"] == ["libcudnn.so.9 was changed since the examination"]


def test_of_this_machine_all_is_read(tmp_path: Path) -> None:
    options, said = Options(), dict[str, object]()
    options.state = str(tmp_path / "none")
    files.read(options, said.__setitem__)
    assert said["available"] == pytest.approx(psutil.virtual_memory().available, rel=0.5)
    assert said.keys() & {"memory", "no_memory_limit", "memory_error"}
    assert ("shm" in said) == Path("/dev/shm").is_dir()
    assert said["at"] == "the state file"


def test_shared_memory_is_what_df_tells_of_it() -> None:
    df = subprocess.run(["df", "-B1", "--output=size", "/dev/shm"], capture_output=True, text=True, check=True)  # fmt: skip
    size, free = files.shared_memory()
    assert (size, 0 <= free <= size) == (int(df.stdout.split()[-1]), True)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, -2.5e3, "\\u00e4\\n", null, true]}',
        " [] ",
        "0",
        '"x"',
        "",
        "{",
        "[1,]",
        "nul",
        "NaN",
        "[1] 2",
        "[1",
        '{"a" 1}',
    ],
)
def test_json_is_read_as_by_the_standard_library(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=_refuse)
    except ValueError:
        with pytest.raises(ValueError, match=r"JSON|line|one document"):
            light_json.loads(text)
    else:
        assert light_json.loads(text) == expected


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1,
        -2.5,
        1e300,
        'a"\\\n\u00e4\U0001f600\ud800',
        [],
        {},
        {"a": [1, {"b": False}], "c": ()},
    ],
)
def test_json_is_written_as_by_the_standard_library(value: object) -> None:
    assert light_json.dumps(value) == json.dumps(value)


def _refuse(name: str) -> float:
    raise ValueError(name)


def test_new_are_those_that_were_not_seen() -> None:
    first, second = (79, "0000:3b:00", 10.5), (79, "0000:3b:00", 20.5)
    assert judge.new_ones([first, second], (first,)) == [second]
    assert judge.new_ones([first], ()) == [first]
    assert judge.new_ones([(79, "0000:3b:00", -1.0)], (first,)) == [], (
        "a log without times: number and bus decide"
    )


NO_CODES = {"site-packages", "utf-8"}
"""What looks like a code and is something else."""


def test_every_code_named_in_the_sources_is_in_the_catalog() -> None:
    """Whatever looks like a code: words in small letters with hyphens between them. A misspelt one looks so, too."""
    folders = [REPOSITORY / "tfdoctor" / "apps" / name for name in ("health", "cli/health")]
    named = {
        node.value: str(path)
        for folder in folders
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", node.value)
    }
    assert {
        name: path for name, path in named.items() if name not in CODES and name not in NO_CODES
    } == {}
    assert {
        "driver-unresponsive",
        "gpu-hardware-fault",
        "gpu-memory-held",
        "driver-missing",
    } <= named.keys()
    assert named.keys() >= NO_CODES


ALLOWED = {
    "ctypes", "ctypes._endian", "_ctypes", "_struct", "struct", "marshal", "fcntl", "resource", "select", "errno", "json",
    "json.decoder", "json.scanner", "json.encoder", "_json", "re", "re._casefix", "re._compiler", "re._constants", "re._parser",
    "sre_compile", "sre_constants", "sre_parse", "enum", "functools", "collections", "operator", "_operator", "itertools", "keyword",
    "reprlib", "types", "copyreg", "_sre", "_collections", "_functools", "hashlib", "_hashlib", "_blake2", "_sha2", "_sha256", "_locale",
    "__future__", "gc",
}  # fmt: skip
"""What the path may import beside what Python itself starts with, and tfdoctor's own files."""
LOUD = """
import sys
before = set(sys.modules)
from tfdoctor.apps.cli.entry import main
import tfdoctor.base.forked as child
kept = child.os._exit
def tell(status):
    child.os.write(2, (" ".join(sorted(set(sys.modules) - before)) + chr(10)).encode())
    kept(status)
child.os._exit, child._silence = tell, lambda: None
sys.argv = ["tfdoctor", *sys.argv[1:]]
try:
    main()
finally:
    child.os.write(2, (" ".join(sorted(set(sys.modules) - before)) + chr(10)).encode())
"""


@pytest.mark.parametrize("form", ["text", "json", "npd", "nagios", "prometheus", "nfd"])
def test_what_the_path_imports_simulated(form: str, machine: Machine) -> None:
    """In the parent and in both children, where the last examination counts; each says its modules when it ends."""
    machine.write_state()
    command = [sys.executable, "-c", LOUD, *machine.command()[3:], "--format", form]
    done = subprocess.run(
        command,
        env=machine.environment(),
        cwd=machine.folder,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    modules = [set(line.split()) for line in done.stderr.splitlines()]
    assert len(modules) == 3
    foreign = {name for each in modules for name in each if not name.startswith("tfdoctor")}
    assert foreign <= ALLOWED
    own = {name for each in modules for name in each if name.startswith("tfdoctor")}
    packages = ("tfdoctor", "tfdoctor.apps", "tfdoctor.ask", "tfdoctor.facts", "tfdoctor.knowledge", "tfdoctor.ask.probes")  # fmt: skip  # of one line each
    light = (
        "tfdoctor.apps.health",
        "tfdoctor.apps.cli",
        "tfdoctor.base.records",
        "tfdoctor.facts.codec",
        "tfdoctor.base",
        "tfdoctor.ask.probes.workers",
        "tfdoctor.knowledge.xids",
        "tfdoctor.knowledge.memory_needs",
    )
    assert all(name.startswith(light) or name in packages for name in own)


def test_a_gpu_with_more_memory_free_than_it_has_is_unseen() -> None:
    driver: readings.Driver = {
        "done": True, "nvml_code": 0, "cuda_code": 0, "cuda_count": 1, "version": "580.65.06",
        "gpus": [{"index": 0, "lost": False, "refused": [], "total": 1 << 34}],
    }  # fmt: skip
    points = judge_devices(driver, {}, Options())
    assert [point.status for point in points if point.check == "vram"] == [UNKNOWN]
