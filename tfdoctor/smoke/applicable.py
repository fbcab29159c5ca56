"""Which stages there are to climb on this machine, by what the probes found."""

from __future__ import annotations

from pathlib import Path

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.findings.driver_errors import NO_DEVICE, STUB_LIBRARY
from tfdoctor.system.sysroot import System

_HIDING = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def on_the_cpu(facts: Facts, system: System) -> str:
    """Why there is no NVIDIA GPU to try and TensorFlow is tried on the CPU; "" where there is one."""
    driver, build = facts.driver, facts.tensorflow.build
    if isinstance(build, Known) and isinstance(build.value.cuda, Absent):
        return "this TensorFlow is built without CUDA"
    if isinstance(driver.devices, Known):
        return ""
    if isinstance(driver.library, Absent):
        return "there is no NVIDIA driver library on this machine"
    answered = isinstance(driver.init_code, Known) and driver.init_code.value in (0, NO_DEVICE)
    hiding = [name for name in _HIDING if name in system.environ]
    if answered and isinstance(driver.devices, Absent) and hiding:
        return f"the GPUs are hidden by {hiding[0]}"
    nothing_there = isinstance(driver.init_code, Known) and driver.init_code.value in (
        0,
        NO_DEVICE,
        STUB_LIBRARY,
    )
    if nothing_there and not _has_gpu(facts):
        return "there is no NVIDIA GPU on this machine"
    return ""


def _has_gpu(facts: Facts) -> bool:
    bus, nodes = facts.host.gpus_on_bus, facts.host.gpu_device_nodes
    return isinstance(nodes, Known) or (
        isinstance(bus, Known) and any(gpu.vendor == "nvidia" for gpu in bus.value)
    )


def driver_refuses(facts: Facts) -> str:
    """Why the driver can't be tried though there is a GPU; "" where it can. The driver probe's facts say more."""
    driver = facts.driver
    if isinstance(driver.library, Failed):
        return f"libcuda can't be loaded: {driver.library.error}"
    if isinstance(driver.init_code, Failed):
        return f"the driver does not start: {driver.init_code.error}"
    if isinstance(driver.init_code, Known) and driver.init_code.value:
        name = driver.init_name.value if isinstance(driver.init_name, Known) else "no name"
        return f"cuInit answered {driver.init_code.value} ({name})"
    if isinstance(driver.devices, Absent):
        return driver.devices.reason
    return ""


def no_interpreter(facts: Facts, system: System) -> str:
    """Why no program can be run in the examined interpreter; "" where it can."""
    executable = facts.interpreter.executable
    if isinstance(executable, Absent):
        return f"there is no interpreter: {executable.reason}"
    if isinstance(executable, Failed):
        return f"the interpreter is not known: {executable.error}"
    if not system.live and _below(Path(executable.value), system.root):
        return "an interpreter in the examined folder is read and never run"
    return ""


def _below(path: Path, root: Path) -> bool:
    return path.is_relative_to(root.absolute()) or path.is_relative_to(root.resolve())
