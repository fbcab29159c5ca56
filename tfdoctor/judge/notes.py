"""Worth knowing, and no fault."""

from __future__ import annotations

from tfdoctor.base.units import first_of
from tfdoctor.facts.model import Facts
from tfdoctor.facts.values import Plugin
from tfdoctor.judge.interface import (
    Ability,
    Case,
    Evidence,
    Failed,
    Found,
    Known,
    Severity,
    act,
    check,
    says,
    value_or,
)
from tfdoctor.judge.questions.build import platform_of
from tfdoctor.judge.questions.packages import version_of
from tfdoctor.knowledge.matrix.model import PLATFORMS

_SHOWN = 12
_NAMED = 3  # in the sentence; the evidence has the others


@check("memory-growth-off", blocks=Ability.NOTHING)
def memory_growth(case: Case) -> Found | None:
    """NVML shows another process on a GPU while TF_FORCE_GPU_ALLOW_GROWTH is not set, or to a value that is ignored."""
    variables = case.need(case.facts.environment.variables)
    if variables.get("TF_FORCE_GPU_ALLOW_GROWTH") == "true":
        return None
    case.need(case.facts.tensorflow.version)
    shared = [
        (each.index, process)
        for each in case.need(case.facts.nvml.devices)
        for process in value_or(each.processes, ())
    ]
    if not shared:
        return None
    who = ", ".join(
        dict.fromkeys(f"{process.name or process.pid} on GPU {index}" for index, process in shared)
    )
    return Found(
        says("memory-growth-off", "found"),
        (
            Evidence(
                "nvml.devices",
                who,
                "no other process, or memory growth",
                "TensorFlow guide, Use a GPU (2026-11)",
            ),
            Evidence("environment.variables", "TF_FORCE_GPU_ALLOW_GROWTH is not set"),
        ),
        (act("set-variable", "allow-memory-growth"),),
    )


@check("installer-leftovers", blocks=Ability.NOTHING)
def installer_leftovers(case: Case) -> Found | None:
    """What pip moved aside and left: nothing is imported from it, and pip warns of it each time."""
    left = case.need(case.facts.packages.leftovers)
    if not left:
        return None
    names = first_of([each.rpartition("/")[2] for each in left], _NAMED)
    return Found(
        says("installer-leftovers", "found", names=names, folder=left[0].rpartition("/")[0]),
        tuple(
            Evidence("packages.leftovers", each, "no name that begins with ~")
            for each in left[:_SHOWN]
        ),
        (act("words", "delete-leftovers"),),
    )


@check("unknown-release", blocks=Ability.NOTHING)
def unknown_release(case: Case) -> Found | None:
    """The matrix has no row for this version, neither under the distribution's own name nor under tensorflow's."""
    version = case.need(case.facts.tensorflow.version)
    name = value_or(case.facts.tensorflow.distribution, "tensorflow")
    own = platform_of(case.facts)
    platforms = [own.value] if isinstance(own, Known) else list(PLATFORMS)
    names = dict.fromkeys((name, "tensorflow"))
    if any(
        isinstance(case.matrix.release(version, each, where), Known)
        for each in names
        for where in platforms
    ):
        return None
    newest = next(case.matrix.releases(), None)
    known = f"releases up to {newest.tensorflow}" if newest else "other releases"
    return Found(
        says("unknown-release", "found", name=name, version=version),
        (
            Evidence(
                "tensorflow.version", f"{name} {version}", known, f"matrix {case.matrix.version}"
            ),
        ),
        (act("change-packages", "update-matrix"),),
    )


@check("known-vulnerability", blocks=Ability.NOTHING)
def known_vulnerability(case: Case) -> Found | None:
    """The matrix names advisories for this version. Build files are left to programs that know all packages'."""
    version = str(case.need(case.facts.tensorflow.version))
    if case.policy.to_be_built:
        return None
    known = [each for each in case.matrix.defects(version) if each.kind == "known-vulnerability"]
    if not known:
        return None
    fixed = max((each.detail["fixed_in"] for each in known), key=version_of)
    return Found(
        says("known-vulnerability", "found", version=version, cves=", ".join(each.detail["cve"] for each in known), fixed=fixed),
        tuple(Evidence("tensorflow.version", version, each.text, each.source) for each in known),
        (act("plan", "plan-for-this-machine"),),
    )  # fmt: skip


@check("plugin-failed", blocks=Ability.NOTHING)
def plugin_failed(case: Case) -> Found | None:
    """A package that extends tfdoctor had no say; a note where a saved report alone names it."""
    failed = [
        each for each in case.need(case.facts.plugins.installed) if each.error or not each.here
    ]
    if not failed:
        return None
    severe = [each for each in failed if each.here]
    words = [says("plugin-failed", "found", who=_named(each), error=each.error) for each in severe]
    words += [
        says("plugin-failed", "not-here", who=_named(each)) for each in failed if each not in severe
    ]
    return Found(
        " ".join(words),
        tuple(
            Evidence(
                "plugins.installed",
                f"{_named(each)}: {each.error if each.here else 'not loaded here'}",
            )
            for each in failed
        ),
        (act("look", "without-plugins"),) if severe else (),
        severity=None if severe else Severity.INFO,
    )


def _named(plugin: Plugin) -> str:
    return f"{plugin.name} {plugin.version}"


@check("probe-failed", blocks=Ability.NOTHING)
def probe_failed(case: Case) -> Found | None:
    """Every fact that failed, except for those that nobody asked for and those that an unpacked system can't have."""
    failed = failed_facts(case.facts)
    if not failed:
        return None
    lines = tuple(Evidence(path, f"not found out: {error}") for path, error in failed.items())
    return Found(f"{first_of(list(failed), _NAMED)}.", lines[:_SHOWN])


def failed_facts(facts: Facts) -> dict[str, str]:
    """Path and error of each. Not those that nobody asked for, nor those that an unpacked system can't have.

    A group that failed as a whole is one entry.
    """
    asked = facts.items()
    found = {
        path: fact.error for path, fact in asked if isinstance(fact, Failed) and not fact.on_purpose
    }
    for group in dict.fromkeys(path.partition(".")[0] for path in found):
        own = [path for path, _ in asked if path.startswith(f"{group}.")]
        errors = {found.get(path, "") for path in own}
        if len(errors) == 1:
            found = {path: error for path, error in found.items() if path not in own}
            found[group] = errors.pop()
    return found
