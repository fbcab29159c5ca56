"""The container or the scheduler's job that this process runs in."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.ask.probes.text_files import first_line, lines_of, mounts
from tfdoctor.base.expressions import Expression
from tfdoctor.base.mounts import MOUNTINFO
from tfdoctor.base.printable import plain
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import SchedulerJob

# What container managers put into the environment of their first process (systemd's container interface, 2026-11)
_NAMES = {
    "lxc": "lxc",
    "lxc-libvirt": "lxc",
    "systemd-nspawn": "systemd-nspawn",
    "docker": "docker",
    "podman": "podman",
    "oci": "podman",
    "rkt": "rkt",
    "garden": "garden",
}
_CGROUP_MARKS = (  # parts of the names that engines give their cgroups
    (Expression(r"kubepods"), "kubernetes"),
    (Expression(r"libpod|/machine\.slice/libpod"), "podman"),
    (Expression(r"/docker[/-]|docker-[0-9a-f]{12,}"), "docker"),
    (Expression(r"/lxc[./]|lxc\.payload"), "lxc"),
    (Expression(r"/garden/"), "garden"),
    (Expression(r"containerd|crio-"), "containerd"),
)
_DISK_SYSTEMS = {"ext2", "ext3", "ext4", "xfs", "f2fs"}


def container_kind(system: System) -> Fact[str]:
    """ "kubernetes", "docker", "podman", "lxc", "apptainer", "systemd-nspawn" …; Absent outside a container."""
    for ask in (_by_environment, _by_files, _by_manager, _by_cgroup, _by_mounts):
        if found := ask(system):
            return Known(*found)
    if disk := _whole_disk(system):
        return Absent(disk)
    if system.live and not isinstance(mounts(system), Known):
        return Failed(
            "the mount table of this process can't be read, and there is no /.dockerenv", "hidden"
        )
    return Absent(
        "no mark of a container: no /.dockerenv, no /run/.containerenv, no cgroup or mount of an engine"
    )


def _by_environment(system: System) -> tuple[str, str] | None:
    environ = system.environ
    if environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes", "KUBERNETES_SERVICE_HOST"
    for name in (
        "APPTAINER_CONTAINER",
        "APPTAINER_NAME",
        "SINGULARITY_CONTAINER",
        "SINGULARITY_NAME",
    ):
        if environ.get(name):
            return "apptainer", name
    return None


def _by_files(system: System) -> tuple[str, str] | None:
    if system.exists("/var/run/secrets/kubernetes.io") or system.exists(
        "/run/secrets/kubernetes.io"
    ):
        return "kubernetes", "/run/secrets/kubernetes.io"
    if system.exists("/run/.containerenv"):
        return "podman", "/run/.containerenv"
    if system.exists("/.singularity.d"):
        return "apptainer", "/.singularity.d"
    if system.exists("/.dockerenv") and not _whole_disk(system):
        return "docker", "/.dockerenv"
    return None


def _by_manager(system: System) -> tuple[str, str] | None:
    """systemd writes its manager's word into a file; without systemd the first process has it in its environment."""
    line = first_line(system, "/run/systemd/container")
    if isinstance(line, Known) and line.value in _NAMES:
        return _NAMES[line.value], "/run/systemd/container"
    environ = lines_of(system, "/proc/1/environ")
    text = "\0".join(environ.value) if isinstance(environ, Known) else ""
    for entry in (*text.split("\0"), f"container={system.environ.get('container', '')}"):
        name, _, value = entry.partition("=")
        if name == "KUBERNETES_SERVICE_HOST":
            return "kubernetes", "/proc/1/environ"
        if name == "container" and value in _NAMES:
            return _NAMES[value], "the variable container"
    return None


def _by_cgroup(system: System) -> tuple[str, str] | None:
    for name in ("/proc/1/cgroup", "/proc/self/cgroup"):
        lines = lines_of(system, name)
        text = "\n".join(lines.value) if isinstance(lines, Known) else ""
        for mark, kind in _CGROUP_MARKS:
            if mark.search(text):
                return kind, name
    return None


def _by_mounts(system: System) -> tuple[str, str] | None:
    """LXC mounts its own /proc files over the kernel's; other engines leave their folders in the root's options."""
    listed = value_or(mounts(system), [])
    if any(mount.kind == "fuse.lxcfs" and mount.point.startswith("/proc/") for mount in listed):
        return "lxc", MOUNTINFO
    roots = [mount for mount in listed if mount.point == "/"]
    if not roots or roots[-1].kind not in ("overlay", "fuse.fuse-overlayfs"):
        return None
    for mark, kind in (
        ("/docker/", "docker"),
        ("/containers/storage/", "podman"),
        ("containerd", "containerd"),
    ):
        if mark in roots[-1].options:
            return kind, MOUNTINFO
    # a live USB system has an overlay as root, too, but no file of an engine's mounted over its host name
    named = any(mount.point == "/etc/hostname" for mount in listed)
    return ("container of unknown kind", MOUNTINFO) if named else None


def _whole_disk(system: System) -> str:
    """Why /.dockerenv proves nothing here: the root is a disk of its own, a virtual machine made from an image."""
    table = mounts(system)
    roots = (
        [mount for mount in table.value if mount.point == "/"] if isinstance(table, Known) else []
    )
    if (
        roots
        and roots[-1].kind in _DISK_SYSTEMS
        and roots[-1].root == "/"
        and roots[-1].source.startswith("/dev/")
    ):
        return f"the root is a whole {roots[-1].kind} disk, {plain(roots[-1].source)}, which no engine mounts so"
    return ""


def scheduler_job(environ: Mapping[str, str]) -> Fact[SchedulerJob]:
    """The job by the variables that the scheduler sets; `gpus` is what it granted."""
    for kind, marks, grants, sure in _SCHEDULERS:
        if not all(environ.get(mark) for mark in marks):
            continue
        granted = [name for name in grants if _grants(name, environ.get(name, ""))]
        if granted:
            gpus: Fact[str] = Known(plain(environ[granted[0]]), granted[0])
        elif sure:
            gpus = Absent(f"none of {', '.join(grants)} is set: the job was granted no GPU")
        else:
            gpus = Failed(f"{kind} does not always say which GPUs it granted", "missing")
        return Known(SchedulerJob(kind, gpus), marks[0])
    return Absent("no variable of Slurm, PBS, LSF, Grid Engine or HTCondor is set")


def _grants(name: str, value: str) -> bool:
    """ "0" is the first GPU in a list of GPUs and none in a count."""
    none = ("", "(null)", "-1", "NoDevFiles")
    return value.strip() not in ((*none, "0") if name in _COUNTS else none)


_COUNTS = ("SLURM_GPUS_ON_NODE", "SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK")
# kind, variables that mark a job, variables that name the granted GPUs, and whether their absence means none.
# sbatch(1) and srun(1) of Slurm 24.11, qsub(1B) of OpenPBS, LSF 10.1 and Univa Grid Engine 8.6 reference manuals.
_SCHEDULERS: tuple[tuple[str, tuple[str, ...], tuple[str, ...], bool], ...] = (
    (
        "slurm",
        ("SLURM_JOB_ID",),
        (
            "SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "SLURM_GPUS_ON_NODE", "SLURM_GPUS", "SLURM_GPUS_PER_NODE",
            "SLURM_GPUS_PER_TASK", "GPU_DEVICE_ORDINAL", "CUDA_VISIBLE_DEVICES",
        ),
        True,
    ),
    ("pbs", ("PBS_JOBID",), ("CUDA_VISIBLE_DEVICES",), False),
    ("lsf", ("LSB_JOBID",), ("CUDA_VISIBLE_DEVICES",), False),
    ("sge", ("JOB_ID", "SGE_TASK_ID"), ("SGE_HGR_gpu", "CUDA_VISIBLE_DEVICES"), False),
    ("htcondor", ("_CONDOR_JOB_AD",), ("_CONDOR_AssignedGPUs", "CUDA_VISIBLE_DEVICES"), False),
)  # fmt: skip
