"""`tfdoctor check` from end to end on the real TensorFlow: without a GPU, and on the simulated driver."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.driver.scenario import Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import by_shell, check, doctor, fix_commands
from tests.real.environments import site_packages

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.xdist_group("tensorflow")]

OPENED = (
    "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
    "libcusparse.so.12", "libcudnn.so.9",
)  # fmt: skip
"""What 2.21.0 opens before it shows a GPU."""


def stages(report: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["status"] for each in report["smoke"]["stages"]}


def test_a_healthy_environment_without_a_gpu(tensorflow_python: Path) -> None:
    run = check(tensorflow_python)
    assert (run.report["verdict"], run.status, run.roots) == ("healthy", 0, [])
    assert stages(run.report) == {
        "driver": "skipped",
        "libraries": "skipped",
        "tensorflow": "passed",
    }
    computed = run.report["facts"]["smoke.tensorflow"]["value"]["computations"]
    products = {each["name"]: each for each in computed if each["name"].startswith("matmul")}
    assert {each["device"] for each in computed} == {"CPU:0"}
    assert set(products) == {"matmul-float32", "matmul-float16", "matmul-bfloat16"}
    for each in products.values():
        off = each["max_error"]["value"]
        assert 0 <= off <= each["tolerance"], each
    assert products["matmul-float16"]["max_error"]["value"] > 0, (
        "half precision rounds: a zero was not compared"
    )


def test_its_report_keeps_to_the_schema_and_can_be_judged_again(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "report.json"
    done = doctor(
        "check", "--python", tensorflow_python, "--smoke", "none", "--format", "json", "-o", saved
    )
    assert (done.status, done.stdout) == (0, "")
    document = json.loads(saved.read_text())
    jsonschema.validate(document, json.loads(doctor("check", "--schema").stdout))
    again = doctor("check", "--facts", saved, "--json").report
    for part in ("verdict", "summary", "findings", "undecided", "passed", "facts"):
        assert again[part] == document[part], part
    demanded = doctor("check", "--facts", saved, "--require-gpu", "--json")
    assert (demanded.status, demanded.roots) == (1, ["gpu-absent"])


def test_a_gpu_that_is_required_and_not_there(tensorflow_python: Path) -> None:
    run = check(tensorflow_python, "--require-gpu")
    assert (run.report["verdict"], run.status, run.roots) == ("broken", 1, ["gpu-absent"])
    assert stages(run.report)["tensorflow"] == "passed"


def test_nothing_is_written_into_the_patient(tensorflow_python: Path, tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    doctor(
        "check",
        "--python",
        tensorflow_python,
        "--smoke",
        "none",
        env={**os.environ, "HOME": str(home)},
        cwd=here,
    )
    assert [*home.iterdir(), *here.iterdir()] == []


def test_simulated_driver_without_cuda_libraries_names_each_soname(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    run = check(tensorflow_python, env=SimulatedDriver(tmp_path / "lib").environment())
    assert (run.report["verdict"], run.roots) == ("broken", ["cuda-libraries-missing"])
    named = " ".join(each["observed"] for each in run.finding("cuda-libraries-missing")["evidence"])
    assert [name for name in OPENED if name not in named] == [], named
    assert stages(run.report) == {
        "driver": "passed",
        "libraries": "failed",
        "tensorflow": "skipped",
    }


def with_toolkit(folder: Path) -> dict[str, str]:
    """What XLA needs beside the libraries, for machines without a CUDA toolkit."""
    (folder / "nvvm" / "libdevice").mkdir(parents=True)
    (folder / "nvvm" / "libdevice" / "libdevice.10.bc").touch()
    (folder / "bin").mkdir()
    (folder / "bin" / "ptxas").write_text(
        '#!/bin/sh\necho "Cuda compilation tools, release 12.5, V12.5.82"\n'
    )
    (folder / "bin" / "ptxas").chmod(0o755)
    return {"XLA_FLAGS": f"--xla_gpu_cuda_data_dir={folder}"}


def test_simulated_driver_and_libraries_are_healthy_as_far_as_the_driver_stage(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    env = SimulatedDriver(tmp_path / "lib", libraries=EVERYTHING).environment() | with_toolkit(
        tmp_path / "cuda"
    )
    run = check(tensorflow_python, "--smoke", "driver", env=env)
    assert (run.report["verdict"], run.status, run.roots) == ("healthy", 0, [])
    assert stages(run.report) == {
        "driver": "passed",
        "libraries": "skipped",
        "tensorflow": "skipped",
    }


def test_what_the_simulated_gpu_does_not_compute_is_honestly_called_wrong(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    """Matrix products are computed by the simulation, sums and XLA's kernels are not."""
    env = SimulatedDriver(tmp_path / "lib", libraries=EVERYTHING).environment()
    run = check(tensorflow_python, env=env)
    # A machine may have no CUDA toolkit.
    faults = [code for code in run.roots if code != "libdevice-missing"]
    assert (run.report["verdict"], faults) == ("broken", ["gpu-computes-wrong"])
    assert stages(run.report) == {"driver": "passed", "libraries": "passed", "tensorflow": "failed"}
    computed = run.report["facts"]["smoke.tensorflow"]["value"]["computations"]
    status = {each["name"]: each["status"] for each in computed}
    assert status["matmul-float32"] == status["matmul-float16"] == "passed"
    assert status["elementwise"] == "wrong"


@pytest.mark.xdist_group("tensorflow-cuda")
def test_the_printed_fix_makes_tensorflow_list_the_simulated_gpu(
    tensorflow_cuda_python: Path, tmp_path: Path
) -> None:
    """The CUDA libraries are the real ones of the [and-cuda] wheels; 2.21.0's RUNPATH lacks cuSOLVER's folder."""
    env = SimulatedDriver(tmp_path / "lib").environment()
    run = check(tensorflow_cuda_python, env=env)
    assert (run.report["verdict"], run.roots) == ("broken", ["cuda-libraries-unreachable"])
    told = json.dumps(run.finding("cuda-libraries-unreachable"))
    assert "libcusolver.so.11" in told and "site-packages/nvidia/cusolver/lib" in told
    program = f"{shlex.quote(str(tensorflow_cuda_python))} -c 'import tensorflow as tf; print(tf.config.list_physical_devices(\"GPU\"))'"
    fix = fix_commands(run, "cuda-libraries-unreachable")
    assert by_shell(program, env=env).strip() == "[]"
    assert "PhysicalDevice(name='/physical_device:GPU:0'" in by_shell(*fix, program, env=env)
    after = check(tensorflow_cuda_python, "--smoke", "driver", env=mended(fix, env))
    assert "cuda-libraries-unreachable" not in after.codes


def mended(fix: list[str], env: dict[str, str]) -> dict[str, str]:
    """The environment of the shell in which a fix was typed."""
    lines = by_shell(*fix, "env -0", env=env).split("\0")
    return dict(line.split("=", 1) for line in lines if "=" in line)


@pytest.mark.xdist_group("tensorflow-cuda")
def test_an_older_cudnn_first_on_the_path_of_a_simulated_gpu(
    tensorflow_cuda_python: Path, tmp_path: Path
) -> None:
    """As a module or another framework leaves it in LD_LIBRARY_PATH. The wheel's own cuDNN and the rest are real."""
    packages = site_packages(tensorflow_cuda_python)
    driver = SimulatedDriver(tmp_path / "lib", Scenario(cudnn_version=90100))
    driver.lay("libcudnn", tmp_path / "old")
    folders = (tmp_path / "old", packages / "nvidia" / "cusolver" / "lib", tmp_path / "lib")
    env = {**driver.environment(), "LD_LIBRARY_PATH": ":".join(map(str, folders))}
    run = check(tensorflow_cuda_python, env=env)
    assert (run.report["verdict"], run.roots) == ("broken", ["cudnn-version-mismatch"])
    after = mended(fix_commands(run, "cudnn-version-mismatch"), env)
    assert after["LD_LIBRARY_PATH"] == ":".join(map(str, folders[1:]))
    assert "cudnn-version-mismatch" not in check(tensorflow_cuda_python, env=after).codes
