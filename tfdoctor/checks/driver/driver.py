"""Whether a driver is there: its library, and its kernel module."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.driver_codes import (
    Refusal,
    loader_error,
    no_gpu_given,
    no_response,
    refused_as,
)
from tfdoctor.checks.questions.gpu import has_nodes, in_wsl, need_gpu, nvidia_gpu
from tfdoctor.checks.questions.search_paths import supplied_by
from tfdoctor.checks.questions.stage_output import words
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import Library
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.variables import leave_out, search_here

OUT_OF_REACH = ("jetson", "nixos", "container")
"""Words of `found_via` for places that the loader did not search (WSL's has a code of its own)."""
FOLLOWS = ("nvml-unusable", "smoke-driver-failed", "smoke-tensorflow-failed", "uvm-broken", "gpu-absent")
"""What a driver that is not whole brings with it."""


def answer(case: Case, refusal: Refusal) -> Evidence:
    """The driver's own answer as evidence."""
    name = f" ({refusal.name})" if refusal.name else ""
    return Evidence(refusal.path, f"{refusal.step} answers {refusal.number}{name}", "0", refusal.why)


def installed_out_of_reach(case: Case) -> tuple[str, ...]:
    """Copies of libcuda that are no stubs and no compat packages, where the loader does not look."""
    others = case.facts.driver.other_libraries
    found = others.value if isinstance(others, Known) else ()
    return tuple(path for path in found if "/stubs/" not in path and "compat" not in path)


@check("driver-missing", prevents=Ability.DRIVER, explains=(*FOLLOWS, "driver-module-not-loaded"))
def driver_missing(case: Case) -> Found | None:
    """An NVIDIA GPU is on the bus, and neither libcuda nor device nodes nor a loaded module are there. In WSL, and where
    no GPU was given to a container, other codes speak.
    """
    facts = case.facts
    if isinstance(case.need_outcome(facts.driver.library), Known) or in_wsl(facts):
        return None
    need_gpu(case)
    if no_gpu_given(facts) or has_nodes(facts) or installed_out_of_reach(case):
        return None
    if isinstance(case.need_outcome(facts.driver.module_version), Known):
        return None
    bound = bound_elsewhere(case)
    return Found(
        f"The GPU is in this machine, but nothing that could drive it is installed{bound}. TensorFlow computes on the CPU.",
        (
            evidence(case, "host.gpus_on_bus", observed="an NVIDIA GPU"),
            evidence(case, "driver.library", "libcuda.so.1"),
            evidence(case, "driver.module_version", "a loaded kernel module"),
        ),
        (fixes.install_driver(facts, case.matrix),),
    )


def held_by(case: Case, name: str) -> bool:
    """Whether that kernel driver holds an NVIDIA GPU."""
    bus = case.facts.host.gpus_on_bus
    gpus = bus.value if isinstance(bus, Known) else ()
    return any(
        gpu.vendor == "nvidia" and isinstance(gpu.driver, Known) and gpu.driver.value == name for gpu in gpus
    )


def bound_elsewhere(case: Case) -> str:
    if held_by(case, "vfio-pci"):
        return " (the GPU is set aside for a virtual machine: the kernel driver vfio-pci holds it)"
    return (
        " (the kernel driver nouveau, which can't compute, holds the GPU)" if held_by(case, "nouveau") else ""
    )


@check("driver-library-unreachable", prevents=Ability.DRIVER, explains=FOLLOWS)
def driver_library_unreachable(case: Case) -> Found | None:
    """A module is loaded or device nodes exist while the loader finds no libcuda; or it finds a stub (cuInit answers
    34); or a copy that only we found by looking where this kind of system keeps it.
    """
    facts = case.facts
    library = facts.driver.library
    if isinstance(library, Known):
        return _stub(case) or _found_by_us_alone(case, library.value) or _without_number(case, library.value)
    if in_wsl(facts) or no_response(library):  # wsl-driver-shadowed and driver-unresponsive speak of these
        return None
    if not loader_error(library):
        case.need_outcome(library)
    loaded = case.need_outcome(facts.driver.module_version)
    if no_gpu_given(facts) or not (isinstance(loaded, Known) or has_nodes(facts)):
        return None
    return Found(
        "The kernel's part of the driver works, but programs can't open libcuda.so.1, through which they talk to it. "
        "TensorFlow computes on the CPU.",
        (
            evidence(case, "driver.module_version"),
            evidence(case, "driver.library", "libcuda.so.1 where the loader looks"),
            *(
                (evidence(case, "driver.other_libraries"),)
                if isinstance(facts.driver.other_libraries, Known)
                else ()
            ),
        ),
        _reach_library(case),
    )


def _without_number(case: Case, library: Library) -> Found | None:
    """libcuda.so.1 is found, and something asks for libcuda.so, which only packages for developers bring."""
    text = None if in_wsl(case.facts) else words(case.facts, "libcuda-plain-name")
    if text is None or not isinstance(library.path, Known):
        return None
    folder, _, name = library.path.value.rpartition("/")
    return Found(
        "cuDNN opens libcuda.so by that name. The driver's library is there as libcuda.so.1 alone, so the first convolution ends the "
        "program.",
        (text, evidence(case, "driver.library", "libcuda.so beside it")),
        (
            Fix(
                "Add the name that is asked for",
                (fixes.sudo(case.facts, f"ln -s {name} {folder}/libcuda.so"),),
                "It adds one link beside the driver's library. In a container, put the line into the image's start script.",
            ),
        ),
        title="cuDNN asks for libcuda.so, and only libcuda.so.1 is there.",
        explains=frozenset(("smoke-tensorflow-failed", "native-crash", "check-failed")),
    )


def _reach_library(case: Case) -> tuple[Fix, ...]:
    facts, found = case.facts, installed_out_of_reach(case)
    if found:
        return search_here(facts, tuple(dict.fromkeys(path.rpartition("/")[0] for path in found)))
    if fixes.in_container(facts):
        note = (
            "Start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility: without `compute` the toolkit "
            "leaves libcuda out."
        )
        return (Fix("Ask for the compute part of the driver", note=note), *fixes.give_gpu(facts))
    loaded = facts.driver.module_version
    if isinstance(loaded, Known):
        return (fixes.install_libcuda(facts, loaded.value), fixes.install_driver(facts, case.matrix))
    return (fixes.install_driver(facts, case.matrix),)


def _found_by_us_alone(case: Case, library: Library) -> Found | None:
    """libcuda is where this kind of system keeps it, but the loader, which TensorFlow asks, does not look there."""
    if library.found_via not in OUT_OF_REACH or not isinstance(library.path, Known):
        return None
    need_gpu(case)
    folder = library.path.value.rpartition("/")[0]
    return Found(
        f"libcuda.so.1 is in {folder}, where the dynamic loader does not look. TensorFlow asks the loader for it, finds none and "
        "computes on the CPU.",
        (
            Evidence(
                "driver.library",
                f"found in {folder} only by looking there",
                "found by the loader",
                "dlopen(3)",
            ),
        ),
        search_here(case.facts, (folder,)),
    )


def _stub(case: Case) -> Found | None:
    refusal = refused_as(case, "driver-library-unreachable")
    if refusal is None:
        return None
    present = isinstance(nvidia_gpu(case.facts), Known)
    return Found(
        "The libcuda that the loader finds is a stub: a file to link against, without a driver in it. The real one is "
        "not found first, so TensorFlow computes on the CPU.",
        (answer(case, refusal), evidence(case, "driver.library", "the driver's own libcuda")),
        (
            _off_the_stubs(case),
            *((fixes.install_driver(case.facts, case.matrix),) if not installed_out_of_reach(case) else ()),
        ),
        severity=None if present or case.policy.require_gpu else Severity.INFO,
    )


def _off_the_stubs(case: Case) -> Fix:
    library = case.facts.driver.library
    path = value_or(library.value.path, "") if isinstance(library, Known) else ""
    folder = supplied_by(case, "libcuda.so.1") or path.rpartition("/")[0]
    named = value_or(case.facts.environment.variables, {}).get("LD_LIBRARY_PATH", "").split(":")
    if folder in [each.rstrip("/") for each in named]:
        return leave_out(case.facts, "LD_LIBRARY_PATH", folder)
    return fix("take-folder-stubs-off-loaders-path")
