"""A plan's first option as a file: requirements, a uv project, a conda environment, a Dockerfile, or plain commands."""

from __future__ import annotations

import shlex

from tfdoctor.base.printable import printable
from tfdoctor.fix.install import XLA_DIR, Recipe, by_hand, commands_of, folder_of
from tfdoctor.fix.machine import Machine
from tfdoctor.knowledge.matrix.query import Matrix

_IMAGE = "/usr/local"  # where python's own images have it
_CONDA, _ACTIVATE = '"$CONDA_PREFIX"', '"$CONDA_PREFIX"/etc/conda/activate.d'
_MARKERS = {
    "linux_x86_64": "sys_platform == 'linux' and platform_machine == 'x86_64'",
    "linux_aarch64": "sys_platform == 'linux' and platform_machine == 'aarch64'",
    "win_amd64": "sys_platform == 'win32'",
    "macosx_arm64": "sys_platform == 'darwin' and platform_machine == 'arm64'",
    "macosx_x86_64": "sys_platform == 'darwin' and platform_machine == 'x86_64'",
}


def format_of(name: str) -> str:
    """The format that a file's name asks for; "" where it asks for none."""
    base = name.replace("\\", "/").rpartition("/")[2].lower()
    if base.startswith("dockerfile") or base.endswith(".dockerfile"):
        return "dockerfile"
    endings = {"toml": "uv", "yml": "conda", "yaml": "conda", "txt": "requirements", "sh": "commands", "json": "json"}  # fmt: skip
    return endings.get(base.rpartition(".")[2], "")


def file_text(form: str, recipe: Recipe, machine: Machine, matrix: Matrix, what: str) -> str:
    """The whole file. `what` describes what it is for."""
    if form == "commands":
        return "".join(f"{each}\n" for each in commands_of(recipe))
    body = {
        "requirements": _requirements,
        "uv": _project,
        "conda": _conda,
        "dockerfile": _dockerfile,
    }[form]
    left = steps_left(form, recipe)
    comments = [
        *(("This file can't hold these steps. Run them after the installation:",) if left else ()),
        *(f"  {each}" for each in left),
        printable(what),
        _USE[form].format(
            folder=folder_of(recipe), python=recipe.python, gpus="--gpus all " * _with_cuda(recipe)
        ),
        f"From tfdoctor's compatibility matrix {printable(matrix.version)}.",
    ]
    return (
        "".join(f"# {each}\n" for each in comments)
        + "\n"
        + "".join(f"{each}\n" for each in body(recipe))
    )


_USE = {
    "requirements": "Use: python -m pip install -r THIS_FILE, in a new virtual environment with Python {python}.",
    "uv": "Use: uv sync, with this file as pyproject.toml. uv fetches Python {python} where it is missing.",
    "conda": "Use: conda env create --file THIS_FILE, then conda activate {folder}.",
    "dockerfile": "Use: docker build --tag {folder} --file THIS_FILE . && docker run --rm {gpus}{folder} python -c 'import tensorflow'",
}


def _with_cuda(recipe: Recipe) -> bool:
    return any("[and-cuda]" in each or each.startswith("nvidia-") for each in recipe.packages)


def steps_left(form: str, recipe: Recipe) -> tuple[str, ...]:
    """The commands that a file of this format can't hold."""
    if form == "conda":
        steps = by_hand(recipe, _CONDA, f"{_ACTIVATE}/tensorflow.sh")
        return (f"mkdir -p {_ACTIVATE}", *steps) if recipe.search_path else steps
    places = {"requirements": '"$VIRTUAL_ENV"', "uv": ".venv"}
    return by_hand(recipe, places[form]) if form in places else ()


def _requirements(recipe: Recipe) -> list[str]:
    return list(recipe.packages)


def _project(recipe: Recipe) -> list[str]:
    return [
        "[project]",
        f'name = "{folder_of(recipe).replace(".", "-")}"',
        'version = "0"',
        f'requires-python = "=={recipe.python}.*"',
        "dependencies = [",
        *(f'    "{each}",' for each in recipe.packages),
        "]",
        "",
        "[tool.uv]",
        "package = false",
        f'environments = ["{_MARKERS[recipe.release.platform]}"]',
    ]


def _conda(recipe: Recipe) -> list[str]:
    return [
        f"name: {folder_of(recipe)}",
        "channels:",
        "  - conda-forge",
        "dependencies:",
        f"  - python={recipe.python}",
        "  - pip",
        "  - pip:",
        *(f'      - "{each}"' for each in recipe.packages),
    ]


def _dockerfile(recipe: Recipe) -> list[str]:
    packages = [shlex.quote(each) for each in recipe.packages]
    nvidia = f"{_IMAGE}/lib/python{recipe.python}/site-packages/nvidia"
    lines = [
        f"FROM python:{recipe.python}-slim",
        "RUN python -m pip install --no-cache-dir \\",
        *(f"    {each} \\" for each in packages[:-1]),
        f"    {packages[-1]}",
        *(f"RUN ln -s {target} {nvidia}/{place}" for target, place in recipe.links),
    ]
    if recipe.search_path:
        names = [each.removeprefix("nvidia-").split("-cu1")[0].replace("-", "_") for each in recipe.packages if each.startswith("nvidia-")]  # fmt: skip
        places = ":".join(f"{nvidia}/{name}/lib" for name in names if name != "cuda_nvcc")
        lines += [f"ENV LD_LIBRARY_PATH={places}", f"ENV XLA_FLAGS={XLA_DIR}={nvidia}/cuda_nvcc"]
    if _with_cuda(recipe):
        lines.append("ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility")
    return lines


def refused(form: str, recipe: Recipe) -> str:
    """Why a format is none for this system; "" where it is one."""
    if form == "dockerfile" and not recipe.release.platform.startswith("linux"):
        return "--format dockerfile: containers run Linux; add --os linux or --os wsl2"
    return ""
