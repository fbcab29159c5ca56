"""The kernel's messages: GPU errors, killed processes, the driver's further lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import lay_out
from tfdoctor.ask.probes.host.kernel_log import ask
from tfdoctor.ask.probes.request import Request
from tfdoctor.facts.model import Facts, KernelLog
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Xid

BOOT = "Nov 20 08:00:00 node kernel: [    0.000000] Linux version 6.1.0-18-amd64 (x@y) #1 SMP\n"
XID_79 = (
    "Nov 20 09:00:00 node kernel: [ 3600.250000] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, "
    "GPU has fallen off the bus.\n"
)
OOM = (
    "Nov 20 09:10:00 node kernel: [ 4200.000000] python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n"
    "Nov 20 09:10:00 node kernel: [ 4200.000001] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,"
    "mems_allowed=0,global_oom,task_memcg=/user.slice,task=python,pid=77,uid=1000\n"
    "Nov 20 09:10:00 node kernel: [ 4200.000002] Out of memory: Killed process 77 (python) total-vm:99kB\n"
)


def log_of(root: Path, files: dict[str, str]) -> KernelLog:
    return ask(Request(lay_out(root, files)), Facts())


def test_an_xid_of_kern_log(tmp_path: Path) -> None:
    log = log_of(tmp_path, {"/var/log/kern.log": BOOT + XID_79})
    expected = Xid(
        79,
        "0000:3b:00",
        "pid=1234, name=python, GPU has fallen off the bus.",
        Known(3600.25, "/var/log/kern.log"),
    )
    assert log.xids == Known((expected,), "/var/log/kern.log")
    assert isinstance(log.oom_kills, Absent)


@pytest.mark.parametrize(
    ("line", "number", "address", "text"),
    [
        (
            "NVRM: Xid (PCI:0000:cb:00): 13, pid='<unknown>', name=<unknown>, Graphics SM Warp Exception",
            13,
            "0000:cb:00",
            "Graphics",
        ),
        (
            "NVRM: Xid (0000:03:00): 31, Ch 00000003, engmask 00000101",
            31,
            "0000:03:00",
            "Ch 00000003",
        ),
        (
            "NVRM: Xid (PCI:0019:01:00.0): 149, NETIR Fatal XC0 i0 Link -1",
            149,
            "0019:01:00.0",
            "NETIR",
        ),
        (
            "NVRM: Xid (PCI:0000:DC:00): 154, GPU recovery action changed",
            154,
            "0000:dc:00",
            "recovery",
        ),
    ],
)
def test_the_forms_of_an_xid(
    tmp_path: Path, line: str, number: int, address: str, text: str
) -> None:
    log = log_of(
        tmp_path, {"/var/log/messages": f"2026-11-20T09:00:00.1+00:00 node kernel: {line}\n"}
    )
    assert isinstance(log.xids, Known)
    (xid,) = log.xids.value
    assert (xid.number, xid.pci_bus_id) == (number, address)
    assert text in xid.text
    assert isinstance(xid.seconds_since_boot, Absent)


@pytest.mark.parametrize(
    "text",
    [
        BOOT + XID_79 + OOM + BOOT,  # of an earlier boot
        BOOT + XID_79.replace("node kernel:", "node myapp[12]: kernel:"),
        BOOT + "Nov 20 09:00:00 node sh: x kernel: NVRM: Xid (PCI:0): 79\n",
    ],
)
def test_what_is_of_an_earlier_boot_or_of_another_program_does_not_count(
    text: str, tmp_path: Path
) -> None:
    log = log_of(tmp_path, {"/var/log/kern.log": text})
    assert log.xids == Absent("/var/log/kern.log was read and has no Xid")
    assert isinstance(log.oom_kills, Absent)


def test_killed_processes_with_their_constraint(tmp_path: Path) -> None:
    log = log_of(tmp_path, {"/var/log/syslog": BOOT + OOM})
    assert isinstance(log.oom_kills, Known)
    assert [
        word for line in log.oom_kills.value for word in ("CONSTRAINT_NONE",) if word in line
    ] == ["CONSTRAINT_NONE"]
    assert len(log.oom_kills.value) == 3


OFF_THE_BUS = (
    "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
    "               NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
    "               NVRM: fallen off the bus and is not responding to commands.\n"
    "[ 1843.439662] NVRM: The NVIDIA probe routine failed for 1 device(s).\n"
)
API = "NVRM: API mismatch: the client has the version 550.54.14, but this kernel module has the version 535.104.05."
UNSIGNED = "nvidia: Loading of unsigned module is rejected"
LOCKED = "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7"
PRIVATE = ("NVRM: GPU at PCI:0000:06:00: GPU-0b6b7808-c002-f593-ac86-cd8e57757b94", "NVRM: GPU Board Serial Number: 1321020012345",
           "NVRM: GPU 0000:06:00.0: GPU serial number is 1321020012345.")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (OFF_THE_BUS, ("NVRM: The NVIDIA GPU 0000:b3:00.0 NVRM: (PCI ID: 10de:26b5) installed in this system has NVRM: fallen off the bus and is not responding to commands.", "NVRM: The NVIDIA probe routine failed for 1 device(s).")),
        ("".join(f"[   12.000000] {line}\n" for line in (UNSIGNED, LOCKED, "vboxdrv: Loading of module with unavailable key is rejected")), (UNSIGNED, LOCKED)),
        ("".join(f"[    1.000000] {line}\n" for line in (*PRIVATE, API)), (API,)),
        ("".join(f"[{number}.000000] NVRM: line {number}\n" for number in range(100)), tuple(f"NVRM: line {number}" for number in range(80, 100))),
    ],
    ids=["over several lines", "secure boot", "private", "the last"],
)  # fmt: skip
def test_what_the_kernel_says_of_the_driver(
    text: str, messages: tuple[str, ...], tmp_path: Path
) -> None:
    log = log_of(tmp_path, {"/var/log/dmesg": f"[    0.000000] Linux version 6.1\n{text}"})
    assert log.nvidia_messages == Known(messages, "/var/log/dmesg")


def test_arguments_behind_a_process_name_are_cut_off(tmp_path: Path) -> None:
    line = "[    1.000000] NVRM: Xid (PCI:0000:3b:00): 31, pid=5, name=python train.py --token=abc, MMU Fault\n"
    log = log_of(tmp_path, {"/var/log/dmesg": line})
    assert isinstance(log.xids, Known)
    assert log.xids.value[0].text == "pid=5, name=python, MMU Fault"


def test_the_end_of_a_large_file_is_read(tmp_path: Path) -> None:
    filler = "Nov 20 08:30:00 node kernel: [  100.000000] " + "x" * 200 + "\n"
    log = log_of(tmp_path, {"/var/log/kern.log": BOOT + filler * 30_000 + XID_79})
    assert isinstance(log.xids, Known)


@pytest.mark.parametrize(
    "files",
    [{}, {"/var/log/kern.log": ""}, {"/var/log/messages": "Nov 20 08:00:00 node cron[1]: x\n"}],
)
def test_a_log_without_the_kernels_lines_proves_nothing(
    tmp_path: Path, files: dict[str, str]
) -> None:
    log = log_of(tmp_path, files)
    for fact in (log.xids, log.oom_kills, log.nvidia_messages):
        assert isinstance(fact, Failed)
        assert fact.not_live
