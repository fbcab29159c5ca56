"""Which kernelspecs are written where, and which are taken back."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfdoctor.cli.guard import UsageError
from tfdoctor.facts.outcome import Known
from tfdoctor.jupyter import specs
from tfdoctor.probes.python.inventory import Choices, inventory
from tfdoctor.probes.python.jupyter import data_folders
from tfdoctor.system.sysroot import System

if TYPE_CHECKING:
    from tfdoctor.facts.values import Kernelspec

_IPYKERNEL = ("-m", "ipykernel_launcher", "-f", "{connection_file}")


def install_for(name: str, *, every: bool, wrap: bool, in_place: bool) -> tuple[list[str], list[str]]:
    """What was written, and what stood in the way. Raises UsageError where no kernel is meant."""
    known = inventory(System())
    done, hindered = [], []
    for kernel in _meant(known, name, every=every):
        try:
            done += _install(kernel, wrap=wrap, in_place=in_place)
        except specs.SpecError as error:
            hindered.append(str(error))
        except OSError as error:
            hindered.append(f"{error.filename or kernel.folder}: {error.strerror or error}")
    if done and not wrap:
        done += _missing_where_servers_run(known)
    return done, hindered


def kernels_of(known: Choices) -> tuple[Kernelspec, ...]:
    return known.kernels.value if isinstance(known.kernels, Known) else ()


def _meant(known: Choices, name: str, *, every: bool) -> Sequence[Kernelspec]:
    theirs = [each for each in kernels_of(known) if not _is_ours(each)]
    names = ", ".join(each.name for each in theirs) or "none"
    if name:
        found = [each for each in theirs if each.name == name.lower()]
        if not found:
            raise UsageError(f"Jupyter has no kernel {name!r} that could be watched; it has {names}")
        return found
    if every or len(theirs) == 1:
        return theirs
    raise UsageError(f"name a kernel by --kernel, or give --all; Jupyter has {names}")


def _is_ours(kernel: Kernelspec) -> bool:
    """Written beside or wrapped: one that is changed in place is the user's own all the same."""
    try:
        return specs.mark_of(specs.read(Path(kernel.folder))).get("how") in (specs.BESIDE, specs.WRAPPED)
    except specs.SpecError:
        return False


def _install(kernel: Kernelspec, *, wrap: bool, in_place: bool) -> list[str]:
    folder = Path(kernel.folder)
    if in_place:
        specs.write_in_place(folder, kernel.name)
        return [f"{kernel.name}: changed in place, {folder / 'kernel.json'}"]
    kernels = _writable(folder.parent)
    argv = wrapping(specs.read(folder), kernel) if wrap else ()
    ours = specs.write_beside(folder, kernel.name, kernels, argv)
    return [f"{kernel.name}: {ours.name} is new, {ours}"]


def _writable(kernels: Path) -> Path:
    """The same folder, where its owner lets us; else the user's own."""
    if os.access(kernels, os.W_OK):
        return kernels
    return Path(user_folder(System())) / "kernels"


def user_folder(system: System) -> str:
    """Jupyter's data folder of this user, which comes before the system's."""
    own = [folder for folder, prefix in data_folders(system, []) if not prefix]
    given = [folder for folder in system.folders("JUPYTER_PATH") if folder]
    return next(folder for folder in own if folder not in given)


def wrapping(document: dict[str, Any], kernel: Kernelspec) -> list[str]:
    """The words of a wrapped spec: one placeholder, and nothing by which a client would take it for an IPython kernel
    whose interpreter it may swap (VS Code does so where a word says ipykernel)."""
    program = os.path.join(sysconfig.get_path("scripts"), "tfdoctor")
    words = [str(word) for word in document.get("argv", [])]
    plain = tuple(words[1:]) == _IPYKERNEL and isinstance(kernel.interpreter, Known)
    which = (
        ["--python", kernel.interpreter.value]
        if plain and isinstance(kernel.interpreter, Known)
        else ["--kernel", kernel.name]
    )
    return [program, "jupyter", "kernel", *which, "-f", "{connection_file}"]


def _missing_where_servers_run(known: Choices) -> list[str]:
    return [
        f"tfdoctor is not in {each.prefix}, where {each.found_by} runs: {each.python} -m pip install 'tfdoctor[jupyter]'"
        for each in known.environments
        if each.starts_kernels and "tfdoctor" not in each.distributions
    ]


def remove_for(name: str) -> tuple[list[str], list[str]]:
    """What was taken back, and what stood in the way."""
    done, hindered = [], []
    for kernel in kernels_of(inventory(System())):
        folder = Path(kernel.folder)
        try:
            mark = specs.mark_of(specs.read(folder))
            if not mark or (name and name.lower() not in (mark.get("of", ""), kernel.name)):
                continue
            remark = specs.undo(folder)
            done.append(remark or f"{mark.get('of')}: as it was before ({folder})")
        except specs.SpecError:
            continue  # one that can't be read was not written by us
        except OSError as error:
            hindered.append(f"{error.filename or folder}: {error.strerror or error}")
    if not done and not hindered:
        done.append("There is nothing of tfdoctor's to take back.")
    return done, hindered
