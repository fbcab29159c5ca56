"""Whether Keras, tf-keras and TensorFlow fit together."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.packages.python_packages import install_range, misfit_told
from tfdoctor.checks.questions.misfits import METADATA, Misfit, missing, seen_to_work
from tfdoctor.checks.questions.packages import fits, installed, requirement, tensorflow_version
from tfdoctor.checks.questions.stage_output import each_said, words
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.packages import fitting, in_new_environment, put_right
from tfdoctor.light.records import replace


@check(
    "keras-mismatch",
    prevents=Ability.NOTHING,
    explains=("smoke-tensorflow-failed", "python-exception", "package-import-failed"),
)
def keras_versions(case: Case) -> Found | None:
    """The versions of keras and tf-keras against what this release asks for, or the words of a failed use. Only worth
    knowing where a layer was seen to compute.
    """
    text = words(case.facts, "keras-mismatch")
    legacy = legacy_keras_wanted(case)
    second = _tf_keras_misfit(case, legacy)
    first = None if legacy and isinstance(installed(case, "tf-keras"), Known) else _keras_misfit(case, text)
    if first is not None and not legacy and keras_seen(case):
        first = replace(first, severity=Severity.INFO)
    wrong = [each for each in (first, second) if each is not None]
    if not wrong and text is None:
        return None
    specs = [each.spec for each in wrong]
    return Found(
        "`import tensorflow` may succeed, but tf.keras fails at its first use.",
        (*(each.evidence for each in wrong), *((text,) if text else ())),
        (put_right(case.facts, f"Install {' and '.join(specs)}", *specs),)
        if specs
        else install_range(case, "keras", None),
        Confidence.CERTAIN if text else min((each.confidence for each in wrong), key=lambda each: each.rank),
        Severity.ERROR if text else min((each.severity for each in wrong), key=lambda each: each.rank),
        title=_title(wrong, case),
    )


def _title(wrong: list[Misfit], case: Case) -> str:
    """Which of them is missing, or does not fit."""
    if not wrong:
        return ""
    first = wrong[0]
    if not first.installed:
        return f"{first.name}, which tf.keras is made of, is not installed."
    return f"{first.name} {first.installed} does not fit TensorFlow {tensorflow_version(case)}: it needs {first.spec}."


def _keras_misfit(case: Case, text: Evidence | None) -> Misfit | None:
    stated = requirement(case, "keras")
    if isinstance(installed(case, "keras"), Absent):
        if not isinstance(stated, Known) or missing(case) != ("keras",):
            return None
        return Misfit("keras", "", stated.value.specifier, METADATA, Severity.ERROR, Confidence.CERTAIN)
    if isinstance(stated, Absent) and text is None:
        return None  # before 2.6 Keras was a part of TensorFlow itself
    return misfit_told(case, "keras", text) or _other_minor(case, text)


_TOGETHER = ">=2.6,<2.16"
"""From 2.6 to 2.15 each release of TensorFlow went with the keras of its own number. `keras~=2.6` in the metadata of 2.6.0 and
2.6.1 lets in keras 2.7 and newer, which break it; 2.6.2 was made for that (TensorFlow issue 52922, November 2021)."""


def _other_minor(case: Case, text: Evidence | None) -> Misfit | None:
    """keras of another minor than TensorFlow's, where nobody saw the two work and the metadata let it in."""
    version, present = tensorflow_version(case), installed(case, "keras")
    if not isinstance(present, Known) or not fits(f"{version.major}.{version.minor}", _TOGETHER):
        return None
    if text is None and seen_to_work(case, "keras", present.value.version):
        return None
    own = f"=={version.major}.{version.minor}.*"
    if fits(present.value.version, own):
        return None
    source = "from 2.6 to 2.15 keras and TensorFlow were released together"
    return Misfit("keras", present.value.version, own, source, Severity.ERROR, Confidence.LIKELY)


def _tf_keras_misfit(case: Case, legacy: bool) -> Misfit | None:
    """tf-keras of another minor than TensorFlow's: tf-keras 2.N is made for TensorFlow 2.N and says so in its metadata."""
    present = installed(case, "tf-keras")
    if not isinstance(present, Known):
        return None
    version = tensorflow_version(case)
    expected = f">={version.major}.{version.minor}.0rc0,<{version.major}.{version.minor + 1}"
    if fits(present.value.version, expected):
        return None
    severity = Severity.ERROR if legacy and not keras_seen(case) else Severity.WARNING
    return Misfit(
        "tf-keras",
        present.value.version,
        f"~={version.major}.{version.minor}.0",
        "tf-keras is released for one minor release of TensorFlow each",
        severity,
        Confidence.LIKELY,
    )


def keras_seen(case: Case) -> bool:
    """Whether a layer of tf.keras computed right: then the pair works at least in part."""
    smoke = case.facts.smoke.tensorflow
    return isinstance(smoke, Known) and any(
        each.name == "keras" and each.status == "passed" for each in smoke.value.computations
    )


def legacy_keras_wanted(case: Case) -> bool:
    """TF_USE_LEGACY_KERAS as TensorFlow reads it (tensorflow/python/util/lazy_loader.py of 2.21.0)."""
    variables = case.facts.environment.variables
    return isinstance(variables, Known) and variables.value.get("TF_USE_LEGACY_KERAS", "") in (
        "true",
        "True",
        "1",
    )


_USE_KERAS_3 = fix("use-keras-3")


@check(
    "keras-legacy-needed",
    prevents=Ability.NOTHING,
    explains=("smoke-tensorflow-failed", "python-exception", "package-import-failed"),
)
def keras_legacy(case: Case) -> Found | None:
    """TF_USE_LEGACY_KERAS or the stage's words ask for Keras 2, from 2.16 on, and tf-keras is not installed. Companions
    that are written for Keras 2 are a warning.
    """
    text = _legacy_words(case)
    if not legacy_keras_wanted(case) and text is None:
        return _companions(case)
    version = tensorflow_version(case)
    if (version.major, version.minor) < (2, 16) or isinstance(
        case.need_outcome(installed(case, "tf-keras")), Known
    ):
        return None
    spec = f"tf-keras~={version.major}.{version.minor}.0"
    asked = Evidence(
        "environment.variables",
        "TF_USE_LEGACY_KERAS=1 and no tf-keras",
        spec,
        "tf-keras is released for one minor release of TensorFlow each",
    )
    return Found(
        "tf.keras fails at its first use: TF_USE_LEGACY_KERAS=1 makes TensorFlow look for tf-keras."
        if legacy_keras_wanted(case)
        else "The code asks for Keras 2, which is the package tf-keras, and it is not installed.",
        tuple(each for each in (asked if legacy_keras_wanted(case) else None, text) if each),
        (
            put_right(case.facts, f"Install {spec}", spec),
            *((_USE_KERAS_3,) if legacy_keras_wanted(case) else ()),
        ),
        severity=Severity.ERROR,
        title="TF_USE_LEGACY_KERAS asks for tf-keras, which is not installed."
        if legacy_keras_wanted(case)
        else "",
    )


def _legacy_words(case: Case) -> Evidence | None:
    """The stage's words that ask for Keras 2. "Keras cannot be imported" is said of whichever Keras is wanted: without the
    variable of Keras 3, whatever kept it from being imported.
    """
    wanted, known = legacy_keras_wanted(case), not isinstance(case.facts.environment.variables, Failed)
    for each in each_said(case.facts, "keras-legacy-needed"):
        if each.signature != "keras-not-imported" or wanted or not known:
            return each.evidence
    return None


_ADDONS, _PROBABILITY = "tensorflow-addons", "tensorflow-probability"
_OWN_TF_KERAS = ">=0.24"
"""From here on TensorFlow Probability takes tf-keras, which it does not require (its issues 1795 and 1796, March 2024)."""


def _companions(case: Case) -> Found | None:
    """Packages that are written for Keras 2 and can't be imported beside Keras 3. TensorFlow itself is unaffected."""
    version = tensorflow_version(case)
    if (version.major, version.minor) < (2, 16):
        return None
    found = [
        each
        for each in (_addons(case), _probability(case, f"tf-keras~={version.major}.{version.minor}.0"))
        if each is not None
    ]
    if not found:
        return None
    return Found(
        f"{' '.join(words for words, _, _ in found)} TensorFlow itself is unaffected.",
        tuple(evidence for _, evidence, _ in found),
        tuple(fix for _, _, fixes in found for fix in fixes),
        Confidence.LIKELY,
        Severity.WARNING,
        explains=frozenset(),
    )


Companion = tuple[str, Evidence, tuple[Fix, ...]]


def _addons(case: Case) -> Companion | None:
    present = installed(case, _ADDONS)
    if not isinstance(present, Known):
        return None
    shown = f"{_ADDONS} {present.value.version}"
    older = fitting(case.facts, case.matrix, spec="<2.16", any_python=True)
    ended = fix("do-without")
    return (
        f"{shown} stops at its import with \"No module named 'keras.src.engine'\".",
        Evidence(
            "packages.installed",
            f"{shown} with TensorFlow {tensorflow_version(case)}",
            "TensorFlow <2.16",
            "TensorFlow Addons issue 2865",
        ),
        (ended, *((in_new_environment(case.facts, case.matrix, older),) if older is not None else ())),
    )


def _probability(case: Case, spec: str) -> Companion | None:
    present = installed(case, _PROBABILITY)
    if not isinstance(present, Known):
        return None
    old = not fits(present.value.version, _OWN_TF_KERAS)
    lacks = isinstance(case.need_outcome(installed(case, "tf-keras")), Absent)
    if not old and not lacks:
        return None
    shown = f"{_PROBABILITY} {present.value.version}"
    specs = (*((spec,) if lacks else ()), *((f"{_PROBABILITY}{_OWN_TF_KERAS}",) if old else ()))
    return (
        f"{shown} stops at its import"
        + (": it is older than Keras 3." if old else " with \"No module named 'tf_keras'\"."),
        Evidence(
            "packages.installed", shown, " and ".join(specs), "TensorFlow Probability issues 1795 and 1796"
        ),
        (put_right(case.facts, f"Install {' and '.join(specs)}", *specs),),
    )
