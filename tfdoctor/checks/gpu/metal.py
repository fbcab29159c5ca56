"""Whether TensorFlow on a Mac has the plug-in by which alone it uses Apple's GPU."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.packages import fits, installed, tensorflow_version
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import check_again
from tfdoctor.fixes.packages import put_right

PLUGIN = "tensorflow-metal"
_SERVED = ">=2.13,<2.19"
"""Releases beside which the plug-in was seen to load: 1.0 and 1.1 up to 2.17, 1.2 with 2.18 (its releases on PyPI; TensorFlow
issues 81987 and 84167, 2024-12 and 2025-01). Beside 2.19 and newer it fails in the loader."""
_OLD = "<2.18"


@check("metal-plugin-missing", prevents=Ability.GPU, explains=("smoke-tensorflow-failed", "gpu-absent"))
def metal_plugin_missing(case: Case) -> Found | None:
    """An Apple GPU, no plug-in, and no GPU that TensorFlow shows. An error where a GPU is required, else a loss."""
    bus = value_or(case.facts.host.gpus_on_bus, ())
    foreign = value_or(case.facts.interpreter.machine, "arm64") != "arm64" or "x86_64" in value_or(
        case.facts.tensorflow.wheel_tag, ""
    )
    if foreign or not any(each.vendor == "apple" for each in bus):
        return None  # foreign-architecture speaks of a Python for Intel's Macs
    if not isinstance(case.need_outcome(installed(case, PLUGIN)), Absent):
        return None
    smoke = case.facts.smoke.tensorflow
    if isinstance(smoke, Known) and value_or(smoke.value.gpus, ()):
        return None
    version = str(tensorflow_version(case))
    return Found(
        f"TensorFlow {version} computes on the CPU of this Mac. It uses Apple's GPU only through the plug-in {PLUGIN}, a package of its own.",
        (
            evidence(case, "host.gpus_on_bus", observed="Apple's GPU"),
            Evidence("packages.installed", f"no {PLUGIN}", f"a {PLUGIN} that fits TensorFlow {version}", "Apple, Get started with tensorflow-metal"),
        ),
        plugin_ways(case.facts, version),
        Confidence.CERTAIN,
        None if case.policy.require_gpu else Severity.WARNING,
    )  # fmt: skip


def plugin_ways(facts: Facts, version: str) -> tuple[Fix, ...]:
    """The release of the plug-in that loads beside this TensorFlow; where none does, the newest TensorFlow that has one."""
    accept = Fix("Accept the CPU", (check_again(facts, "--no-require-gpu"),), "The same examination, without asking for a GPU. Small models are often faster so.")  # fmt: skip
    if fits(version, _SERVED):
        spec = PLUGIN if fits(version, _OLD) else f"{PLUGIN}>=1.2"
        return (put_right(facts, f"Install {spec}", spec), accept)
    if fits(version, "<2.13"):
        return (put_right(facts, f"Install {PLUGIN}", f"{PLUGIN}<1.1"), accept)
    older = put_right(facts, "Install TensorFlow 2.18 with the plug-in", "tensorflow~=2.18.0", f"{PLUGIN}>=1.2", note=f"Beside {version} no release of the plug-in is known to load.")  # fmt: skip
    return (older, accept)
