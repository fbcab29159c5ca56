"""Whether the machine's GPU reaches this process: none there, none given to the container, or no licence."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions import visibility as hiding
from tfdoctor.checks.questions.driver_codes import SMOKE, Refusal, no_gpu_given, refused_as
from tfdoctor.checks.questions.gpu import (
    boxed,
    driver_starts,
    has_nodes,
    in_wsl,
    nvidia_gpu,
    nvidia_on_bus,
)
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes import driver as fixes
from tfdoctor.fixes.commands import check_again

NO_GPU = ("nvml-unusable", SMOKE, "smoke-tensorflow-failed", "smoke-timeout")


@check("gpu-absent", prevents=Ability.DRIVER, explains=NO_GPU)
def gpu_absent(case: Case) -> Found | None:
    """Nothing shows a GPU of NVIDIA: no device on the bus, no node, no driver that starts; nor one of another vendor that
    this build serves. An error only where a GPU is required.
    """
    facts = case.facts
    if isinstance(case.need_outcome(nvidia_gpu(facts)), Known) or _other_vendor(case):
        return None
    required = bool(case.policy.require_gpu)
    inside = isinstance(boxed(facts), Known)
    amd = _vendors(case) == {"amd"}
    return Found(
        (_AMD if amd else "Nothing shows a GPU that TensorFlow could use, so it computes on the CPU. ")
        + ("A GPU was required." if required else "That is no fault where none is wanted."),
        (
            evidence(
                case,
                "host.gpus_on_bus",
                "an NVIDIA GPU" if required else "",
                observed="an AMD GPU" if amd else "",
            ),
            evidence(case, "host.gpu_device_nodes"),
            *((evidence(case, "driver.init_code"),) if isinstance(facts.driver.init_code, Known) else ()),
        ),
        _ways_to_a_gpu(case, inside=inside) if required else (),
        severity=Severity.ERROR if required else Severity.INFO,
    )


_AMD = (
    "The GPU here is AMD's, for which this TensorFlow holds no code, so it computes on the CPU; AMD publishes builds of its own for Linux "
    "(tensorflow-rocm). "
)


def _vendors(case: Case) -> set[str]:
    return {gpu.vendor for gpu in value_or(case.facts.host.gpus_on_bus, ())}


def _other_vendor(case: Case) -> bool:
    """An AMD GPU with a ROCm build, or Apple's: supported in another way. With a CUDA build an AMD GPU is of no use."""
    build, vendors = case.facts.tensorflow.build, _vendors(case)
    rocm = isinstance(build, Known) and isinstance(build.value.rocm, Known)
    return "apple" in vendors or ("amd" in vendors and rocm)


def _ways_to_a_gpu(case: Case, *, inside: bool) -> tuple[Fix, ...]:
    if in_wsl(case.facts):
        return (
            *(fixes.give_gpu(case.facts) if inside else ()),
            fixes.install_driver(case.facts, case.matrix),
        )
    note = "In a virtual machine, hand a GPU through in the hypervisor; in a cloud, choose a machine type that has one."
    ways: tuple[Fix, ...] = (Fix("Use a machine that has an NVIDIA GPU", note=note),)
    if inside:
        ways = (*fixes.give_gpu(case.facts), *ways)
    accept = Fix(
        "Accept the CPU",
        (check_again(case.facts, "--no-require-gpu"),),
        "The same examination, without asking for a GPU.",
    )
    return (*ways, accept)


@check(
    "container-without-gpu",
    prevents=Ability.DRIVER,
    explains=(*NO_GPU, "gpu-absent", "driver-missing", "uvm-broken"),
)
def container_without_gpu(case: Case) -> Found | None:
    """In a container or job: a GPU on the bus that no device node leads to, or a libcuda that is a stub. Without hardware
    on the bus nothing was held back.
    """
    facts = case.facts
    refusal = _stub_or_none(case)
    if refusal is None:
        if driver_starts(facts) or hiding.hidden_at_start(facts):
            return None
        if not nvidia_on_bus(facts):
            if _asked_of_docker_desktop(case):
                return _in_docker_desktop(case)
            _nothing_to_hand_in(case)
            return None
        case.need(boxed(facts))
        if not _nothing_inside(case):
            return None
    present = nvidia_on_bus(facts) or case.policy.require_gpu or not isinstance(nvidia_gpu(facts), Absent)
    place = boxed(facts)
    name = place.value if isinstance(place, Known) else "container"
    return Found(
        f"This machine has an NVIDIA GPU, but none was handed into this {name} {_kind(case)}; TensorFlow computes on the CPU."
        if nvidia_on_bus(facts)
        else f"This {name} {_kind(case)} holds only a stub of libcuda: it was started without a GPU.",
        (
            evidence(case, "host.gpus_on_bus", observed="an NVIDIA GPU" if nvidia_on_bus(facts) else ""),
            evidence(case, "host.gpu_device_nodes", "/dev/nvidia0 or another"),
            *((answer(case, refusal),) if refusal else ()),
            *(
                (evidence(case, "host.scheduler", "a GPU granted", observed=_granted(case)),)
                if isinstance(facts.host.scheduler, Known)
                else ()
            ),
        ),
        fixes.give_gpu(facts),
        severity=None if present else Severity.INFO,
    )


def _asked_of_docker_desktop(case: Case) -> bool:
    """A container in the virtual machine of Docker Desktop for Linux or macOS, whose kernel is LinuxKit's, with an image or an
    option that asks for GPUs. On Windows Docker Desktop runs in WSL, which can hand them in.
    """
    facts = case.facts
    asked = hiding.variable(facts, hiding.CONTAINER_VARIABLE) or ""
    inside = isinstance(facts.host.container, Known) and "linuxkit" in value_or(facts.host.kernel, "")
    return inside and asked not in ("", "void", "none") and not has_nodes(facts) and not in_wsl(facts)


def _in_docker_desktop(case: Case) -> Found:
    asked = hiding.variable(case.facts, hiding.CONTAINER_VARIABLE)
    return Found(
        "This container runs in the virtual machine of Docker Desktop, which has no NVIDIA GPU on Linux and on a Mac, whatever --gpus says; "
        "TensorFlow computes on the CPU.",
        (
            evidence(case, "host.kernel", "a kernel of the machine itself"),
            Evidence("environment.variables", f"{hiding.CONTAINER_VARIABLE}={asked}", "", "the image or its start asks for GPUs"),
            evidence(case, "host.gpu_device_nodes", "/dev/nvidia0 or another"),
        ),
        (
            fix("start-container-by-docker-engine-runs"),
        ),
        severity=None if case.policy.require_gpu else Severity.WARNING,
        title="Docker Desktop's virtual machine has no GPU, and this container asks for one.",
    )  # fmt: skip


def _stub_or_none(case: Case) -> Refusal | None:
    if not isinstance(case.facts.driver.init_code, Known):
        return None
    return refused_as(case, "container-without-gpu")


def _nothing_to_hand_in(case: Case) -> None:
    """Without hardware on the bus nothing was held back; where nobody could look, nothing is decided."""
    if not isinstance(boxed(case.facts), Absent) and not has_nodes(case.facts):
        case.need_outcome(case.facts.host.gpus_on_bus)


def _nothing_inside(case: Case) -> bool:
    if no_gpu_given(case.facts):
        granted_elsewhere = has_nodes(case.facts) and not _no_device(case)
        return not granted_elsewhere
    case.need_outcome(case.facts.host.gpu_device_nodes)
    return False


def _no_device(case: Case) -> bool:
    said = case.facts.driver.init_code
    return isinstance(said, Known) and said.value in (100, 101)


def _kind(case: Case) -> str:
    return "container" if isinstance(case.facts.host.container, Known) else "job"


def _granted(case: Case) -> str:
    job = case.facts.host.scheduler
    if not isinstance(job, Known):
        return ""
    gpus = job.value.gpus
    return (
        f"{job.value.kind} granted GPU {gpus.value}"
        if isinstance(gpus, Known)
        else f"{job.value.kind} granted none"
    )


@check("container-lost-gpu", prevents=Ability.DRIVER, explains=(*NO_GPU, "uvm-broken"))
def container_lost_gpu(case: Case) -> Found | None:
    """NVML answers 999, and cuInit finds no GPU or does not know why it fails, in a container whose device nodes are
    still there.
    """
    refusal = refused_as(case, "container-lost-gpu")
    if refusal is None:
        return None
    pod = value_or(case.facts.host.container, "") in ("kubernetes", "containerd")
    again = (
        "Delete the pod; what replaces it gets its GPU again."
        if pod
        else "`docker restart` and its name, on the host, may be enough."
    )
    return Found(
        "The GPU's device nodes are in this container, but it may no longer open them: when systemd on the host writes its rules for "
        "the container again (systemctl daemon-reload, a change of limits), the GPUs are not among them. Programs that run go on, new ones "
        "find no GPU.",
        (
            answer(case, refusal),
            evidence(case, "nvml.init_code", "0"),
            evidence(case, "host.gpu_device_nodes"),
        ),
        (
            fix("create-container-again", again=again),
            fix("keep-from-happening-again-on-host"),
        ),
        Confidence.LIKELY,
    )


@check("vgpu-unlicensed", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed", SMOKE))
def vgpu_unlicensed(case: Case) -> Found | None:
    """NVML says unlicensed, or the driver's answer means it: then it is an error."""
    refused = refused_as(case, "vgpu-unlicensed") if isinstance(case.facts.driver.init_code, Known) else None
    states = [] if refused else [device.vgpu_license for device in case.need(case.facts.nvml.devices)]
    unlicensed = any(isinstance(state, Known) and state.value == "unlicensed" for state in states)
    if not refused and not unlicensed:
        unknown = [state for state in states if isinstance(state, Failed)]
        for state in unknown:
            case.cant_tell(state)
        return None
    return Found(
        "This virtual GPU has no licence: it works for some minutes after the start, is then slowed down, and at last "
        "CUDA programs can't start on it.",
        (
            answer(case, refused)
            if refused
            else evidence(case, "nvml.devices", "licensed", observed="a vGPU without a licence"),
        ),
        (fix("give-guest-licence"),),
        severity=Severity.ERROR if refused else None,
        title="This virtual GPU has no licence.",
    )
