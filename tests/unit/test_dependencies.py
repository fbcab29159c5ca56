"""What the program needs and what is installed with it are the same; what is announced is there."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import tfdoctor
from tests.unit.documents import ROOT
from tfdoctor.apps.cli import options
from tfdoctor.apps.cli.app import COMMANDS

pytestmark = pytest.mark.slow  # reads the whole source

TOML = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
PACKAGE = Path(tfdoctor.__file__).parent
_DOCUMENT: dict[str, Any] = TOML.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, BUILD = _DOCUMENT["project"], _DOCUMENT["build-system"]["requires"]
OF_THE_PATIENT = {
    "ask/probes/workers/compute_tensorflow.py": {"tensorflow", "numpy"},
    "apps/fit/trial_program.py": {"tensorflow", "numpy"},
    "apps/pytest_plugin.py": {"pytest", "tensorflow"},
    "keras.py": {"keras", "tensorflow", "tf_keras"},
}
"""What runs in an interpreter of the user, and what it finds there."""


_BROUGHT_BY = {"zmq": "pyzmq"}
EXTRAS_OF_ROOMS = {"apps/jupyter": "jupyter", "apps/fleet": "ray", "apps/assistant": "mcp"}
"""Rooms that nobody imports without the extra of that name."""


@functools.cache
def imported(file: Path) -> frozenset[str]:
    """The top modules that a file imports when it runs: not for type checkers alone."""
    names = _names(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset(name.partition(".")[0] for name in names)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        for other in node.orelse:
            yield from _names(other)
        return
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield node.module or ""
    elif isinstance(node, ast.Call) and _called(node.func) in ("import_module", "find_spec"):
        said = node.args[0]
        parts = said.values[:1] if isinstance(said, ast.JoinedStr) else ast.walk(said)
        texts = [each for each in parts if isinstance(each, ast.Constant)]
        yield from (each.value for each in texts if isinstance(each.value, str))
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


def _called(function: ast.expr) -> str:
    """The last word of its name."""
    name: str = getattr(function, "attr", getattr(function, "id", ""))
    return name


def third_party() -> set[str]:
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        found |= imported(file) - OF_THE_PATIENT.get(str(file.relative_to(PACKAGE)), set())
    ours = {
        "tfdoctor",
        "preamble",
        "opening",
        "ask_nvml",
    }  # of probes/workers/, as its programs call them
    return {name for name in found - sys.stdlib_module_names if name.isidentifier()} - ours


@functools.cache
def installed() -> Mapping[str, list[str]]:
    """Reads the metadata of all that is installed, which takes a tenth of a second."""
    return packages_distributions()


def distribution_of(module: str) -> str:
    """The normalised name of what brings the module; the module's own where it is not installed here (tomli)."""
    return canonicalize_name(installed().get(module, [_BROUGHT_BY.get(module, module)])[0])


def needed(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def test_each_dependency_is_imported_and_each_import_is_a_dependency() -> None:
    modules = third_party() - ({"tomllib"} - sys.stdlib_module_names)  # 3.10 has tomli in its place
    modules -= {"compression"} - sys.stdlib_module_names  # Python's own from 3.14 on
    modules -= {"_sha2", "_sha256"}  # CPython's own: each release has one of them
    of_extras = set().union(
        *(needed(PROJECT["optional-dependencies"][extra]) for extra in EXTRAS_OF_ROOMS.values())
    )
    assert {distribution_of(module) for module in modules} == needed(
        PROJECT["dependencies"]
    ) | of_extras


def test_what_an_extra_brings_is_imported_in_its_room_alone() -> None:
    for room, extra in EXTRAS_OF_ROOMS.items():
        brought = needed(PROJECT["optional-dependencies"][extra])
        users = {
            "/".join(file.relative_to(PACKAGE).parts[:2])
            for file in PACKAGE.rglob("*.py")
            if {distribution_of(module) for module in imported(file)} & brought
        }
        assert users == {room}


def test_every_dependency_names_the_oldest_that_will_do() -> None:
    """`make lowest` installs just those; an upper bound could make the doctor uninstallable beside its patient."""
    for text in PROJECT["dependencies"]:
        operators = [each.operator for each in Requirement(text).specifier]
        assert operators == [">="], text


def locked(name: str) -> dict[str, list[Version]]:
    """Several where Pythons differ."""
    text = (ROOT / "locks" / name).read_text(encoding="utf-8")
    versions: dict[str, list[Version]] = {}
    for found in re.finditer(r"^([\w.-]+)==([\w.+!]+)", text, re.MULTILINE):
        versions.setdefault(canonicalize_name(found[1]), []).append(Version(found[2]))
    return versions


EXTRAS = PROJECT["optional-dependencies"]


@pytest.mark.parametrize(
    ("lock", "requirements"),
    [
        ("runtime.txt", PROJECT["dependencies"]),
        ("dev.txt", [*PROJECT["dependencies"], *BUILD, *EXTRAS["dev"], *EXTRAS["docs"], *EXTRAS["fleet"], *EXTRAS["release"], *EXTRAS["fuzz"]]),
        ("build.txt", BUILD),
    ],
)  # fmt: skip
def test_the_locks_hold_what_is_needed(lock: str, requirements: list[str]) -> None:
    versions = locked(lock)
    for requirement in map(Requirement, requirements):
        found = versions.get(canonicalize_name(requirement.name), [])
        assert any(each in requirement.specifier for each in found), f"{requirement}: run make lock"


def test_what_users_install_holds_nothing_of_the_developers() -> None:
    of_developers = needed(EXTRAS["dev"]) - needed(PROJECT["dependencies"])
    assert of_developers & set(locked("runtime.txt")) == set()


def test_every_extra_is_for_code_that_is_there() -> None:
    """An extra that no import needs must be one that the Makefile itself installs."""
    makefile, imports = (ROOT / "Makefile").read_text(encoding="utf-8"), third_party()
    for extra, requirements in PROJECT["optional-dependencies"].items():
        used = {distribution_of(module) for module in imports} & needed(requirements)
        assert used or f".[{extra}]" in makefile or f"--extra {extra}" in makefile, (
            f"the extra [{extra}] is announced, and nothing needs it"
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_is_announced_is_there(command: str) -> None:
    module = import_module(f"tfdoctor.apps.cli.{command}_command")
    assert callable(module.main if command in options.COMMANDS else module.app)


def test_the_recipe_needs_what_the_package_needs() -> None:
    """But hyperscan, which conda-forge has for fewer systems."""
    root = Path(__file__).parents[2]
    recipe = yaml.safe_load((root / "examples" / "conda" / "recipe.yaml").read_text())
    said = (
        (root / "pyproject.toml").read_text().partition("\ndependencies = [")[2].partition("\n]")[0]
    )
    needed = {str(each) for each in re.findall(r'^  "([A-Za-z][\w-]*)', said, re.MULTILINE)} - {
        "hyperscan"
    }
    listed = {each.split()[0] for each in recipe["requirements"]["run"]} - {"python"}
    assert listed == {each.lower() for each in needed}
