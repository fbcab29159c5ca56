"""Whether a GPU's compute mode keeps this process out."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.gpu.gpu_use import users, visible
from tfdoctor.checks.questions.driver_codes import refused_as
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import NvmlDevice
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.fixes import driver as fixes

MPS_SERVER = "nvidia-cuda-mps-server"


@check(
    "gpu-busy-exclusive", prevents=Ability.DRIVER, explains=("smoke-driver-failed", "smoke-tensorflow-failed")
)
def gpu_busy_exclusive(case: Case) -> Found | None:
    """The driver's answer that means it, or a compute mode that lets in one process while NVML names another one there.
    The server of MPS is no other one.
    """
    refusal = (
        refused_as(case, "gpu-busy-exclusive") if isinstance(case.facts.driver.init_code, Known) else None
    )
    for device in visible(case) if refusal is None or isinstance(case.facts.nvml.devices, Known) else ():
        mode = device.compute_mode
        if isinstance(mode, Failed) and refusal is None:
            case.cant_tell(mode)
        if not isinstance(mode, Known) or not _forbids(
            case, device, mode.value, measured=refusal is not None
        ):
            continue
        proof = (
            Evidence(
                "nvml.devices", f"GPU {device.index}: compute mode {mode.value}, {users(device)}", "default"
            ),
        )
        return _exclusive(
            case, proof if refusal is None else (answer(case, refusal), *proof), measured=refusal is not None
        )
    return (
        None
        if refusal is None
        else _exclusive(
            case,
            (answer(case, refusal), evidence(case, "nvml.devices", observed="mode unknown")),
            measured=True,
        )
    )


def _forbids(case: Case, device: NvmlDevice, mode: str, *, measured: bool) -> bool:
    """Exclusive mode lets one process in: it is a fault only where another one is in already."""
    if mode == "prohibited" or (measured and mode != "default"):
        return True
    if not mode.startswith("exclusive"):
        return False
    if isinstance(device.processes, Absent):
        return False
    return any(MPS_SERVER not in each.name for each in case.need(device.processes))


def _exclusive(case: Case, proof: tuple[Evidence, ...], *, measured: bool) -> Found:
    return Found(
        "The GPU's compute mode lets in one process or none, and it is taken: another program gets `all CUDA-capable devices "
        "are busy or unavailable`.",
        proof,
        (
            fix("see-who-on-gpu"),
            Fix(
                "Allow several processes",
                (fixes.sudo(case.facts, "nvidia-smi -c 0"),),
                "It sets the compute mode of every GPU to default, until the next boot. On a cluster the mode is often set on purpose.",
            ),
        ),
        Confidence.CERTAIN if measured else Confidence.LIKELY,
    )
