"""What the driver's refusals mean where driver and versions are in order: one check for each row of the tables."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.driver_codes import (
    compat_library,
    refused_as,
)
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.commands import check_again, quoted, system_install
from tfdoctor.fixes.variables import leave_out

SMOKE = ("smoke-driver-failed", "smoke-tensorflow-failed", "smoke-timeout")


@check("forward-compat-unsupported", prevents=Ability.DRIVER, explains=(*SMOKE, "driver-too-old"))
def forward_compat_unsupported(case: Case) -> Found | None:
    """A libcuda from a cuda-compat folder that does not start, whatever it answers; or the answer 804 of another one."""
    refusal = refused_as(case, "forward-compat-unsupported")
    if refusal is None:
        return None
    return Found(
        "The libcuda in use comes from NVIDIA's forward-compatibility package (cuda-compat), which runs only on data-centre "
        "GPUs and with the driver branches that it names. Here it refuses, so no program can use the GPU.",
        (
            answer(case, refusal),
            evidence(case, "driver.library", "the driver's own libcuda", observed=_path(case)),
            evidence(case, "driver.module_version"),
        ),
        (
            _leave_compat_out(case),
            Fix(
                "Remove the package",
                (
                    fixes.sudo(
                        case.facts,
                        'sh -c \'apt-get remove --yes "cuda-compat-*" || dnf remove --assumeyes "cuda-compat-*"\'',
                    ),
                ),
                "The driver's own libcuda is then found. In a container, remove it from the image.",
            ),
            fixes.install_driver(case.facts, case.matrix),
        ),
        Confidence.CERTAIN if compat_library(case.facts) else Confidence.LIKELY,
    )


def _leave_compat_out(case: Case) -> Fix:
    """By what led the loader there: LD_LIBRARY_PATH, or the system's own list of folders."""
    library = case.facts.driver.library
    folder = _path(case).rpartition("/")[0]
    if isinstance(library, Known) and library.value.found_via == "ld.so.cache" and folder:
        away = f"grep -lE '^{folder}/?$' /etc/ld.so.conf.d/*.conf | xargs -r sed -i.bak '\\#^{folder}#s/^/# /' && ldconfig"
        note = (
            "It comments the folder out in the list that the loader's cache is made of, and keeps the old file beside it. In an image, put "
            "the same line into the Dockerfile."
        )
        return Fix(
            "Take the compat folder out of the loader's cache",
            (fixes.sudo(case.facts, f"sh -c {quoted(away)}"),),
            note,
        )
    if folder and folder in _library_path(case):
        return leave_out(case.facts, "LD_LIBRARY_PATH", folder)
    return fix("leave-compat-folder-out-loaders-path")


def _library_path(case: Case) -> list[str]:
    """LD_LIBRARY_PATH's entries without a trailing slash."""
    whole = value_or(case.facts.environment.variables, {}).get("LD_LIBRARY_PATH", "")
    return [each.rstrip("/") for each in whole.split(":")]


def _path(case: Case) -> str:
    library = case.facts.driver.library
    found = library.value.path if isinstance(library, Known) else library
    return found.value if isinstance(found, Known) else "libcuda.so.1"


@check("uvm-broken", prevents=Ability.DRIVER, explains=SMOKE)
def uvm_broken(case: Case) -> Found | None:
    """cuInit's answer 999 (unknown) that nothing else explains, or any refusal where /dev/nvidia-uvm is missing beside the
    GPU's own nodes, which makes it certain.
    """
    refusal = refused_as(case, "uvm-broken")
    if refusal is None:
        return None
    facts = case.facts
    inside = fixes.in_container(facts)
    return Found(
        "The driver runs, but its part for unified memory (nvidia-uvm), which every CUDA program needs, does not answer: "
        "it was never loaded, its device is not in this container, or it lost its state when the machine slept.",
        (
            answer(case, refusal),
            evidence(
                case, "host.uvm_node", "" if isinstance(facts.host.uvm_node, Known) else "/dev/nvidia-uvm"
            ),
            evidence(case, "nvml.init_code"),
        ),
        (
            *(_expose_uvm(case) if inside else ()),
            *_uvm_ways(case, " (on the host)" if inside else ""),
            fixes.reboot(facts, "The module starts with a clean state."),
        ),
        Confidence.CERTAIN if isinstance(facts.host.uvm_node, Absent) else Confidence.LIKELY,
    )


def _uvm_ways(case: Case, where: str) -> tuple[Fix, Fix]:
    """A device that is missing is made; one that is there and does not answer has lost its state."""
    facts = case.facts
    make = Fix(
        f"Make the device and load the module{where}",
        (fixes.sudo(facts, "nvidia-modprobe -u -c=0"),),
        f"It creates /dev/nvidia-uvm and changes nothing else. Then: {check_again(facts, '--smoke', 'driver')}",
    )
    again = Fix(
        f"Reload the module, for a machine that slept{where}",
        (fixes.sudo(facts, "modprobe --remove nvidia_uvm"), fixes.sudo(facts, "modprobe nvidia_uvm")),
        "It works while no program uses CUDA; end those first.",
    )
    return (again, make) if isinstance(facts.host.uvm_node, Known) else (make, again)


def _expose_uvm(case: Case) -> tuple[Fix, ...]:
    kind = case.facts.host.container
    if isinstance(kind, Known) and kind.value == "lxc":
        return fixes.give_gpu(case.facts)
    note = "Start the container by --gpus all (docker) or --device nvidia.com/gpu=all (podman) instead of single --device entries."
    return (Fix("Hand all of the driver's devices into the container", note=note),)


@check("fabric-manager-not-running", prevents=Ability.DRIVER, explains=SMOKE)
def fabric_manager_not_running(case: Case) -> Found | None:
    """The driver's answer that means it (802, system not yet initialised)."""
    refusal = refused_as(case, "fabric-manager-not-running")
    if refusal is None:
        return None
    facts = case.facts
    version = facts.driver.version
    exact, branch = (str(version.value), str(version.value.major)) if isinstance(version, Known) else ("", "")
    install = Fix(
        f"Install the fabric manager of exactly driver {exact}"
        if exact
        else "Install the fabric manager of the driver's exact version",
        _fabric_packages(case, branch),
        "It must have the very version of the driver, to the last number: nvidia-smi and `nv-fabricmanager --version` show both.",
    )
    start = Fix(
        "Start the fabric manager" + (" (on the host)" if fixes.in_container(facts) else ""),
        (fixes.sudo(facts, "systemctl enable --now nvidia-fabricmanager"),),
        "It initialises the switches between the GPUs, which takes up to a minute, and changes nothing else. `systemctl status "
        "nvidia-fabricmanager` must say active; nvidia-smi -q must say `Fabric … State: Completed`.",
    )
    return Found(
        "The GPUs of this machine are joined by NVSwitch, and the service that sets the switches up has not done so. Until "
        "then CUDA starts on none of them, though nvidia-smi looks fine.",
        (answer(case, refusal), evidence(case, "driver.version")),
        (start, install, fixes.kernel_log(facts)),
    )


def _fabric_packages(case: Case, branch: str) -> tuple[str, ...]:
    if not branch or fixes.in_container(case.facts):
        return ()
    return system_install(
        case.facts, apt=f"nvidia-fabricmanager-{branch}", dnf="nvidia-fabric-manager", otherwise=""
    )


@check("wsl-container-toolkit-old", prevents=Ability.DRIVER, explains=(*SMOKE, "nvml-unusable"))
def wsl_container_toolkit_old(case: Case) -> Found | None:
    """The driver's answer 500 (not found) in a container in WSL: a part of the driver was not handed in."""
    refusal = refused_as(case, "wsl-container-toolkit-old")
    if refusal is None:
        return None
    return Found(
        "Windows' driver 555 and newer consists of files that container toolkits before 1.14.4 do not hand into the "
        "container. The half driver that arrives can't start.",
        (answer(case, refusal), evidence(case, "driver.version"), evidence(case, "host.container")),
        (fix("update-container-toolkit-in-wsl-system"),),
        Confidence.LIKELY,
    )
