"""Reads scenarios: facts in, findings out, no code.

codes/<code>.yaml has the scenarios of a code by their names. Each changes single facts of a healthy machine (`base`, a
file in _bases; `release`: with another TensorFlow, as releases.py makes it of the matrix) and says
what the check of that code has to answer. What may stand under `facts` says overlay.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scenarios.overlay import Loader, laid_over
from tests.scenarios.releases import of_release, requirements_followed
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.fix.loading import Trusts
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.judge.judge import Judgement, judge
from tfdoctor.knowledge.catalog import EFFECTS
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Finding, Role

HERE = Path(__file__).parent
KEYS = {
    "what",
    "base",
    "release",
    "facts",
    "require_gpu",
    "expect",
    "evidence",
    "severity",
    "confidence",
    "roots",
    "min_free_ram",
}
ANSWERS = ("fires", "quiet", "undecided")


vouched = Trusts(lambda path, as_root: True)


@dataclass(frozen=True)
class Scenario:
    """`code` is its file's name."""

    code: str
    own_name: str
    said: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.code}/{self.own_name}"

    def facts(self) -> Facts:
        """The base's facts with the scenario's own laid over them. Raises KeyError for a fact that does not exist."""
        return from_json(self.document(), Facts)

    def document(self) -> dict[str, Any]:
        """The same as JSON. What TensorFlow requires is compared with single packages that differ from the base's."""
        machine = base(self.said["base"], self.said.get("release", ""))
        differs = self.said.get("facts") or {}
        try:
            document = laid_over(machine, differs)
        except KeyError as error:
            raise KeyError(f"{self.name}: {error.args[0]}") from error
        stated = any(path.startswith("packages.requirements") for path in differs)
        single = any(path.startswith("packages.installed[") for path in differs)
        return requirements_followed(document) if single and not stated else document

    def case(self, trusts: Trusts = vouched) -> Case:
        """As of a machine that was asked, and on which the user alone can change what is loaded."""
        policy = Policy(
            require_gpu=self.said.get("require_gpu"), min_free_ram=self.said.get("min_free_ram", 0)
        )
        return Case(self.facts(), bundled(), policy, trusts)

    def judged(self) -> Judgement:
        return judge(self.case())

    def resolved(self) -> tuple[Finding, ...]:
        return resolve(self.judged().findings, EFFECTS)

    def roots(self) -> list[str]:
        return [finding.code for finding in self.resolved() if finding.role is Role.ROOT]


@cache
def base(name: str, release: str = "") -> dict[str, Any]:
    """The facts of a base; with `release` those of the same machine with another TensorFlow."""
    document = _whole(name)
    return of_release(document, release) if release else document


def _whole(name: str) -> dict[str, Any]:
    """A base is a machine's facts, or says what differs from another one."""
    differs = HERE / "_bases" / f"{name}.yaml"
    if differs.exists():
        said = yaml.load(differs.read_text("utf-8"), Loader)
        return laid_over(base(said["base"]), said["facts"])
    document: dict[str, Any] = json.loads((HERE / "_bases" / f"{name}.json").read_text("utf-8"))
    return document


@cache
def bundled() -> Matrix:
    return load_bundled()


@cache
def all_scenarios() -> tuple[Scenario, ...]:
    return _read("codes")


@cache
def whole_machines() -> tuple[Scenario, ...]:
    """Machines that are about no single code (test_machines.py), and those on which something was seen to work."""
    return _read("whole")


def named(name: str) -> Scenario:
    """By code and name, "gpu-hidden/empty"."""
    return next(each for each in (*all_scenarios(), *whole_machines()) if each.name == name)


def _read(folder: str) -> tuple[Scenario, ...]:
    files = sorted((HERE / folder).glob("*.yaml"))
    return tuple(
        Scenario(file.stem, name, said)
        for file in files
        for name, said in yaml.load(
            file.read_text("utf-8"), Loader
        ).items()  # a safe loader with short forms of facts
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scenario" in metafunc.fixturenames:
        scenarios = all_scenarios()
        metafunc.parametrize("scenario", scenarios, ids=[each.name for each in scenarios])
    if "told_code" in metafunc.fixturenames:
        metafunc.parametrize("told_code", sorted(check.code for check in in_catalog_order()))
