"""Ways to bring the CUDA libraries that a build opens, and the releases that fit this machine as it is."""

from __future__ import annotations

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Known, known, value_or
from tfdoctor.fix.commands import is_version, pip_install, pip_reinstall, system_install
from tfdoctor.fix.install import (
    cudnn_limit,
    environment_fix,
    install_commands,
    pins,
    python_for,
    requirement,
)
from tfdoctor.fix.machine import Machine, machine_from_facts
from tfdoctor.fix.plan import plan
from tfdoctor.fix.variables import search_line
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words, quoted
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix


def bring_libraries(
    facts: Facts,
    matrix: Matrix,
    row: Fact[Release],
    missing: tuple[str, ...],
    *,
    into: str = "this environment",
) -> tuple[Fix, ...]:
    """The libraries from NVIDIA's wheels; then the system's own packages, where it has them. `into`: as the title calls it."""
    machine = machine_from_facts(facts)
    if isinstance(row, Known) and not isinstance(row.value.and_cuda, Known):
        return (fresh_environment(row.value, machine, matrix),)
    return (_extra(facts, matrix, row, machine, into), *_system_packages(facts, row, missing))


def _extra(facts: Facts, matrix: Matrix, row: Fact[Release], machine: Machine, into: str) -> Fix:
    """TensorFlow's own extra for the release that is installed, with the pins that a fresh install needs."""
    version, name = (
        value_or(facts.tensorflow.version, ""),
        value_or(facts.tensorflow.distribution, "tensorflow"),
    )
    wanted = [f"{name}[and-cuda]=={version}" if is_version(version) else f"{name}[and-cuda]"]
    wanted += (
        pins(row.value, machine, matrix) if isinstance(row, Known) else cudnn_pin(machine, matrix)
    )
    search, rival = _forgotten_folders(facts, matrix, version), _rival(facts, row)
    return Fix(
        f"Install the CUDA libraries in {into}",
        (pip_install(facts, *wanted), *search),
        "About 2.5 GB."
        + (" The export lasts for this shell." if search else "")
        + (
            f" {rival} writes files of the same names: better use a separate environment for each."
            if rival
            else ""
        ),
    )


def _rival(facts: Facts, row: Fact[Release]) -> str:
    """A wheel of another CUDA major in this environment, which shares its folder with TensorFlow's; "" where there is none."""
    cuda = row.value.cuda if isinstance(row, Known) else row
    major = cuda.value.major if isinstance(cuda, Known) else 0
    shared = [
        f"nvidia-{part}-cu{other}"
        for part in ("cudnn", "nccl")
        for other in (11, 12, 13)
        if major and other != major
    ]
    found = [each for each in value_or(facts.packages.installed, ()) if each.name in shared]
    return f"{found[0].name} {found[0].version}" if found else ""


def searched_by_itself(facts: Facts, matrix: Matrix, folder: str) -> bool:
    """Whether this release looks into that folder of NVIDIA's wheels ("nvidia/cudnn/lib") without being told."""
    for defect in matrix.defects(value_or(facts.tensorflow.version, "")):
        if defect.kind == "runpath-absent" or (
            defect.kind == "runpath-incomplete"
            and folder in defect.detail.get("missing", "").split()
        ):
            return False
    return True


def search_wheel(facts: Facts, folder: str) -> tuple[str, ...]:
    """The line that puts that folder of NVIDIA's wheels before all others, for this shell."""
    site = value_or(facts.interpreter.site_packages, ())
    return (search_line((f"{site[0]}/{folder}",)),) if site else ()


def cudnn_pin(machine: Machine, matrix: Matrix) -> list[str]:
    """Keeps the oldest GPU served: newer cuDNN releases have no kernels for it."""
    limit = cudnn_limit(machine, matrix)
    return [f"nvidia-cudnn-cu12<{limit.major}.{limit.minor}"] if limit and limit.major >= 9 else []


def _forgotten_folders(facts: Facts, matrix: Matrix, version: str) -> tuple[str, ...]:
    """The export line for wheels' folders that this release does not search by itself."""
    site = facts.interpreter.site_packages
    if not isinstance(site, Known) or not site.value:
        return ()
    folders = [
        f"{site.value[0]}/{folder}"
        for defect in matrix.defects(version)
        if defect.kind == "runpath-incomplete"
        for folder in defect.detail.get("missing", "").split()
    ]
    return (search_line(tuple(folders)),) if folders else ()


def link_wheels(files: tuple[str, ...]) -> tuple[Fix, ...]:
    """Links to libraries of wheels in the runtime's folder, which TensorFlow does search; () for other libraries."""
    lines = []
    for file in files:
        nvidia, found, rest = file.rpartition("/nvidia/")
        wheel, _, soname = rest.partition("/lib/")
        if not found or not soname or "/" in wheel + soname:
            return ()
        target = Words("../../{{wheel}}/lib/{{soname}}", wheel=wheel, soname=soname)
        if wheel != "cuda_runtime":
            lines.append(quoted("ln", "-s", target, f"{nvidia}/nvidia/cuda_runtime/lib/"))
    note = (
        "It adds a link to a folder that TensorFlow does search, and so serves notebooks and services, too. It lasts until "
        "nvidia-cuda-runtime is reinstalled."
    )
    return (Fix("Link the libraries where TensorFlow searches", tuple(lines), note),)


def fresh_environment(release: Release, machine: Machine, matrix: Matrix) -> Fix:
    cuda = known(release.cuda)
    if machine.os != "linux" or cuda is None or cuda.major < _WHEELS_SINCE:
        return _conda_environment(release, machine, matrix)
    commands = install_commands(release, machine, matrix)
    return environment_fix(
        f"Create an environment for TensorFlow {release.tensorflow} with CUDA",
        commands,
        "Your environment isn't changed.",
    )


_WHEELS_SINCE = 11
"""The first CUDA of which NVIDIA has wheels, and these for Linux alone."""


def _conda_environment(release: Release, machine: Machine, matrix: Matrix) -> Fix:
    """The toolkit from conda-forge, as TensorFlow's own page says for native Windows (Install TensorFlow with pip, 2026-11)."""
    name, python = f"tensorflow-{release.tensorflow}", python_for(release, machine)
    toolkit, library = known(release.cuda), known(release.cudnn)
    cuda = f"{toolkit.major}.{toolkit.minor}" if toolkit else ""
    cudnn = f"{library.major}.{library.minor}" if library else "8"
    wanted = (requirement(release, machine, matrix), *pins(release, machine, matrix))
    specs = " ".join(f'"{each}"' for each in wanted)
    search = ('export LD_LIBRARY_PATH="$CONDA_PREFIX/lib"',) if machine.os == "linux" else ()
    return environment_fix(
        f"Create a conda environment for TensorFlow {release.tensorflow}",
        (
            f"conda create --yes --name {name} --channel conda-forge python={python} cudatoolkit={cuda} cudnn={cudnn}",
            f"conda activate {name}",
            f"python -m pip install {specs}",
            *search,
        ),
    )


def _system_packages(facts: Facts, row: Fact[Release], missing: tuple[str, ...]) -> tuple[Fix, ...]:
    """cuDNN and the toolkit from NVIDIA's repository, where that is all that is missing."""
    if not isinstance(row, Known) or not isinstance(row.value.cuda, Known) or not missing:
        return ()
    cuda = row.value.cuda.value
    toolkit = f"cuda-libraries-{cuda.major}-{cuda.minor}"
    packages = {"libcudnn.so.9": f"cudnn9-cuda-{cuda.major}", "libcudnn.so.8": "libcudnn8"}
    cudnn = next((package for name, package in packages.items() if name in missing), "")
    wanted = " ".join(
        filter(None, [toolkit if any("cudnn" not in name for name in missing) else "", cudnn])
    )
    commands = system_install(facts, apt=wanted, dnf=wanted)
    note = "Needs NVIDIA's package repository."
    return (
        (Fix("Install the CUDA libraries system-wide", commands, note),)
        if commands and wanted
        else ()
    )


def exact(facts: Facts, *specs: str, title: str, note: str) -> Fix:
    """These distributions in these versions, in the examined environment."""
    return Fix(title, (pip_install(facts, *specs),), note)


def again(facts: Facts, *specs: str, title: str, note: str) -> Fix:
    """Reinstalls the files of these distributions."""
    return Fix(title, (pip_reinstall(facts, *specs),), note)


def release_that_fits(facts: Facts, matrix: Matrix, why: str) -> tuple[Fix, ...]:
    """The newest TensorFlow that this driver and these GPUs run, where everything that decides it is known."""
    machine = machine_from_facts(facts)
    if not isinstance(machine.gpus, Known) or not isinstance(machine.driver, Known):
        return ()
    any_python = replace(machine, python=Absent("any Python will do"))
    options = plan(machine, matrix).options or plan(any_python, matrix).options
    if not options or options[0].release.tensorflow == value_or(facts.tensorflow.version, ""):
        return ()
    release = options[0].release
    standing = f"The newest that {why}." if options[0].proven else "Untested on this machine."
    return (
        environment_fix(
            f"Use TensorFlow {release.tensorflow}",
            install_commands(release, machine, matrix),
            f"{standing} Your environment isn't changed.",
        ),
    )


def on_cpu() -> Fix:
    """The honest last way."""
    return act("set-variable", "hide-gpu-on-purpose")
