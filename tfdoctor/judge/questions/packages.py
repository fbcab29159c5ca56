"""What the checks of packages and platform ask again and again: which version, which package, which requirement."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from tfdoctor.base.version_ranges import range_of
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import Distribution, Requirement
from tfdoctor.judge.engine.case import Case, Inconclusive
from tfdoctor.judge.questions.gpu import nvidia_gpu
from tfdoctor.knowledge.model import Evidence

if TYPE_CHECKING:
    from packaging.version import Version

ARCHITECTURES = {
    "amd64": "x86_64",
    "x64": "x86_64",
    "arm64": "aarch64",
    "i386": "x86",
    "i586": "x86",
    "i686": "x86",
}
"""One name for each family: Windows, macOS and Linux write them differently (platform.machine())."""


def architecture(machine: str) -> str:
    """ "AMD64" and "x86_64" are one architecture, "arm64" and "aarch64" another."""
    return ARCHITECTURES.get(machine.lower(), machine.lower())


def version_of(text: str) -> Version:
    """Raises Inconclusive for text that is no version."""
    from packaging.version import InvalidVersion, Version  # 20 ms that few answers need

    try:
        return Version(text)
    except InvalidVersion as error:
        raise Inconclusive(f"{text!r} isn't a version") from error


def tensorflow_version(case: Case) -> Version:
    return version_of(case.need(case.facts.tensorflow.version))


def fits(version: str, specifier: str) -> bool:
    """Whether a version is inside a specifier, prereleases too. Raises Inconclusive where either can't be read."""
    from packaging.specifiers import InvalidSpecifier  # 20 ms that few answers need

    try:
        return range_of(specifier).contains(version_of(version), prereleases=True)
    except InvalidSpecifier as error:
        raise Inconclusive(f"{specifier!r} isn't a version specifier") from error


N = TypeVar("N", Distribution, Requirement)


def installed(case: Case, name: str) -> Fact[Distribution]:
    """The distribution of that (normalised) name that Python would use. Absent: not installed."""
    if name in case.policy.left_open:
        return Failed(f"the files leave open which {name} they bring", "not-asked")
    return _named(case.facts.packages.installed, name, f"{name} is not installed")


def requirements_of(facts: Facts, extra: str = "") -> Fact[tuple[Requirement, ...]]:
    """TensorFlow's own requirements, or those of one of its extras."""
    everything = facts.packages.requirements
    if not isinstance(everything, Known):
        return everything
    return Known(tuple(each for each in everything.value if each.extra == extra), everything.source)


def requirement(case: Case, name: str) -> Fact[Requirement]:
    """TensorFlow's own requirement of a package; Absent where it has none."""
    return _named(requirements_of(case.facts), name, f"TensorFlow does not require {name}")


def _named(listed: Fact[tuple[N, ...]], name: str, without: str) -> Fact[N]:
    if not isinstance(listed, Known):
        return listed
    return next(
        (Known(each, listed.source) for each in listed.value if each.name == name), Absent(without)
    )


def wanted_gpu(case: Case) -> Fact[str]:
    """An NVIDIA GPU that is there, or the demand for one (`--require-gpu`): a TensorFlow without CUDA can't meet it."""
    found = nvidia_gpu(case.facts)
    if not isinstance(found, Known) and case.policy.require_gpu:
        return Known("a GPU is required", "--require-gpu")
    return found


def gpu_evidence(case: Case) -> Evidence:
    """What shows the GPU, or the demand for one."""
    found = nvidia_gpu(case.facts)
    if not isinstance(found, Known):
        return Evidence("--require-gpu", "a GPU is required")
    driver, nvml = case.facts.driver.devices, case.facts.nvml.devices
    shown = driver if isinstance(driver, Known) else nvml
    if isinstance(shown, Known) and shown.value:
        path = "driver.devices" if shown is driver else "nvml.devices"
        return Evidence(path, ", ".join(dict.fromkeys(each.name for each in shown.value)))
    return Evidence("host.gpus_on_bus", found.value)


def has_gpu_build(case: Case, platform: str, version: str) -> bool:
    """Whether this release or a later one has a GPU build for the platform. Raises Inconclusive where no release is known."""
    newest = next(case.matrix.releases(platform), None)
    if newest is None:
        raise Inconclusive(f"the matrix knows no TensorFlow for {platform}")
    later = (
        each for each in case.matrix.releases(platform) if fits(each.tensorflow, f">={version}")
    )
    return any(isinstance(each.gpu, Known) and each.gpu.value for each in chain((newest,), later))
