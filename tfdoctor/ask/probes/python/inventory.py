"""The environments and kernels that a user of this machine may work with: one list for all who look beyond one environment.

Only files are looked at. Environments are the active ones, tfdoctor's own, and those whose `jupyter` stands on PATH.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tfdoctor.ask.probes.python.environments import folders_of
from tfdoctor.ask.probes.python.jupyter import all_kernels
from tfdoctor.ask.probes.python.metadata import name_of_folder
from tfdoctor.ask.probes.python.target import active_interpreters
from tfdoctor.base.printable import plain
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import folder_names, head_text
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Fact
from tfdoctor.facts.values import Kernelspec

SERVERS = ("jupyter-lab", "jupyter-notebook", "jupyter-server", "jupyter", "papermill")
"""Programs that start kernels inside their own process or that of a server in their environment."""

_INTERPRETER_LINE = 512


@record
class Environment:
    """`found_by`: how a user comes to it. `distributions`: normalised names of what is installed in it."""

    python: str
    prefix: str
    found_by: str
    distributions: frozenset[str]

    @property
    def starts_kernels(self) -> bool:
        return "jupyter-client" in self.distributions


@record
class Choices:
    """`kernels` are those that any of these environments would offer, the first of a name."""

    environments: tuple[Environment, ...]
    kernels: Fact[tuple[Kernelspec, ...]]


def inventory(system: System) -> Choices:
    """Raises nothing; what can't be read has no distributions."""
    found: dict[str, Environment] = {}
    for found_by, python in (*_of_servers(system), *active_interpreters(system)):
        path = os.path.abspath(python)
        prefix = str(Path(path).parent.parent)
        if prefix not in found:
            folders = (
                sys.path
                if os.path.abspath(sys.executable or "") == path
                else folders_of(Path(path), system)
            )
            found[prefix] = Environment(
                plain(path), plain(prefix), found_by, _distributions(folders)
            )
    return Choices(tuple(found.values()), all_kernels(system, list(found)))


def _of_servers(system: System) -> list[tuple[str, Path]]:
    """The interpreters behind Jupyter's programs on PATH, by their first line."""
    found = []
    for name in SERVERS:
        for program in system.programs(name):
            python = _interpreter_of(program)
            if python is not None:
                found.append((f"{name} on PATH", python))
                break
    return found


def _interpreter_of(program: Path) -> Path | None:
    """What a script's first lines name: "#!/env/bin/python", or a shell that executes that (pip does so for long paths)."""
    for line in head_text(program, _INTERPRETER_LINE).splitlines()[:2]:
        words = line.removeprefix("#!").removeprefix("'''exec' ").split()
        if words and os.path.basename(words[0].strip('"')).startswith("python"):
            return Path(words[0].strip('"'))
    return None


def _distributions(folders: object) -> frozenset[str]:
    names: set[str] = set()
    for folder in folders if isinstance(folders, (list, tuple)) else ():
        names |= {name_of_folder(name) for name in folder_names(folder)}
    return frozenset(names - {""})
