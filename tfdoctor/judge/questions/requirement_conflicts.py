"""Which packages don't fit this TensorFlow, by what is known to work and, where nobody knows, by its own metadata.

NumPy, protobuf and Keras have bounds in the matrix that were found by running the releases; they go before the
metadata, which forbids versions that work and allows some that don't. A version above the metadata's range for
which the matrix knows no upper bound was seen to work. One below it was never tried.
"""

from __future__ import annotations

import contextlib

from tfdoctor.base.records import record
from tfdoctor.base.version_ranges import tightest
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import Requirement, UnmetRequirement
from tfdoctor.fix.packages import by_conda
from tfdoctor.judge.engine.case import Case, Inconclusive, NotApplicable
from tfdoctor.judge.questions.packages import (
    fits,
    installed,
    requirement,
    requirements_of,
    version_of,
)
from tfdoctor.knowledge.model import Confidence, Evidence, Severity

_CODES = {
    "numpy": "numpy-abi-mismatch",
    "protobuf": "protobuf-incompatible",
    "keras": "keras-mismatch",
    "ml-dtypes": "ml-dtypes-mismatch",
}
OWN_CODE = tuple(_CODES)
"""Packages whose misfit has a code of its own. All others are dependency-mismatch."""

NEEDED_TO_IMPORT = frozenset((
    "absl-py", "astunparse", "flatbuffers", "gast", "ml-dtypes", "numpy", "opt-einsum", "packaging", "protobuf", "requests", "six",
    "termcolor", "typing-extensions", "wrapt",
))  # fmt: skip
"""Without one of these `import tensorflow` raises ModuleNotFoundError (each removed from 2.21.0, 2026-11-20)."""


LOADED_LATER = {
    "h5py": ("", "saving and loading models"),
    "keras": ("keras-nightly", "tf.keras"),
    "tensorboard": ("tb-nightly", "tf.summary and the TensorBoard callback"),
}
"""TensorFlow imports and computes without them (tests/real/recipes.py; 2.21.0 without h5py and Keras, 2026-11-28); what needs them fails
when it is used. With each the distribution that has the same files, and what fails.
"""


@record
class Misfit:
    """A package outside of what this TensorFlow needs. `installed` "" where it is not installed at all. `asked_by`: packages
    between TensorFlow and this one; () where TensorFlow itself asks.
    """

    name: str
    installed: str
    expected: str  # what to install: a specifier
    source: str
    severity: Severity
    confidence: Confidence
    asked_by: tuple[str, ...] = ()

    @property
    def evidence(self) -> Evidence:
        observed = (
            f"{self.name} {self.installed}" if self.installed else f"{self.name} is not installed"
        )
        return Evidence(
            "packages.installed", observed, f"{self.name} {self.expected}".strip(), self.source
        )

    @property
    def code(self) -> str:
        """The code that speaks of it."""
        return _CODES.get(self.name, "dependency-mismatch")

    @property
    def spec(self) -> str:
        """For pip: "numpy>=1.26,<2"."""
        return f"{self.name}{self.expected}"


def misfit_of(case: Case, name: str) -> Misfit | None:
    """One of the packages with a code of its own. Raises NotApplicable where it is not installed."""
    present = case.need(installed(case, name))
    if solved_by_conda(case, name):
        return None
    stated = requirement(case, name)
    metadata = stated.value.specifier if isinstance(stated, Known) else ""
    bound = _bound(case, name)
    if isinstance(bound, Known) and not fits(present.version, bound.value):
        expected = tightest(bound.value, metadata)
        return Misfit(
            name, present.version, expected, bound.source, Severity.ERROR, Confidence.CERTAIN
        )
    if not isinstance(bound, Known):
        return _by_metadata(case, name, present.version)
    if (
        not isinstance(stated, Known)
        or stated.value.satisfied
        or seen_to_work(case, name, present.version)
    ):
        return None
    expected = tightest(bound.value, metadata)
    return Misfit(name, present.version, expected, METADATA, Severity.ERROR, Confidence.LIKELY)


METADATA = "TensorFlow's own metadata (Requires-Dist)"


def solved_by_conda(case: Case, name: str) -> bool:
    """Whether conda put both TensorFlow and this package here. It builds TensorFlow itself, against its own NumPy, protobuf
    and the like, and holds the two together by what stands in its own index: bounds measured on PyPI's wheels, and the
    metadata that was copied from them, say nothing about it.
    """
    if not by_conda(case.facts, name):
        return False
    built = value_or(case.facts.tensorflow.distributions, ())
    return bool(built) and all(each.installer == "conda" for each in built)


def _bound(case: Case, name: str) -> Fact[str] | None:
    version = case.facts.tensorflow.version
    if not isinstance(version, Known):
        return None
    return case.matrix.runtime_bounds(version.value).get(name)


def seen_to_work(case: Case, name: str, version: str) -> bool:
    """Whether this version is inside what the matrix knows to work, on the side on which the metadata forbids it."""
    bound, stated = _bound(case, name), requirement(case, name)
    if not isinstance(bound, Known) or not fits(version, bound.value):
        return False
    below = isinstance(stated, Known) and not fits(version, lower_part(stated.value.specifier))
    return not below or bool(lower_part(bound.value))


def lower_part(specifier: str) -> str:
    """A specifier's lower bounds; "~=1.19.2" and "==1.19.2" are one as well."""
    parts = (part.strip() for part in specifier.split(","))
    return ",".join(
        f">={part[2:].removesuffix('.*')}" if part[:2] in ("~=", "==") else part
        for part in parts
        if part[:1] in ">~="
    )


def _majors_part(specifier: str) -> str:
    """Its upper bounds, as far as majors go."""
    found = []
    for part in (part.strip() for part in specifier.split(",")):
        if part[:2] in ("~=", "=="):
            found.append(f"<{version_of(part[2:].removesuffix('.*')).major + 1}")
        elif part[:1] == "<":
            found.append(part)
    return ",".join(found)


def _by_metadata(case: Case, name: str, version: str) -> Misfit | None:
    """Nobody ran it. Below the range it lacks what TensorFlow was built on; a major above it removed something."""
    stated = requirement(case, name)
    if not isinstance(stated, Known):
        case.need(case.facts.tensorflow.version)
        case.need(stated)
        return None
    if stated.value.satisfied:
        return None
    below = not fits(version, lower_part(stated.value.specifier))
    other_major = not fits(f"{version_of(version).major}.0", _majors_part(stated.value.specifier))
    if name in ("numpy", "protobuf") and not below and not other_major:
        return None
    severity = (
        Severity.WARNING
        if name == "ml-dtypes" or (name == "protobuf" and not below)
        else Severity.ERROR
    )
    return Misfit(name, version, stated.value.specifier, METADATA, severity, Confidence.LIKELY)


def others(case: Case) -> tuple[Misfit, ...]:
    """Unmet requirements that no other code speaks of. What is known to work all the same is an info."""
    found = []
    for each in case.need(requirements_of(case.facts)):
        if each.satisfied or isinstance(each.installed, Failed) or _has_own_code(case, each):
            continue
        if solved_by_conda(case, each.name):
            continue  # of a package whose metadata is gone nobody can say that it does not fit
        found.append(_of_requirement(case, each))
    return tuple(found)


def below(case: Case) -> tuple[Misfit, ...]:
    """What the packages that TensorFlow requires lack in turn, one for each name; not where TensorFlow's own list tells."""
    told = {each.name for each in case.need(requirements_of(case.facts)) if not each.satisfied}
    asked = case.need_outcome(case.facts.packages.unmet_below)
    unmet = [each for each in value_or(asked, ()) if each.name not in told]
    return tuple(
        _of_several(case, name, [each for each in unmet if each.name == name])
        for name in dict.fromkeys(each.name for each in unmet)
    )


def _of_several(case: Case, name: str, unmet: list[UnmetRequirement]) -> Misfit:
    """One package that several ask for in vain: what serves them and TensorFlow."""
    stated = requirement(case, name)
    own = stated.value.specifier if isinstance(stated, Known) else ""
    expected = tightest(own, *(each.specifier for each in unmet))
    owners = " and ".join(f"{each.owner} {each.owner_version}" for each in unmet)
    version = value_or(unmet[0].installed, "")
    works = bool(version) and _works(case, name, version)
    return Misfit(
        name,
        version,
        expected,
        f"Requires-Dist of {owners}",
        Severity.INFO if works else Severity.WARNING,
        Confidence.LIKELY if version else Confidence.CERTAIN,
        tuple(each.owner for each in unmet),
    )


def missing(case: Case) -> tuple[str, ...]:
    """What TensorFlow requires and is not installed at all. Several at once are one fault (`pip install --no-deps`)."""
    return tuple(
        each.name
        for each in case.need(requirements_of(case.facts))
        if isinstance(each.installed, Absent)
    )


def _has_own_code(case: Case, stated: Requirement) -> bool:
    if not isinstance(stated.installed, Known):
        return stated.name == "keras" and missing(case) == ("keras",)
    if stated.name not in OWN_CODE:
        return False
    try:
        return misfit_of(case, stated.name) is not None
    except (Inconclusive, NotApplicable):
        return False


def _of_requirement(case: Case, stated: Requirement) -> Misfit:
    if not isinstance(stated.installed, Known):
        severity = Severity.ERROR if stated.name in NEEDED_TO_IMPORT else Severity.WARNING
        return Misfit(stated.name, "", stated.specifier, METADATA, severity, Confidence.CERTAIN)
    version = stated.installed.value
    severity = Severity.INFO if _works(case, stated.name, version) else Severity.WARNING
    return Misfit(stated.name, version, stated.specifier, METADATA, severity, Confidence.LIKELY)


def _works(case: Case, name: str, version: str) -> bool:
    try:
        return name in OWN_CODE and seen_to_work(case, name, version)
    except Inconclusive:
        return False


def requirement_conflicts(case: Case) -> tuple[Misfit, ...]:
    """All of them; what can't be told is left out."""
    found: list[Misfit] = []
    for name in OWN_CODE:
        try:
            one = misfit_of(case, name)
        except (Inconclusive, NotApplicable):
            continue
        found += [one] if one else []
    for told in (others, below):
        with contextlib.suppress(Inconclusive, NotApplicable):
            known = {each.name for each in found}
            found += [
                each
                for each in told(case)
                if each.installed and each.severity is not Severity.INFO and each.name not in known
            ]
    return tuple(found)
