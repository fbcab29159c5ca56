"""Whose the memory of a GPU is: a program that fills its own GPU is no fault, others who leave it nothing are.

NVML names processes by the numbers of the driver's own name space, which a container does not share; there it is
only certain that the memory is foreign where no process of this user has a GPU open.
"""

from __future__ import annotations

import os

from tfdoctor.meaning.vital_signs import OWN_NEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdoctor.health.judging.readings import Gpu

INITIAL_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO, include/linux/proc_ns.h


def little_free(gpu: Gpu) -> bool:
    """Whether TensorFlow would make no device on this GPU."""
    return not gpu.get("mig") and bool(gpu.get("total")) and gpu.get("free", OWN_NEED) < OWN_NEED


def attribute(gpu: Gpu) -> None:
    """Fills `own` and `unclear`."""
    named = dict(gpu.get("processes", ()))
    mine = [pid for pid in named if _owner(pid) == os.geteuid()]
    gpu["own"] = sum(max(named[pid], 0) for pid in mine)
    gpu["unclear"] = ""
    if any(named[pid] < 0 for pid in mine):
        gpu["unclear"] = "the driver does not say how much this user's programs hold"
    elif not _driver_names_as_here() and any(pid not in mine for pid in _openers()):
        gpu["unclear"] = "the driver does not say in this container whose it is"


def _driver_names_as_here() -> bool:
    try:
        return os.readlink("/proc/self/ns/pid") == INITIAL_PID_NAMESPACE
    except OSError:
        return False


def _owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


def _openers() -> list[int]:
    """This user's processes that have a GPU's device open, without this one."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return [-1]  # nobody knows: then it is not clear
    return [pid for pid in pids if pid != os.getpid() and _opens(pid)]


def _opens(pid: int) -> bool:
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return any(link.startswith(("/dev/nvidia", "/dev/dxg", "/dev/nvhost-")) for link in links)
