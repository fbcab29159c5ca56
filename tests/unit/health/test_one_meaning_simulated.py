"""The health check names what the full examination names: every answer of cuInit and NVML in every circumstance.

The driver is simulated, so this says what both do with an answer, not what a real driver answers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import Fault, Gpu, Scenario
from tfdoctor.health.answer import FAULT, UNSEEN
from tfdoctor.health.judge import judge_refusal

from .both_readings import Answered, Around, BothReadings
from .machine import Machine

PCI = "/sys/bus/pci/devices/0000:3b:00.0"
L4 = {f"{PCI}/class": "0x030200\n", f"{PCI}/vendor": "0x10de\n", f"{PCI}/device": "0x27b8\n"}
KEPLER = {**L4, f"{PCI}/device": "0x102d\n"}
NO_GPU = {
    "/sys/bus/pci/devices/0000:00:1f.0/class": "0x060100\n",
    "/sys/bus/pci/devices/0000:00:1f.0/vendor": "0x8086\n",
}
PROC = {
    "/proc/meminfo": "MemTotal: 16777216 kB\n",
    "/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
    "/proc/self/cgroup": "0::/\n",
}
VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Sat Aug 19 00:00:00 UTC 2024\n"
MODULE = {"/proc/driver/nvidia/version": VERSION.format("555.42.02")}
NODES = {"/dev/nvidia0": "", "/dev/nvidiactl": "", "/dev/nvidia-uvm": ""}
LOG = {
    "/var/log/kern.log": "Nov 20 08:00:00 node kernel: [    0.000000] Linux version 6.1.0-18-amd64 (x@y) #1 SMP\n"
}
BOX = {"/.dockerenv": ""}
HOST = {**PROC, **LOG, **L4, **MODULE, **NODES}
WSL = {
    **PROC,
    **LOG,
    **NO_GPU,
    "/proc/sys/kernel/osrelease": "5.15.146.1-microsoft-standard-WSL2\n",
    "/dev/dxg": "",
}
JOB = {"SLURM_JOB_ID": "7", "SLURM_NODEID": "0"}
XID_79 = "Nov 20 09:00:00 node kernel: [ 3600.250000] NVRM: Xid (PCI:0000:3b:00): 79, pid=12, name=python\n"

CIRCUMSTANCES = {
    "a machine in order": Around(HOST),
    "no GPU": Around({**PROC, **LOG, **NO_GPU}),
    "the kernel module is not loaded": Around({**PROC, **LOG, **L4}),
    "kernel module and libraries differ": Around({**HOST, "/proc/driver/nvidia/version": VERSION.format("535.129.03")}),
    "no nvidia-uvm node": Around({name: text for name, text in HOST.items() if name != "/dev/nvidia-uvm"}),
    "an Xid 79 in the log": Around({**HOST, "/var/log/kern.log": LOG["/var/log/kern.log"] + XID_79}),
    "a GPU that the driver has dropped": Around({**HOST, **KEPLER}),
    "the variable hides every GPU": Around(HOST, {"CUDA_VISIBLE_DEVICES": "-1"}),
    "the variable names a GPU that is not there": Around(HOST, {"CUDA_VISIBLE_DEVICES": "7"}),
    "a compat folder": Around(HOST, folder="usr/local/cuda-12.5/compat"),
    "a container": Around({**HOST, **BOX}),
    "a container without device nodes": Around({**PROC, **LOG, **L4, **MODULE, **BOX}),
    "a container without device nodes and module": Around({**PROC, **LOG, **L4, **BOX}),
    "a container that was told to get none": Around({**PROC, **LOG, **L4, **MODULE, **BOX}, {"NVIDIA_VISIBLE_DEVICES": "void"}),
    "a container on a machine without a GPU": Around({**PROC, **LOG, **NO_GPU, **BOX}),
    "a pod": Around({**PROC, **LOG, **L4, **MODULE}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}),
    "a Slurm job without a GPU": Around(HOST, JOB),
    "a Slurm job with a GPU": Around(HOST, {**JOB, "SLURM_JOB_GPUS": "0"}),
    "WSL": Around(WSL, folder="usr/lib/wsl/lib"),
    "a container on WSL": Around({**WSL, **BOX}),
    "a GPU whose MIG has no slice": Around(HOST, gpus=(Gpu(name="NVIDIA A100-SXM4-40GB", mig_mode=1),)),
    "a lost GPU": Around(HOST, gpus=(Gpu(lost=True),)),
    "nouveau holds the GPU": Around({**PROC, **LOG, **L4, f"{PCI}/uevent": "DRIVER=nouveau\n"}),
    "nothing but /proc can be seen": Around({**PROC, **LOG}),
}  # fmt: skip


def refusing(call: str, *numbers: int) -> tuple[Answered, ...]:
    return tuple(Answered(str(number), Fault.error(call, number)) for number in numbers)


WORKS, NO_LIBRARY = Answered("works"), Answered("no library", library=False)
CUDA = (
    WORKS, Answered("works and shows no GPU", gpus=False), NO_LIBRARY, Answered("count refused", Fault.error("cuDeviceGetCount", 3)),
    *refusing("cuInit", 3, 34, 35, 36, 46, 100, 101, 102, 214, 220, 226, 304, 500, 802, 803, 804, 805, 999),
)  # fmt: skip
UNREAD = tuple(
    Answered(f"{call} {number}", Fault.error(call, number))
    for call in ("nvmlDeviceGetHandleByIndex*", "nvmlDeviceGetMemoryInfo*", "nvmlDeviceGetTotalEccErrors")
    for number in (3, 999)
)
LOST = tuple(
    Answered(f"{call} {number}", Fault.error(call, number))
    for call in ("nvmlDeviceGetHandleByIndex*", "nvmlDeviceGetMemoryInfo*", "nvmlDeviceGetTotalEccErrors")
    for number in (15, 16)
)
BY_NVML = (WORKS, NO_LIBRARY, *refusing("nvmlInit*", 4, 8, 9, 11, 12, 15, 16, 18, 999), *LOST, *UNREAD)
FEW_CUDA = {"works", "no library", "100", "999"}
FEW_NVML = {"works", "9", "999"}
EVERY = os.environ.get("TFDOCTOR_MEANINGS") == "all"
"""`make meanings`: all pairs of answers. A run of all tests asks each circumstance for a third of them, another third in the next."""

UNSEEN_BUS = "nothing but /proc can be seen"
ALLOWED = {
    UNSEEN_BUS: "check decides nothing where nobody can see whether there is a GPU, and ends with status 3; the health check has 0 and "
    "1 alone (Docker reserves 2), and says of a driver that refuses what its answer means by itself",
    **dict.fromkeys(
        (each.name for each in UNREAD),
        "check lists what a GPU does not tell as undecided and ends with status 3, which the health check does not have: a GPU that "
        "does not answer is a fault to it",
    ),
    "count refused": "check without its smoke ladder lists what depends on the devices as undecided; with it, its driver stage meets the "
    "same refusal and names the same code",
}
"""A circumstance or an answer, and why the health check may name a fault there of which check says nothing."""


LOWERED = ": check gpu-hidden, healthcheck gpu-hardware-fault"
"""Check names both. A GPU that somebody hid is a note to the health check where none is required, so what is a fault
comes first: a GPU that is lost or does not answer."""


def differences(
    folder: Path, around: Around, cuda: tuple[Answered, ...], by_nvml: tuple[Answered, ...]
) -> list[str]:
    both = BothReadings(folder, around)
    for answered in cuda:
        both.ask("cuda", answered)
    both.simulated.lay("libcuda")
    for answered in by_nvml:
        both.ask("nvml", answered)
    found = []
    for one in cuda:
        for other in by_nvml:
            if one.name not in FEW_CUDA and other.name not in FEW_NVML:
                continue
            examined, (checked, fault) = (
                both.first_root(one.name, other.name),
                both.checked(one.name, other.name),
            )
            if examined != (checked if fault or examined else "") and (
                examined or not {one.name, other.name} & ALLOWED.keys()
            ):
                found.append(f"cuInit {one.name}, NVML {other.name}: check {examined}, healthcheck {checked}")
    return found


def excused(name: str, found: list[str]) -> list[str]:
    """Without those that the tables allow."""
    return [
        each
        for each in found
        if not each.endswith(LOWERED) and (name not in ALLOWED or ": check ," not in each)
    ]


def in_turn(all_: tuple[Answered, ...], always: set[str], circumstance: str) -> tuple[Answered, ...]:
    """Every answer where all are asked; else those that every circumstance is asked for, and every third of the others."""
    turn = list(CIRCUMSTANCES).index(circumstance)
    return tuple(
        each for nth, each in enumerate(all_) if EVERY or each.name in always or (nth + turn) % 3 == 0
    )


def test_every_answer_has_its_turn() -> None:
    for all_, always in ((CUDA, FEW_CUDA), (BY_NVML, FEW_NVML)):
        assert {each.name for name in CIRCUMSTANCES for each in in_turn(all_, always, name)} == {
            each.name for each in all_
        }


@pytest.mark.slow  # a program for each answer
@pytest.mark.parametrize("name", CIRCUMSTANCES)
def test_both_name_the_same_for_every_answer_simulated(name: str, tmp_path: Path) -> None:
    cuda, by_nvml = in_turn(CUDA, FEW_CUDA, name), in_turn(BY_NVML, FEW_NVML, name)
    assert excused(name, differences(tmp_path, CIRCUMSTANCES[name], cuda, by_nvml)) == []


NO_LIBRARIES = None
WHOLE = {
    "cuInit 35": ("a machine in order", (Fault.error("cuInit", 35),), "driver-too-old"),
    "a container that lost its GPU": ("a container", (Fault.error("nvmlInit*", 999), Fault.error("cuInit", 100)), "container-lost-gpu"),
    "no module": ("the kernel module is not loaded", (Fault.error("nvmlInit*", 9), Fault.error("cuInit", 100)), "driver-module-not-loaded"),
    "a container without rights": (
        "a container without device nodes", (Fault.error("nvmlInit*", 9), Fault.error("cuInit", 100)), "container-without-gpu",
    ),
    "a container without rights or libraries": ("a container without device nodes and module", NO_LIBRARIES, "container-without-gpu"),
    "no driver": ("the kernel module is not loaded", NO_LIBRARIES, "driver-missing"),
}  # fmt: skip
"""What the two named differently once, by the commands themselves: circumstance, answers, code."""


@pytest.mark.slow  # a program for each answer
@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("options", [(), ("--node",), ("--format", "nagios")], ids=" ".join)
def test_the_command_without_a_state_file_simulated(
    name: str, options: tuple[str, ...], machine: Machine
) -> None:
    circumstance, faults, code = WHOLE[name]
    around = CIRCUMSTANCES[circumstance]
    machine.lay(around.files)
    machine.variables.update(around.variables)
    if faults is NO_LIBRARIES:
        machine.driver.remove("libcuda")
        machine.driver.remove("libnvidia-ml")
    said = machine.check(*options, scenario=Scenario(faults=faults or ()))
    assert (said.status, said.errors) == (2 if "nagios" in options else 1, "")
    assert "no GPU:" not in said.first
    document = machine.check("--json", *(("--node",) if "--node" in options else ())).document
    assert document["points"][0]["code"] == code
    assert not any(point["status"] == "unseen" and point["check"] == "driver" for point in document["points"])


def test_without_time_the_answer_alone_decides_and_that_is_said_simulated(tmp_path: Path) -> None:
    both = BothReadings(tmp_path, CIRCUMSTANCES["a machine in order"])
    files: Any = both.files
    for number, code in (
        (35, "driver-too-old"),
        (803, "driver-versions-differ"),
        (999, "uvm-broken"),
        (7, "smoke-driver-failed"),
    ):
        driver: Any = {"done": True, "nvml_error": "", "nvml_code": 0, "cuda_error": "", "cuda_code": number}
        first, unseen = judge_refusal(driver, files, both.options, {"ended": "hangs"})
        assert (first.status, first.code, unseen.status) == (FAULT, code, UNSEEN)
        assert "in time" in unseen.words
