"""Hosts by their paths and lines, and no fix that can't be done there."""

from __future__ import annotations

import re

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

HOSTS = {
    "heroku": (("heroku[web.1]: Error R14 (Memory quota exceeded)",), ("Error R15 (Memory quota vastly exceeded)", "Process exited with status 137"), ('  File "/app/.heroku/python/lib/python3.9/site-packages/keras/a.py", line 1, in f', "Killed")),
    "render": (("Ran out of memory (used over 512MB) while running your code.",), ("/opt/render/project/src/app.py", "Killed"), ("https://my-app.onrender.com", "exit status 137")),
    "cloud-run": (("Memory limit of 512 MiB exceeded with 517 MiB used. Consider increasing the memory limit, see https://cloud.google.com/run/docs/configuring/memory-limits",), ("K_SERVICE=api", "Killed"), ("Deployed to Cloud Run", "exit status 137")),
    "sagemaker": (("/opt/ml/code/train.py", "Killed"), ("/home/ec2-user/SageMaker/train.ipynb", "Killed"), ("sagemaker-training-toolkit INFO", "exit status 137")),
    "vertex": (("The replica workerpool0-0 ran out-of-memory and exited with a non-zero status of 137(SIGKILL).",), ("AIP_MODEL_DIR=gs://bucket/model", "Killed"), ("Vertex AI custom job", "exit status 137")),
    "databricks": (("/databricks/python/lib/python3.10/site-packages/keras/a.py", "Killed"), ("/local_disk0/.ephemeral_nfs/envs/pythonEnv-1", "Killed"), ("dbfs:/train.py", "exit status 137")),
}  # fmt: skip
MORE_MEMORY = {
    "heroku": "dyno", "render": "Render", "cloud-run": "gcloud run", "sagemaker": "instance_type", "vertex": "machine_type", "databricks": "Worker type",
}  # fmt: skip
CANNOT = re.compile(
    r"\bdocker (?:run|update|inspect)|kubectl|part of the pod|\bsudo\b|\bdmesg\b|modprobe|nvidia-ctk"
)


def _found(*lines: str) -> Finding:
    found: Finding = judged(log(lines)).roots[0].finding
    return found


def _typed(found: Finding) -> str:
    return "\n".join(
        (
            *(line for fix in found.fixes for line in fix.commands),
            *(fix.note for fix in found.fixes),
        )
    )


@pytest.mark.parametrize(
    ("host", "lines"), [(host, lines) for host, logs in HOSTS.items() for lines in logs]
)
def test_a_host_out_of_memory_gets_what_can_be_done_there(
    host: str, lines: tuple[str, ...]
) -> None:
    diagnosis = judged(log(lines))
    found = diagnosis.roots[0].finding
    assert MORE_MEMORY[host] in f"{found.fixes[0].title} {found.fixes[0].note}"
    assert CANNOT.search(_typed(found)) is None
    assert [each.command for each in diagnosis.open if CANNOT.search(each.command)] == []


@pytest.mark.parametrize("host", ["heroku", "sagemaker", "databricks"])
def test_a_driver_of_a_host_is_not_the_users(host: str) -> None:
    line = "E tensorflow/stream_executor/cuda/cuda_driver.cc:265] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error"
    assert CANNOT.search(_typed(_found(HOSTS[host][0][0], line, "nvidia-smi"))) is None


@pytest.mark.parametrize(
    "lines",
    [
        ("W tensorflow/compiler/xla/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/lib64-nvidia",),
        ("W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib:/usr/lib64-nvidia", "Skipping registering GPU devices..."),
        ("LD_LIBRARY_PATH=/usr/lib64-nvidia", "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"),
        ("LD_LIBRARY_PATH=/usr/lib64-nvidia", "AttributeError: module 'tensorflow' has no attribute 'contrib'"),
        ("COLAB_RELEASE_TAG=release-colab_20240101", "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"),
        ("root@0123456789ab:/content# python train.py", "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"),
        ('  File "/content/train.py", line 3, in <module>', "ImportError: libcublas.so.11: cannot open shared object file: No such file or directory"),
    ],
)  # fmt: skip
def test_colab_is_known_by_its_library_path_and_its_own_names(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert re.search(r"venv|activate", _typed(found)) is None


def test_another_machine_keeps_its_fixes() -> None:
    assert "docker" in _typed(_found("root@0123456789ab:/# python train.py", "Killed"))
