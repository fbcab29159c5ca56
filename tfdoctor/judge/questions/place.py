"""The place where a fix is typed, by facts: what a machine, a report or a log tells of it."""

from __future__ import annotations

import re

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.knowledge.place import Place

_ENGINES = {
    "docker": ("docker",),
    "podman": ("podman", "docker"),
    "kubernetes": ("kubernetes",),
    "containerd": ("kubernetes",),
    "apptainer": ("apptainer",),
    "singularity": ("apptainer",),
    "lxc": ("lxc", "docker"),
}
_CONTAINER = re.compile(r"[0-9a-f]{12}")
_POD = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,60}[a-z0-9])?")
"""Of 62 characters at most: the kernel cuts a name off at 64, Kubernetes a host's at 63."""


def place_of(facts: Facts) -> Place:
    """What is not known is not in `names`."""
    system, job = value_or(facts.host.os, "linux"), known(facts.host.scheduler)
    names = set(_ENGINES.get(value_or(facts.host.container, ""), ()))
    if isinstance(facts.host.wsl, Known):
        names.add("wsl")
    if system == "windows" or (system == "macos" and "wsl" not in names):
        names.add(system)
    if job is not None:
        names.add("slurm" if job.kind == "slurm" else "scheduler")
    if names and not names & {"windows", "macos", "wsl"}:
        names.add("linux")
    return Place(frozenset(names), values=_values(facts, names))


def _values(facts: Facts, names: set[str]) -> dict[str, str]:
    """Docker and Podman name a container's host after its ID, Kubernetes after the pod, unless they are told another name."""
    name, release = value_or(facts.host.name, ""), value_or(facts.tensorflow.version, "")
    found: dict[str, str] = {}
    if release:
        distribution = value_or(facts.tensorflow.distribution, "tensorflow")
        found = {"keeping": f"{distribution}=={release}", "same": f"=={release}"}
    if names & {"docker"} and _CONTAINER.fullmatch(name):
        found["container"] = name
    if "kubernetes" in names and _POD.fullmatch(name):
        found["pod"] = name
    return found
