"""The exact commands that install a release so that it works, with the pins that today's resolver needs.

The CUDA libraries come from TensorFlow's own [and-cuda] extra where the release has one. Older CUDA 11 builds have
none: they get the libraries that the first release with the extra names for CUDA 11, which are of the majors that
every CUDA 11 build opens, and an environment that puts them on the loader's path. 2.4 alone opens libcusolver by
CUDA 11.0's number, which later releases of the same library no longer bear: it gets a link (TensorFlow issues 43947
and 45263, where that was seen to work).
"""

from __future__ import annotations

import shlex

from tfdoctor.base.records import record
from tfdoctor.facts.outcome import Fact, Known, value_or
from tfdoctor.facts.versions import ComputeCapability, CudnnRelease
from tfdoctor.fix.machine import Machine
from tfdoctor.knowledge.lines import Environment, Words
from tfdoctor.knowledge.matrix.model import Release, Requirements
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Action, Fix

_CUDA_11_LIBRARIES = "2.14.1"  # the release whose [and-cuda] extra names the CUDA 11 wheels
_PROBED = {
    "numpy": ("1.19.5", "1.23.5", "1.26.4", "2.0.2", "2.3.5", "2.5.0"),
    "protobuf": (
        "3.19.6",
        "3.20.3",
        "4.25.8",
        "5.28.0",
        "5.28.3",
        "5.29.5",
        "6.31.1",
        "6.33.0",
        "7.36.0",
    ),
    "keras": ("2.15.0", "3.3.3", "3.10.0", "3.12.0"),
}  # versions at which metadata and what was seen to work have been found to differ (measured 2026-11)


@record
class Recipe:
    """A release with its Python, what pip installs beside it, and what pip can't do.

    links: (target, place) of symbolic links, below site-packages/nvidia. search_path: the loader and XLA have to be told
    where NVIDIA's libraries are. fetch: the Python is not installed, so uv gets it. name: of its environment, where that is not
    TensorFlow's.
    """

    release: Release
    python: str
    packages: tuple[str, ...]
    links: tuple[tuple[str, str], ...] = ()
    search_path: bool = False
    fetch: bool = False
    name: str = ""


def recipe_for(release: Release, machine: Machine, matrix: Matrix, *beside: str) -> Recipe:
    """What makes a release use the machine's GPU if it has one. `beside`: what else is wanted in its environment."""
    libraries, search_path = _libraries_by_name(release, machine, matrix)
    return Recipe(
        release,
        python_for(release, machine),
        (
            requirement(release, machine, matrix),
            *pins(release, machine, matrix),
            *libraries,
            *beside,
        ),
        (
            *(_link_of_cuda_110(release) if search_path else ()),
            *_fixed_search(release, machine, matrix),
        ),
        search_path,
        machine.fetch,
    )


def install_commands(
    release: Release, machine: Machine, matrix: Matrix, *beside: str
) -> tuple[str, ...]:
    """A new environment of the right Python with this release in it, ready to use the machine's GPU if it has one."""
    return commands_of(recipe_for(release, machine, matrix, *beside))


def commands_of(recipe: Recipe) -> tuple[str, ...]:
    """What makes the environment and installs the packages into it."""
    return (new_environment(recipe), pip_install(recipe), *by_hand(recipe, folder_of(recipe)))


def environment_fix(title: str, commands: tuple[str, ...], note: str = "") -> Fix:
    """A fix whose commands make an environment of its own."""
    return Fix(title, commands, note, Action("new-environment"), "environment")


def folder_of(recipe: Recipe) -> str:
    return recipe.name or f"tensorflow-{recipe.release.tensorflow}"


def is_windows(recipe: Recipe) -> bool:
    return recipe.release.platform.startswith("win")


def new_environment(recipe: Recipe) -> Environment:
    if recipe.fetch:
        return Environment(folder_of(recipe), python=recipe.python, options=("--seed",))
    python = Words(f"py -{recipe.python}" if is_windows(recipe) else f"python{recipe.python}")
    return Environment(folder_of(recipe), by=python)


def pip_install(recipe: Recipe, *words: str) -> str:
    """pip of the new environment with these words, or with the packages themselves."""
    python = "Scripts\\python" if is_windows(recipe) else "bin/python"
    quote = _windows_quoted if is_windows(recipe) else shlex.quote
    separator = "\\" if is_windows(recipe) else "/"
    pip = f"{folder_of(recipe)}{separator}{python} -m pip install"
    return Words(" ".join([pip, *(words or map(quote, recipe.packages))]))


def by_hand(recipe: Recipe, environment: str, start: str = "") -> tuple[str, ...]:
    """What is left to do once pip has installed the packages into `environment`; () where nothing is.

    start: the script that activates it, where that is not the environment's own.
    """
    nvidia = f"{environment}/lib/python{recipe.python}/site-packages/nvidia"
    links = tuple(Words(f"ln -s {target} {nvidia}/{place}") for target, place in recipe.links)
    if not recipe.search_path:
        return links
    start = start or f"{environment}/bin/activate"
    own = environment if environment.startswith('"') else '"$VIRTUAL_ENV"'
    told = (
        Words(f"echo {shlex.quote(line)} >> {start}") for line in _search_lines(own, recipe.python)
    )
    return (*links, *told, Words(f". {start}"))


def _search_lines(environment: str, python: str) -> tuple[str, str]:
    site = f"{environment}/lib/python{python}/site-packages/nvidia"
    return (
        f"export LD_LIBRARY_PATH=$(echo {site}/*/lib | tr ' ' :)${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}",
        f"export XLA_FLAGS={XLA_DIR}={site}/cuda_nvcc",
    )


def _windows_quoted(word: str) -> str:
    return f'"{word}"' if any(char in word for char in "<>=[]") else word


def python_for(release: Release, machine: Machine) -> str:
    """The machine's own where there is a wheel for it, else the newest that has one."""
    known = value_or(release.python, ())
    features = [each.feature for each in known]
    own = machine.python.value.feature if isinstance(machine.python, Known) else ""
    return (
        own
        if own in features or not features
        else max(known, key=lambda each: each.numbers).feature
    )


def wants_cuda(release: Release, machine: Machine) -> bool:
    return isinstance(machine.gpus, Known) and isinstance(release.cuda, Known)


def requirement(release: Release, machine: Machine, matrix: Matrix) -> str:
    """ "tensorflow[and-cuda]==2.21.0", or without the extra where there is none that installs, or no GPU."""
    extra = (
        "[and-cuda]" if wants_cuda(release, machine) and has_working_extra(release, matrix) else ""
    )
    return f"{release.distribution}{extra}=={release.tensorflow}"


def has_working_extra(release: Release, matrix: Matrix) -> bool:
    """False also where the extra asks for tensorrt packages, which fail to install for many."""
    broken = any(
        defect.kind == "and-cuda-needs-tensorrt" for defect in matrix.defects(release.tensorflow)
    )
    return isinstance(release.and_cuda, Known) and not broken


def pins(release: Release, machine: Machine, matrix: Matrix) -> list[str]:
    """What must be said beside TensorFlow's own requirements, so that a fresh install of today works."""
    found = []
    for name, bound in matrix.runtime_bounds(release.tensorflow).items():
        found += _tighter(name, bound, release)
    for defect in matrix.defects(release.tensorflow):
        if defect.kind == "tensorboard-needs-pkg-resources":
            found.append(f"setuptools{defect.detail['setuptools']}")
    if wants_cuda(release, machine):
        found += _cudnn_pin(release, machine, matrix)
    return found


def _tighter(name: str, bound: Fact[str], release: Release) -> list[str]:
    """A pin where the metadata admits a version that is known not to work."""
    if not isinstance(bound, Known):
        return []
    from packaging.specifiers import SpecifierSet  # 20 ms that few answers need

    stated = _specs(release.requires, name)
    admitted = SpecifierSet(",".join(stated)).filter(_PROBED[name])
    if not stated or all(SpecifierSet(bound.value).contains(version) for version in admitted):
        return []
    return [f"{name}{bound.value}"]


def _specs(requires: Fact[Requirements], name: str) -> list[str]:
    if not isinstance(requires, Known):
        return []
    return [each.spec for each in requires.value.get(name, ())]


def _cudnn_pin(release: Release, machine: Machine, matrix: Matrix) -> list[str]:
    """cuDNN drops old GPUs in minor releases that TensorFlow's range admits."""
    for name, specs in (
        release.and_cuda.value.items() if isinstance(release.and_cuda, Known) else ()
    ):
        if name.startswith("nvidia-cudnn") and not any("==" in each.spec for each in specs):
            limit = cudnn_limit(machine, matrix)
            return [f"{name}<{limit.major}.{limit.minor}"] if limit else []
    return []


def cudnn_limit(machine: Machine, matrix: Matrix) -> CudnnRelease | None:
    """The oldest cuDNN that has no kernels for one of this machine's GPUs."""
    gpus = value_or(machine.gpus, ())
    return first_cudnn_without(min(gpus), matrix) if gpus else None


def first_cudnn_without(gpu: ComputeCapability, matrix: Matrix) -> CudnnRelease | None:
    """The oldest cuDNN that has no kernels for this GPU any more; None where the matrix knows none."""
    for row in matrix.document["cudnn"]["rows"]:
        if ComputeCapability(row["lowest"]) > gpu:
            return CudnnRelease(row["since"])
    return None


def _libraries_by_name(
    release: Release, machine: Machine, matrix: Matrix
) -> tuple[list[str], bool]:
    """NVIDIA's wheels for releases without an extra that installs, and whether the loader has to be told of them."""
    if (
        not wants_cuda(release, machine)
        or has_working_extra(release, matrix)
        or machine.os != "linux"
    ):
        return [], False
    if isinstance(release.and_cuda, Known):
        return _nvidia_wheels(release.and_cuda.value, machine, matrix), False
    donor = matrix.release(_CUDA_11_LIBRARIES, platform=machine.platform)
    if not isinstance(donor, Known) or not isinstance(donor.value.and_cuda, Known):
        return [], False
    if not isinstance(release.cuda, Known) or release.cuda.value.major != 11:
        return [], False
    return _nvidia_wheels(donor.value.and_cuda.value, machine, matrix), True


XLA_DIR = "--xla_gpu_cuda_data_dir"
"""Where XLA finds libdevice and ptxas; before 2.14 it does not look into NVIDIA's wheels (TensorFlow issue 58681)."""
OLD_CUSOLVER, NEW_CUSOLVER = "libcusolver.so.10", "libcusolver.so.11"


def _link_of_cuda_110(release: Release) -> tuple[tuple[str, str], ...]:
    sonames = value_or(release.sonames, ())
    return ((NEW_CUSOLVER, f"cusolver/lib/{OLD_CUSOLVER}"),) if OLD_CUSOLVER in sonames else ()


def _nvidia_wheels(requirements: Requirements, machine: Machine, matrix: Matrix) -> list[str]:
    """As the extra names them, but a cuDNN with a known bug gives way to the first of its major that fixes it."""
    wheels = {
        name: specs[0].spec for name, specs in requirements.items() if name.startswith("nvidia-")
    }
    return [f"{name}{_without_bug(name, spec, machine, matrix)}" for name, spec in wheels.items()]


def _without_bug(name: str, spec: str, machine: Machine, matrix: Matrix) -> str:
    """A release that fixes the bug and has no kernels for the GPU any more would be the worse one."""
    if not name.startswith("nvidia-cudnn") or not spec.startswith("=="):
        return spec
    pinned = CudnnRelease(".".join(spec.removeprefix("==").split(".")[:3]))
    known = matrix.cudnn_support(pinned)
    fixed = (
        [CudnnRelease(bug.fixed_in) for bug in known.value.bugs] if isinstance(known, Known) else []
    )
    limit = cudnn_limit(machine, matrix)
    if not fixed or (limit is not None and max(fixed) >= limit):
        return spec
    return f">={max(fixed)},<{pinned.major + 1}"


def _fixed_search(
    release: Release, machine: Machine, matrix: Matrix
) -> tuple[tuple[str, str], ...]:
    """Links in a folder that TensorFlow does search, to libraries whose folders it forgot."""
    if not wants_cuda(release, machine) or not isinstance(release.and_cuda, Known):
        return ()
    return tuple(
        (f"../../{place.split('/')[1]}/lib/{soname}", "cuda_runtime/lib/")
        for defect in matrix.defects(release.tensorflow)
        if defect.kind == "runpath-incomplete"
        for place in defect.detail["missing"].split()
        for soname in _libraries_in(place, release)
    )


def _libraries_in(place: str, release: Release) -> list[str]:
    """What TensorFlow opens from a folder such as nvidia/cublas/lib: libcublas.so.12 and libcublasLt.so.12."""
    name = place.split("/")[1]
    sonames = value_or(release.sonames, ())
    return [soname for soname in sonames if soname.startswith(f"lib{name}")]
