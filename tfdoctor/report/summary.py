"""The one sentence of a report that a person can act on, and whom it speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tfdoctor.base.units import counted
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, map_known, value_or
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Finding, Role, Severity, Undecided, Verdict
from tfdoctor.report.report import Subject

_PROPER_NAMES = {"Python", "Secure", "Keras", "Windows", "Linux", "Docker", "Kubernetes", "Jupyter", "Slurm", "Conda", "Rosetta",
                 "Apple", "Intel", "Ubuntu", "Debian"}  # fmt: skip
NO_GPU = "No NVIDIA GPU found."
WRONG_NUMBERS = "gpu-computes-wrong"  # the GPU can be used, and must not be
_OF_ONE_FOLDER = (
    "tensorflow-shadowed"  # by the working folder, without which the environment is examined
)
_VERSION = re.compile(r"(?P<sign>(?:>=|==)?)(?P<version>\d+\.[\w.]+)")
_LONGEST_VALUE = 24  # characters of an observation that still reads as part of a sentence


def subject(facts: Facts) -> Subject:
    """The examined interpreter and why it was this one; what could not be found out stays empty."""
    asked = facts.interpreter
    return Subject(
        python=value_or(asked.executable, ""),
        python_version=value_or(map_known(asked.version, str), ""),
        environment=value_or(asked.environment, ""),
        chosen_by=value_or(asked.chosen_by, ""),
    )


def summary(
    verdict: Verdict, findings: Sequence[Finding], undecided: Sequence[Undecided], facts: Facts
) -> str:
    """What is wrong; or what works, and on what."""
    roots = [finding for finding in findings if finding.role is Role.ROOT]
    if verdict is Verdict.HEALTHY or (not roots and verdict is not Verdict.UNKNOWN):
        return _healthy(facts)
    if roots:
        return _faulty(verdict, roots)
    live = [item for item in undecided if not item.not_live and not item.settled]
    because = f": {clause(live[0].because)}" if live else ""
    return f"No verdict: some information could not be read{because}."


def clause(sentence: str) -> str:
    """A sentence as a part of another: without its full stop, and without a capital that only began it."""
    text = sentence.strip().rstrip(".")
    first = text.split(" ", 1)[0].rstrip(":,;")
    is_name = first in _PROPER_NAMES or not first[1:].islower()
    return text if is_name and len(first) > 1 else text[:1].lower() + text[1:]


def _faulty(verdict: Verdict, roots: list[Finding]) -> str:
    worst = roots[0]
    if worst.code == "tensorflow-missing":
        return worst.title
    return f"{_effect(verdict, roots)}: {clause(worst.title)}{_observed(worst)}."


def _effect(verdict: Verdict, roots: list[Finding]) -> str:
    if verdict is Verdict.BROKEN:
        errors = [root for root in roots if root.severity is Severity.ERROR]
        if errors and all(root.code == WRONG_NUMBERS for root in errors):
            return "TensorFlow's results on the GPU are wrong"
        gpu_alone = all(root.code in CODES and CODES[root.code].gpu_only for root in errors)
        return "TensorFlow can't use the GPU" if errors and gpu_alone else "TensorFlow doesn't work"
    if verdict is Verdict.UNKNOWN:
        return "No verdict, but one thing is known"
    if roots[0].code == _OF_ONE_FOLDER:
        return "TensorFlow works, but programs in this directory fail"
    return "TensorFlow works, with a warning"


def _observed(finding: Finding) -> str:
    """The first observed version against the one that is needed, where the title does not name it."""
    for item in finding.evidence:
        needed = _VERSION.fullmatch(item.expected)
        if needed and item.observed and len(item.observed) <= _LONGEST_VALUE:
            if item.observed in finding.title:
                return ""
            newer = " or newer" if needed["sign"] == ">=" else ""
            return f" (you have {item.observed}, needed: {needed['version']}{newer})"
    return ""


def _healthy(facts: Facts) -> str:
    version = value_or(facts.tensorflow.version, "")
    name = f"TensorFlow {version}".strip()
    smoke = facts.smoke.tensorflow
    if isinstance(facts.tensorflow.version, Absent):
        return "TensorFlow is not installed. No other problem found."
    if not isinstance(smoke, Known):
        found = f" with {name}{_on_gpus(facts)}" if version else ""
        return f"No problem found{found}. TensorFlow was not run."
    gpus = {
        item.device
        for item in smoke.value.computations
        if item.device.startswith("GPU") and item.status == "passed"
    }
    if gpus:
        on = _on_gpus(facts) or f" on {counted(len(gpus), 'GPU')}"
        return f"{name} works{on}."
    seen = bool(value_or(facts.driver.devices, ())) or bool(value_or(facts.nvml.devices, ()))
    return f"{name} works on the CPU. {'' if seen else NO_GPU}".rstrip()


def _on_gpus(facts: Facts) -> str:
    devices = value_or(facts.driver.devices, ())
    if not devices:
        return ""
    names = ", ".join(dict.fromkeys(device.name for device in devices))
    return f" on {counted(len(devices), 'GPU')} ({names})"
