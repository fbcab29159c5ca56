"""One search for CUDA libraries: the loader, TensorFlow's own library that opens them, and where else copies are."""

from __future__ import annotations

import os
from pathlib import Path

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known, value_or
from tfdoctor.facts.values import Distribution
from tfdoctor.light.records import record
from tfdoctor.probes.libraries.library_copies import folders_elsewhere
from tfdoctor.probes.request import Request
from tfdoctor.system.elf import Elf, NotElfError, read_elf
from tfdoctor.system.loader import Loader, Place, loading_library


@record
class Search:
    """What one search needs: the loader, the folders of TensorFlow's own library, and where else copies may be."""

    loader: Loader
    caller: Elf
    places: list[Place]
    elsewhere: list[str]
    wheels: tuple[Distribution, ...]


def search_of(
    request: Request, facts: Facts, folders: tuple[str, ...], files: Path, wheels: tuple[Distribution, ...]
) -> Fact[Search]:
    path = loading_library(files)
    if path is None:
        return Failed(
            f"{files} has no libtensorflow_framework.so, which would open the CUDA libraries", "missing"
        )
    try:
        caller = read_elf(str(path))
    except NotElfError as error:
        return Failed(str(error), "unreadable")
    executable = value_or(facts.interpreter.executable, "")
    flags: tuple[str, ...] = value_or(facts.host.cpu_flags, ())
    loader = Loader(
        request.system,
        caller.machine,
        frozenset(flags),
        _program(executable),
        os.path.dirname(os.path.realpath(executable)),
    )
    elsewhere = folders_elsewhere(request.system, folders, value_or(facts.interpreter.prefix, ""))
    return Known(
        Search(loader, caller, loader.places(caller, str(path.parent)), elsewhere, wheels), str(path)
    )


def _program(executable: str) -> Elf | None:
    """The interpreter's own headers: conda's has an RPATH, which counts for all that it loads."""
    try:
        return read_elf(os.path.realpath(executable))
    except (NotElfError, OSError, ValueError):
        return None  # a script or a wrapper has no search path of its own
