"""Whether TensorFlow's other requirements fit, and those of its requirements in turn."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.packages.python_packages import numpy_words
from tfdoctor.checks.questions.misfits import METADATA, Misfit, below, misfits, others
from tfdoctor.checks.questions.packages import fits, installed, requirements_of
from tfdoctor.checks.questions.stage_output import (
    FOLLOWS,
    Said,
    each_said,
    failed_stage,
    first_words,
    raised_in,
    said,
)
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import pip_reinstall
from tfdoctor.fixes.packages import put_right

_CURES = {
    "typing-extensions-name": "typing-extensions>=4.6",
    "param-spec": "typing-extensions>=4.6",
    "gast-attribute": "gast>=0.6",
    "argspec-gone": "wrapt>=1.14.1",
    "formatargspec-gone": "wrapt>=1.14.1",
}  # the first releases that have these names, or no longer ask Python 3.11 for what it dropped (their changelogs, 2026-11)


@check("dependency-mismatch", prevents=Ability.COMPUTE, explains=FOLLOWS)
def dependencies(case: Case) -> Found | None:
    """What is installed against Requires-Dist of TensorFlow and of what it needs, as far as no other code speaks of the
    package. The words of a failed import make it certain, or show a package whose files are gone.
    """
    wrong = (*others(case), *_below(case))
    text, cure = _told(case, wrong)
    if not wrong and text is None:
        return _damaged(case)
    severity = min((each.severity for each in wrong), key=lambda each: each.rank, default=Severity.ERROR)
    confidence = min(
        (each.confidence for each in wrong), key=lambda each: each.rank, default=Confidence.CERTAIN
    )
    counted = [each for each in wrong if severity is Severity.INFO or each.severity is not Severity.INFO]
    specs = [each.spec for each in counted] or [cure] * bool(cure)
    if severity is Severity.INFO and text is None and failed_stage(case.facts) is not None:
        return None  # nothing that is known of other machines says that it works here, where TensorFlow fails
    works = " It is known to work all the same." if severity is Severity.INFO else ""
    return Found(
        f"{_asked(counted)}{works}" if wrong else "A package is too old for the others.",
        (*(each.evidence for each in wrong), *((text,) if text else ())),
        () if works else (put_right(case.facts, f"Install {' '.join(specs)}", *specs),),
        Confidence.CERTAIN if text else confidence,
        Severity.ERROR if text else severity,
        title=_title(counted),
    )


def _title(wrong: list[Misfit]) -> str:
    """Which package is missing or does not fit; of several the first."""
    if not wrong:
        return ""
    missing = [each.name for each in wrong if not each.installed]
    if missing:
        return f"{', '.join(missing[:4])}, which TensorFlow needs, {'is' if len(missing) == 1 else 'are'} not installed."
    more = f" ({len(wrong) - 1} more beside it)" if len(wrong) > 1 else ""
    return f"{wrong[0].name} {wrong[0].installed} is not what is asked for: {wrong[0].spec}{more}."


def _below(case: Case) -> tuple[Misfit, ...]:
    """Not those that have a finding of their own."""
    own = {each.name for each in misfits(case) if each.code != "dependency-mismatch"}
    return tuple(each for each in below(case) if each.name not in own)


def _told(case: Case, wrong: tuple[Misfit, ...]) -> tuple[Evidence | None, str]:
    """What the failed stage says of one of these, or of a package that asks for one; and what cures it, where that is known."""
    for each in each_said(case.facts, "dependency-mismatch", "module-missing", "package-asked-for"):
        if each.signature in _CURES or _speaks_of(each, wrong):
            return each.evidence, _CURES.get(each.signature, "")
    blamed = raised_in(case.facts)
    if blamed and any(blamed in (each.name, *each.asked_by) for each in wrong):
        return first_words(case.facts), ""
    return next((text for each in wrong if (text := numpy_words(case, each))), None), ""


def _speaks_of(said: Said, wrong: tuple[Misfit, ...]) -> bool:
    """A requirement that is not installed, or one that asks for it: Keras calls what can't be imported not installed."""
    if said.signature == "module-missing":
        return said.told["module"].split(".")[0] in [
            _module(each.name) for each in wrong if not each.installed
        ]
    return said.told["module"] in [_module(name) for each in wrong for name in each.asked_by]


def _asked(wrong: list[Misfit]) -> str:
    """Who asks for what: TensorFlow itself, or a package that it needs."""
    own = [each.spec for each in wrong if not each.asked_by]
    parts = [f"TensorFlow's metadata asks for {', '.join(own)}."] if own else []
    for each in wrong:
        if each.asked_by:
            askers, verb = " and ".join(each.asked_by), "asks" if len(each.asked_by) == 1 else "ask"
            parts.append(f"{askers}, which TensorFlow needs, {verb} for {each.spec}.")
    return " ".join(parts)


def _damaged(case: Case) -> Found | None:
    """A requirement that is listed as installed while Python misses it, or it misses a part of itself."""
    text = said(case.facts, "module-missing")
    if text is None:
        return None
    module, _, part = text.told["module"].partition(".")
    own = value_or(requirements_of(case.facts), ())
    named = [each for each in own if _module(each.name) == module and isinstance(each.installed, Known)]
    if not named or (part and raised_in(case.facts) != named[0].name):
        return None
    release = f"{named[0].name}=={value_or(named[0].installed, '')}"
    return Found(
        f"{named[0].name} is listed as installed, but files of it are missing.",
        (
            text.evidence,
            Evidence("packages.installed", release, "the package that its metadata lists", METADATA),
        ),
        (
            Fix(
                f"Reinstall {release}",
                (pip_reinstall(case.facts, release),),
                "Reinstalls its files and changes no other package.",
            ),
        ),
        severity=Severity.ERROR,
        title=f"{named[0].name} is listed as installed, and files of it are missing.",
    )


_MODULES = {
    "absl-py": "absl",
    "protobuf": "google",
    "google-pasta": "pasta",
    "libclang": "clang",
    "tensorflow-estimator": "tensorflow_estimator",
}


def _module(distribution: str) -> str:
    return _MODULES.get(distribution, distribution.replace("-", "_"))


_WITHOUT_PKG_RESOURCES = ">=82"  # setuptools 82.0.0 removed pkg_resources (its changelog, seen 2026-11)
_USERS = {
    "tensorboard": "<2.21",
    "tensorflow-hub": "<=0.16.1",
}  # these import it at start (run with setuptools 82, 2026-11)


@check("setuptools-lacks-pkg-resources", prevents=Ability.NOTHING)
def setuptools_without_pkg_resources(case: Case) -> Found | None:
    """setuptools 82 or newer beside a release of a companion that imports pkg_resources at its start."""
    present = case.need(installed(case, "setuptools"))
    if not fits(present.version, _WITHOUT_PKG_RESOURCES):
        return None
    hit = []
    for name, versions in _USERS.items():
        user = installed(case, name)
        if isinstance(user, Known) and fits(user.value.version, versions):
            hit.append(f"{name} {user.value.version}")
    if not hit:
        return None
    return Found(
        f"{' and '.join(hit)} stops with \"No module named 'pkg_resources'\". TensorFlow itself is unaffected.",
        (
            Evidence(
                "packages.installed",
                f"setuptools {present.version} with {', '.join(hit)}",
                "setuptools <82",
                "setuptools 82.0.0 removed pkg_resources",
            ),
        ),
        (put_right(case.facts, "Install setuptools<82", "setuptools<82"),),
    )
