"""How CUDA_VISIBLE_DEVICES and NVIDIA_VISIBLE_DEVICES are read, and what they leave visible.

CUDA reads CUDA_VISIBLE_DEVICES from the left and stops at the first entry that names no GPU; a GPU named twice
leaves none (CUDA C++ Programming Guide, CUDA Environment Variables, read 2026-11-20). Of several MIG slices it
uses the first (NVIDIA MIG User Guide). NVIDIA_VISIBLE_DEVICES counts only when a container starts.
"""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, known, value_or
from tfdoctor.judge.questions.gpu import driver_starts
from tfdoctor.judge.questions.variables import variables

CUDA_VARIABLE = "CUDA_VISIBLE_DEVICES"
CONTAINER_VARIABLE = "NVIDIA_VISIBLE_DEVICES"
NOTHING_GIVEN = ("void", "none", "")
REDACTED = "<gpu-uuid-"
"""How a report that may be shown to others names a GPU or a slice."""
JOB_GIVES_NONE = "NoDevFiles"
"""What Slurm up to 16.05 sets in a job that was granted no GPU (slurm.schedmd.com/gres.html)."""


@record
class Request:
    """What a list of visible devices leaves: the usable entries before the first bad one, and that one."""

    text: str
    usable: tuple[str, ...]
    bad: str
    why: str
    mig: bool  # slices are asked for


def variable(facts: Facts, name: str) -> str | None:
    """The variable's value; None where it is not set, or nobody knows."""
    return variables(facts).get(name)


def cuda_request(facts: Facts) -> Request | None:
    """What CUDA_VISIBLE_DEVICES asks for; None where it is not set."""
    text = variable(facts, CUDA_VARIABLE)
    if text is None:
        return None
    usable: list[str] = []
    mig = "MIG-" in text or (REDACTED in text and _mig_is_on(facts))
    for entry in (part.strip() for part in text.split(",")):
        why = _fault(facts, entry, usable)
        if why:
            return Request(text, () if "twice" in why else tuple(usable), entry, why, mig)
        usable.append(entry)
    return Request(text, tuple(usable), "", "", mig)


def _fault(facts: Facts, entry: str, before: list[str]) -> str:
    """Why this entry names no GPU; "" where it does, or where nobody can say."""
    if not entry:
        return "it is empty"
    if entry in before:
        return f"{entry} is named twice"
    if entry.startswith(REDACTED):
        return _unknown_placeholder(facts, entry)
    if entry.startswith("MIG-"):
        return _unknown_uuid(entry, mig_slices(facts), "MIG slice")
    if entry.upper().startswith("GPU-"):
        return _unknown_uuid(entry, _uuids(facts), "GPU")
    if not entry.isdecimal():
        return f"{entry} is no GPU's number"
    count = gpu_count(facts)
    if count is not None and int(entry) >= count:
        return f"there is no GPU {entry}: this machine has {count}"
    return ""


def _unknown_placeholder(facts: Facts, entry: str) -> str:
    """In a redacted report the same UUID has the same placeholder, but a shortened one has another."""
    known = (*(_uuids(facts) or ()), *(mig_slices(facts) or ()))
    return "" if entry in known or driver_starts(facts) else "no GPU of this machine has this UUID"


def _mig_is_on(facts: Facts) -> bool:
    return any(value_or(device.mig_enabled, False) for device in value_or(facts.nvml.devices, ()))


def _unknown_uuid(entry: str, known: tuple[str, ...] | None, kind: str) -> str:
    """CUDA accepts the beginning of a UUID as long as it is unique."""
    if known is None or any(uuid.lower().startswith(entry.lower()) for uuid in known):
        return ""
    return f"no {kind} of this machine has this UUID"


def gpu_count(facts: Facts) -> int | None:
    """How many GPUs there are, hidden ones included; None where NVML does not say."""
    return len(value_or(facts.nvml.devices, ())) or None


def _uuids(facts: Facts) -> tuple[str, ...] | None:
    listed = known(facts.nvml.devices)
    return None if listed is None else tuple(device.uuid for device in listed)


def mig_slices(facts: Facts) -> tuple[str, ...] | None:
    """The UUIDs of every MIG slice; None where they are not all known."""
    listed = facts.nvml.devices
    if not isinstance(listed, Known):
        return None
    found: list[str] = []
    for device in listed.value:
        if isinstance(device.mig_instances, Known):
            found += device.mig_instances.value
        elif not isinstance(device.mig_instances, Absent):
            return None
    return tuple(found)


def hidden_by_cuda(facts: Facts) -> Request | None:
    """CUDA_VISIBLE_DEVICES where an entry of it names nothing; slices of MIG are another matter."""
    request = cuda_request(facts)
    if request is None or not request.why:
        return None
    job = isinstance(facts.host.scheduler, Known) and request.text == JOB_GIVES_NONE
    return None if request.mig or job else request


def hidden_at_start(facts: Facts) -> bool:
    """The container was told to get no GPU, and got none."""
    given = variable(facts, CONTAINER_VARIABLE)
    nodes = facts.host.gpu_device_nodes
    none_inside = not isinstance(nodes, Failed) and not any(
        "nvidia" in node for node in value_or(nodes, ())
    )
    return isinstance(facts.host.container, Known) and none_inside and given in NOTHING_GIVEN


def by_variable(facts: Facts) -> bool:
    """A variable leaves no GPU visible."""
    request = hidden_by_cuda(facts)
    return hidden_at_start(facts) or (request is not None and not request.usable)


def by_mig(facts: Facts) -> bool:
    """MIG leaves nothing visible: the slice named does not exist, or MIG is on and has no slice."""
    request = cuda_request(facts)
    stale = request is not None and request.mig and bool(request.why) and not request.usable
    return stale or no_slices(facts)


def no_slices(facts: Facts) -> bool:
    """Every GPU is in MIG mode and none of them has a slice."""
    listed = value_or(facts.nvml.devices, ())
    on = bool(listed) and all(value_or(each.mig_enabled, False) for each in listed)
    return on and mig_slices(facts) == ()
