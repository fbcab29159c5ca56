"""Whether this user may open the files in /dev by which a process reaches the GPU."""

from __future__ import annotations

from tfdoctor.checks.driver.driver import answer
from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.driver_codes import SMOKE, Refusal, cuda_refusal, nvml_refusal
from tfdoctor.checks.questions.stage_output import first_of, texts_of
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.fixes import driver as fixes

CODE = "gpu-device-permission"
_AMD = "/dev/kfd"


@check(
    CODE,
    prevents=Ability.DRIVER,
    explains=("nvml-unusable", SMOKE, "smoke-tensorflow-failed", "gpu-absent"),
)
def device_permission(case: Case) -> Found | None:
    """Device nodes that this user may not open; or NVML's answer 4, or ROCm's words for that."""
    refusal = _refused(case)
    closed = value_or(case.facts.host.closed_nodes, ())
    amd, words = _rocm_refused(case), _rocm_words(case)
    if amd:
        case.need_outcome(case.facts.host.closed_nodes)
    nodes = [each for each in closed if refusal or (amd and not each.path.startswith("/dev/nvidia"))]
    if refusal is None and not words and not (amd and nodes):
        return None
    groups = tuple(dict.fromkeys(each.group for each in nodes if each.group not in ("", "root")))
    named = ", ".join(each.path for each in nodes) or (
        _AMD if amd or words else "/dev/nvidiactl and /dev/nvidia0"
    )
    return Found(
        f"The GPU and its driver are there, but this user may not open {named}, so TensorFlow computes on the CPU.",
        (
            *((answer(case, refusal),) if refusal else ()),
            *((evidence(case, "nvml.init_code", "0"),) if refusal and isinstance(case.facts.nvml.init_code, Known) else ()),
            *(Evidence("host.closed_nodes", f"{each.path} (group {each.group or 'unknown'})", "may be opened for reading and writing", "access(2)") for each in nodes),
            *((Evidence("smoke.tensorflow", words[:300], "the GPU can be opened", "the TensorFlow stage"),) if words else ()),
            *((evidence(case, "host.gpu_device_nodes"),) if not nodes else ()),
        ),
        _ways(case, groups, amd=amd or bool(words)),
        Confidence.CERTAIN if nodes or words else Confidence.LIKELY,
        title=f"This user may not open {named}.",
    )  # fmt: skip


def _refused(case: Case) -> Refusal | None:
    """cuInit's or NVML's answer, where it means this."""
    for known, ask in (
        (case.facts.driver.init_code, cuda_refusal),
        (case.facts.nvml.init_code, nvml_refusal),
    ):
        refusal = ask(case) if isinstance(known, Known) else None
        if refusal is not None and refusal.code == CODE:
            return refusal
    return None


def _rocm_refused(case: Case) -> bool:
    """A build for AMD's GPUs, one of which is here, and TensorFlow shows none."""
    build, bus = case.facts.tensorflow.build, value_or(case.facts.host.gpus_on_bus, ())
    rocm = isinstance(build, Known) and isinstance(build.value.rocm, Known)
    return rocm and any(each.vendor == "amd" for each in bus)


def _rocm_words(case: Case) -> str:
    """Also of a stage that passed: TensorFlow computes on the CPU then."""
    smoke = case.facts.smoke.tensorflow
    if not isinstance(smoke, Known) or value_or(smoke.value.gpus, ()):
        return ""
    return first_of((*texts_of(smoke.value), *smoke.value.end.stderr_tail), "kfd-refused")


def _ways(case: Case, groups: tuple[str, ...], *, amd: bool) -> tuple[Fix, ...]:
    facts = case.facts
    if fixes.in_container(facts):
        note = (
            "Add --device /dev/kfd --device /dev/dri --group-add video --group-add render to your own docker run; groups count by number, so "
            "where the host's `render` has another, name that number (getent group render)."
            if amd
            else "Start the container with --gpus all, as a user whom the host lets open the devices. On a host with SELinux (Fedora, RHEL): "
            "--security-opt label=disable, or on the host `sudo setsebool -P container_use_devices=true`."
        )
        return (Fix("Hand the devices in with the right to open them (on the host)", note=note),)
    wanted = groups or (("render", "video") if amd else ())
    after = "Log out and in again afterwards (a service or a Jupyter server has to be restarted); `id -nG` must then list it."
    see = fixes.see_permissions(facts) if not amd else fix("see-who-may-open-devices")  # fmt: skip
    if not wanted:
        return (see,)
    join = Fix(f"Join the group {' and '.join(wanted)}", (fixes.sudo(facts, f'usermod -aG {",".join(wanted)} "$(id -un)"'),), after)  # fmt: skip
    return (join, see)
