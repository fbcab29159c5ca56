"""Packages beside TensorFlow: `data/knowledge/packages.yaml`, compiled by `make knowledge`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tfdoctor.base.records import field, record
from tfdoctor.base.version_ranges import normalised
from tfdoctor.knowledge.compiled import actions


@record
class Package:
    """One row; data/knowledge/packages.yaml says what its fields mean."""

    modules: tuple[str, ...] = ()
    any_python: bool = False
    python: str = ""
    windows: str = "-"  # "-" where Windows is no exception
    instead: str = ""
    note: str = ""
    newest: Mapping[str, str] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)
    came: Mapping[str, str] = field(default_factory=dict)


PACKAGES: dict[str, Package] = {
    name: Package(**{key.replace("-", "_"): value for key, value in said.items()})
    for name, said in actions()["packages"].items()
}
PROJECTS: dict[str, str] = {
    module: name for name, each in PACKAGES.items() for module in each.modules
}
"""By the names of modules that are not their packages' own."""


def project_of(module: str) -> str:
    return PROJECTS.get(module, module.replace("_", "-"))


@cache
def named() -> frozenset[str]:
    """The packages that the knowledge names: rows of the table, and what actions install and remove."""
    return frozenset((*map(normalised, PACKAGES), *actions()["named"]))
