"""What the driver's answers mean on this machine: which circumstances of the tables in `findings/driver_errors.py` hold."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.base.records import record
from tfdoctor.base.signals import signal_name
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, AnyFact, Failed, Known, known, value_or
from tfdoctor.facts.smoke_values import ChildEnd
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.questions import visibility as hiding
from tfdoctor.judge.questions.gpu import (
    boxed,
    driver_starts,
    has_nodes,
    in_wsl,
    libcuda,
    nvidia_gpu,
    nvidia_on_bus,
)
from tfdoctor.judge.questions.unsupported import ignored
from tfdoctor.judge.questions.versions_match import differ
from tfdoctor.knowledge import driver_errors as m
from tfdoctor.knowledge.matrix.query import Matrix

Circumstance = Callable[[Facts], bool]
SMOKE = m.UNNAMED
UNRESPONSIVE = ("timed-out", "died", "ended", "over-memory")
"""The kinds of a call that hung, crashed or ended its caller."""


def always(facts: Facts) -> bool:
    return True


def compat_library(facts: Facts) -> bool:
    """libcuda comes from a cuda-compat folder (NVIDIA, CUDA Compatibility: forward compatibility)."""
    folders = libcuda(facts).split("/")[:-1]
    return any(folder == "compat" or folder.startswith("cuda-compat") for folder in folders)


def _boxed(facts: Facts) -> bool:
    return isinstance(boxed(facts), Known)


def no_gpu_given(facts: Facts) -> bool:
    """In a container or job, with hardware on the bus, and none of it handed in."""
    job = facts.host.scheduler
    none_granted = isinstance(job, Known) and isinstance(job.value.gpus, Absent)
    none_inside = not has_nodes(facts) and not isinstance(facts.host.gpu_device_nodes, Failed)
    held_back = _boxed(facts) and nvidia_on_bus(facts) and (none_inside or none_granted)
    return held_back and not driver_starts(facts)


def _no_gpu(facts: Facts) -> bool:
    return isinstance(nvidia_gpu(facts), Absent)


def lost(facts: Facts) -> bool:
    """NVML or the kernel log says that a GPU is gone (Xid 79: fallen off the bus)."""
    by_nvml = any(device.lost for device in value_or(facts.nvml.devices, ()))
    by_code = value_or(facts.nvml.init_code, 0) in (m.NVML_GPU_IS_LOST, m.NVML_RESET_REQUIRED)
    return (
        by_nvml or by_code or any(xid.number == 79 for xid in value_or(facts.kernel_log.xids, ()))
    )


def module_not_loaded(facts: Facts) -> bool:
    """The GPU is there and its kernel module is not. A container may hide /proc, but not the nodes that it was given."""
    hidden_proc = _boxed(facts) and has_nodes(facts)
    absent = isinstance(facts.driver.module_version, Absent) and not hidden_proc
    return absent and nvidia_on_bus(facts) and not in_wsl(facts) and not driver_starts(facts)


def taken_away(facts: Facts) -> bool:
    """In a container whose nodes are there, NVML answers 999: opening them is refused (nvidia-container-toolkit issue 48)."""
    refused = known(facts.nvml.init_code) == m.NVML_UNKNOWN
    return (
        isinstance(facts.host.container, Known)
        and has_nodes(facts)
        and refused
        and not in_wsl(facts)
    )


def _forbidden(facts: Facts) -> bool:
    """NVML answers 4 (no permission), or the user may not open a node of NVIDIA's driver, which does not start."""
    by_node = any(
        each.path.startswith("/dev/nvidia") for each in value_or(facts.host.closed_nodes, ())
    )
    by_answer = known(facts.nvml.init_code) == m.NVML_NO_PERMISSION
    return (by_node or by_answer) and not driver_starts(facts)


def _uvm_missing(facts: Facts) -> bool:
    return isinstance(facts.host.uvm_node, Absent) and has_nodes(facts) and not in_wsl(facts)


def _wsl_box(facts: Facts) -> bool:
    return in_wsl(facts) and _boxed(facts)


CIRCUMSTANCES: dict[str, Circumstance] = {
    m.ALWAYS: always,
    m.MIG_HIDES: hiding.by_mig,
    m.VARIABLE_HIDES: hiding.by_variable,
    m.NONE_GIVEN: no_gpu_given,
    m.NO_GPU: _no_gpu,
    m.COMPAT_LIBRARY: compat_library,
    m.VERSIONS_DIFFER: differ,
    m.BOXED: _boxed,
    m.NOT_LOADED: module_not_loaded,
    m.LOST: lost,
    m.TAKEN_AWAY: taken_away,
    m.FORBIDDEN: _forbidden,
    m.WSL_BOX: _wsl_box,
    m.UVM_MISSING: _uvm_missing,
}


@record
class Refusal:
    """The driver said no. `path` is the fact, `step` the call, `number` its answer."""

    path: str
    step: str
    number: int
    name: str
    code: str
    why: str


def cuda_refusal(case: Case) -> Refusal | None:
    """The first failing answer of the driver API, with its meaning; None where it starts and computes.

    cuInit's answer comes before the driver stage's. Raises NotApplicable where there is no libcuda, Inconclusive where
    cuInit did not answer, or answered "no device" on a machine of which nobody knows whether it has a GPU.
    """
    facts = case.facts
    number = case.need(facts.driver.init_code)
    if number == m.SUCCESS and isinstance(facts.driver.devices, Absent):
        number = m.NO_DEVICE
    if number != m.SUCCESS:
        return _meaning(case, "driver.init_code", "cuInit", number)
    smoke = known(facts.smoke.driver)
    for device in smoke.devices if smoke else ():
        if device.status == "failed" and isinstance(device.code, Known):
            return _meaning(case, "smoke.driver", device.step, device.code.value, device.message)
    return None


def _meaning(case: Case, path: str, step: str, number: int, name: str = "") -> Refusal:
    facts = case.facts
    present = nvidia_gpu(facts)
    if number == m.NO_DEVICE and isinstance(present, Failed):
        case.cant_tell(present)
    if not name and path == "driver.init_code":
        name = value_or(facts.driver.init_name, "")
    return Refusal(path, step, number, name, *_read(m.CU_ANSWERS, number, facts, case.matrix))


def cuda_meaning(number: int, facts: Facts) -> tuple[str, str]:
    """The code and the reason of an answer of the driver API, by what is known; nothing more is asked for."""
    return _read(m.CU_ANSWERS, number, facts, None)


def _read(
    table: tuple[m.Row, ...], number: int, facts: Facts, matrix: Matrix | None
) -> tuple[str, str]:
    """The code and the reason of the first row that holds."""
    return next(
        (code, why)
        for numbers, circumstance, code, why in table
        if (not numbers or number in numbers) and _applies(circumstance, facts, matrix)
    )


def _applies(circumstance: str, facts: Facts, matrix: Matrix | None) -> bool:
    if circumstance == m.UNSUPPORTED:
        return matrix is not None and bool(ignored(facts, matrix)) and not in_wsl(facts)
    return CIRCUMSTANCES[circumstance](facts)


def nvml_refusal(case: Case) -> Refusal | None:
    """NVML's failing answer; None where it works. Raises NotApplicable or Inconclusive as `cuda_refusal` does."""
    number = case.need(case.facts.nvml.init_code)
    if number == 0:
        return None
    code, why = _read(m.NVML_ANSWERS, number, case.facts, case.matrix)
    return Refusal(
        "nvml.init_code", "nvmlInit", number, value_or(case.facts.nvml.init_name, ""), code, why
    )


def refused_as(case: Case, code: str) -> Refusal | None:
    """The driver API's refusal if it means this code."""
    refusal = cuda_refusal(case)
    return refusal if refusal is not None and refusal.code == code else None


def answered_as(case: Case, code: str) -> Refusal | None:
    """The same; None, too, where cuInit gave no answer."""
    return refused_as(case, code) if isinstance(case.facts.driver.init_code, Known) else None


def no_response(fact: AnyFact) -> str:
    """How a driver call hung or crashed; "" where it answered, was never made, or a whole probe ran out of time."""
    return fact.error if isinstance(fact, Failed) and fact.kind in UNRESPONSIVE else ""


def loader_error(fact: AnyFact) -> str:
    """Why the dynamic loader refused a library that is there; "" where it did not, or was not asked."""
    return fact.error if isinstance(fact, Failed) and fact.kind == "unloadable" else ""


def ended_badly(end: ChildEnd) -> str:
    """The same for a stage's child."""
    if end.how == "timeout":
        return "did not answer within its time limit"
    if end.how == "not-ended":
        return "did not answer and could not be ended"
    return f"died of {signal_name(end.status)}" if end.how == "signal" else ""
