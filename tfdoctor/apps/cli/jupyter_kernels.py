"""Kernelspecs that are watched: which are written and taken back, whether a death would be seen, and the kernel that one starts."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from tfdoctor.apps.cli.guard import UsageError, install_extra
from tfdoctor.apps.jupyter import specs
from tfdoctor.ask.probes.python.inventory import Choices, Environment, inventory
from tfdoctor.ask.probes.python.jupyter import data_folders, started
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Known, value_or

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.facts.values import Kernelspec

_IPYKERNEL = ("-m", "ipykernel_launcher", "-f", "{connection_file}")


def install_for(
    name: str, *, every: bool, wrap: bool, in_place: bool, interrupts: bool
) -> tuple[list[str], list[str]]:
    """What was written, and what stood in the way. Raises UsageError where no kernel is meant."""
    known = inventory(System())
    done, hindered = [], []
    for kernel in _meant(known, name, every=every):
        try:
            done += _install(kernel, wrap=wrap, in_place=in_place, interrupts=interrupts)
        except specs.SpecError as error:
            hindered.append(str(error))
        except OSError as error:
            hindered.append(f"{error.filename or kernel.folder}: {error.strerror or error}")
    if done and not wrap:
        done += _missing_where_servers_run(known)
    return done, hindered


def kernels_of(known: Choices) -> tuple[Kernelspec, ...]:
    return value_or(known.kernels, ())


def _servers(known: Choices) -> list[Environment]:
    """The environments that start kernels."""
    return [each for each in known.environments if each.starts_kernels]


def _meant(known: Choices, name: str, *, every: bool) -> Sequence[Kernelspec]:
    theirs = [each for each in kernels_of(known) if not _is_ours(each)]
    names = ", ".join(each.name for each in theirs) or "none"
    if name:
        found = [each for each in theirs if each.name == name.lower()]
        if not found:
            raise UsageError(
                f"Jupyter has no kernel {name!r} that could be watched; it has {names}"
            )
        return found
    if every or len(theirs) == 1:
        return theirs
    raise UsageError(f"name a kernel by --kernel, or give --all; Jupyter has {names}")


def _is_ours(kernel: Kernelspec) -> bool:
    """Written beside or wrapped: one that is changed in place is the user's own all the same."""
    try:
        return specs.mark_of(specs.read(Path(kernel.folder))).get("how") in (
            specs.BESIDE,
            specs.WRAPPED,
        )
    except specs.SpecError:
        return False


def _install(kernel: Kernelspec, *, wrap: bool, in_place: bool, interrupts: bool) -> list[str]:
    folder = Path(kernel.folder)
    if in_place:
        specs.write_in_place(folder, kernel.name, interrupts=interrupts)
        return [f"{kernel.name}: changed in place, {folder / 'kernel.json'}"]
    kernels = _writable(folder.parent)
    argv = wrapping(specs.read(folder), kernel) if wrap else ()
    ours = specs.write_beside(folder, kernel.name, kernels, argv, interrupts=interrupts)
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
    which = ["--kernel", kernel.name]
    if tuple(words[1:]) == _IPYKERNEL and isinstance(kernel.interpreter, Known):
        which = ["--python", kernel.interpreter.value]
    return [program, "jupyter", "kernel", *which, "-f", "{connection_file}"]


def _missing_where_servers_run(known: Choices) -> list[str]:
    return [
        f"tfdoctor is not in {each.prefix}, where {each.found_by} runs: in a clone of tfdoctor, type: {each.python} -m pip install '.[jupyter]'"
        for each in _servers(known)
        if "tfdoctor" not in each.distributions
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


_DEFAULT = "JUPYTER_DEFAULT_PROVISIONER_NAME"


def status_lines() -> Iterator[str]:
    known = inventory(System())
    kernels = kernels_of(known)
    if not kernels:
        yield "Jupyter has no kernel here."
    for kernel in kernels:
        watched, why = seen_and_why(kernel, known)
        yield f"{kernel.name}: a death {'would be seen' if watched else 'would not be seen'}"
        yield f"  {why}"
        yield f"  {kernel.folder}"
    servers = _servers(known)
    for each in servers:
        there = "tfdoctor is there" if "tfdoctor" in each.distributions else "tfdoctor is not there"
        yield f"Kernels are started from {each.prefix} ({each.found_by}): {there}"
    if not servers:
        yield "No environment that starts kernels was found: neither an active one nor one whose jupyter is on PATH has jupyter_client."


def seen_and_why(kernel: Kernelspec, known: Choices) -> tuple[bool, str]:
    try:
        document = specs.read(Path(kernel.folder))
    except specs.SpecError as error:
        return False, f"Its kernelspec is broken: {error}"
    if not isinstance(kernel.interpreter, Known):
        told = kernel.interpreter
        return False, f"It can't start: {told.reason if isinstance(told, Absent) else told.error}"
    if specs.mark_of(document).get("how") == specs.WRAPPED:
        return True, "It is started by tfdoctor itself, for every client."
    named = specs.provisioner_of(document) or os.environ.get(_DEFAULT, "")
    if named and named != specs.PROVISIONER:
        return False, f"Another provisioner starts it: {named}"
    if not named:
        own = "Jupyter's own provisioner starts it"
        return False, f"{own}; type: tfdoctor jupyter install --kernel {kernel.name}"
    return _by_provisioner(known)


def _by_provisioner(known: Choices) -> tuple[bool, str]:
    """The provisioner is loaded by the server, from the server's own environment."""
    servers = _servers(known)
    without = [each for each in servers if "tfdoctor" not in each.distributions]
    if without:
        first = without[0]
        return False, (
            f"tfdoctor is missing where the server runs ({first.prefix}, {first.found_by}), so the kernel would not even start there;"
            f" in a clone of tfdoctor, type: {first.python} -m pip install '.[jupyter]'"
        )
    if not servers:
        return (
            False,
            "No environment with a Jupyter server was found that could use the provisioner.",
        )
    known_by = "JupyterLab, Notebook, papermill; not VS Code"
    return True, f"By the provisioner tfdoctor, in servers that know provisioners ({known_by})."


def run_wrapped(connection_file: str, python: str, kernel: str) -> int:
    """Raises UsageError where it can't start."""
    if bool(python) == bool(kernel):
        raise UsageError("give --python PATH or --kernel NAME: whose kernel is to be started")
    if sys.platform != "linux":
        raise UsageError("tfdoctor jupyter kernel works on Linux alone: it reads /proc")
    plain = [python, "-m", "ipykernel_launcher", "-f", connection_file]
    argv = plain if python else words_of(kernel, connection_file)
    try:
        from tfdoctor.apps.jupyter.wrapper import run_kernel
    except ImportError as error:
        raise UsageError(
            f"{error.name} is missing here; type: {install_extra('jupyter')}"
        ) from error
    return run_kernel(argv, connection_file, kernel or os.path.basename(python))


def words_of(name: str, connection_file: str) -> list[str]:
    """The words that start the kernel, whose variables are set from here on. Raises UsageError where it can't start.

    Behind `env`, a shell or `conda run` the launcher finds its Python itself: its words stay as they are.
    """
    found = next(
        (each for each in kernels_of(inventory(System())) if each.name == name.lower()), None
    )
    if found is None:
        raise UsageError(f"Jupyter has no kernel {name!r}")
    try:
        document = specs.read(Path(found.folder))
    except specs.SpecError as error:
        raise UsageError(str(error)) from error
    if specs.mark_of(document).get("how") == specs.WRAPPED:
        raise UsageError(f"{name} is itself a kernelspec that starts tfdoctor")
    direct = started(document["argv"]).at_first
    if direct and not isinstance(found.interpreter, Known):
        raise UsageError(f"the kernel {name!r} can't start; see: tfdoctor jupyter status")
    os.environ.update({key: str(value) for key, value in document.get("env", {}).items()})
    words = [str(word) for word in document["argv"]]
    filled = {"{connection_file}": connection_file, "{resource_dir}": found.folder}
    for placeholder, value in filled.items():
        words = [word.replace(placeholder, value) for word in words]
    return (
        [found.interpreter.value, *words[1:]]
        if isinstance(found.interpreter, Known) and direct
        else words
    )
