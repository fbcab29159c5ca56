"""GPUs that XLA, TensorFlow's compiler, can't set up: one that is too old for it, or one that gave it no context."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import value_or
from tfdoctor.facts.values import CudaDevice
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_ONE, _ALL = "xla-device-refused", "xla-no-device"
_LOWEST = ComputeCapability("3.5")
"""The lowest that XLA takes (compiler/xla/service/platform_util.cc, kMinCudaComputeCapabilityMajor and Minor, TensorFlow 1.12 to 2.4)."""
_SETS_UP = "TensorFlow 1.14 to 2.3 set up XLA, their compiler, for each GPU that the process sees, whether the program uses it or not, and one that XLA does not take ends the program at its start."
_UNKNOWN = " XLA takes no GPU below compute capability 3.5, and none on which it gets no context: because another process holds its memory or has it for itself alone, or because a part of a split GPU (MIG) is not there. These lines do not tell which it was."

_FULL_TITLE = (
    "The GPU has no memory left for a program to begin with: others hold it, or it is a very small one."
)
_FULL = (
    "Before a program computes on a GPU it gets a context there, which takes some hundred MB. The driver refused it for lack of memory: other processes hold nearly all of it, or the GPU is a small one that "
    "also serves a screen. What XLA says of the device afterwards only follows."
)


def refused_by_xla(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text."""
    if saying.name not in (_ONE, _ALL):
        return None
    at = (place(saying),)
    if old := _too_old(case, saying):
        words = f"{_SETS_UP} {old.name} is GPU {old.index}, and has compute capability {old.compute_capability}; XLA takes none below {_LOWEST}."
        title = f"The GPU {old.name} (number {old.index}) is too old for XLA, which TensorFlow sets up for every GPU that it sees."
        return Candidate("compute-capability-too-low", Confidence.CERTAIN, at, words, title=title)
    if smaller := _smaller(case, saying):
        words = f"{_SETS_UP} GPU {smaller.index} is {smaller.name} (compute capability {smaller.compute_capability}), which TensorFlow itself leaves out beside larger ones where it has fewer than eight multiprocessors; XLA counts it all the same."
        title = f"The GPU {smaller.name} (number {smaller.index}), too small or too old for TensorFlow beside the others, stops XLA at the start."
        return Candidate("compute-capability-too-low", Confidence.LIKELY, at, words, title=title)
    if full := told.named("context-without-memory"):
        return Candidate("gpu-memory-held", Confidence.LIKELY, (place(full[0]),), _FULL, question(("gpu-memory-held", "gpu-out-of-memory"), "nvml.devices"), _FULL_TITLE)  # fmt: skip
    opened = question(("compute-capability-too-low", "gpu-memory-held", "gpu-busy-exclusive", "mig-misused"), "nvml.devices")  # fmt: skip
    which = f"GPU {saying.told['device']}" if "device" in saying.told else "any GPU of this process"
    title = f"XLA, TensorFlow's compiler, could not set up {which}: too old a GPU, or one that others hold."
    return Candidate(saying.code, Confidence(saying.sure), at, f"{_SETS_UP}{_UNKNOWN}", opened, title)


def _too_old(case: Case, saying: Saying) -> CudaDevice | None:
    """The GPU of that number, where the log lists it and it is too old; of all, the first."""
    devices = value_or(case.facts.driver.devices, ())
    old = [each for each in devices if each.compute_capability < _LOWEST]
    number = saying.told.get("device", "")
    if number:
        return next((each for each in old if str(each.index) == number), None)
    return old[0] if old and len(old) == len(devices) else None


def _smaller(case: Case, saying: Saying) -> CudaDevice | None:
    """The GPU of that number, where the log lists newer ones beside it."""
    devices = value_or(case.facts.driver.devices, ())
    own = next((each for each in devices if str(each.index) == saying.told.get("device", "")), None)
    if own is None or all(each.compute_capability <= own.compute_capability for each in devices):
        return None
    return own


def left_out_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Without the GPU that XLA does not take; () where none was refused."""
    refused = told.named(_ONE, _ALL)
    if not refused:
        return ()
    devices = value_or(case.facts.driver.devices, ())
    number = refused[0].told.get("device", "")
    others = [str(each.index) for each in devices if str(each.index) != number and each.compute_capability >= _LOWEST]  # fmt: skip
    look = fix("see-gpus-are-who-holds-memory")
    cpu = fix("compute-on-processor")
    if others and number:
        keep = fix("show-program-other-gpus-alone-in", value=",".join(others))
        return (keep, cpu)
    if any(_too_old(case, each) for each in refused):
        return (cpu,)
    one = fix("where-are-several-try-one-after")
    return (look, cpu, one)
