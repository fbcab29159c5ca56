"""Finds the kernelspec that a Jupyter would start under a name (jupyter_client, "Kernel specs")."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.probes.request import RequestError
from tfdoctor.probes.system import System


def kernel_interpreter(system: System, name: str) -> Fact[Path]:
    """The interpreter that kernel `name` starts, its links kept; Absent where that program does not exist.

    Raises RequestError where there is no kernel of that name.
    """
    known: list[str] = []
    for folder in kernel_folders(system):
        for entry in system.list(folder):
            if entry.lower() == name.lower():
                return _program_of(system, f"{folder}/{entry}/kernel.json")
            known.append(entry)
    offered = ", ".join(dict.fromkeys(known)) or "none"
    raise RequestError(f"--kernel {name}: Jupyter has no kernel of that name (it has: {offered})")


def kernel_folders(system: System) -> Iterator[str]:
    """Where kernelspecs lie, in Jupyter's order (jupyter_core.paths.jupyter_path, version 5)."""
    environ = system.environ
    places = [item for item in environ.get("JUPYTER_PATH", "").split(os.pathsep) if item]
    environments = [environ.get("VIRTUAL_ENV", ""), environ.get("CONDA_PREFIX", ""), sys.prefix if system.live else ""]
    places += [f"{item}/share/jupyter" for item in environments if item]
    home = environ.get("HOME", "")
    places += [environ.get("JUPYTER_DATA_DIR") or f"{environ.get('XDG_DATA_HOME') or home + '/.local/share'}/jupyter"]
    places += [f"{home}/Library/Jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"]
    for place in dict.fromkeys(places):
        yield f"{place}/kernels"


def _program_of(system: System, name: str) -> Fact[Path]:
    try:
        document = json.loads(system.read(name))
        program = document["argv"][0]
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        return Failed(f"{name} can't be read as a kernelspec: {type(error).__name__}: {error}")
    if not isinstance(program, str) or not program:
        return Failed(f"{name} names no program")
    if os.sep not in program:
        return _on_path(system, program, name)
    path = Path(program) if os.path.lexists(program) else system.path(program)
    return Known(path, name) if os.path.lexists(path) else Absent(f"{name} starts {program}, which does not exist")


def _on_path(system: System, program: str, name: str) -> Fact[Path]:
    """ "python" in a kernelspec means: the one of Jupyter's own environment, else the first on PATH."""
    for folder in system.environ.get("PATH", os.defpath).split(os.pathsep):
        path = system.path(folder or ".") / program
        if path.is_file():
            return Known(path, name)
    return Absent(f"{name} starts {program}, and no program on PATH has that name")
