"""Machines that show what the checks declare: which fault explains which, and what a fault takes away.

shown.yaml lists them; `make rings` looks for what is missing there. A machine is a scenario, or two laid over
each other ("driver-missing/bare-metal + nvml-unusable/hang": the first one's base, and of one fact the second one's word).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import yaml

from tests.scenarios.conftest import HERE, Scenario, all_scenarios, whole_machines
from tfdoctor.base.records import replace
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.engine.case import REGISTRY, Ability, Check, Inconclusive, NotApplicable
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.stage_output import FOLLOWS
from tfdoctor.knowledge.catalog import EFFECTS
from tfdoctor.knowledge.model import Finding, Role, Severity

Edge = tuple[str, str]
FILE = HERE / "shown.yaml"
ENDS = frozenset(FOLLOWS) - {"smoke-tensorflow-failed"}
CANT_BE_TOLD: dict[str, set[str]] = {
    "native-crash": {"gpu"},
    "check-failed": {"compute", "gpu"},
    "nccl-failed": {"gpu"},
    "package-import-failed": {"compute", "gpu"},
    "environment-variable-refused": {"compute", "gpu"},
    "rocm-gpu-unsupported": {"compute", "nothing"},
}
"""What a check of the TensorFlow stage's failure can't be told from: a stage that failed so computed nothing right."""
"""How a program ends of whose cause nobody knows more. Whatever ends it explains all of them (FOLLOWS); the TensorFlow stage shows one at most, and none beside the words of a cause."""


@cache
def parts() -> dict[str, Scenario]:
    """Every scenario by its name, whole machines and what was seen to work among them."""
    return {each.name: each for each in (*all_scenarios(), *whole_machines())}


def machine(name: str) -> Scenario:
    """Raises KeyError for a scenario that does not exist."""
    first, *others = [parts()[part] for part in name.split(" + ")]
    said: dict[str, Any] = dict(first.said)
    for each in others:
        more = {
            key: value for key, value in each.said.items() if key in ("require_gpu", "min_free_ram")
        }
        said = {
            **said,
            **more,
            "facts": {**(said.get("facts") or {}), **(each.said.get("facts") or {})},
        }
    return Scenario(first.code, first.own_name, said)


def edge_of(text: str) -> Edge:
    """As shown.yaml writes it."""
    cause, _, effect = text.partition(" > ")
    return cause, effect


def edges() -> set[Edge]:
    """Everything that is declared."""
    return {(cause, effect) for cause, effects in EFFECTS.items() for effect in effects}


def edges_shown(findings: Iterable[Finding]) -> set[Edge]:
    """The edges without any one of which these findings would have other roots."""
    found, known = tuple(findings), EFFECTS
    faults = {each.code for each in found if each.severity is not Severity.INFO}
    whole = _roots(found, known)
    declared = {
        (cause, effect) for cause in faults for effect in known.get(cause, frozenset()) & faults
    }
    return {edge for edge in declared if _roots(*_without(edge, found, known)) != whole}


def _roots(
    findings: Iterable[Finding], known: Mapping[str, frozenset[str]]
) -> list[tuple[str, Role, Any]]:
    return [(each.code, each.role, each.caused_by) for each in resolve(findings, known)]


def _without(
    edge: Edge, findings: tuple[Finding, ...], known: Mapping[str, frozenset[str]]
) -> tuple[list[Finding], Mapping[str, frozenset[str]]]:
    cause, effect = edge
    own = [
        replace(each, explains=each.explains - {effect})
        if each.code == cause and each.explains is not None
        else each
        for each in findings
    ]
    return own, {**known, cause: known[cause] - {effect}}


def ends_of(checks: Iterable[Check]) -> dict[str, list[str]]:
    """For each cause the ways to end that follow from it; ["all"] where it is all of them."""
    found = {check.code: sorted(EFFECTS[check.code] & ENDS) for check in checks}
    return {code: ["all"] if set(ends) == ENDS else ends for code, ends in found.items() if ends}


def told_apart(code: str, scenario: Scenario) -> set[Ability]:
    """The abilities that the code's check could not have declared in place of its own: this machine would be judged otherwise."""
    case, declared = scenario.case(), REGISTRY[code].blocks
    try:
        found = REGISTRY[code].judge(case)
    except Inconclusive:
        concerns = True
    except NotApplicable:
        concerns = False
    else:
        concerns = found is not None and found.severity is not Severity.INFO
    seen = abilities_seen(case.facts)
    return {other for other in Ability if concerns and (other in seen) != (declared in seen)}


@cache
def listed() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return document
