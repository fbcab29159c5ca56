"""Why the driver's kernel module is not loaded."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import (
    FOLLOWS,
    bound_elsewhere,
    held_by,
    installed_out_of_reach,
)
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.driver_codes import (
    compat_library,
    module_not_loaded,
    no_gpu_given,
)
from tfdoctor.checks.questions.gpu import driver_starts, in_wsl, need_gpu
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.findings.driver_errors import STUB_LIBRARY
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Evidence, Fix
from tfdoctor.fixes import driver as fixes


@check("driver-module-not-loaded", prevents=Ability.DRIVER, explains=FOLLOWS)
def driver_module_not_loaded(case: Case) -> Found | None:
    """libcuda is installed, the kernel shows no module, cuInit does not start, and its answer names no other reason."""
    facts = case.facts
    if driver_starts(facts) or in_wsl(facts):
        return None
    installed = isinstance(case.need_outcome(facts.driver.library), Known) or bool(
        installed_out_of_reach(case)
    )
    if not installed or isinstance(case.need_outcome(facts.driver.module_version), Known):
        return None
    need_gpu(case)
    if no_gpu_given(facts) or not module_not_loaded(facts) or _other_reason(case):
        return None
    said = facts.driver.init_code
    return Found(
        f"The driver's libraries are installed, but the kernel has not loaded its module{bound_elsewhere(case)}, so no program reaches the GPU.",
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
    off = fix("turn-secure-boot-off-in-firmwares")
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
        return (build, fixes.install_driver(facts, case.matrix))
    if held_by(case, "nouveau"):
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
