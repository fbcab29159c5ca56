"""The table of states: what a machine is in, the exit status, the first line. The driver is simulated.

With the state file deleted, each row about driver and devices keeps its exit status: that is tried with every one.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.driver.scenario import GIB, MIB, Fault, Gpu, Process, Scenario

from .machine import BOOT, L4, Machine, xid

Prepare = Callable[[Machine], None]
HEALTHY = Scenario()
SECOND = {"uuid": "GPU-5a1d0000-0000-4000-8000-000000000002", "name": "NVIDIA L4", "ecc": 0}


def nothing(machine: Machine) -> None:
    machine.write_state()


@dataclass(frozen=True)
class Row:
    """`device`: it is about driver or devices, so the state file does not decide its exit status."""

    name: str
    status: int
    first: str
    scenario: Scenario = HEALTHY
    prepare: Prepare = nothing
    options: tuple[str, ...] = ()
    device: bool = False


def one(**fields: object) -> Scenario:
    return Scenario(gpus=(Gpu(**fields),))  # type: ignore[arg-type]  # the rows name Gpu's own fields


def failing(*faults: Fault) -> Scenario:
    return Scenario(faults=faults)


def with_state(**fields: object) -> Prepare:
    def prepare(machine: Machine) -> None:
        machine.write_state(**fields)

    return prepare


def log_after(examination: str, now: str) -> Prepare:
    """The kernel log as it was at the examination, and as it is now."""

    def prepare(machine: Machine) -> None:
        seen = [[79, "0000:3b:00", 3600.25]] if examination else []
        machine.write_state(xids=seen, **machine.this_boot())
        machine.lay({"/var/log/kern.log": BOOT + now})

    return prepare


def without(name: str) -> Prepare:
    def prepare(machine: Machine) -> None:
        machine.write_state()
        (machine.site / name).unlink()

    return prepare


def upgraded(machine: Machine) -> None:
    machine.write_state()
    (machine.site / "tensorflow-2.21.0.dist-info").rename(
        machine.site / "tensorflow-2.20.0.dist-info"
    )


def overwritten(machine: Machine) -> None:
    machine.write_state()
    (machine.site / "tensorflow/libtensorflow_cc.so.2").write_text("cut", encoding="ascii")


def nearly_full(machine: Machine) -> None:
    machine.write_state()
    machine.memory_limit(GIB, GIB - 10 * MIB)


def no_driver(machine: Machine) -> None:
    machine.write_state()
    machine.driver.remove("libcuda")
    machine.driver.remove("libnvidia-ml")


def driver_of_kernel_alone(machine: Machine) -> None:
    no_driver(machine)
    machine.lay({"/proc/driver/nvidia/version": "NVRM version: 555.42.02\n"})


def broken(machine: Machine) -> None:
    machine.write_state(
        verdict="broken",
        roots=["keras-mismatch"],
        failing=[["keras-mismatch", "packages", False, "root"]],
        written_at=time.time() - 30,
    )


def without_gpus(machine: Machine) -> None:
    machine.write_state(gpus=[], cuda_count=0, nvml_started=False, driver_version="")


def hidden(machine: Machine) -> None:
    machine.write_state(cuda_count=0)
    machine.variables["CUDA_VISIBLE_DEVICES"] = "-1"


def no_log(machine: Machine) -> None:
    machine.write_state()
    shutil.rmtree(machine.root / "var")


FULL = one(memory_used=22 * GIB + 900 * MIB, processes=(Process(4_194_304, 22 * GIB, "train"),))
OWN = one(
    memory_used=22 * GIB + 900 * MIB,
    processes=(Process(os.getpid(), 22 * GIB + 900 * MIB, "train"),),
)
TWO = Scenario(gpus=(Gpu(), Gpu(uuid=SECOND["uuid"], pci="00000000:AF:00.0")))  # type: ignore[arg-type]  # it is a text

EXAMINED_ANEW = "unhealthy: examined now: broken (tensorflow-missing)"
"""What was examined an hour ago is no more, and below the laid-out root there is no interpreter."""

ROWS = (
    Row("healthy", 0, "healthy: 1 GPU, examined 60 min ago"),
    Row("GPU lost", 1, "unhealthy: GPU 0 is lost: it needs a reset or a reboot", one(lost=True), device=True),
    Row("one of two GPUs gone", 1, "unhealthy: 1 of 2 examined GPUs gone: NVIDIA L4", prepare=with_state(gpus=[L4, SECOND], cuda_count=2)),
    Row("fewer GPUs than asked for", 1, "unhealthy: programs see 1 of 2 expected GPUs", options=("--gpus", "2"), device=True),
    Row("one of two GPUs lost", 1, "unhealthy: GPU 1 is lost: it needs a reset or a reboot",
        Scenario(gpus=(Gpu(), Gpu(uuid=SECOND["uuid"], pci="00000000:AF:00.0", lost=True))), device=True),  # type: ignore[arg-type]  # it is a text
    Row("new Xid 79", 1, "unhealthy: Xid 79 on 0000:3b:00: GPU has fallen off the bus", prepare=log_after("", xid(79)), device=True),
    Row("Xid 79 that the examination judged", 0, "healthy: 1 GPU, examined 60 min ago", prepare=log_after("79", xid(79))),
    Row("a second Xid 79 after the examination", 1, "unhealthy: Xid 79 on 0000:3b:00: GPU has fallen off the bus",
        prepare=log_after("79", xid(79) + xid(79, 7200.5)), device=True),
    Row("Xid 31, a program's own", 0, "healthy: 1 GPU, examined 60 min ago", prepare=log_after("", xid(31) + xid(13) + xid(43)), device=True),
    Row("kernel log closed", 0, "healthy: 1 GPU, unseen: xid, examined 60 min ago", prepare=no_log, device=True),
    Row("ECC errors", 1, "unhealthy: GPU 0: 2 new uncorrectable memory errors", one(ecc_uncorrected_volatile=2), device=True),
    Row("ECC errors that the examination judged", 0, "healthy: 1 GPU, examined 60 min ago", one(ecc_uncorrected_volatile=2),
        with_state(gpus=[{**L4, "ecc": 2}])),
    Row("ECC can't be read", 0, "healthy: 1 GPU, examined 60 min ago", one(ecc_supported=False), device=True),
    Row("VRAM taken by others", 1, "unhealthy: GPU 0: 124 of 23552 MiB free, others hold the rest", FULL, device=True),
    Row("VRAM taken by the user's own program", 0, "healthy: 1 GPU, examined 60 min ago", OWN, device=True),
    Row("less VRAM than asked for", 1, "unhealthy: GPU 0: 124 of 23552 MiB free, 2048 asked", OWN, options=("--min-free-vram", "2G"), device=True),
    Row("driver replaced under the process", 1, "unhealthy: the driver was replaced: reload it or reboot (NVML 18)",
        failing(Fault.error("nvmlInit*", 18), Fault.error("cuInit", 803)), device=True),
    Row("cuInit fails", 1, "unhealthy: cuInit fails: 999 UNKNOWN", failing(Fault.error("cuInit", 999)), device=True),
    Row("driver hangs", 1, "unhealthy: the driver hangs in cuInit", failing(Fault.hang("cuInit")), options=("--timeout", "1"), device=True),
    Row("driver hangs and is deaf", 1, "unhealthy: the driver hangs in nvmlInit_v2", failing(Fault.hang("nvmlInit*", deaf=True)),
        options=("--timeout", "1"), device=True),
    Row("driver crashes", 1, "unhealthy: the driver crashed (signal 7) in cuInit", failing(Fault.crash("cuInit", signal.SIGBUS)), device=True),
    Row("driver leaves the process", 1, "unhealthy: the driver was left with status 3 in cuInit", failing(Fault.leave("cuInit", 3)), device=True),
    Row("driver floods", 0, "healthy: 1 GPU, examined 60 min ago", failing(Fault.flood("cuInit", 8)), device=True),
    Row("GPU not answering", 1, "unhealthy: GPU 0 does not answer (NVML 999)", failing(Fault.error("nvmlDeviceGetHandleByIndex*", 999)), device=True),
    Row("driver's library gone", 1, "unhealthy: libcuda.so.1 is not where the loader looks",
        prepare=driver_of_kernel_alone, device=True),
    Row("no driver at all, GPU required", 1, "unhealthy: no NVIDIA driver is found", prepare=no_driver,
        options=("--require-gpu",), device=True),
    Row("no driver at all, GPU examined", 1, "unhealthy: no NVIDIA driver is found", prepare=no_driver),
    Row("driver's library without its kernel side", 0, "healthy: no GPU: the kernel's side of the driver is not here",
        failing(Fault.error("nvmlInit*", 9), Fault.error("cuInit", 100)), without_gpus, device=True),
    Row("GPUs hidden on purpose", 0, "healthy: CUDA_VISIBLE_DEVICES hides every GPU", failing(Fault.error("cuInit", 100)), hidden, device=True),
    Row("GPUs hidden and required", 1, "unhealthy: CUDA_VISIBLE_DEVICES hides every GPU", failing(Fault.error("cuInit", 100)), hidden,
        options=("--require-gpu",), device=True),
    Row("GPU lost and not required", 0, "healthy: GPU not required: GPU 0 is lost: it needs a reset or a reboot", one(lost=True),
        options=("--no-require-gpu", "--node"), device=True),
    Row("wrong kernel", 1, "unhealthy: GPU 0 computes wrong", Scenario(wrong_kernel=True), options=("--smoke", "driver"), device=True),
    Row("kernel's launch fails", 1, "unhealthy: GPU 0: cuCtxSynchronize fails", failing(Fault.error("cuCtxSynchronize", 719)),
        options=("--smoke", "driver"), device=True),
    Row("kernel's launch crashes", 1, "unhealthy: the kernel's program crashed (signal 11) in cuLaunchKernel",
        failing(Fault.crash("cuLaunchKernel")), options=("--smoke", "driver"), device=True),
    Row("kernel runs", 0, "healthy: 1 GPU, examined 60 min ago", options=("--smoke", "driver"), device=True),
    Row("TensorFlow upgraded since the examination", 1, EXAMINED_ANEW, prepare=upgraded),
    Row("TensorFlow's library overwritten", 1, EXAMINED_ANEW, prepare=overwritten),
    Row("a library removed", 1, EXAMINED_ANEW, prepare=without("nvidia/cudnn/lib/libcudnn.so.9")),
    Row("cgroup nearly full", 1, "unhealthy: memory limit: 1014 of 1024 MiB used", prepare=nearly_full),
    Row("less RAM than asked for", 1, "unhealthy: 3072 MiB of memory free, 8192 asked", options=("--min-free-ram", "8G")),
    Row("verdict broken", 1, "unhealthy: examined 3",
        prepare=broken),
    Row("verdict degraded", 0, "healthy: 1 GPU, examined 60 min ago: degraded (user-site-leak)",
        prepare=with_state(verdict="degraded", roots=["user-site-leak"])),
    Row("verdict older than demanded", 1, EXAMINED_ANEW, options=("--max-age", "10m")),
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_state_and_its_first_line_simulated(row: Row, machine: Machine) -> None:
    row.prepare(machine)
    said = machine.check(*row.options, scenario=row.scenario)
    assert (said.status, said.errors) == (row.status, "")
    assert said.first.startswith(row.first)
    assert len(said.first.encode("ascii")) <= 80
    assert said.output.count("\n") == 1


DEVICE_ROWS = [row for row in ROWS if row.device]


@pytest.mark.slow  # a program and an examination for each answer
@pytest.mark.parametrize("row", DEVICE_ROWS, ids=[row.name for row in DEVICE_ROWS])
def test_what_concerns_driver_and_devices_needs_no_state_simulated(
    row: Row, machine: Machine
) -> None:
    row.prepare(machine)
    machine.state_file.unlink()
    said = machine.check("--verbose", "--node", *row.options, scenario=row.scenario)
    assert said.status == row.status or "GPU 0: 124" in row.first, "a node is not ill of a full GPU"
    assert len(said.output.encode("ascii")) < 4096


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if not row.device and row.prepare is not nothing],
    ids=lambda row: row.name,
)
def test_a_node_is_judged_by_driver_and_devices_alone_simulated(row: Row, machine: Machine) -> None:
    row.prepare(machine)
    said = machine.check("--node", "--verbose", *row.options, scenario=row.scenario)
    concerns = ("gpus gone", "no NVIDIA driver", "GPUs gone")
    assert said.status == int(any(word in row.first for word in concerns))
    assert "tensorflow" not in said.output and "memory limit" not in said.output
