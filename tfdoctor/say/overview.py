"""The overview of a machine: always the same rows in the same order, each with how it stands."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.base.units import counted
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, AnyFact, Failed, Known, value_or
from tfdoctor.knowledge.model import Role, Severity, Verdict
from tfdoctor.report.report import Report
from tfdoctor.say.view import Row

OK, ERROR, WARNING, UNKNOWN, SKIPPED = "ok", "error", "warning", "unknown", "skipped"
_SPOKEN_OF = {
    "System": ("host.",),
    "Python": ("interpreter.",),
    "TensorFlow": ("tensorflow.",),
    "Packages": ("packages.",),
    "Driver": (
        "driver.",
        "nvml.",
        "kernel_log.",
        "host.closed_nodes",
        "host.uvm_node",
        "host.gpu_device_nodes",
    ),
    "GPU": ("driver.devices", "nvml.devices", "host.gpus_on_bus", "--require-gpu"),
    "CUDA": ("cuda_libraries.",),
    "Memory": ("memory.",),
    "Tests": ("smoke.",),
}
"""The facts of each row, as evidence names them; the longest name decides."""
_LONGEST = 50
_TESTS = ("driver", "libraries", "tensorflow")
_SYSTEMS = {"macos": "macOS", "windows": "Windows"}
_VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "apple": "Apple", "intel": "Intel"}


def overview(report: Report) -> tuple[Row, ...]:
    """The rows; what a fault names as its evidence is no longer ok. What failed and does not matter is left out."""
    faults = _faults(report)
    marked = (
        (label, *_with_fault(text, mark, *faults.get(label.split()[0], (mark, ""))))
        for label, text, mark in _rows(report)
    )
    fine = report.verdict is Verdict.HEALTHY
    return tuple(
        Row(label, text, SKIPPED if fine and mark == ERROR else mark)
        for label, text, mark in marked
    )


def size(count: int) -> str:
    """Bytes for a person: "62.8 GiB"."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return (
                f"{amount:.0f} {unit}" if amount >= 100 or unit == "B" else f"{amount:.1f} {unit}"
            )
        amount /= 1024
    return f"{amount:.1f} TiB"


def _with_fault(text: str, own: str, mark: str, seen: str) -> tuple[str, str]:
    """A row that reads well beside a fault also says, in a few words, what was seen."""
    told = own != OK or mark == OK or " " not in seen or seen in text or len(seen) > _LONGEST
    return (text if told else f"{text}; {seen}"), mark


def _faults(report: Report) -> dict[str, tuple[str, str]]:
    """The worst that a fault says of each row, and the first that was seen of it."""
    found: dict[str, tuple[str, str]] = {}
    for finding in report.findings:
        if finding.role is Role.NOTE:
            continue
        judged = [each for each in finding.evidence if each.expected] or finding.evidence
        for evidence in judged:
            row = _row_of(evidence.fact)
            if found.get(row, ("", ""))[0] != ERROR:
                mark = ERROR if finding.severity is Severity.ERROR else WARNING
                found[row] = mark, evidence.observed
    return found


def _row_of(fact: str) -> str:
    fitting = [
        (len(start), row)
        for row, starts in _SPOKEN_OF.items()
        for start in starts
        if fact.startswith(start)
    ]
    return max(fitting, default=(0, ""))[1]


_Rows = Iterator[tuple[str, str, str]]


def _rows(report: Report) -> _Rows:
    facts = report.facts
    yield system(facts)
    yield _python(report)
    yield _tensorflow(facts)
    yield _packages(facts)
    yield _driver(facts)
    yield from _gpus(facts)
    yield _libraries(facts)
    yield _memory(facts)
    yield _tests(report)
    yield from _plugins(facts)


def _plugins(facts: Facts) -> _Rows:
    for each in value_or(facts.plugins.installed, ()):
        told = f"{each.name} {each.version}"
        yield (
            "Plug-in",
            f"{told}: {each.error}" if each.error else told,
            ERROR if each.error else OK,
        )


def _not_known(fact: AnyFact, absent: str) -> tuple[str, str]:
    if isinstance(fact, Absent):
        return absent, SKIPPED
    if isinstance(fact, Failed) and fact.kind in ("not-asked", "not-live", "skipped"):
        return "not checked", SKIPPED
    return "could not be read", UNKNOWN


def system(facts: Facts) -> tuple[str, str, str]:
    """The row of the operating system: "Ubuntu 22.04.4 LTS, x86_64"."""
    host = facts.host
    parts = []
    if isinstance(host.distribution, Known):
        parts.append(host.distribution.value.pretty or host.distribution.value.id)
    elif isinstance(host.os, Known):
        parts.append(_SYSTEMS.get(host.os.value, host.os.value))
    if isinstance(host.machine, Known):
        parts.append(host.machine.value.replace("AMD64", "x86_64"))
    if isinstance(host.wsl, Known):
        parts.append(f"WSL{host.wsl.value}")
    if isinstance(host.container, Known):
        parts.append(f"in a container ({host.container.value})")
    return (
        ("System", ", ".join(parts), OK) if parts else ("System", *_not_known(host.os, "unknown"))
    )


def _python(report: Report) -> tuple[str, str, str]:
    subject = report.subject
    if not subject.python_version:
        return ("Python", *_not_known(report.facts.interpreter.version, "not found"))
    by = f"  ({subject.chosen_by})" if subject.chosen_by else ""
    return "Python", f"{subject.python_version}  {subject.python}{by}", OK


def _tensorflow(facts: Facts) -> tuple[str, str, str]:
    asked = facts.tensorflow
    if not isinstance(asked.version, Known):
        return ("TensorFlow", *_not_known(asked.version, "not installed"))
    name = value_or(asked.distribution, "tensorflow")
    text = str(asked.version.value) if name == "tensorflow" else f"{asked.version.value} ({name})"
    if isinstance(asked.build, Known):
        cuda, cudnn, rocm = asked.build.value.cuda, asked.build.value.cudnn, asked.build.value.rocm
        if isinstance(cuda, Known):
            text += f", built for CUDA {cuda.value}"
            text += f" and cuDNN {cudnn.value}" if isinstance(cudnn, Known) else ""
        elif isinstance(rocm, Known):
            text += f", built for ROCm {rocm.value}"
        elif isinstance(cuda, Absent):
            text += ", built for the CPU only"
    return "TensorFlow", text, OK


def _packages(facts: Facts) -> tuple[str, str, str]:
    installed = facts.packages.installed
    if not isinstance(installed, Known):
        return ("Packages", *_not_known(installed, "none"))
    return "Packages", f"{len(installed.value)} installed", OK


def _driver(facts: Facts) -> tuple[str, str, str]:
    driver = facts.driver
    if not isinstance(driver.version, Known):
        return ("Driver", *_not_known(driver.version, "no NVIDIA driver"))
    text = str(driver.version.value)
    if isinstance(driver.cuda_version, Known):
        text += f" (CUDA {driver.cuda_version.value})"
    return "Driver", text, OK


def _gpus(facts: Facts) -> _Rows:
    devices = value_or(facts.driver.devices, ())
    for gpu in devices:
        text = f"{gpu.name}, {size(gpu.memory_total)}, compute capability {gpu.compute_capability}"
        yield f"GPU {gpu.index}", text, OK
    if devices:
        return
    named = [device.name for device in value_or(facts.nvml.devices, ())]
    on_bus = [
        f"{_VENDORS.get(each.vendor, each.vendor)} GPU"
        for each in value_or(facts.host.gpus_on_bus, ())
    ]
    for name in named or on_bus:
        nvidia = bool(named) or name.startswith("NVIDIA")
        yield (
            "GPU",
            f"{name}, {'not available to CUDA programs' if nvidia else 'not used'}",
            WARNING,
        )
    if not (named or on_bus):
        yield ("GPU", *_not_known(facts.host.gpus_on_bus, "none found"))


def _libraries(facts: Facts) -> tuple[str, str, str]:
    libraries = facts.cuda_libraries.libraries
    if not isinstance(facts.tensorflow.version, Known):
        return "CUDA", "not checked (no TensorFlow)", SKIPPED
    if not isinstance(libraries, Known):
        return ("CUDA", *_not_known(libraries, "this TensorFlow needs no CUDA libraries"))
    missing = sum(not isinstance(library.path, Known) for library in libraries.value)
    if missing:
        if _has_no_nvidia(facts):
            return "CUDA", "not needed without an NVIDIA GPU", SKIPPED
        return "CUDA", f"{missing} of {len(libraries.value)} libraries not found", SKIPPED
    return "CUDA", f"{counted(len(libraries.value), 'library', 'libraries')} found", OK


def _has_no_nvidia(facts: Facts) -> bool:
    """Whether neither the bus nor a driver shows one."""
    on_bus = facts.host.gpus_on_bus
    seen = isinstance(on_bus, Failed) or any(
        each.vendor == "nvidia" for each in value_or(on_bus, ())
    )
    return not seen and isinstance(facts.driver.library, Absent)


def _memory(facts: Facts) -> tuple[str, str, str]:
    memory = facts.memory
    if not (isinstance(memory.ram_total, Known) and isinstance(memory.ram_available, Known)):
        return ("Memory", *_not_known(memory.ram_total, "unknown"))
    text = f"{size(memory.ram_available.value)} of {size(memory.ram_total.value)} free"
    if isinstance(memory.cgroup_limit, Known):
        text += f", container or job limit {size(memory.cgroup_limit.value)}"
    return "Memory", text, OK


def _tests(report: Report) -> tuple[str, str, str]:
    """What passed, what failed, and why the others were skipped."""
    smoke = report.facts.smoke
    stages = {stage.name: stage for stage in report.smoke.stages}
    passed, failed, skipped = [], [], []
    for name in _TESTS:
        stage = stages.get(name)
        if stage is None or stage.status == "skipped":
            skipped.append(name)
        elif stage.status == "passed":
            passed.append(_passed(name, smoke))
        else:
            failed.append(_NAMES[name])
    if failed:
        return (
            "Tests",
            f"failed: {', '.join(failed)}" + (f"; passed: {', '.join(passed)}" if passed else ""),
            ERROR,
        )
    if not passed:
        return "Tests", f"skipped: {_reason(report)}", SKIPPED
    took = sum(stage.duration_s for stage in stages.values() if stage.status == "passed")
    return "Tests", f"{', '.join(passed)} passed in {took:.1f} s", OK


_NAMES = {"driver": "GPU kernel", "libraries": "CUDA libraries", "tensorflow": "TensorFlow"}


def _passed(name: str, smoke: object) -> str:
    fact = getattr(smoke, name)
    if isinstance(fact, Known) and name == "tensorflow":
        return counted(len(fact.value.computations), "TensorFlow test")
    if isinstance(fact, Known) and name == "libraries":
        return counted(len(fact.value.libraries), "CUDA library", "CUDA libraries")
    if isinstance(fact, Known):
        return f"kernel on {counted(len(fact.value.devices), 'GPU')}"
    return _NAMES[name]


def _reason(report: Report) -> str:
    if report.smoke.requested == "none":
        return "--smoke none"
    reasons = (
        stage.detail.get("reason") for stage in report.smoke.stages if stage.status == "skipped"
    )
    return next((str(each) for each in reasons if each), "not run")
