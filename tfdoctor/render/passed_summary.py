"""What was found in order, as rows of a report; what a finding speaks of is left out."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.examine.report import Report
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.model import Role
from tfdoctor.light.records import record


@record
class Passed:
    """One line; `facts` are the paths that it is made of."""

    label: str
    text: str
    facts: tuple[str, ...]


def passed_summary(report: Report) -> tuple[Passed, ...]:
    """The lines whose facts no fault names as its evidence."""
    accused = {
        evidence.fact
        for finding in report.findings
        if finding.role is not Role.NOTE
        for evidence in finding.evidence
    }
    return tuple(
        line for line in _lines(report.facts) if not any(_is_accused(path, accused) for path in line.facts)
    )


def _is_accused(path: str, accused: set[str]) -> bool:
    """Evidence may name a part of a fact: "driver.devices[0].name"."""
    return any(fact == path or fact.startswith((f"{path}[", f"{path}.")) for fact in accused)


def size(count: int) -> str:
    """Bytes for a person: "62.8 GiB"."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if amount >= 100 or unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"


def _lines(facts: Facts) -> Iterator[Passed]:
    yield from _system(facts)
    yield from _memory(facts)
    yield from _tensorflow(facts)
    yield from _driver(facts)
    yield from _gpus(facts)
    yield from _libraries(facts)
    yield from _smoke(facts)


def _system(facts: Facts) -> Iterator[Passed]:
    host = facts.host
    parts = []
    if isinstance(host.distribution, Known):
        parts.append(host.distribution.value.pretty or host.distribution.value.id)
    if isinstance(host.kernel, Known):
        parts.append(f"kernel {host.kernel.value}")
    if isinstance(host.machine, Known):
        parts.append(host.machine.value)
    if isinstance(host.container, Known):
        parts.append(f"in a container ({host.container.value})")
    if isinstance(host.wsl, Known):
        parts.append(f"WSL{host.wsl.value}")
    if parts:
        yield Passed("system", ", ".join(parts), ("host.distribution", "host.kernel", "host.machine"))


def _memory(facts: Facts) -> Iterator[Passed]:
    memory = facts.memory
    if not (isinstance(memory.ram_total, Known) and isinstance(memory.ram_available, Known)):
        return
    text = f"{size(memory.ram_available.value)} of {size(memory.ram_total.value)} available"
    if isinstance(memory.cgroup_limit, Known):
        text += f"; limited to {size(memory.cgroup_limit.value)} by the container or job"
    yield Passed("memory", text, ("memory.ram_total", "memory.ram_available", "memory.cgroup_limit"))


def _tensorflow(facts: Facts) -> Iterator[Passed]:
    asked = facts.tensorflow
    if not isinstance(asked.version, Known):
        return
    text = f"{value_or(asked.distribution, 'tensorflow')} {asked.version.value}"
    if isinstance(asked.build, Known):
        cuda, cudnn, rocm = asked.build.value.cuda, asked.build.value.cudnn, asked.build.value.rocm
        if isinstance(cuda, Known):
            text += f", built for CUDA {cuda.value}"
            text += f" and cuDNN {cudnn.value}" if isinstance(cudnn, Known) else ""
        elif isinstance(rocm, Known):
            text += f", built for ROCm {rocm.value}"
        elif isinstance(cuda, Absent):
            text += ", built for the CPU alone"
    if isinstance(asked.record, Known):
        text += f"; its {asked.record.value.files} files are complete"
    yield Passed(
        "TensorFlow",
        text,
        ("tensorflow.version", "tensorflow.build", "tensorflow.record", "tensorflow.distributions"),
    )


def _driver(facts: Facts) -> Iterator[Passed]:
    driver = facts.driver
    if not isinstance(driver.version, Known) or value_or(driver.init_code, 0) != 0:
        return
    text = f"NVIDIA {driver.version.value}"
    if isinstance(driver.cuda_version, Known):
        text += f", runs CUDA up to {driver.cuda_version.value}"
    if isinstance(driver.module_flavour, Known):
        text += f", {driver.module_flavour.value} kernel module"
    yield Passed(
        "driver", text, ("driver.version", "driver.cuda_version", "driver.init_code", "driver.module_version")
    )


def _gpus(facts: Facts) -> Iterator[Passed]:
    for gpu in value_or(facts.driver.devices, ()):
        text = f"{gpu.name}, {size(gpu.memory_total)}, compute capability {gpu.compute_capability}"
        yield Passed(f"GPU {gpu.index}", text, ("driver.devices",))


def _libraries(facts: Facts) -> Iterator[Passed]:
    libraries = facts.cuda_libraries.libraries
    if not isinstance(libraries, Known) or not libraries.value:
        return
    if all(isinstance(library.path, Known) for library in libraries.value):
        text = f"all {len(libraries.value)} that this build opens are found by the loader"
        yield Passed("CUDA libraries", text, ("cuda_libraries.libraries", "cuda_libraries.cudnn_parts"))


def _smoke(facts: Facts) -> Iterator[Passed]:
    smoke = facts.smoke
    if isinstance(smoke.driver, Known) and smoke.driver.value.devices:
        devices = smoke.driver.value.devices
        if all(device.status == "passed" for device in devices):
            yield Passed("smoke", f"a kernel ran right on {_counted(len(devices), 'GPU')}", ("smoke.driver",))
    if isinstance(smoke.libraries, Known) and all(item.opened for item in smoke.libraries.value.libraries):
        count = len(smoke.libraries.value.libraries)
        if count:
            yield Passed(
                "smoke", f"{_counted(count, 'CUDA library', 'CUDA libraries')} opened", ("smoke.libraries",)
            )
    if isinstance(smoke.tensorflow, Known):
        yield from _smoke_tensorflow(facts)


def _smoke_tensorflow(facts: Facts) -> Iterator[Passed]:
    smoke = facts.smoke.tensorflow
    if not isinstance(smoke, Known) or not smoke.value.computations:
        return
    done = smoke.value.computations
    if any(item.status != "passed" for item in done) or not (
        smoke.value.finished or (smoke.value.end.how == "exit" and not smoke.value.end.status)
    ):
        return
    devices = ", ".join(dict.fromkeys(item.device for item in done))
    imported = smoke.value.import_s
    took = f"; imported in {imported.value:.1f} s" if isinstance(imported, Known) else ""
    what = _counted(len(done), "TensorFlow computation")
    yield Passed("smoke", f"{what} right on {devices}{took}", ("smoke.tensorflow",))


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one}" if count == 1 else f"{count} {many or one + 's'}"
