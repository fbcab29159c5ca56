"""Whether NumPy, protobuf, Keras and TensorFlow's other requirements fit this TensorFlow."""

from __future__ import annotations

import re

from tfdoctor.checks.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.examined import fits, installed, requirement, tensorflow_version
from tfdoctor.checks.heard import FOLLOWS, heard
from tfdoctor.checks.misfits import METADATA, Misfit, misfit_of, others
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.planning.package_fixes import install_fitting, put_right

_NUMPY = (
    r"_ARRAY_API not found",
    r"compiled using NumPy 1\.x cannot be run in",
    r"numpy\.dtype size changed",
    r"numpy\.ufunc size changed",
    r"module compiled against API version",
    r"Unable to convert function return value to a Python type",
    r"numpy\.core\.(?:umath|multiarray) failed to import",
    r"raised unreported exception",
)
_PROTOBUF = (
    r"Descriptors cannot (?:not )?be created directly",
    r"Detected (?:mismatched|incompatible) Protobuf Gencode",
    r"VersionError.*[Gg]encode",
    r"cannot import name 'runtime_version' from 'google\.protobuf",
    r"cannot import name 'builder' from 'google\.protobuf",
)
_KERAS = (
    r"cannot import name .* from 'tensorflow\.python\.keras",
    r"cannot import name .* from 'keras",
    r"cannot import name 'get_config'",
    r"register_load_context_function",
    r"No module named 'keras\.api",
)
_OTHERS = {
    r"cannot import name '\w+' from 'typing_extensions'|cannot import name 'ParamSpec'": "typing-extensions>=4.6",
    r"module 'gast' has no attribute": "gast>=0.6",
    r"module 'inspect' has no attribute '(?:ArgSpec|formatargspec)'": "wrapt>=1.14.1",
}  # the first releases that have these names, or no longer ask Python 3.11 for what it dropped (their changelogs, 2026-11)


@check("numpy-abi-mismatch", prevents=Ability.COMPUTE, explains=FOLLOWS)
def numpy_abi(case: Case) -> Found | None:
    """TensorFlow or another extension was compiled against another NumPy ABI."""
    text = heard(case.facts, *_NUMPY)
    misfit = _misfit(case, "numpy", text)
    if misfit is None and text is None:
        return None
    newer = install_fitting(case.facts, case.matrix, spec=">=2.18") if _is_new(case, "numpy") else ()
    return _found(
        case, "numpy", misfit, text, newer,
        "TensorFlow's compiled parts were built for another NumPy than the one installed and fail where they meet it.",
    )  # fmt: skip


@check("protobuf-incompatible", prevents=Ability.IMPORT, explains=FOLLOWS)
def protobuf_runtime(case: Case) -> Found | None:
    """The protobuf that is installed does not fit the code that was generated into TensorFlow."""
    text = heard(case.facts, *_PROTOBUF)
    misfit = _misfit(case, "protobuf", text)
    if misfit is None and text is None:
        return None
    return _found(
        case, "protobuf", misfit, text, (),
        "TensorFlow's message classes were generated for another protobuf, which refuses to load them.",
    )  # fmt: skip


def _misfit(case: Case, name: str, text: Evidence | None) -> Misfit | None:
    """What the versions tell. Where the rung has said it already, nothing else needs to be known."""
    try:
        return misfit_of(case, name)
    except CantTell:
        if text is None:
            raise
        return None


def _is_new(case: Case, name: str) -> bool:
    """A package that is newer than this TensorFlow may as well be met by a newer TensorFlow."""
    present = installed(case, name)
    return isinstance(present, Known) and fits(present.value.version, ">=2")


def _found(
    case: Case, name: str, misfit: Misfit | None, text: Evidence | None, more: tuple[Fix, ...], harm: str
) -> Found:
    evidence = tuple(each for each in (misfit and misfit.evidence, text) if each)
    return Found(
        harm,
        evidence,
        (*_install(case, name, misfit), *more),
        Confidence.CERTAIN if text or misfit is None else misfit.confidence,
        Severity.ERROR if text or misfit is None else misfit.severity,
    )


def _install(case: Case, name: str, misfit: Misfit | None) -> tuple[Fix, ...]:
    """The version that fits; where only the text tells, what TensorFlow's metadata asks for."""
    if misfit is not None:
        return (put_right(case.facts, f"Install {misfit.spec}", misfit.spec),)
    stated = requirement(case, name)
    if not isinstance(stated, Known):
        return ()
    return (put_right(case.facts, f"Install {name} in the range of TensorFlow's own metadata", f"{name}{stated.value.specifier}"),)


@check("keras-mismatch", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed", "python-exception"))
def keras_versions(case: Case) -> Found | None:
    """Keras, tf-keras and TensorFlow don't fit together."""
    text = heard(case.facts, *_KERAS)
    legacy = legacy_keras_wanted(case)
    second = _tf_keras_misfit(case, legacy)
    first = None if legacy and isinstance(installed(case, "tf-keras"), Known) else _keras_misfit(case, text)
    wrong = [each for each in (first, second) if each is not None]
    if not wrong and text is None:
        return None
    specs = [each.spec for each in wrong]
    return Found(
        "`import tensorflow` may succeed, but tf.keras fails at its first use.",
        (*(each.evidence for each in wrong), *((text,) if text else ())),
        (put_right(case.facts, f"Install {' and '.join(specs)}", *specs),) if specs else _install(case, "keras", None),
        Confidence.CERTAIN if text else min((each.confidence for each in wrong), key=lambda each: each.rank),
        Severity.ERROR if text else min((each.severity for each in wrong), key=lambda each: each.rank),
    )


def _keras_misfit(case: Case, text: Evidence | None) -> Misfit | None:
    stated = requirement(case, "keras")
    if isinstance(installed(case, "keras"), Absent):
        if not isinstance(stated, Known):
            return None
        return Misfit("keras", "", stated.value.specifier, METADATA, Severity.ERROR, Confidence.CERTAIN)
    if isinstance(stated, Absent) and text is None:
        return None  # before 2.6 Keras was a part of TensorFlow itself
    return _misfit(case, "keras", text)


def _tf_keras_misfit(case: Case, legacy: bool) -> Misfit | None:
    """tf-keras of another minor than TensorFlow's: tf-keras 2.N is made for TensorFlow 2.N and says so in its metadata."""
    present = installed(case, "tf-keras")
    if not isinstance(present, Known):
        return None
    version = tensorflow_version(case)
    expected = f">={version.major}.{version.minor}.0rc0,<{version.major}.{version.minor + 1}"
    if fits(present.value.version, expected):
        return None
    severity = Severity.ERROR if legacy else Severity.WARNING
    return Misfit("tf-keras", present.value.version, f"~={version.major}.{version.minor}.0", "tf-keras is released for one minor release of TensorFlow each", severity, Confidence.LIKELY)


def legacy_keras_wanted(case: Case) -> bool:
    """TF_USE_LEGACY_KERAS as TensorFlow reads it (tensorflow/python/util/lazy_loader.py of 2.21.0)."""
    variables = case.facts.environment.variables
    return isinstance(variables, Known) and variables.value.get("TF_USE_LEGACY_KERAS", "") in ("true", "True", "1")


@check("keras-legacy-needed", prevents=Ability.NOTHING, explains=("smoke-tensorflow-failed", "python-exception"))
def keras_legacy(case: Case) -> Found | None:
    """Keras 2 is asked for (TF_USE_LEGACY_KERAS), and tf-keras, which brings it, is not installed."""
    text = heard(case.facts, r"do not have the tf_keras package installed", r"currently installed version of Keras is Keras 3", r"Only instances of (?:`)?keras\.Layer(?:`)? can be added")
    if not legacy_keras_wanted(case) and text is None:
        return None
    version = tensorflow_version(case)
    if (version.major, version.minor) < (2, 16) or isinstance(case.need_outcome(installed(case, "tf-keras")), Known):
        return None
    spec = f"tf-keras~={version.major}.{version.minor}.0"
    asked = Evidence("environment.variables", "TF_USE_LEGACY_KERAS=1 and no tf-keras", spec, "tf-keras is released for one minor release of TensorFlow each")
    return Found(
        "tf.keras fails at its first use: TF_USE_LEGACY_KERAS=1 makes TensorFlow look for tf-keras.",
        tuple(each for each in (asked if legacy_keras_wanted(case) else None, text) if each),
        (
            put_right(case.facts, f"Install {spec}", spec),
            Fix("Use Keras 3", ("unset TF_USE_LEGACY_KERAS",), "For this shell; remove it from start-up files, too."),
        ),
        severity=Severity.ERROR,
    )


@check("ml-dtypes-mismatch", prevents=Ability.IMPORT, explains=FOLLOWS)
def ml_dtypes(case: Case) -> Found | None:
    """The ml_dtypes that is installed does not fit this TensorFlow."""
    text = heard(case.facts, r"module 'ml_dtypes' has no attribute")
    misfit = _misfit(case, "ml-dtypes", text)
    if misfit is None and text is None:
        return None
    return _found(case, "ml-dtypes", misfit, text, (), "TensorFlow takes its small number types from ml_dtypes and fails where one is missing.")


@check("dependency-mismatch", prevents=Ability.IMPORT, explains=FOLLOWS)
def dependencies(case: Case) -> Found | None:
    """A requirement of this TensorFlow's own metadata is not met."""
    wrong = others(case)
    missing = tuple(rf"No module named '{_module(each.name)}[.']" for each in wrong if not each.installed)
    text, cures = heard(case.facts, *_OTHERS, *missing), []
    if not wrong and text is None:
        return None
    if text:
        cures = [cure for pattern, cure in _OTHERS.items() if re.search(pattern, text.observed)]
    severity = min((each.severity for each in wrong), key=lambda each: each.rank, default=Severity.ERROR)
    confidence = min((each.confidence for each in wrong), key=lambda each: each.rank, default=Confidence.CERTAIN)
    specs = [each.spec for each in wrong if severity is Severity.INFO or each.severity is not Severity.INFO] or cures
    works = " It is known to work all the same." if severity is Severity.INFO else ""
    return Found(
        f"TensorFlow's metadata asks for {', '.join(specs)}.{works}" if wrong else "A package is too old for the others.",
        (*(each.evidence for each in wrong), *((text,) if text else ())),
        () if works else (put_right(case.facts, f"Install {' '.join(specs)}", *specs),),
        Confidence.CERTAIN if text else confidence,
        Severity.ERROR if text else severity,
    )


_MODULES = {"absl-py": "absl", "protobuf": "google", "google-pasta": "pasta", "libclang": "clang", "tensorflow-estimator": "tensorflow_estimator"}


def _module(distribution: str) -> str:
    return _MODULES.get(distribution, distribution.replace("-", "_"))


_WITHOUT_PKG_RESOURCES = ">=82"  # setuptools 82.0.0 removed pkg_resources (its changelog, seen 2026-11)
_USERS = {"tensorboard": "<2.21", "tensorflow-hub": "<=0.16.1"}  # these import it at start (run with setuptools 82, 2026-11)


@check("setuptools-lacks-pkg-resources", prevents=Ability.NOTHING)
def setuptools_without_pkg_resources(case: Case) -> Found | None:
    """Setuptools no longer brings pkg_resources, which an installed companion of TensorFlow imports."""
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
        (Evidence("packages.installed", f"setuptools {present.version} with {', '.join(hit)}", "setuptools <82", "setuptools 82.0.0 removed pkg_resources"),),
        (put_right(case.facts, "Install setuptools<82", "setuptools<82"),),
    )
