"""What is installed where the examined interpreter looks, read from metadata folders alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TypeVar

from tfdoctor.ask.probes.python.damage import damaged
from tfdoctor.ask.probes.python.fixes import interrupted_fix
from tfdoctor.ask.probes.python.installed import Installed, installed
from tfdoctor.ask.probes.python.metadata import Inventory
from tfdoctor.ask.probes.python.requirements import (
    Site,
    bounds,
    built_on_another,
    read_requirements,
    unmet_below,
)
from tfdoctor.ask.probes.python.shadowing import find_leaks, find_shadows
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.base.records import names as record_names
from tfdoctor.base.records import replace
from tfdoctor.base.safe_open import list_folder
from tfdoctor.facts.model import Facts, Interpreter, Packages
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import (
    Bound,
    DamagedPackage,
    Distribution,
    PathLeak,
    Requirement,
    Shadow,
    UnmetRequirement,
)
from tfdoctor.facts.versions import PythonRelease

T = TypeVar("T")


def ask(request: Request, facts: Facts) -> Packages:
    """Fills the group. Needs the group `interpreter`."""
    shadowing: Fact[tuple[Shadow, ...]] = attempt(
        lambda: _shadowing(request, facts.interpreter), "the working folder and PYTHONPATH"
    )
    found = installed(request, facts.interpreter)
    if not isinstance(found, Known):
        return replace(
            Packages(**dict.fromkeys(record_names(Packages), found)), shadowing=shadowing
        )
    inventory = found.value.inventory
    unreadable = list(inventory.unreadable)
    site = Site(inventory.installed, facts.interpreter)
    owner = found.value.owner or next(iter(found.value.family), None)
    requirements: Fact[tuple[Requirement, ...]] = attempt(
        lambda: _requirements(owner, site, unreadable), "Requires-Dist"
    )
    below: Fact[tuple[UnmetRequirement, ...]] = attempt(
        lambda: _unmet_below(owner, site, unreadable), "Requires-Dist of TensorFlow's requirements"
    )
    bounded: Fact[tuple[Bound, ...]] = attempt(
        lambda: _bounds(owner, site, unreadable), "Requires-Dist of all packages"
    )
    return Packages(
        installed=Known(tuple(inventory.installed.values()), found.source),
        unreadable=_some(unreadable, "every metadata folder could be read"),
        requirements=requirements,
        unmet_below=below,
        bounds=bounded,
        damaged=attempt(
            lambda: _damaged(requirements, inventory), "RECORD of TensorFlow's requirements"
        ),
        interrupted=Known(tuple(inventory.interrupted), found.source)
        if inventory.interrupted
        else Absent("no installation was interrupted"),
        leftovers=attempt(lambda: _leftovers(facts.interpreter), "site-packages"),
        interrupted_fix=attempt(
            lambda: interrupted_fix(request, facts.interpreter), "the journals of tfdoctor fix"
        ),
        built_on_another=attempt(
            lambda: _some(
                built_on_another(site, unreadable),
                "no compiled package asks for another TensorFlow",
                _OF_EACH,
            ),
            "Requires-Dist of all packages",
        ),
        shadowing=shadowing,
        user_site_shadowing=_leaking(inventory, facts.interpreter.user_site),
        path_leaks=attempt(
            lambda: _path_leaks(request, found.value, facts.interpreter), "PYTHONPATH"
        ),
    )


def _names(folder: str) -> list[str]:
    return list_folder(folder) if os.path.isdir(folder) else []


def _leftovers(interpreter: Interpreter) -> Fact[tuple[str, ...]]:
    """pip gives what it replaces such a name until the new files are there."""
    folders: tuple[str, ...] = value_or(interpreter.site_packages, ())
    found = [
        f"{folder}/{name}"
        for folder in dict.fromkeys(folders)
        for name in sorted(_names(folder))
        if name.startswith("~")
    ]
    return _some(found, "no name in site-packages begins with ~")


def _damaged(
    requirements: Fact[tuple[Requirement, ...]], inventory: Inventory
) -> Fact[tuple[DamagedPackage, ...]]:
    if not isinstance(requirements, Known):
        return requirements
    names = dict.fromkeys(each.name for each in requirements.value if not each.extra)
    return damaged(inventory.installed[name] for name in names if name in inventory.installed)


_NOT_INSTALLED = Absent("no distribution of TensorFlow is installed")
_OF_EACH = "Requires-Dist of each"


def _some(
    found: Sequence[T], none: str, source: str = "the metadata folders on sys.path"
) -> Fact[tuple[T, ...]]:
    return Known(tuple(found), source) if found else Absent(none)


def _requirements(
    owner: Distribution | None, site: Site, unreadable: list[str]
) -> Fact[tuple[Requirement, ...]]:
    """A line that can't be read goes to `unreadable`."""
    if owner is None:
        return _NOT_INSTALLED
    return Known(read_requirements(owner, site, unreadable), owner.folder)


def _unmet_below(
    owner: Distribution | None, site: Site, unreadable: list[str]
) -> Fact[tuple[UnmetRequirement, ...]]:
    if owner is None:
        return _NOT_INSTALLED
    none = "what TensorFlow requires has all that it requires itself"
    return _some(unmet_below(owner, site, unreadable), none, _OF_EACH)


def _bounds(
    owner: Distribution | None, site: Site, unreadable: list[str]
) -> Fact[tuple[Bound, ...]]:
    if owner is None:
        return _NOT_INSTALLED
    none = "no package bounds what TensorFlow needs"
    return _some(bounds(owner, site, unreadable), none, _OF_EACH)


def _leaking(inventory: Inventory, user_site: Fact[str]) -> Fact[tuple[str, ...]]:
    """Names that the user site has before a copy of the environment's own."""
    if not isinstance(user_site, Known):
        return user_site if isinstance(user_site, Failed) else Absent(user_site.reason)

    def hides(first: Distribution) -> bool:
        return any(item.name == first.name and not item.in_user_site for item in inventory.every)

    hidden = [
        item.name for item in inventory.installed.values() if item.in_user_site and hides(item)
    ]
    return _some(hidden, "no distribution of the user site comes before one of the environment's")


def _path_leaks(
    request: Request, found: Installed, interpreter: Interpreter
) -> Fact[tuple[PathLeak, ...]]:
    """Not those that are a folder of the environment itself, which is searched either way."""
    named = [os.path.abspath(item) for item in request.system.folders("PYTHONPATH") if item]
    own = {os.path.realpath(item) for item in value_or(interpreter.site_packages, ())}
    entries = [item for item in dict.fromkeys(named) if os.path.realpath(item) not in own]
    if not entries:
        return Absent("PYTHONPATH names no folder of packages")
    version = interpreter.version
    tag = version.value.feature.replace(".", "") if isinstance(version, Known) else ""
    leaks = tuple(find_leaks(entries, found.folders, found.inventory.every, tag))
    return (
        Known(leaks, "PYTHONPATH")
        if leaks
        else Absent("PYTHONPATH brings no package that TensorFlow imports")
    )


_FROZEN = PythonRelease("3.11")


def _started_from_files(interpreter: Interpreter) -> bool:
    """Before 3.11 the modules that Python starts with were searched on PYTHONPATH (frozen since, What's New 3.11)."""
    return isinstance(interpreter.version, Known) and interpreter.version.value < _FROZEN


def _shadowing(request: Request, interpreter: Interpreter) -> Fact[tuple[Shadow, ...]]:
    path = value_or(interpreter.sys_path, ())
    stdlib = tuple(
        item
        for item in path
        if item.endswith("lib-dynload") or os.path.isfile(os.path.join(item, "os.py"))
    )
    found: list[Shadow] = []
    places: list[tuple[str, str]] = []
    if request.system.live:
        with contextlib.suppress(
            OSError
        ):  # nothing can be imported from a working folder that was removed
            places.append((os.getcwd(), "working folder"))
    python_path = request.system.folders("PYTHONPATH")
    places += [(os.path.abspath(item), "PYTHONPATH") for item in python_path if item]
    for folder, place in dict(
        places
    ).items():  # of a folder that is both, PYTHONPATH counts: it holds wherever one works
        if folder not in stdlib and os.path.isdir(folder):
            started = place == "working folder" or not _started_from_files(interpreter)
            found += find_shadows(folder, place, stdlib, frozen_start=started)
    return (
        Known(tuple(found), "the working folder and PYTHONPATH")
        if found
        else Absent("no module of the user's hides another")
    )
