"""What the driver's refusals mean where driver and versions are in order: one check for each row of the tables."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import FOLLOWS, answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.build import at_least
from tfdoctor.checks.questions.driver_codes import (
    Refusal,
    compat_library,
    ended_badly,
    loader_error,
    no_response,
    nvml_refusal,
    refused_as,
)
from tfdoctor.checks.questions.gpu import driver_starts, need_gpu
from tfdoctor.checks.questions.visibility import hidden_at_start
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.commands import check_again, quoted, system_install
from tfdoctor.fixes.paths import leave_out

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
            fixes.install_driver(case.facts),
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
    return Fix(
        "Leave the compat folder out of the loader's path",
        ("unset LD_LIBRARY_PATH",),
        "It holds in this shell, and changes nothing on disk. If it helps, take the compat folder out of the line that sets "
        "LD_LIBRARY_PATH, or out of /etc/ld.so.conf.d.",
    )


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
        (
            Fix(
                "Update the container toolkit in the WSL system that runs docker",
                (
                    "sudo apt-get update",
                    "sudo apt-get install --yes --only-upgrade nvidia-container-toolkit",
                    "sudo systemctl restart docker",
                ),
                "It needs 1.14.4 or newer (nvidia-ctk --version). With Docker Desktop, update Docker Desktop instead. Then create "
                "the container again.",
            ),
        ),
        Confidence.LIKELY,
    )


@check("nvml-unusable", prevents=Ability.GPU, explains=("smoke-tensorflow-failed",))
def nvml_unusable(case: Case) -> Found | None:
    """NVML's library is not found or refuses to start, beside a GPU that is there and a build with CUDA. An error where
    this TensorFlow asks NVML for the GPUs (2.21 on) or nothing else starts, else a warning.
    """
    facts = case.facts
    need_gpu(case)
    if _no_use_for_nvml(case):
        return None
    library = facts.nvml.library
    if no_response(library) or no_response(facts.nvml.init_code):
        case.need(facts.nvml.init_code)
    refusal = None
    if isinstance(library, Known):
        refusal = nvml_refusal(case)
        if refusal is None or refusal.code != "nvml-unusable":
            return None
    elif not loader_error(library):
        case.need_outcome(library)
    return _without_nvml(case, refusal)


def _no_use_for_nvml(case: Case) -> bool:
    """A TensorFlow without CUDA asks for none; a container that was given no GPU gets no NVML, either."""
    build = case.facts.tensorflow.build
    bare = isinstance(build, Known) and isinstance(build.value.cuda, Absent)
    return bare or hidden_at_start(case.facts)


def _without_nvml(case: Case, refusal: Refusal | None) -> Found:
    facts = case.facts
    needed = at_least(facts.tensorflow.version, 2, 21)
    silent = not isinstance(needed, Known) or needed.value
    effect = (
        "TensorFlow 2.21 and newer asks NVML for the GPUs; without it they show none and log nothing."
        if silent
        else "This TensorFlow does without NVML; nvidia-smi and what watches the GPU's memory do not work."
    )
    proof = answer(case, refusal) if refusal else evidence(case, "nvml.library", "libnvidia-ml.so.1")
    works = driver_starts(facts)
    return Found(
        ("The driver itself starts, but NVML, " if works else "NVML, ")
        + "the library behind nvidia-smi, can't be used. "
        + effect,
        (
            proof,
            *(
                (evidence(case, "driver.init_code", "0"),)
                if isinstance(facts.driver.init_code, Known)
                else ()
            ),
        ),
        _bring_nvml(case, refusal),
        severity=None if silent or not works else Severity.WARNING,
    )


def _bring_nvml(case: Case, refusal: Refusal | None) -> tuple[Fix, ...]:
    facts = case.facts
    if fixes.in_container(facts):
        note = (
            "Start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility (NVML belongs to `utility`). If it worked "
            "and stopped, create the container again: a reload of systemd takes its devices away."
        )
        return (Fix("Ask for the utility part of the driver", note=note),)
    if refusal is not None and refusal.number == 4:
        return (fixes.see_permissions(facts),)
    if refusal is not None:
        return (fixes.kernel_log(facts), fixes.reboot(facts, "The driver starts afresh."))
    return (_utility_package(case),)


def _utility_package(case: Case) -> Fix:
    facts = case.facts
    version = facts.driver.version
    branch = version.value.major if isinstance(version, Known) else fixes.BRANCH.major
    commands = system_install(
        facts,
        apt=f"libnvidia-compute-{branch} nvidia-utils-{branch}",
        dnf="xorg-x11-drv-nvidia-cuda",
        otherwise="",
    )
    return Fix(
        "Install the utility part of the driver",
        commands,
        f"It must be of the version of the running driver ({version.value if isinstance(version, Known) else 'see /proc/driver/nvidia/version'}). "
        f"{fixes.SEE_GPU}",
    )


@check("driver-unresponsive", prevents=Ability.NOTHING, explains=(*FOLLOWS, "smoke-timeout"))
def driver_unresponsive(case: Case) -> Found | None:
    """A call into the driver or NVML, or the driver stage, that hung, crashed or ended its caller. A kernel that does not
    end is smoke-timeout.
    """
    proof = _silent_calls(case)
    if not proof:
        for library, said in (
            (case.facts.driver.library, case.facts.driver.init_code),
            (case.facts.nvml.library, case.facts.nvml.init_code),
        ):
            if not loader_error(library):
                case.need_outcome(said)
        return None
    facts = case.facts
    return Found(
        "A call into the driver hangs or kills the program that makes it. TensorFlow makes the same call at its start and "
        "would hang or die there, too. What else depends on the driver could not be judged.",
        proof,
        (
            fixes.kernel_log(facts),
            Fix(
                "See which processes are stuck on the GPU",
                ("ps -eo pid,stat,wchan:32,comm | awk 'NR == 1 || $2 ~ /^D/'",),
                "It changes nothing. A process in state D waits in the kernel and can't be ended; end the others that use the GPU.",
            ),
            fixes.reload_modules(facts),
            fixes.reboot(facts, "The driver and the GPU start afresh."),
        ),
    )


def _silent_calls(case: Case) -> tuple[Evidence, ...]:
    facts = case.facts
    asked = {
        "driver.library": facts.driver.library,
        "driver.init_code": facts.driver.init_code,
        "driver.devices": facts.driver.devices,
        "nvml.library": facts.nvml.library,
        "nvml.init_code": facts.nvml.init_code,
        "nvml.devices": facts.nvml.devices,
    }
    found: dict[str, str] = {}
    for path, fact in asked.items():
        said = no_response(fact)
        if said and said not in found.values():
            found[path] = said
    smoke = facts.smoke.driver
    stage = ended_badly(smoke.value.end) if isinstance(smoke, Known) else ""
    if stage and not kernel_ran_out(case):
        found["smoke.driver"] = f"the driver stage {stage}"
    return tuple(Evidence(path, said, "an answer") for path, said in found.items())


KERNEL_STEPS = (
    "cuLaunchKernel",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "cuMemcpyDtoH",
)
"""Where a kernel that does not end is waited for; a hang there is smoke-timeout."""


def kernel_ran_out(case: Case) -> bool:
    smoke = case.facts.smoke.driver
    if not isinstance(smoke, Known) or smoke.value.end.how != "timeout":
        return False
    return any(
        device.step.startswith(KERNEL_STEPS) for device in smoke.value.devices if device.status == "failed"
    )
