"""What is on the examined interpreter's path: read once, for several probes tell of it.

The metadata folders of an environment and TensorFlow's RECORD (2.7 MB) cost more to read than all else that
is read of it.
"""

from __future__ import annotations

from tfdoctor.ask.probes.python.metadata import Inventory, take_inventory
from tfdoctor.ask.probes.python.tensorflow_files import Package, find_package, of_family, owner_of
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.records import record
from tfdoctor.facts.model import Interpreter
from tfdoctor.facts.outcome import Fact, Known, value_or
from tfdoctor.facts.values import Distribution


@record
class Installed:
    """`folders` as they are searched. `package` is what `import tensorflow` would take, None where there is none;
    `owner` the distribution that its files came with, `family` every distribution that brings a TensorFlow.
    """

    folders: tuple[str, ...]
    inventory: Inventory
    package: Package | None
    family: tuple[Distribution, ...]
    owner: Distribution | None


def installed(request: Request, interpreter: Interpreter) -> Fact[Installed]:
    """Known wherever it is known which folders are searched."""
    folders = search_folders(interpreter)
    if not isinstance(folders, Known):
        return folders
    user_site = value_or(interpreter.user_site, "")
    asked = (folders.value, user_site)
    return request.shared.once(
        asked, lambda: Known(_read(folders.value, user_site), "the metadata folders on sys.path")
    )


def search_folders(interpreter: Interpreter) -> Fact[tuple[str, ...]]:
    """sys.path; where the interpreter did not tell it, the site folders that its files show."""
    if isinstance(interpreter.sys_path, Known):
        return interpreter.sys_path
    return (
        interpreter.site_packages
        if isinstance(interpreter.site_packages, Known)
        else interpreter.sys_path
    )


def _read(folders: tuple[str, ...], user_site: str) -> Installed:
    inventory = take_inventory(folders, user_site)
    package = find_package(folders)
    family = of_family(inventory.every)
    return Installed(
        folders, inventory, package, family, owner_of(package, family) if package else None
    )
