"""Drivers, engines of containers and images: who brings what is too old or missing, and where it is replaced."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.instead import DRIVER_OF_WINDOWS
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.brought.boards import board_fixes
from tfdoctor.checks.log.gpus.drivers import image_driver_fixes
from tfdoctor.checks.log.kinds.boxes import of_engine, with_compute
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.fixes.driver import install_driver


def desktop(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Who brings the toolkit: Docker Desktop its own, an engine inside WSL that of WSL's packages."""
    update = "winget upgrade --id Docker.DockerDesktop"
    if here.has("desktop"):
        title = "Update Docker Desktop to 4.31 or newer, in Windows' PowerShell: the toolkit is a part of it"
        return (
            Fix(
                title,
                (update, "wsl --shutdown"),
                "Its own window can do it, too: Settings, Software updates.",
            ),
        )
    ask = Fix(
        "See which Docker it is; it changes nothing. Docker Desktop brings the toolkit itself: update it to 4.31 or newer, in its window under Settings, Software updates",
        ("docker info --format '{{.OperatingSystem}}'",),
        f"If it says Docker Desktop, `{update}` in Windows' PowerShell does it, too. If it names a Linux, Docker is installed inside WSL, and the next step is the one.",
    )
    return (ask,)


def engine(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    if finding.code == "driver-library-unreachable" and told.named("stubs-on-the-path"):
        return (_WITHOUT_STUBS,)
    if finding.code == "container-without-gpu" and here.has("slurm") and not isinstance(case.facts.host.container, Known):  # fmt: skip
        return (_OF_SLURM,)
    if board_fixes(finding.code, case.facts, told):
        return ()  # its runtime is another one than that of other machines
    if told.named(*_ASKED_IN_VAIN):
        return ()  # the start asked for the GPU already, and Docker can't hand any in
    return with_compute(told) or of_engine(case.facts)


_ASKED_IN_VAIN = ("docker-no-device-driver",)


_OF_SLURM = Fix(
    "Ask Slurm for a GPU: a login node, or a job that asked for none, has none. The command shows whether a job gets one",
    ("srun --gres=gpu:1 nvidia-smi",),
    "In the job's script: #SBATCH --gres=gpu:1, and the partition with GPUs, if your cluster has one of its own.",
)


_WITHOUT_STUBS = Fix(
    "Take the folder stubs off LD_LIBRARY_PATH, for this shell; then out of the line that sets it (ENV in a Dockerfile, env in a pod's file)",
    ('export LD_LIBRARY_PATH=$(echo "$LD_LIBRARY_PATH" | tr ":" "\\n" | grep -v /stubs | paste -sd ":")',),
    "Its libcuda is for linking programs alone, and stands there before the driver's own. `nvidia-smi` in the same place shows whether a GPU was handed in.",
)


def differing(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    return image_driver_fixes(case.facts) or (() if here.has("windows", "wsl") else _RESTARTED)


_RESTARTED = (
    Fix(
        "Restart the machine whose driver it is (of a container or pod the host, the node): its kernel then loads the module of the installed driver",
        ("sudo reboot",),
        "It ends all that runs there. The usual reason is an update of the driver, also an automatic one, without a restart since.",
    ),
    Fix(
        "Or load the new module without a restart of the host. It works only while no program uses the GPU, the desktop included",
        (
            "sudo modprobe --remove nvidia_uvm nvidia_drm nvidia_modeset nvidia",
            "sudo modprobe nvidia",
            "sudo nvidia-modprobe -u",
        ),
    ),
    Fix(
        "If it is the same after a restart, the host has two drivers. Find them, and remove the package that does not belong to the module",
        (
            "ldconfig -p | grep -E 'libcuda.so.1|libnvidia-ml.so.1'",
            'dpkg -S "$(readlink -f /usr/lib/x86_64-linux-gnu/libcuda.so.1)"',
        ),
    ),
)


def newer_driver(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Windows' own, also for WSL; elsewhere the page's. None goes before the way of a text that ends programs which want no GPU."""
    if told.named("driver-attribute-unknown"):
        return ()
    if here.has("windows"):
        return (DRIVER_OF_WINDOWS,)
    return (install_driver(case.facts, case.matrix),) if here.has("wsl") else ()


def newer_image(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """The server's own image; what runs in it can't be installed beside it."""
    return _OF_A_SERVERS_IMAGE if here.has("serving") else ()


_OF_A_SERVERS_IMAGE = (
    Fix(
        "Take the newest image of the server, and see by its first requests whether it holds code for this GPU",
        ("docker pull tensorflow/serving:latest-gpu",),
    ),
    Fix(
        "Until there is one, serve on the processor: hand the variable into the container",
        ("docker run --rm -e CUDA_VISIBLE_DEVICES=-1 tensorflow/serving:latest-gpu --version",),
        "Put the same -e into your own docker run, before the image's name; in your shell it would not reach the container.",
    ),
)


def lost_gpu(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """A pod gets its devices when it is created; Docker's own commands do not reach it."""
    if not here.has("kubernetes"):
        return ()
    lasting = (each for each in finding.fixes if any("nvidia-ctk" in line for line in each.commands))
    return (_NEW_POD, *lasting)


_NEW_POD = Fix(
    "Create the pod again: a new container gets the GPU's device files, with your own pod's name in place of my-pod",
    (
        "kubectl get pod my-pod -o yaml > my-pod.yaml",
        "kubectl delete pod my-pod",
        "kubectl create -f my-pod.yaml",
    ),
    "Where a Deployment, a StatefulSet or a Job made the pod, the second line is enough. What the pod kept in itself is lost.",
)
