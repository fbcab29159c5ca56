"""A pod that Kubernetes evicted, where its message names the resource that ran low, and what the pod's containers had used of it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

_NAMES = ("kubernetes-eviction", "kubernetes-evicted")
_MEMORY, _DISK = "memory", "ephemeral-storage"
_KINDS = {_MEMORY: _MEMORY, "MemoryPressure": _MEMORY, _DISK: _DISK, "DiskPressure": _DISK}
"""Resources of the message and conditions of a node (Kubernetes documentation, "Node-pressure Eviction", read 2026-11-23)."""
_TITLES = {
    _MEMORY: "Kubernetes evicted the pod: its node ran low on memory.",
    _DISK: "Kubernetes evicted the pod: its node ran low on disk (ephemeral storage).",
}
_WORDS = (
    "A node of the cluster ran low on {kind}, and its kubelet ended pods to save the rest: first those that use more than they requested.{used} A pod that requests nothing is put on any node and is the first to go. "
    "The program itself did not fail."
)
_REQUEST_MEMORY = Fix(
    "Request as much memory as the program needs, and set the same limit: Kubernetes then puts the pod where there is room, and does not evict it for others",
    note="In your files, at the container: resources: {{requests: {{memory: {size}}}, limits: {{memory: {size}}}}}. In a Kubeflow pipeline: step.set_memory_request('{kfp}').set_memory_limit('{kfp}').",
)
_NODES = fix("see-nodes-have-how-much-to")
_HOLD_LESS = fix("or-let-program-hold-less-half")
_REQUEST_DISK = fix("request-as-much-disk-as-program")
_WRITTEN = fix("in-running-pod-see-what-grows")
_ROOM_FACTOR = 2
_LEAST_GIB = 4
"""GiB. What a training program asks for at least, also where it was ended at its start."""


def evicted(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the message names no resource, or one that says nothing to people."""
    kind = _kind(told)
    if saying.name not in _NAMES or not kind:
        return None
    use = _used(told)
    used = f" Its message names what a container used: {use[0]}, and had requested: {use[1]}." if use else ""
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), _WORDS.format(kind=kind, used=used), title=_TITLES[kind])  # fmt: skip


def _kind(told: Testimony) -> str:
    said = (_KINDS.get(each.told.get("value", "").rstrip("."), "") for each in told.named(*_NAMES))
    return next((each for each in said if each), "")


def _used(told: Testimony) -> tuple[str, str] | None:
    uses = told.named("kubernetes-container-used")
    return (uses[0].told["used"], uses[0].told["requested"]) if uses else None


def eviction_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where the message names no resource."""
    if code != "scheduler-killed":
        return ()
    kind = _kind(told)
    if kind == _DISK:
        return (_REQUEST_DISK, _WRITTEN)
    if kind != _MEMORY:
        return ()
    wanted = max(_LEAST_GIB, _gib(told) * _ROOM_FACTOR)
    note = _REQUEST_MEMORY.note.format(size=f"{wanted}Gi", kfp=f"{wanted}G")
    return (Fix(_REQUEST_MEMORY.title, note=note), _NODES, _HOLD_LESS)


def _gib(told: Testimony) -> int:
    """What the largest container had used by then, in whole GiB; 0 where no number is told."""
    sizes = (each.told["used"] for each in told.named("kubernetes-container-used"))
    return max((int(each[:-2]) // _PER_GIB[each[-2:]] for each in sizes if each[-2:] in _PER_GIB), default=0)


_PER_GIB = {"Ki": 1 << 20, "Mi": 1 << 10, "Gi": 1}
