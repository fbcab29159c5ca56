"""Build files judged: what is found where, what is written, what is excused."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tfdoctor.ask.builds.files import read
from tfdoctor.facts.model import Facts
from tfdoctor.facts.schema import schema_of
from tfdoctor.fix.machine import described, machine_from_facts
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.model import Confidence
from tfdoctor.report.lint import Linted, lint, lint_to_json
from tfdoctor.report.lint_edits import changes, edited
from tfdoctor.say.lint import lint_to_annotations

MATRIX = load_bundled()


def linted(folder: Path, **files: str) -> Linted:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return lint(read([str(folder)]), MATRIX)


def found(told: Linted) -> list[tuple[str, int, int, str]]:
    return [(each.code, each.line, each.column, each.severity.value) for each in told.findings]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("requirements__txt", "tensorflow==2.10.0\nnumpy==2.0.0\n", [("numpy-abi-mismatch", 2, 1, "error")]),
        ("requirements__txt", "tensorflow==2.10.0\nprotobuf<3.20\n", [("numpy-abi-mismatch", 1, 1, "error")]),
        ("requirements__txt", "tensorflow==2.10.0\nnumpy<2\n", []),
        ("requirements__txt", "tensorflow==2.10.0\nnumpy<2\nprotobuf==4.25.0\n", [("protobuf-incompatible", 3, 1, "error")]),
        ("requirements__txt", "tensorflow==2.21.0\nnumpy\nprotobuf\nkeras\n", []),
        ("requirements__txt", "tensorflow==2.21.0\nkeras==2.15.0\n", [("keras-mismatch", 2, 1, "error")]),
        ("requirements__txt", "tensorflow==2.10.0\nnumpy<2\ntensorflow-probability\n", [("package-import-failed", 3, 1, "warning")]),
        ("requirements__txt", "tensorflow==2.15.1\nnumpy>=2 ; sys_platform == 'win32'\n", []),
        ("requirements__txt", "tensorflow==2.15.1\nnumpy>=2 ; python_version < '3.10'\n", []),
        ("requirements__txt", "tensorflow\n", []),
        ("requirements__txt", "tensorflow>=2.4\nnumpy==1.22.4\nprotobuf<3.20\n", []),
        ("requirements__txt", "tensorflow==2.15.*\nnumpy>=2\n", [("numpy-abi-mismatch", 2, 1, "error")]),
        ("requirements__txt", "tensorflow-gpu\n", [("python-unsupported", 1, 1, "error")]),
        ("requirements__txt", "six\ntensorflow_gpu>=2.4\n", [("python-unsupported", 2, 1, "error")]),
        ("requirements__txt", "tensorflow-gpu==2.10.1\nnumpy<2\nprotobuf<3.20\n", []),
        ("requirements__txt", "numpy==2.0.0\nprotobuf==2.0\n", []),
        ("requirements__txt", "numpy\ntensorflow-cuda13\n", [("tensorflow-missing", 2, 1, "error")]),
        ("requirements__txt", "tf-nightly-cuda13==0.0.1.dev0\n", [("tensorflow-missing", 1, 1, "error")]),
        ("requirements__txt", "tensorflow==2.21.0\ntensorflow-cuda13\n", []),
        ("requirements__txt", "tensorflow[cuda12]==2.21.0\n", [("and-cuda-extra-lost", 1, 1, "error")]),
        ("requirements__txt", "tensorflow[cuda12-local]==2.21.0\n", []),
        ("requirements__txt", "tensorflow[cuda12]==2.23.0\n", [("unknown-release", 1, 1, "info")]),
        ("requirements__txt", "tensorflow==2.20.0\ntensorflow-tpu==2.20.0\n", [("tensorflow-mixed-distributions", 2, 1, "error")]),
        ("requirements__txt", "tensorflow[and-cuda]==2.21.0\ntorch==2.15.0\n", [("cuda-libraries-mixed", 2, 1, "error")]),
        ("requirements__txt", "tensorflow[and-cuda]==2.20.0\ntorch==2.10.0\n", []),
        ("requirements__txt", "tensorflow==2.21.0\ntorch==2.15.0\n", []),
        ("requirements__txt", "tensorflow[and-cuda]==2.21.0\nnvidia-cudnn-cu13==9.27.0.42\n", [("cuda-libraries-mixed", 2, 1, "error")]),
        ("Dockerfile", "FROM python:3.12-slim\nRUN pip install tensorflow==2.15.0 'numpy<2'\n", [("python-unsupported", 1, 6, "error")]),
        ("Dockerfile", "FROM python:3.99\nRUN pip install tensorflow\n", []),
        ("Dockerfile", "FROM python:3.11-alpine\nRUN pip install tensorflow\n", [("glibc-too-old", 1, 6, "error")]),
        ("Dockerfile", "FROM python:3.11\nRUN pip install tensorflow==2.15.0 numpy==2.0.0\nRUN pip install 'numpy<2'\n", []),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install numpy==2.0.0\n", [("numpy-abi-mismatch", 2, 17, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\n", []),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install numpy pandas\n", []),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install tensorflow keras\n", []),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install tensorflow==2.9.0\n", []),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install 'numpy>=2'\n", [("numpy-abi-mismatch", 2, 17, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install -qU numpy\n", [("numpy-abi-mismatch", 2, 21, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN pip install --upgrade tensorflow\n", [("cuda-libraries-wrong-version", 2, 27, "error"), ("cudnn-version-mismatch", 2, 27, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN apt-get install -y python3-venv && pip install numpy==2.0.0\n", [("numpy-abi-mismatch", 2, 52, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.10.0-gpu\nRUN python -m venv /v && /v/bin/pip install tensorflow==2.10.0 'protobuf<3.20' numpy\n", [("numpy-abi-mismatch", 2, 80, "error")]),
        ("Dockerfile", "FROM python:3.11\nRUN pip install tensorflow==2.21.0\nENV TF_USE_LEGACY_KERAS=1\n", [("keras-legacy-needed", 3, 25, "error")]),
        ("Dockerfile", "FROM python:3.11\nENV TF_FORCE_GPU_ALLOW_GROWTH=1\nRUN pip install tensorflow==2.21.0\n", [("environment-variable-ignored", 2, 31, "info")]),
        ("Dockerfile", "FROM nvidia/cuda:12.5.1-cudnn-runtime-ubuntu22.04\nRUN pip install tensorflow-cpu==2.18.0\n", [("tensorflow-cpu-only", 2, 17, "error")]),
        ("Dockerfile", "FROM nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04\nRUN pip3 install tensorflow==2.10.1 'numpy<2' 'protobuf<3.20'\n", []),
        ("Dockerfile", "FROM nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04\nRUN pip3 install tensorflow==2.18.0\n", []),
        ("Dockerfile", "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip3 install tensorflow[and-cuda]==2.18.0\n", []),
        ("Dockerfile", "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN apt-get install -y cuda-libraries-12-4 libcudnn9 && pip3 install tensorflow==2.18.0\n", []),
        ("Dockerfile", "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip3 install tensorflow==2.18.0\n", [("image-lacks-cuda-libraries", 2, 18, "error")]),
        ("Dockerfile", "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nCOPY cuda/lib64 /usr/local/cuda/lib64\nRUN pip3 install tensorflow==2.18.0\n", []),
        ("Dockerfile", "FROM nvidia/cuda:11.0.3-cudnn8-runtime-ubuntu20.04\nRUN pip3 install tensorflow==2.5.0 'numpy<2' 'protobuf<3.20'\n", [("cuda-libraries-wrong-version", 1, 6, "error")]),
        ("Dockerfile", "FROM nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04\nRUN pip3 install tensorflow==2.15.0\n", [("cudnn-version-mismatch", 1, 6, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.18.0-gpu\n", [("image-lacks-cuda-libraries", 1, 6, "error")]),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.17.0-gpu\n", []),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.18.0-gpu\n    gpus: all\n", [("image-lacks-cuda-libraries", 3, 12, "error")]),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.17.0\n    environment:\n      TF_FORCE_GPU_ALLOW_GROWTH: '1'\n", [("environment-variable-ignored", 5, 34, "info")]),
        ("job__yaml", "spec:\n  containers:\n  - image: tensorflow/tensorflow:2.18.0-gpu\n    resources: {limits: {nvidia.com/gpu: 1}}\n", [("image-lacks-cuda-libraries", 3, 12, "error")]),
        ("job__yaml", "spec:\n  containers:\n  - image: tensorflow/tensorflow:{{ .Values.tag }}-gpu\n", []),
        ("environment__yml", "dependencies: [python=3.8, pip, {pip: ['tensorflow==2.16.1']}]\n", [("python-unsupported", 1, 16, "error")]),
        ("requirements__txt", "tensorflow==2.18.0\ntensorflow_intel==2.18.0\n", []),
        ("requirements__txt", "tensorflow==2.18.0\ntensorflow-cpu==2.18.0\n", [("tensorflow-mixed-distributions", 2, 1, "error")]),
        ("environment__yml", "dependencies: [tensorflow=2.4.1=gpu_py38, tensorflow-gpu=2.4.1]\n", []),
        ("gpu__yaml", "channels: [defaults]\ndependencies: [python=3.8, pip, {pip: ['tensorflow==2.16.1']}]\n", [("python-unsupported", 2, 16, "error")]),
        ("environment__yml", "dependencies: [tensorflow=2.10, numpy]\n", []),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.17.0-gpu\n", [("container-without-gpu", 3, 12, "warning")]),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.17.0-gpu\n    gpus: all\n", []),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.17.0-gpu\n    runtime: nvidia\n", []),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.17.0-gpu\n    deploy: {resources: {reservations: {devices: [{capabilities: [gpu]}]}}}\n", []),
        ("job__yaml", "spec:\n  containers:\n  - image: tensorflow/tensorflow:2.17.0-gpu\n", [("container-without-gpu", 3, 12, "warning")]),
        ("job__yaml", "spec:\n  containers:\n  - image: tensorflow/tensorflow:2.17.0-gpu\n    resources: {limits: {nvidia.com/gpu: 1}}\n", []),
        ("job__yaml", "spec:\n  containers:\n  - image: tensorflow/tensorflow:2.17.0\n", []),
        ("devcontainer__json", '{"image": "tensorflow/tensorflow:2.10.0-gpu", // so\n "runArgs": ["--gpus", "all"],\n "postCreateCommand": "pip install numpy==2.0.0",}\n', [("numpy-abi-mismatch", 3, 2, "error")]),
        ("devcontainer__json", '{"image": "tensorflow/tensorflow:2.17.0-gpu"}\n', [("container-without-gpu", 1, 2, "warning")]),
        ("devcontainer__json", '{"image": "tensorflow/tensorflow:2.17.0-gpu", // x\n // "a": 1\n}\n', [("container-without-gpu", 1, 2, "warning")]),
        ("job__slurm", "#!/bin/bash\n#SBATCH --time=1\npip install tensorflow[and-cuda]==2.21.0\n", [("container-without-gpu", 2, 1, "warning")]),
        ("job__sh", "#!/bin/bash\n#SBATCH --gres=gpu:1\npip install tensorflow==2.10.1 numpy==2.0.0 'protobuf<3.20'\n", [("numpy-abi-mismatch", 3, 32, "error")]),
        ("job__slurm", "#SBATCH --gres=gpu:1\nsrun apptainer exec --bind a:b docker://tensorflow/tensorflow:2.17.0-gpu python a.py\n", [("container-without-gpu", 2, 32, "warning")]),
        ("job__slurm", "#SBATCH --gres=gpu:1\nsingularity run --nv docker://tensorflow/tensorflow:2.17.0-gpu python a.py\n", []),
        ("job__slurm", "#SBATCH --gres=gpu:1\nexport APPTAINER_NV=1\napptainer run docker://tensorflow/tensorflow:2.17.0-gpu python a.py\n", []),
        ("job__slurm", "#SBATCH --gres=gpu:1\napptainer exec docker://tensorflow/tensorflow:2.17.0 python a.py\napptainer pull docker://tensorflow/tensorflow:2.17.0-gpu\n", []),
        ("job__yaml", "spec:\n  containers:\n  - image: python:3.11\n    command: [/bin/bash, -c]\n    args:\n    - |\n      set -e\n      pip install tensorflow==2.15.1 'numpy==2.0.0'\n", [("numpy-abi-mismatch", 8, 38, "error")]),
        ("job__yaml", "spec:\n  containers:\n  - image: python:3.11\n    command: [pip, install, tensorflow==2.15.1, numpy==2.0.0]\n", [("numpy-abi-mismatch", 4, 49, "error")]),
        ("job__yaml", "spec:\n  containers:\n  - image: python:3.11\n    command: [sh, -c, 'pip install -r /app/requirements.txt tensorflow==2.15.1 && pip install numpy<2']\n", []),
        ("job__yaml", "spec:\n  containers:\n  - image: python:3.11\n    args: [echo, 'pip install tensorflow==2.15.1 numpy==2.0.0']\n", []),
        ("compose__yaml", "services:\n  a:\n    image: python:3.11\n    command: bash -lc \"pip install tensorflow==2.15.1 numpy==2.0.0 && python a.py\"\n", [("numpy-abi-mismatch", 4, 55, "error")]),
        ("compose__yaml", "services:\n  a:\n    image: python:3.11\n    command: bash -c \"pip install tensorflow==2.15.1\n", []),
        ("pyproject__toml", "[dependency-groups]\nBase_Group = ['tensorflow==2.15.1']\ntrain = ['numpy==2.0.0', {include-group = 'base-group'}, {include-group = 'Train'}]\n", [("numpy-abi-mismatch", 3, 10, "error")]),
        ("pyproject__toml", "[dependency-groups]\nbase = ['tensorflow==2.10.0', 'numpy<2', 'protobuf<3.20']\ntrain = ['pandas', {include-group = 'base'}, {include-group = 'absent'}, {include-group = 3}]\nother = ['numpy==2.0.0']\n", []),
        ("pixi__lock", "version: 6\npackages:\n- conda: https://conda.anaconda.org/conda-forge/linux-64/python-3.10.4-h1_0.conda\n- pypi: https://x/tensorflow-2.15.1.whl\n  name: tensorflow\n  version: 2.15.1\n- pypi: https://x/numpy-2.0.0.whl\n  name: numpy\n  version: 2.0.0\n", [("numpy-abi-mismatch", 7, 3, "error")]),
        ("pixi__lock", "version: 5\npackages:\n- kind: conda\n  url: https://conda.anaconda.org/conda-forge/linux-64/python-3.12.4-h1_0.conda\n- kind: pypi\n  name: tensorflow\n  version: 2.15.1\n", [("python-unsupported", 3, 3, "error")]),
        ("pixi__toml", "[dependencies]\npython = '3.12.*'\n[pypi-dependencies]\ntensorflow = '==2.15.0'\n", [("python-unsupported", 2, 1, "error")]),
        ("pyproject__toml", "[tool.pixi.pypi-dependencies]\ntensorflow = '==2.15.0'\n[tool.pixi.feature.x.target.linux-64.pypi-dependencies]\nnumpy = '==2.0.0'\n", [("numpy-abi-mismatch", 4, 1, "error")]),
        ("pyproject__toml", "[tool.poetry.dependencies]\ntensorflow = '2.15.0'\n[tool.poetry.dev-dependencies]\nnumpy = '2.0.0'\n", [("numpy-abi-mismatch", 4, 1, "error")]),
        ("poetry__lock", "[[package]]\nname = 'tensorflow'\nversion = '2.15.0'\n\n[metadata]\npython-versions = '~3.12'\n", [("python-unsupported", 6, 19, "error")]),
        ("devcontainer__json", '{"image": "tensorflow/tensorflow:2.17.0-gpu", "runArgs": ["--gpus all"]}\n', [("container-without-gpu", 1, 2, "warning")]),
        ("devcontainer__json", '{"image": "tensorflow/tensorflow:2.17.0-gpu", "hostRequirements": {"gpu": "optional"}}\n', []),
        ("devcontainer__json", '{"image": "tensorflow/tensorflow:2.17.0-gpu", "runArgs": ["--gpus=all"]}\n', []),
        ("environment__yml", "dependencies: [python=3.10, tensorflow=2.15, tensorflow-gpu=2.15]\n", []),
        ("requirements__txt", "tensorflow==2.9\nnumpy<2\n", [("protobuf-incompatible", 1, 1, "error")]),  # 2.9 is 2.9.0
        ("requirements__txt", "tensorflow-cpu~=2.16.1\nnumpy\n", []),  # its bound hangs on a Python that nobody tells
        ("requirements__txt", "tensorflow>=2.18,<3\ntf-keras>=2.18,<3\n", []),  # pip brings both of one minor
        ("requirements__txt", "tensorflow==2.15.1\ntf-keras>=2.18,<3\n", [("keras-mismatch", 2, 1, "warning")]),
        ("requirements__txt", "tensorflow>=2.0\ntensorflow-addons\n", [("keras-legacy-needed", 2, 1, "warning")]),
        ("requirements__txt", "tensorflow<2.16\nnumpy<2\ntensorflow-addons\n", []),
        ("Dockerfile", 'FROM "ubuntu:bionic"\nRUN pip3 install tensorflow==2.3.0\n', []),  # Python 3.6, whose newest protobuf is 3.19
        ("Dockerfile", "FROM python:3.8\nRUN pip install tensorflow==2.6.0\n", [("protobuf-incompatible", 2, 17, "error")]),
        ("Dockerfile", 'FROM x\nRUN P="python3.8 -m pip install" && \\\n  $P tensorflow-gpu\n', [("python-unsupported", 3, 6, "error")]),
        ("Dockerfile", "FROM x\nRUN conda create -yn tensorflow-gpu python=3.10 tensorflow=2.15\n", []),
        ("Dockerfile", "FROM tensorflow/tensorflow:2.18.0-gpu\nRUN pip install -Ur elsewhere.txt\n", []),
        ("requirements__txt", "tensorflow==2.10.0\n-r elsewhere.txt\n", []),  # which may bound NumPy
        ("requirements__txt", "tensorflow==2.10.0\n-r elsewhere.txt\nnumpy==2.0.0\n", [("numpy-abi-mismatch", 3, 1, "error")]),
        ("requirements__txt", "tensorflow==2.10.0\nprotobuf<3.20\nscipy==1.7.3\n", []),  # whose metadata bounds NumPy
        ("requirements__txt", "tensorflow==2.10.0\nprotobuf<3.20\nscipy>=1.7,<1.12\n", []),
        ("requirements__txt", "tensorflow==2.10.0\nprotobuf<3.20\nscipy==1.5.4\n", [("numpy-abi-mismatch", 1, 1, "error")]),
        ("pyproject__toml", '[project]\nrequires-python=">=3.9"\ndependencies=["tensorflow==2.15.1"]\n', []),
        ("pyproject__toml", '[project]\nrequires-python=" , >=3.12 "\ndependencies=["tensorflow==2.15.1"]\n', [("python-unsupported", 2, 17, "error")]),
        ("pyproject__toml", '[project]\nrequires-python=">=3.12"\ndependencies=["tensorflow==2.15.1"]\n', [("python-unsupported", 2, 17, "error")]),
    ],
)  # fmt: skip
def test_what_is_found_and_where(
    tmp_path: Path, name: str, text: str, expected: list[tuple[str, int, int, str]]
) -> None:
    assert found(linted(tmp_path, **{name: text})) == expected


def test_a_file_that_nests_too_deeply_is_named_in_plain_words(tmp_path: Path) -> None:
    (file,) = linted(tmp_path, conda__yml="tensorflow: " + "{a: " * 50_000).unread
    assert file.problem == "it nests too deeply"


def test_a_release_that_nobody_knows_is_not_said_to_be_installed(tmp_path: Path) -> None:
    (told,) = linted(tmp_path, requirements__txt="tensorflow==1.15.5\n").findings
    assert (told.code, "once it is installed" in told.explanation) == ("unknown-release", True)


def test_a_file_of_requirements_that_a_dockerfile_names_is_judged_for_its_python(
    tmp_path: Path,
) -> None:
    told = linted(tmp_path, Dockerfile="FROM python:3.12\nCOPY requirements.txt /app/\nRUN pip install -r /app/requirements.txt\n", requirements__txt="tensorflow==2.15.0\nnumpy==2.0.0\n")  # fmt: skip
    assert [(Path(each.file).name, each.code) for each in told.findings] == [
        ("Dockerfile", "python-unsupported"),
        ("requirements.txt", "numpy-abi-mismatch"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("requirements__txt", "tensorflow==2.10.0\n-c elsewhere.txt\n", 2),
        ("Dockerfile", "FROM python:3.10\nRUN pip install tensorflow -r elsewhere.txt\n", 2),
        ("environment__yml", "dependencies:\n- pip:\n  - tensorflow\n  - -r elsewhere.txt\n", 4),
    ],
)
def test_a_file_of_requirements_that_is_not_there_is_named(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    (missing,) = linted(tmp_path, **{name: text}).unread
    assert missing.path == "elsewhere.txt"
    assert missing.problem.endswith(f"{name.replace('__', '.')}:{line} but not found here")


def test_a_devcontainer_begins_as_the_stage_that_it_names(tmp_path: Path) -> None:
    stages = "FROM tensorflow/tensorflow:2.10.0-gpu AS dev\nFROM python:3.11\n"
    asked = '{"build": {"dockerfile": "Dockerfile", "target": "dev"}, "postCreateCommand": "pip install numpy==2.0.0"}'
    codes = {
        each.code for each in linted(tmp_path, Dockerfile=stages, devcontainer__json=asked).findings
    }
    assert "numpy-abi-mismatch" in codes


def test_a_file_that_is_copied_in_exec_form_is_judged_too(tmp_path: Path) -> None:
    told = linted(tmp_path, Dockerfile='FROM python:3.11\nCOPY ["needs.txt", "/app/all.txt"]\nRUN pip install -r /app/all.txt\n', needs__txt="tensorflow==2.15.0\nnumpy==2.0.0\n")  # fmt: skip
    assert [each.code for each in told.findings] == ["numpy-abi-mismatch"]


@pytest.mark.parametrize(
    ("name", "text", "titles"),
    [
        ("Dockerfile", "FROM python:3.13\nRUN pip install tensorflow==2.15.0\n", ["Build the image with Python 3.11"]),
        ("pyproject__toml", '[project]\nrequires-python=">=3.13"\ndependencies=["tensorflow==2.15.1"]\n', ["Build with Python 3.11"]),
        ("compose__yaml", "services:\n  a:\n    image: tensorflow/tensorflow:2.18.0-gpu\n", ["Install the CUDA libraries in the image", "Request the GPUs in the compose file"]),
        ("job__yaml", "spec:\n  containers:\n  - image: tensorflow/tensorflow:2.18.0-gpu\n", ["Install the CUDA libraries in the image", "Request a GPU for the pod"]),
        ("job__slurm", "#!/bin/bash\n#SBATCH --time=1\npip install tensorflow[and-cuda]==2.21.0\n", ["Request a GPU from Slurm"]),
    ],
)  # fmt: skip
def test_a_fix_is_worded_for_what_the_file_is_of(
    tmp_path: Path, name: str, text: str, titles: list[str]
) -> None:
    assert [each.fixes[0].title for each in linted(tmp_path, **{name: text}).findings] == titles


def test_nothing_is_more_than_likely_for_nothing_was_built(tmp_path: Path) -> None:
    (only,) = linted(tmp_path, requirements__txt="tensorflow==2.10.0\nnumpy==2.0.0\n").findings
    assert only.confidence is Confidence.LIKELY


def test_a_version_that_the_file_leaves_open_is_told_as_that(tmp_path: Path) -> None:
    (only,) = linted(
        tmp_path, requirements__txt="tensorflow==2.10.0\nprotobuf<3.20\nnumpy\n"
    ).findings
    assert (only.line, only.explanation) == (
        3,
        "The file has no upper bound for numpy, so pip installs the newest, 2 or later.",
    )


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("requirements__txt", "tensorflow==2.10.0 # tf\r\nprotobuf<3.20\r\nsix", "tensorflow==2.10.0 # tf\r\nnumpy>=1.20,<2\r\nprotobuf<3.20\r\nsix"),
        ("requirements__txt", "tensorflow-gpu>=2.4\n", "tensorflow>=2.4\n"),
        ("requirements__txt", "tensorflow==2.15.0\nnumpy==2.0 ; python_version > '3'\n", "tensorflow==2.15.0\nnumpy>=1.23.5,<2 ; python_version > '3'\n"),
        ("Dockerfile", "FROM x\nRUN pip install tensorflow==2.10.0 \"protobuf<3.20\"\n", "FROM x\nRUN pip install tensorflow==2.10.0 'numpy>=1.20,<2' \"protobuf<3.20\"\n"),
        ("Dockerfile", "FROM x\nENV TF_FORCE_GPU_ALLOW_GROWTH 1\nRUN pip install tensorflow==2.21.0\n", "FROM x\nENV TF_FORCE_GPU_ALLOW_GROWTH true\nRUN pip install tensorflow==2.21.0\n"),
        ("pyproject__toml", '[project]\ndependencies = ["tensorflow==2.15.0", "numpy==2.0"]\n', '[project]\ndependencies = ["tensorflow==2.15.0", "numpy>=1.23.5,<2"]\n'),
        ("environment__yml", "dependencies:\n  - pip:\n    - tensorflow==2.10.0\n    - protobuf<3.20\n", "dependencies:\n  - pip:\n    - tensorflow==2.10.0\n    - numpy>=1.20,<2\n    - protobuf<3.20\n"),
    ],
)  # fmt: skip
def test_an_edit_is_written_and_the_file_is_then_silent(
    tmp_path: Path, name: str, text: str, after: str
) -> None:
    file = tmp_path / name.replace("__", ".")
    file.write_bytes(text.encode())
    reading = read([str(file)])
    edits = [each.edit for each in lint(reading, MATRIX).findings if each.edit is not None]
    (source,) = reading.sources.values()
    assert edited(source.text, edits) == after
    file.write_bytes(after.encode())
    assert lint(read([str(file)]), MATRIX).findings == ()


@pytest.mark.parametrize(
    ("code", "text", "after"),
    [
        ("keras-legacy-needed", "tensorflow==2.18.0\ntransformers==4.48.2\n", "tensorflow==2.18.0\ntransformers==4.48.2\ntf-keras==2.18.*\n"),
        ("keras-mismatch", "tensorflow==2.21.0\nkeras==2.15.0\n", "tensorflow==2.21.0\nkeras>=3.12.0,<4\n"),
        ("keras-mismatch", "tensorflow==2.18.0\ntf-keras==2.16.0\n", "tensorflow==2.18.0\ntf-keras==2.18.*\n"),
        ("protobuf-incompatible", "tensorflow==2.21.0\nprotobuf==4.25.3\n", "tensorflow==2.21.0\nprotobuf>=6.31.1,<7\n"),
        ("setuptools-lacks-pkg-resources", "tensorflow==2.15.0\nnumpy<2\nsetuptools\ntensorflow-hub==0.15.0\n", "tensorflow==2.15.0\nnumpy<2\nsetuptools<82\ntensorflow-hub==0.15.0\n"),
        ("package-import-failed", "tensorflow==2.19.0\nscipy==1.10.0\nnumpy==2.0.0\n", "tensorflow==2.19.0\nscipy>=1.13\nnumpy==2.0.0\n"),
        ("ml-dtypes-mismatch", "tensorflow==2.15.0\nml-dtypes==0.4.0\n", "tensorflow==2.15.0\nml-dtypes~=0.2.0\n"),
        ("tensorflow-missing", "tensorflow-cuda13==0.0.1rc1\n", "tensorflow\n"),
        ("and-cuda-extra-lost", "tensorflow[cuda12]==2.21.0\n", "tensorflow[and-cuda]==2.21.0\n"),
        ("metal-plugin-mismatch", "tensorflow==2.18.0\ntensorflow-metal==1.1.0\n", "tensorflow==2.18.0\ntensorflow-metal>=1.2,<1.3\n"),
    ],
)  # fmt: skip
def test_the_edit_of_each_code_silences_it(
    tmp_path: Path, code: str, text: str, after: str
) -> None:
    """The codes that have an edit, beside those above: found in 478 public files and by trying each fault that lint knows."""
    told = linted(tmp_path, requirements__txt=text)
    assert code in {each.code for each in told.findings if each.edit is not None}
    assert edited(text, [each.edit for each in told.findings if each.edit is not None]) == after
    assert linted(tmp_path, requirements__txt=after).findings == ()


@pytest.mark.parametrize(
    "stated", ["", ">=2.16", " ; python_version > '3.10'", " @ https://example.org/x.whl"]
)
def test_a_package_whose_version_the_file_leaves_open_is_not_missing(
    tmp_path: Path, stated: str
) -> None:
    text = f"tensorflow==2.18.0\ntransformers==4.48.2\ntf-keras{stated}\n"
    assert linted(tmp_path, requirements__txt=text).findings == ()
    assert (
        linted(
            tmp_path, requirements__txt=text.replace(f"tf-keras{stated}", "-r not-there.txt")
        ).findings
        == ()
    )


@pytest.mark.parametrize(
    ("text", "left", "ignored"),
    [
        (
            "tensorflow==2.10.0\nnumpy==2.0.0 # tfdoctor: ignore numpy-abi-mismatch because it is a test\n",
            0,
            ["it is a test"],
        ),
        (
            "tensorflow==2.10.0\n# tfdoctor: ignore numpy-abi-mismatch because it is a test\nnumpy==2.0.0\n",
            0,
            ["it is a test"],
        ),
        ("tensorflow==2.10.0\nnumpy==2.0.0 # tfdoctor: ignore numpy-abi-mismatch\n", 1, []),
        ("tensorflow==2.10.0\nnumpy==2.0.0 # tfdoctor: ignore keras-mismatch because so\n", 1, []),
        (
            "# tfdoctor: ignore numpy-abi-mismatch because so\ntensorflow==2.10.0\nnumpy==2.0.0\n",
            1,
            [],
        ),
    ],
)
def test_an_excuse_counts_on_its_line_and_the_next_with_a_reason(
    tmp_path: Path, text: str, left: int, ignored: list[str]
) -> None:
    told = linted(tmp_path, requirements__txt=text)
    assert (len(told.findings), [each.reason for each in told.ignored]) == (left, ignored)
    assert bool(told.excuses_without_reason) == ("because" not in text)


def test_the_machine_that_options_describe_is_judged_too(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("tensorflow[and-cuda]==2.21.0\n", encoding="utf-8")
    machine = described(machine_from_facts(Facts()), MATRIX, gpu="RTX 3090", driver="470.57.02")
    told = lint(read([str(tmp_path)]), MATRIX, machine)
    assert [each.code for each in told.findings] == ["driver-too-old"]


def test_a_fix_may_name_a_build_of_condas(tmp_path: Path) -> None:
    text = "channels: [conda-forge]\ndependencies:\n  - python=3.11\n  - tensorflow-cpu=2.15.1\n"
    (tmp_path / "environment.yml").write_text(text, encoding="utf-8")
    machine = described(machine_from_facts(Facts()), MATRIX, gpu="RTX 3090", driver="535.104.05")
    (told,) = lint(read([str(tmp_path)]), MATRIX, machine).findings
    assert (told.code, told.edit) == ("tensorflow-cpu-only", None)
    assert changes(told.fixes[0]) == {"tensorflow": "tensorflow=2.15.1=cuda*"}


def test_what_is_not_ours_is_not_looked_at(tmp_path: Path) -> None:
    bad = "tensorflow==2.10.0\nnumpy==2.0.0\n"
    for folder in (".git", "node_modules", "venv", "own", "a/site-packages"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "requirements.txt").write_text(bad, encoding="utf-8")
    (tmp_path / "own" / "pyvenv.cfg").touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert linted(tmp_path).files == ()


def test_a_link_out_of_the_tree_a_pipe_and_a_broken_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "requirements.txt").write_text(
        "tensorflow==2.10.0\nnumpy==2.0.0\n", encoding="utf-8"
    )
    (tmp_path / "tree" / "requirements-out.txt").symlink_to(tmp_path / "requirements.txt")
    told = linted(tmp_path / "tree", pyproject__toml="tensorflow = [", environment__yml="dependencies: [tensorflow", requirements__txt="-r ../requirements.txt\n-r requirements-out.txt\n")  # fmt: skip
    assert [(Path(each.path).name, each.read) for each in told.files] == [
        ("environment.yml", False), ("pyproject.toml", False), ("requirements-out.txt", False), ("requirements.txt", True),
    ]  # fmt: skip
    assert told.findings == ()


def test_the_answer_is_what_its_schema_says(tmp_path: Path) -> None:
    told = linted(
        tmp_path,
        requirements__txt="tensorflow==2.10.0\nnumpy==2.0.0\n# tfdoctor: ignore keras-mismatch\n",
        pyproject__toml="tensorflow = [",
    )
    jsonschema.validate(lint_to_json(told), json.loads(schema_of(Linted, "lint")))


def test_an_annotation_can_not_be_ended_by_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "a,b::c%"
    folder.mkdir()
    told = lint_to_annotations(
        linted(folder, requirements__txt="tensorflow==2.10.0\nnumpy==2.0.0\n")
    )
    assert "a%2Cb%3A%3Ac%25/requirements.txt" in told
    assert len(told.splitlines()) == 1
