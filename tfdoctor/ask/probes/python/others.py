"""The environments and notebook kernels of this user that have TensorFlow, by their files: asked where the examined one has none."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tfdoctor.ask.probes.python.environments import INTERPRETERS, folders_of, has_tensorflow
from tfdoctor.base.safe_open import folder_names, head_text
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.values import Kernelspec

_BELOW_HOME = (
    "", "venv", "venvs", ".venvs", "envs", ".virtualenvs", ".local/share/virtualenvs", ".pyenv/versions",
    *(f"{conda}/envs" for conda in ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")),
)  # fmt: skip
"""Directories of environments: venv's usual ones, virtualenvwrapper's, pipenv's, pyenv's, conda's."""

_MOST_NAMES, _MOST_FOUND, _MOST_BYTES = 100, 20, 1 << 16


def environments_with_tensorflow(examined: str, system: System) -> Fact[tuple[str, ...]]:
    """Their directories, without the one that is examined."""
    if not system.live:
        return Absent("an unpacked system has one environment, the one that is examined")
    found: dict[str, str] = {}
    for prefix in _environments(system):
        real = os.path.realpath(prefix)
        if (
            real != os.path.realpath(examined)
            and real not in found
            and _has_tensorflow(prefix, system)
        ):
            found[real] = prefix
        if len(found) == _MOST_FOUND:
            break
    return (
        Known(tuple(found.values()), "their files")
        if found
        else Absent("no other environment has it")
    )


def kernels_with_tensorflow(kernels: Iterable[Kernelspec], system: System) -> Fact[tuple[str, ...]]:
    """The names of the kernels whose Python has TensorFlow."""
    found = tuple(
        kernel.name
        for kernel in kernels
        if isinstance(kernel.interpreter, Known)
        and has_tensorflow(folders_of(Path(kernel.interpreter.value), system))
    )
    return Known(found, "their files") if found else Absent("no kernel has it")


def _environments(system: System) -> Iterator[str]:
    home = system.environ.get("HOME", "")
    with contextlib.suppress(OSError):
        yield from _below(os.getcwd())
    for folder in _BELOW_HOME if home else ():
        yield from _below(os.path.join(home, folder) if folder else home)
    yield from _below(system.environ.get("WORKON_HOME", ""))
    yield from head_text(f"{home}/.conda/environments.txt", _MOST_BYTES).split("\n")


def _below(folder: str) -> Iterator[str]:
    """The folder and those in it."""
    if folder:
        yield folder
        yield from (os.path.join(folder, name) for name in folder_names(folder)[:_MOST_NAMES])


def _has_tensorflow(prefix: str, system: System) -> bool:
    """Whether it is an environment, too."""
    marked = any(
        os.path.exists(os.path.join(prefix, mark)) for mark in ("pyvenv.cfg", "conda-meta")
    )
    of_pyenv = os.path.basename(os.path.dirname(prefix)) == "versions"
    if not prefix or not (marked or of_pyenv):
        return False
    pythons = (Path(prefix, name) for name in INTERPRETERS)
    return any(
        os.path.exists(python) and has_tensorflow(folders_of(python, system)) for python in pythons
    )
