"""The sets that `plan --with` calls best: resolved again against the real index, and ten of them installed. Needs the network and uv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.needs import OTHER_PYTHON, PACKAGES
from tests.real.environments import interpreter
from tfdoctor.apps.documents import plan
from tfdoctor.facts.model import Facts
from tfdoctor.fix.install import recipe_for
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.wheels.index import Index, index_address
from tfdoctor.knowledge.matrix.wheels.together import Resolver

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]
DRIVERS = ("525.60.13", "535.104.05", "550.54.14", "570.86.15", "580.95.05")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
BESIDE = ("torch", "jax", "jax[cuda12]", "torch,jax", "torch,jax[cuda12]")


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    try:
        if requests.head(f"{index_address().rstrip('/')}/tensorflow/", timeout=10).ok:
            return Resolver(Index())
    except requests.RequestException:
        pass  # the skip below says it
    pytest.skip(PACKAGES)


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("gpu", ["RTX 3090", "V100"])
def test_every_best_set_resolves_and_overwrites_nothing(
    resolver: Resolver, gpu: str, beside: str
) -> None:
    matrix = load_bundled()
    sets = set()
    for driver in DRIVERS:
        for python in PYTHONS:
            made, _ = plan(
                matrix, Facts(), beside=beside, gpu=gpu, driver=driver, python=python, os="linux"
            )
            option = made.options[0]
            recipe = recipe_for(option.release, made.machine, matrix, *option.beside)
            sets.add((recipe.packages, recipe.python))
    assert len(sets) >= len(PYTHONS)
    for packages, python in sorted(sets):
        assert resolver.together(packages, python).outcome == "clean", (packages, python)


TEN = (
    *(("RTX 3090", each, "3.11") for each in BESIDE),
    *(("none", each, "3.11") for each in BESIDE[:4]),
    ("RTX 3090", "jax[cuda12]", "3.12"),
)
COMPUTED = """
import ctypes, glob, importlib.util, json, sys
told = {}
import tensorflow as tf
told["tensorflow"] = float(tf.reduce_sum(tf.matmul(tf.ones((4, 4)), tf.ones((4, 4)))))
if importlib.util.find_spec("torch"):
    import torch
    told["torch"] = float(torch.matmul(torch.ones(4, 4), torch.ones(4, 4)).sum())
if importlib.util.find_spec("jax"):
    import jax.numpy as jnp
    told["jax"] = float(jnp.matmul(jnp.ones((4, 4)), jnp.ones((4, 4))).sum())
def opened(name):
    return next((ctypes.CDLL(each) for each in glob.glob(f"{sys.prefix}/lib/python3*/site-packages/nvidia/*/lib/{name}")), None)
cudnn, nccl, version = opened("libcudnn.so.9"), opened("libnccl.so.2"), ctypes.c_int()
if cudnn is not None:
    cudnn.cudnnGetVersion.restype = ctypes.c_size_t
    told["cudnn"] = cudnn.cudnnGetVersion()
if nccl is not None:
    assert nccl.ncclGetVersion(ctypes.byref(version)) == 0
    told["nccl"] = version.value
print(json.dumps(told))
"""
"""Each framework computes in one process, then cuDNN and NCCL are opened as they were installed and say which they are."""


@pytest.mark.parametrize(("gpu", "beside", "python"), TEN)
def test_the_best_set_computes_in_one_process(
    gpu: str, beside: str, python: str, tmp_path: Path
) -> None:
    program = interpreter(python) or pytest.skip(OTHER_PYTHON)
    matrix = load_bundled()
    driver = "" if gpu == "none" else DRIVERS[-1]
    made, _ = plan(
        matrix, Facts(), beside=beside, gpu=gpu, python=python, os="linux", driver=driver
    )
    option = made.options[0]
    packages = recipe_for(option.release, made.machine, matrix, *option.beside).packages
    folder = tmp_path / "environment"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("UV_") or name == "UV_CACHE_DIR"}  # fmt: skip
    environ |= {"CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    uv = [sys.executable, "-m", "uv", "--no-config"]
    try:
        subprocess.run([*uv, "venv", "--quiet", "--python", str(program), str(folder)], env=environ, check=True)  # fmt: skip
        subprocess.run([*uv, "pip", "install", "--quiet", "--only-binary", ":all:", "--python", str(folder), *packages], env=environ, check=True, timeout=1800)  # fmt: skip
        ran = subprocess.run([folder / "bin" / "python", "-c", COMPUTED], env=environ, capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    told = json.loads(ran.stdout)
    sys.stdout.write(f"{' '.join(packages)} on Python {python}: {told}\n")
    frameworks = {"tensorflow", *(each.partition("[")[0] for each in beside.split(","))}
    assert {each: told[each] for each in frameworks} == dict.fromkeys(frameworks, 64.0)
    brings_cuda = gpu != "none" or "torch" in beside or "[cuda" in beside
    assert ("cudnn" in told, "nccl" in told) == (brings_cuda, brings_cuda)
