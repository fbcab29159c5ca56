"""A GPU that somebody wants: "nothing to do" never comes first then; where nobody does, it does."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding, Severity

MAY_MEAN_NOTHING = "2022-01-10 10:00:00.1: I tensorflow/stream_executor/cuda/cudart_stub.cc:29] Ignore above cudart dlerror if you do not have a GPU set up on your machine."
NO_DRIVER = "2026-03-06 09:42:40.123: E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)"
WORK = ("Epoch 1/1", "10/10 [==============================] - 1s 3ms/step - loss: 0.5")

WISHES = {
    "LSF": "LSF_SERVERDIR=/opt/lsf/10.1/linux3.10-glibc2.17-x86_64/etc",
    "Slurm": "/var/spool/slurm/job4242/slurm_script",
    "PBS": "/var/spool/pbs/mom_priv/jobs/42.server.SC",
    "SGE": "PATH=/opt/sge/bin/lx-amd64:/usr/bin",
    "LSF's option": '#BSUB -gpu "num=1"',
    "PBS' option": "#PBS -l select=1:ncpus=8:ngpus=1",
    "SGE's option": "#$ -l gpu=1",
    "Slurm's partition": "#SBATCH --partition=gpu",
    "image of CUDA": "FROM nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu20.04",
    "image of TensorFlow": "FROM tensorflow/tensorflow:2.8.0-gpu",
    "image of NGC": "NVIDIA Release 22.05-tf2 (build 38317432)",
    "CUDA in PATH": "export PATH=/usr/local/cuda/bin:$PATH",
    "CUDA of a module": "EBROOTCUDA: /apps/easybuild/software/CUDA/11.7.0",
    "nvidia-smi": "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5a1e2b3c-0000-1111-2222-333344445555)",
    "nvcc": "nvcc: NVIDIA (R) Cuda compiler driver",
    "question": "Why is TensorFlow so slow here, and how can I make it use the GPU?",
    "another question": "is it using the gpu?",
    "a German question": "Warum benutzt TensorFlow meine GPU nicht?",
    "a Chinese question": "为什么tensorflow不使用GPU",
    "OAR's option": "oarsub -l host=1/gpu=1,walltime=2:0:0",
    "HTCondor's option": "request_gpus = 1",
    "instance of AWS": "InstanceType: ml.p3.2xlarge",
    "instance of Azure": '"vmSize": "Standard_NC6s_v3"',
    "instance of Google": "machine type a2-highgpu-1g",
    "device in the program": "with tf.device('/GPU:0'):",
}


def _missing(path: str) -> str:
    return f"2022-01-10 10:00:00.0: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory{path}"


def _found(*lines: str) -> Finding:
    found: Finding = judged(log(lines)).roots[0].finding
    assert found.code in ("cuda-libraries-missing", "image-lacks-cuda-libraries")
    return found


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES.keys())
def test_a_missing_runtime_is_no_trifle_where_a_gpu_is_wished_for(wish: str) -> None:
    found = _found(wish, _missing(""), MAY_MEAN_NOTHING)
    assert found.severity is Severity.ERROR
    assert "Nothing to do" not in found.fixes[0].title
    assert "only where" not in found.title


@pytest.mark.parametrize(
    "path", ["/opt/lsf/10.1/linux3.10/lib", "/usr/local/cuda-11.2/lib64", "/usr/local/nvidia/lib:/usr/local/nvidia/lib64", "/usr/local/slurm/lib"]
)  # fmt: skip
def test_a_loader_path_is_a_wish(path: str) -> None:
    found = _found(_missing(f"; LD_LIBRARY_PATH: {path}"), MAY_MEAN_NOTHING)
    assert "Nothing to do" not in found.fixes[0].title


@pytest.mark.parametrize(
    "other", ["", "; LD_LIBRARY_PATH: /usr/local/lib", "; LD_LIBRARY_PATH: /home/me/lsf/src", "; LD_LIBRARY_PATH: /opt/ros/foxy/lib"]
)  # fmt: skip
def test_nobody_s_wish_is_still_nothing_to_do(other: str) -> None:
    assert "Nothing to do" in _found(_missing(other), MAY_MEAN_NOTHING).fixes[0].title


@pytest.mark.parametrize(
    "said", ["I don't have a GPU, can I ignore this?", "Can this be ignored? I do not have any GPU in this laptop", "request_gpus = 0", "with tf.device('/CPU:0'):", "InstanceType: ml.m5.xlarge"]
)  # fmt: skip
def test_who_has_none_wishes_for_none(said: str) -> None:
    assert "Nothing to do" in _found(said, _missing(""), MAY_MEAN_NOTHING).fixes[0].title


@pytest.mark.parametrize(
    "wish", [WISHES[name] for name in ("LSF", "PBS", "image of NGC", "CUDA in PATH", "question")]
)
def test_a_driver_that_is_missing_is_missed_where_a_gpu_is_wished_for(wish: str) -> None:
    assert judged(log((wish, NO_DRIVER, *WORK))).verdict == "cause-found"
    assert judged(log((NO_DRIVER, *WORK))).verdict == "noise-only"
