"""The files that `plan --format` writes: each in its own format, with the steps that it can't hold as its first comment."""

from __future__ import annotations

import re
import sys
from importlib import import_module

import pytest
import yaml
from packaging.requirements import Requirement

from tests.unit.apps.cli.running import tfdoctor
from tests.unit.fix.test_plan import HERE
from tfdoctor.fix.install import Recipe, recipe_for
from tfdoctor.fix.machine import described
from tfdoctor.fix.plan import plan
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.say.plan_files import file_text, format_of, refused

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

ASKED = [
    {"gpu": "none", "python": "3.12"},
    {"gpu": "V100", "driver": "535.104", "python": "3.12"},
    {"gpu": "RTX 3090", "driver": "470.57.02", "python": "3.10"},
    {"gpu": "RTX 3090", "driver": "470.57.02", "python": "3.9", "spec": "2.12.*"},
    {"gpu": "T4", "driver": "470.57.02", "python": "3.8", "spec": "2.4.4"},
]


def asked(said: dict[str, str]) -> tuple[Recipe, dict[str, str]]:
    """The recipe of the first option, and its file in each format."""
    matrix = load_bundled()
    words = {name: value for name, value in said.items() if name != "spec"}
    machine = described(HERE, matrix, **words)
    recipe = recipe_for(
        plan(machine, matrix, spec=said.get("spec", "")).options[0].release, machine, matrix
    )
    forms = ("commands", "requirements", "uv", "conda", "dockerfile")
    return recipe, {form: file_text(form, recipe, machine, matrix, "for a test") for form in forms}


@pytest.mark.parametrize("said", ASKED, ids=str)
def test_each_file_holds_the_packages_in_its_format(said: dict[str, str]) -> None:
    recipe, files = asked(said)
    packages = [Requirement(each) for each in recipe.packages]
    lines = [line for line in files["requirements"].splitlines() if line and line[0] != "#"]
    assert [Requirement(line) for line in lines] == packages
    project = TOML.loads(files["uv"])["project"]
    assert [Requirement(each) for each in project["dependencies"]] == packages
    assert project["requires-python"] == f"=={recipe.python}.*"
    assert all(str(each) in files["dockerfile"].replace("'", "") for each in recipe.packages)


@pytest.mark.parametrize("said", ASKED, ids=str)
def test_conda_reads_the_environment(said: dict[str, str]) -> None:
    """By conda's own schema of environment.yml (conda/schemas, environmentyaml.schema.json): no other key, and a
    dependency is a match specification or {"pip": requirements}."""
    recipe, files = asked(said)
    document = yaml.safe_load(files["conda"])
    assert set(document) <= {"name", "channels", "dependencies", "variables", "prefix", "platforms"}
    assert re.fullmatch(r"[^/ #:]+", document["name"]), "conda refuses these in a name"
    *own, of_pip = document["dependencies"]
    assert own == [f"python={recipe.python}", "pip"]
    assert list(of_pip) == ["pip"]
    assert [Requirement(each) for each in of_pip["pip"]] == [
        Requirement(each) for each in recipe.packages
    ]


def test_what_a_file_cannot_hold_is_its_first_comment() -> None:
    _, files = asked(ASKED[1])
    link = "ln -s ../../cusolver/lib/libcusolver.so.11 {}/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/"
    first = "# This file can't hold these steps. Run them after the installation:"
    for form, environment in (
        ("requirements", '"$VIRTUAL_ENV"'),
        ("uv", ".venv"),
        ("conda", '"$CONDA_PREFIX"'),
    ):
        assert files[form].splitlines()[:2] == [first, f"#   {link.format(environment)}"]
    assert f"RUN {link.format('/usr/local')}\n" in files["dockerfile"], "a Dockerfile can hold it"
    assert first not in files["dockerfile"]


def test_only_a_plan_for_a_gpu_asks_docker_for_one() -> None:
    """Docker refuses `--gpus all` on a machine without NVIDIA's container toolkit."""
    cpu, gpu = (asked(said)[1]["dockerfile"] for said in ASKED[:2])
    assert "--gpus" not in cpu and "NVIDIA" not in cpu
    assert "--gpus all" in gpu and "NVIDIA_VISIBLE_DEVICES=all" in gpu


def test_cuda_11_is_on_the_loaders_path() -> None:
    _, files = asked(ASKED[3])
    nvidia = "/usr/local/lib/python3.9/site-packages/nvidia"
    assert re.search(
        rf"\nENV LD_LIBRARY_PATH={nvidia}/cublas/lib:.*:{nvidia}/cudnn/lib", files["dockerfile"]
    )
    assert "/etc/conda/activate.d/tensorflow.sh" in files["conda"]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("requirements-tf.txt", "requirements"), ("a/pyproject.toml", "uv"), ("environment.yml", "conda"),
        ("Dockerfile", "dockerfile"), ("gpu.Dockerfile", "dockerfile"), ("install.sh", "commands"),
        ("plan.json", "json"), ("plan", ""), ("-", ""),
    ],
)  # fmt: skip
def test_a_name_says_its_format(name: str, form: str) -> None:
    assert format_of(name) == form


def test_a_container_runs_no_windows() -> None:
    matrix = load_bundled()
    machine = described(HERE, matrix, os="windows")
    recipe = recipe_for(plan(machine, matrix).options[0].release, machine, matrix)
    assert "containers run Linux" in refused("dockerfile", recipe)
    assert refused("conda", recipe) == ""


@pytest.mark.slow
def test_the_file_goes_out_and_the_rest_is_said_beside_it(tmp_path: object) -> None:
    words = ("plan", "--gpu", "V100", "--driver", "535.104", "--python", "3.12")
    ran = tfdoctor(*words, "-o", f"{tmp_path}/requirements.txt")
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "    ln -s ../../cusolver" in ran.stderr
    with open(f"{tmp_path}/requirements.txt", encoding="utf-8") as file:
        assert "\ntensorflow[and-cuda]==2.21.0\n" in file.read()
    assert tfdoctor(*words, "--format", "requirements").stdout.startswith("# This file can't hold")


@pytest.mark.slow
def test_where_nothing_works_nothing_is_written(tmp_path: object) -> None:
    ran = tfdoctor(
        "plan", "--python", "3.14", "--gpu", "none", "-o", f"{tmp_path}/requirements.txt"
    )
    assert ran.returncode == 1
    assert "no version works" in ran.stderr
