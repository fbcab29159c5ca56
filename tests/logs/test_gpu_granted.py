"""A job or container that was given its GPU, or was not: Slurm, Apptainer, rootless engines."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged

STAMP = "2026-11-01 10:00:00.100000: "
NO_LIBCUDA = STAMP + "E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)\n"  # fmt: skip
NO_DEVICE = NO_LIBCUDA.replace(
    "UNKNOWN ERROR (303)", "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
)
NO_RUNTIME = STAMP + "I external/local_xla/xla/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.\n"  # fmt: skip
NONE = '>>> tf.config.list_physical_devices("GPU")\n[]\n'
IN_A_JOB = "srun: job 42 has been allocated resources\n"


@pytest.mark.parametrize(
    ("start", "said", "code", "first"),
    [
        ("#SBATCH --gpus=2\n" + IN_A_JOB, NO_DEVICE, "gpu-hidden", "See which GPUs a job step gets"),
        ("$ sbatch --gpus-per-node=1 job.sh\n", NO_DEVICE, "gpu-hidden", "See which GPUs a job step gets"),
        ("SLURM_JOB_ID=7\nSLURM_STEP_GPUS=0\n", NO_DEVICE, "gpu-hidden", "See which GPUs a job step gets"),
        ("$ srun --gres=gpu:1 python t.py\n", NO_LIBCUDA, "driver-missing", "See which GPUs a job step gets"),
        (IN_A_JOB, NO_DEVICE, "container-without-gpu", "Request a GPU from Slurm"),
        ("#SBATCH --gres=ssd:1\n" + IN_A_JOB, NO_DEVICE, "container-without-gpu", "Request a GPU from Slurm"),
        ("$ sbatch --gpus=0 job.sh\n", NO_DEVICE, "container-without-gpu", "Request a GPU from Slurm"),
    ],
)  # fmt: skip
def test_a_job_of_slurm(start: str, said: str, code: str, first: str) -> None:
    root = judged(start + said + NONE).roots[0]
    assert (root.code, root.fixes[0].title) == (code, first)


@pytest.mark.parametrize(
    ("start", "nv"),
    [
        ("$ apptainer exec tensorflow.sif python t.py\n", True),
        ("Apptainer> python t.py\n", True),
        ("Singularity> python3 t.py\n", True),
        ("INFO:    Converting SIF file to temporary sandbox...\n", True),
        ("$ apptainer exec --nv tensorflow.sif python t.py\n", False),
        ("$ python t.py\n", False),
    ],
)
def test_apptainer_is_told_its_option_for_gpus(start: str, nv: bool) -> None:
    fixes = judged(start + NO_RUNTIME + NONE).roots[0].fixes
    assert (fixes[0].title == "Start the container with --nv") is nv
    assert nv or all(" --nv " not in line for fix in fixes for line in fix.commands)


@pytest.mark.parametrize(
    "line",
    [
        "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters attached to the cgroup: bpf_prog_query(BPF_CGROUP_DEVICE) failed: operation not permitted: unknown.",
        "Error: OCI runtime error: crun: nvidia-container-cli: mount error: failed to add device rules: unable to generate new device filter program from existing programs: operation not permitted",
        "nvidia-container-cli: mount error: write error: /sys/fs/cgroup/devices/user.slice/libpod-1f/devices.allow: operation not permitted",
    ],
)
def test_a_rootless_container_leaves_the_cgroups_alone(line: str) -> None:
    root = judged(line + "\n").roots[0]
    assert (root.code, root.fixes[0].title) == (
        "container-without-gpu",
        "Let the toolkit leave the cgroups alone (on the host)",
    )
