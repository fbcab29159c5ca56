"""Containers and schedulers' jobs, by their marks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import lay_out
from tfdoctor.ask.probes.host.container import container_kind, scheduler_job
from tfdoctor.facts.outcome import Absent, Failed, Known

DOCKER_MOUNTS = (
    "651 540 0:54 / / rw,relatime master:217 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A,upperdir=/x\n"
    "700 651 254:1 /var/lib/docker/containers/0/hostname /etc/hostname rw,relatime - ext4 /dev/vda1 rw\n"
)
DISK = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
CONTAINERD = DOCKER_MOUNTS.replace("/var/lib/docker/overlay2/l/A", "/run/x/containerd/y")


@pytest.mark.parametrize(
    ("files", "environ", "kind"),
    [
        ({"/.dockerenv": ""}, {}, "docker"),
        ({"/.dockerenv": "", "/proc/self/mountinfo": DOCKER_MOUNTS}, {}, "docker"),
        ({"/proc/self/mountinfo": DOCKER_MOUNTS}, {}, "docker"),
        ({"/run/.containerenv": "", "/.dockerenv": ""}, {}, "podman"),
        ({"/.dockerenv": ""}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ({"/var/run/secrets/kubernetes.io/serviceaccount/": ""}, {}, "kubernetes"),
        ({"/proc/1/environ": "HOME=/root\0KUBERNETES_SERVICE_HOST=10.0.0.1\0"}, {}, "kubernetes"),
        ({"/proc/1/cgroup": "4:memory:/kubepods/burstable/pod0/0\n"}, {}, "kubernetes"),
        ({"/run/systemd/container": "lxc\n"}, {}, "lxc"),
        ({"/proc/1/environ": "container=lxc\0TERM=linux\0"}, {}, "lxc"),
        ({"/proc/1/cgroup": "0::/lxc.payload.101/init.scope\n"}, {}, "lxc"),
        (
            {
                "/proc/self/mountinfo": "1 2 0:3 /proc/meminfo /proc/meminfo rw - fuse.lxcfs lxcfs rw\n"
            },
            {},
            "lxc",
        ),
        ({"/run/systemd/container": "systemd-nspawn\n"}, {}, "systemd-nspawn"),
        ({}, {"container": "podman"}, "podman"),
        ({}, {"APPTAINER_NAME": "tf.sif"}, "apptainer"),
        ({}, {"SINGULARITY_CONTAINER": "/images/tf.sif"}, "apptainer"),
        ({"/.singularity.d/": ""}, {}, "apptainer"),
        ({"/proc/self/cgroup": "4:memory:/docker/0123456789abcdef\n"}, {}, "docker"),
        ({"/proc/self/cgroup": "0::/system.slice/docker-0123456789abcdef.scope\n"}, {}, "docker"),
        ({"/proc/self/mountinfo": CONTAINERD}, {}, "containerd"),
        (
            {"/proc/self/mountinfo": DOCKER_MOUNTS.replace("/docker/", "/x/")},
            {},
            "container of unknown kind",
        ),
    ],
)
def test_a_container_is_known_by_its_marks(
    tmp_path: Path, files: dict[str, str], environ: dict[str, str], kind: str
) -> None:
    fact = container_kind(lay_out(tmp_path, files, environ))
    assert isinstance(fact, Known)
    assert fact.value == kind


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"/proc/self/mountinfo": DISK, "/proc/1/cgroup": "0::/init.scope\n"},
        {"/proc/self/cgroup": "0::/system.slice/docker.service\n"},  # the engine itself
        {"/run/systemd/container": "wsl\n"},  # WSL says so of itself
        {
            "/proc/self/mountinfo": "1 0 0:20 / / rw - overlay /cow rw,lowerdir=/filesystem.squashfs\n"
        },  # a live USB system
    ],
)
def test_a_host_is_no_container(tmp_path: Path, files: dict[str, str]) -> None:
    assert isinstance(container_kind(lay_out(tmp_path, files)), Absent)


def test_dockerenv_on_a_disk_of_its_own_is_a_virtual_machine_made_from_an_image(
    tmp_path: Path,
) -> None:
    fact = container_kind(lay_out(tmp_path, {"/.dockerenv": "", "/proc/self/mountinfo": DISK}))
    assert isinstance(fact, Absent)
    assert "/dev/vda" in fact.reason


@pytest.mark.parametrize(
    ("environ", "kind", "gpus"),
    [
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_GPUS": "0"}, "slurm", "0"),
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_GPUS": "0,1", "SLURM_STEP_GPUS": "1"}, "slurm", "1"),
        ({"SLURM_JOB_ID": "7", "SLURM_GPUS_ON_NODE": "2"}, "slurm", "2"),
        ({"SLURM_JOB_ID": "7", "CUDA_VISIBLE_DEVICES": "0"}, "slurm", "0"),
        ({"PBS_JOBID": "9.head", "CUDA_VISIBLE_DEVICES": "GPU-1"}, "pbs", "GPU-1"),
        ({"LSB_JOBID": "9", "CUDA_VISIBLE_DEVICES": "0,1"}, "lsf", "0,1"),
        ({"JOB_ID": "9", "SGE_TASK_ID": "undefined", "SGE_HGR_gpu": "0 1"}, "sge", "0 1"),
        ({"_CONDOR_JOB_AD": "/x/.job.ad", "_CONDOR_AssignedGPUs": "GPU-1"}, "htcondor", "GPU-1"),
    ],
)
def test_a_job_and_its_gpus(environ: dict[str, str], kind: str, gpus: str) -> None:
    job = scheduler_job(environ)
    assert isinstance(job, Known)
    assert job.value.kind == kind
    assert isinstance(job.value.gpus, Known)
    assert job.value.gpus.value == gpus


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"SLURM_GPUS_ON_NODE": "0"},
        {"CUDA_VISIBLE_DEVICES": "NoDevFiles"},
        {"CUDA_VISIBLE_DEVICES": ""},
    ],
)
def test_a_slurm_job_without_gpus_is_certain(more: dict[str, str]) -> None:
    job = scheduler_job({"SLURM_JOB_ID": "7"} | more)
    assert isinstance(job, Known)
    assert isinstance(job.value.gpus, Absent)


def test_another_schedulers_silence_proves_nothing() -> None:
    job = scheduler_job({"PBS_JOBID": "9.head"})
    assert isinstance(job, Known)
    assert isinstance(job.value.gpus, Failed)


def test_no_job(tmp_path: Path) -> None:
    assert isinstance(scheduler_job({"JOB_ID": "5", "HOME": "/home/x"}), Absent)
