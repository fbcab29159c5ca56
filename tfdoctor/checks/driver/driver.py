"""Whether a driver is there: its library, and its kernel module."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.driver_codes import (
    Refusal,
    compat_library,
    loader_error,
    module_not_loaded,
    no_gpu_given,
    no_response,
    refused_as,
)
from tfdoctor.checks.questions.gpu import driver_starts, has_nodes, in_wsl, need_gpu, nvidia_gpu
from tfdoctor.checks.questions.search_paths import supplied_by
from tfdoctor.checks.questions.stage_output import words
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.values import Library
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.paths import leave_out
from tfdoctor.fixes.variables import search_here
from tfdoctor.meaning.driver_answers import STUB_LIBRARY

OUT_OF_REACH = ("jetson", "nixos", "container")
"""Words of `found_via` for places that the loader did not search (WSL's has a code of its own)."""
FOLLOWS = ("nvml-unusable", "smoke-driver-failed", "smoke-tensorflow-failed", "uvm-broken", "gpu-absent")
"""What a driver that is not whole brings with it."""


def answer(case: Case, refusal: Refusal) -> Evidence:
    """The driver's own answer as evidence."""
    name = f" ({refusal.name})" if refusal.name else ""
    return Evidence(refusal.path, f"{refusal.step} answers {refusal.number}{name}", "0", refusal.why)


def _installed_out_of_reach(case: Case) -> tuple[str, ...]:
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
    if no_gpu_given(facts) or has_nodes(facts) or _installed_out_of_reach(case):
        return None
    if isinstance(case.need_outcome(facts.driver.module_version), Known):
        return None
    bound = _bound_elsewhere(case)
    return Found(
        f"The GPU is in this machine, but nothing that could drive it is installed{bound}. TensorFlow computes on the CPU.",
        (
            evidence(case, "host.gpus_on_bus", observed="an NVIDIA GPU"),
            evidence(case, "driver.library", "libcuda.so.1"),
            evidence(case, "driver.module_version", "a loaded kernel module"),
        ),
        (fixes.install_driver(facts),),
    )


def _held_by(case: Case, name: str) -> bool:
    """Whether that kernel driver holds an NVIDIA GPU."""
    bus = case.facts.host.gpus_on_bus
    gpus = bus.value if isinstance(bus, Known) else ()
    return any(
        gpu.vendor == "nvidia" and isinstance(gpu.driver, Known) and gpu.driver.value == name for gpu in gpus
    )


def _bound_elsewhere(case: Case) -> str:
    if _held_by(case, "vfio-pci"):
        return " (the GPU is set aside for a virtual machine: the kernel driver vfio-pci holds it)"
    return (
        " (the kernel driver nouveau, which can't compute, holds the GPU)"
        if _held_by(case, "nouveau")
        else ""
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
    facts, found = case.facts, _installed_out_of_reach(case)
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
        return (fixes.install_libcuda(facts, loaded.value), fixes.install_driver(facts))
    return (fixes.install_driver(facts),)


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
            *((fixes.install_driver(case.facts),) if not _installed_out_of_reach(case) else ()),
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
    return Fix(
        "Take the folder of stubs off the loader's path",
        ("unset LD_LIBRARY_PATH",),
        "It holds in this shell. Then find what sets LD_LIBRARY_PATH to a folder named stubs, and remove that entry.",
    )


@check("driver-module-not-loaded", prevents=Ability.DRIVER, explains=FOLLOWS)
def driver_module_not_loaded(case: Case) -> Found | None:
    """libcuda is installed, the kernel shows no module, cuInit does not start, and its answer names no other reason."""
    facts = case.facts
    if driver_starts(facts) or in_wsl(facts):
        return None
    installed = isinstance(case.need_outcome(facts.driver.library), Known) or bool(
        _installed_out_of_reach(case)
    )
    if not installed or isinstance(case.need_outcome(facts.driver.module_version), Known):
        return None
    need_gpu(case)
    if no_gpu_given(facts) or not module_not_loaded(facts) or _other_reason(case):
        return None
    said = facts.driver.init_code
    return Found(
        f"The driver's libraries are installed, but the kernel has not loaded its module{_bound_elsewhere(case)}, so no program reaches the GPU.",
        (
            evidence(case, "driver.module_version", "a loaded kernel module"),
            *((evidence(case, "driver.init_code", "0"),) if isinstance(said, Known) else ()),
            evidence(case, "driver.module_on_disk", "an nvidia.ko for this kernel"),
            *((rejected,) if (rejected := _rejected(case)) else ()),
        ),
        _load_module(case),
        title="The kernel refuses NVIDIA's module: Secure Boot is on, and the module has no signature that it trusts."
        if _rejected(case)
        else "",
    )


def _other_reason(case: Case) -> bool:
    """cuInit named a fault of its own: a stub, a compat library."""
    said = case.facts.driver.init_code
    if isinstance(said, Failed) and isinstance(case.facts.driver.library, Known):
        case.cant_tell(said)
    return compat_library(case.facts) or (
        isinstance(said, Known) and said.value in (STUB_LIBRARY, 803, 804, 802)
    )


_REFUSALS = (
    "unsigned module",
    "unavailable key",
    "Key was rejected",
    "module loading is restricted",
    "key not available",
)
"""What the kernel says of a module without a signature that it trusts (kernel/module/signing.c and Lockdown, 4.4 to 6.12)."""


def _rejected(case: Case) -> Evidence | None:
    lines = value_or(case.facts.kernel_log.nvidia_messages, ())
    line = next((each for each in lines if any(words in each for words in _REFUSALS)), "")
    return (
        Evidence("kernel_log.nvidia_messages", line, "the module is loaded", "the kernel log")
        if line
        else None
    )


def _signed(case: Case) -> tuple[Fix, ...]:
    """A key of one's own in the firmware's list (MOK), with which DKMS or akmods sign, or no Secure Boot."""
    key = {"dnf": "/etc/pki/akmods/certs/public_key.der"}.get(
        value_or(case.facts.host.package_manager, ""), "/var/lib/shim-signed/mok/MOK.der"
    )
    enrol = Fix(
        "Let the firmware trust the key that signs the module",
        (fixes.sudo(case.facts, f"mokutil --import {key}"), fixes.sudo(case.facts, "reboot")),
        "It asks for a password of your choice, and for the same one at the blue screen of the next start (Enroll MOK). Where there is no such "
        "file, make it first: Fedora `sudo kmodgenca -a`, Ubuntu and Debian `sudo update-secureboot-policy --new-key`; DKMS has its own in "
        "/var/lib/dkms/mok.pub. Then build the module again: `sudo akmods --force`, `sudo dkms autoinstall --force`.",
    )
    off = Fix(
        "Turn Secure Boot off in the firmware's settings",
        note="`mokutil --sb-state` tells whether it is on. It concerns every system on this machine.",
    )
    return (enrol, off)


def _load_module(case: Case) -> tuple[Fix, ...]:
    facts = case.facts
    if _rejected(case):
        return _signed(case)
    load = Fix(
        "Load the kernel module",
        (fixes.sudo(facts, "modprobe nvidia"),),
        f"It changes nothing on disk. {fixes.SEE_GPU}",
    )
    if isinstance(facts.driver.module_on_disk, Absent):
        note = (
            "There is no module for the running kernel: it was updated after the driver. DKMS builds one from the driver's "
            "source; with Secure Boot it must also be signed (mokutil --sb-state says whether that is on)."
        )
        build = Fix(
            "Build the module for this kernel",
            (fixes.sudo(facts, "dkms autoinstall"), fixes.sudo(facts, "modprobe nvidia")),
            note,
        )
        return (build, fixes.install_driver(facts))
    if _held_by(case, "nouveau"):
        return (fixes.without_nouveau(facts),)
    return (
        load,
        Fix(
            "See why it refuses, if it does",
            (fixes.sudo(facts, "dmesg | grep -iE 'nvidia|NVRM|nouveau' | tail -n 20"),),
            "`Key was rejected` means Secure Boot and a module without a signature; `nouveau` in use means that it has to "
            "be blacklisted and the machine rebooted.",
        ),
        fixes.reboot(facts, "A module that was just installed is loaded at the start."),
    )
