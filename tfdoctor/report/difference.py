"""What differs between two reports, what matters first: "it works on my machine".

Facts are compared as JSON, large ones item by item (packages by name, libraries by soname, variables by name). What
changes by itself from minute to minute is left out; what could not be found out on one side is told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from tfdoctor.base.records import record
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.smoke_values import WANTED_BY, Stage
from tfdoctor.knowledge.model import Role
from tfdoctor.report.report import Report


class Weight(Enum):
    """How likely a difference explains that one works and the other does not."""

    DECISIVE = "decisive"
    LIKELY = "likely"
    MINOR = "minor"


@record
class Difference:
    """One fact, or one item of it, on both sides. "none" and "could not be found out" are said in words."""

    fact: str
    weight: Weight
    a: str
    b: str


@record
class Comparison:
    """`only_a` and `only_b` are codes of faults; `open` are facts that one side could not find out."""

    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    both: tuple[str, ...]
    differences: tuple[Difference, ...]
    open: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        return not (
            self.only_a
            or self.only_b
            or any(item.weight is not Weight.MINOR for item in self.differences)
        )


NONE, UNKNOWN = "none", "could not be found out"
_DECISIVE = (
    "tensorflow.version", "tensorflow.distribution", "tensorflow.build", "tensorflow.record", "interpreter.version",
    "interpreter.machine", "interpreter.libc", "host.os", "host.machine", "host.glibc", "host.wsl", "driver.version",
    "driver.module_version", "driver.init_name", "driver.cuda_version", "driver.devices", "nvml.init_name",
    "cuda_libraries.libraries", "cuda_libraries.cudnn_parts", "packages.shadowing", "smoke",
)  # fmt: skip
_MINOR = (
    "host.kernel", "host.distribution", "host.cpu_model", "host.cpu_count", "host.scheduler", "host.user_is_root",
    "jupyter", "kernel_log", "memory", "cuda_libraries.search_path", "cuda_libraries.runpath", "interpreter.prefix",
)  # fmt: skip
_DECISIVE_PACKAGES = ("tensorflow", "keras", "tf-keras", "numpy", "protobuf", "h5py", "ml-dtypes")
RESTLESS = (
    "memory.ram_available", "memory.swap_free", "memory.swap_in_per_s", "memory.pressure_full_avg10",
    "memory.cgroup_used", "memory.shm_free", "memory.tmp_free", "memory.home_free", "interpreter.chosen_by",
    "interpreter.executable", "interpreter.base_prefix", "interpreter.sys_path", "interpreter.site_packages",
    "interpreter.user_site", "tensorflow.location", "packages.requirements", "cuda_libraries.wheels", "smoke",
)  # fmt: skip
# Parts of a record that differ between any two machines and explain nothing
_OWN = ("uuid", "pci_bus_id", "folder", "path", "elsewhere", "shadows", "processes", "memory_used", "memory_free",
        "temperature", "utilization", "index", "address", "mig_instances", "from")  # fmt: skip
NAMED_BY = {"packages.installed": "name", "cuda_libraries.wheels": "name", "cuda_libraries.libraries": "soname",
             "cuda_libraries.cudnn_parts": "soname", "tensorflow.distributions": "name"}  # fmt: skip


def compare(a: Report, b: Report) -> Comparison:
    faults_a, faults_b = _faults(a), _faults(b)
    told = list(_differences(to_json(a.facts), to_json(b.facts)))
    told += _smoke(a, b)
    order = list(Weight)
    known = sorted(
        (item for item in told if not _is_open(item)), key=lambda item: order.index(item.weight)
    )
    return Comparison(
        only_a=tuple(code for code in faults_a if code not in faults_b),
        only_b=tuple(code for code in faults_b if code not in faults_a),
        both=tuple(code for code in faults_a if code in faults_b),
        differences=tuple(known),
        open=tuple(item for item in told if _is_open(item)),
    )


def _is_open(item: Difference) -> bool:
    return item.a.startswith(UNKNOWN) or item.b.startswith(UNKNOWN)


def _faults(report: Report) -> list[str]:
    return [finding.code for finding in report.findings if finding.role is not Role.NOTE]


def _differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Difference]:
    for path in a:
        if path in RESTLESS or path.startswith("smoke."):
            continue
        for part, one, other in _parts(path, a[path], b[path]):
            if one != other:
                yield Difference(f"{path}{part}", weight_of(path, part), one, other)


def _parts(path: str, a: Any, b: Any) -> Iterator[tuple[str, str, str]]:
    """The fact's items with what both sides say of each, in words."""
    one, other = items_of(path, a), items_of(path, b)
    if "" in one or "" in other:
        yield "", _outcome(a), _outcome(b)
        return
    for part in sorted({*one, *other}, key=lambda part: part[1:-1]):
        yield part, one.get(part, NONE), other.get(part, NONE)


def items_of(path: str, fact: Mapping[str, Any]) -> dict[str, str]:
    """The fact's items in words, by "[name]"; a fact that has none is one item, called ""."""
    value = fact.get("value")
    if isinstance(value, dict):
        return {f"[{name}]": _shown(item) for name, item in value.items()}
    if path in NAMED_BY and isinstance(value, list):
        return {f"[{item[NAMED_BY[path]]}]": _shown(item) for item in value}
    return {"": _outcome(fact)}


def _outcome(fact: Mapping[str, Any]) -> str:
    if fact["status"] == "known":
        return _shown(fact["value"])
    return "none" if fact["status"] == "absent" else f"{UNKNOWN}: {fact['error']}"


def _shown(value: Any) -> str:
    """A value in words, without what is one machine's own."""
    if value is None:
        return "none"
    if isinstance(value, dict):
        if set(value) >= {"status"} and value["status"] in ("known", "absent", "failed"):
            return _outcome(value)
        if "soname" in value:
            return _library(value)
        if "version" in value and "name" in value:
            return _shown(value["version"])
        told = {key: _shown(item) for key, item in value.items() if key not in _OWN}
        return ", ".join(f"{key} {item}" for key, item in told.items() if item not in ("", "none"))
    if isinstance(value, list):
        return "; ".join(_shown(item) for item in value) if value else "none"
    if isinstance(value, str) and value.startswith(("/", "~/")):
        return f".../{value.rsplit('/', 1)[-1]}"  # its folder is each machine's own
    return str(value).lower() if isinstance(value, bool) else str(value)


def _library(library: Mapping[str, Any]) -> str:
    if library["path"]["status"] != "known":
        return f"{library['soname']}: not found"
    via = f", found via {library['found_via']}" if library.get("found_via") else ""
    return f"{library['soname']}: version {_outcome(library['version'])}{via}"


def weight_of(path: str, part: str) -> Weight:
    if path == "packages.installed":
        name = part.strip("[]")
        if name in _DECISIVE_PACKAGES:
            return Weight.DECISIVE
        return Weight.LIKELY if name.startswith("nvidia-") else Weight.MINOR
    if path in _DECISIVE:
        return Weight.DECISIVE
    return Weight.MINOR if path in _MINOR or path.split(".")[0] in _MINOR else Weight.LIKELY


def _smoke(a: Report, b: Report) -> list[Difference]:
    """The stages by their status: what each of both machines could do. One left out by wish tells nothing of it."""
    sides = [
        {stage.name: _climbed(stage, report.smoke.requested) for stage in report.smoke.stages}
        for report in (a, b)
    ]
    return [
        Difference(
            f"smoke.{name}",
            Weight.DECISIVE,
            sides[0].get(name, "not run"),
            sides[1].get(name, "not run"),
        )
        for name in dict.fromkeys((*sides[0], *sides[1]))
        if sides[0].get(name) != sides[1].get(name)
    ]


def _climbed(stage: Stage, requested: str) -> str:
    wished = stage.status == "skipped" and requested not in WANTED_BY.get(stage.name, ())
    return f"{UNKNOWN}: skipped by --smoke {requested}" if wished else stage.status
