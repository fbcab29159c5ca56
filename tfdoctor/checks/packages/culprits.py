"""Words of a failed import that mean a package of this environment: which one, and what takes it out of the way."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.misfits import METADATA
from tfdoctor.checks.questions.packages import fits, installed, requirement
from tfdoctor.checks.questions.stage_output import FOLLOWS, must_have_listened, raised_in, words
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.fixes.commands import pip_install
from tfdoctor.fixes.packages import put_right


@check("numpy-alias-removed", prevents=Ability.COMPUTE, explains=FOLLOWS)
def numpy_alias(case: Case) -> Found | None:
    """By the failed stage's words alone. Where TensorFlow's own metadata forbids this NumPy, TensorFlow is the code that is
    meant; else the package in which the error arose.
    """
    must_have_listened(case)
    text = words(case.facts, "numpy-alias-removed")
    if text is None:
        return None
    stated, blamed = requirement(case, "numpy"), raised_in(case.facts)
    own = isinstance(stated, Known) and not stated.value.satisfied
    if isinstance(stated, Known) and own and blamed in ("", "tensorflow", "numpy"):
        return _tensorflow_is_older(case, text, stated.value.specifier)
    older = put_right(
        case.facts, "Install numpy<1.24", "numpy<1.24", note="Where the package has no newer release."
    )
    if not isinstance(present := installed(case, blamed), Known) or blamed == "numpy":
        note = "The traceback's last line before the error names its file."
        return Found("Code uses a NumPy name that NumPy 1.24 removed.", (text,), (Fix("Update the package named in the traceback", note=note), older))  # fmt: skip
    shown = f"{blamed} {present.value.version}"
    newer = Fix(f"Update {blamed}", (pip_install(case.facts, blamed, options=("--upgrade",)),), "To a release that was written after NumPy 1.24.")  # fmt: skip
    return Found(f"{shown} uses a NumPy name that NumPy 1.24 removed.", (text,), (newer, older), title=f"{shown} uses NumPy names removed in 1.24.")  # fmt: skip


def _tensorflow_is_older(case: Case, text: Evidence, specifier: str) -> Found:
    present = installed(case, "numpy")
    numpy = present.value.version if isinstance(present, Known) else "1.24 or newer"
    release = value_or(case.facts.tensorflow.version, "")
    return Found(
        f"TensorFlow {release} itself uses names that NumPy 1.24 removed; its metadata asks for numpy{specifier}.",
        (Evidence("packages.installed", f"numpy {numpy}", f"numpy {specifier}", METADATA), text),
        (put_right(case.facts, f"Install numpy{specifier}", f"numpy{specifier}"),),
        title=f"TensorFlow {release} uses NumPy names that NumPy {numpy} no longer has.",
    )


_BRING_ABSEIL = ("pyarrow", "tink", "torch", "jaxlib", "ray", "onnx", "sentencepiece", "scikit-learn")
"""Packages whose wheels hold C++ libraries that were seen to meet TensorFlow's (TensorFlow issues 98563 and 99464, Arrow
issue 40088, tink-py issue 25; 2024 and 2025)."""
_FITS_BESIDE = {"pyarrow": ">=22"}
"""From this release on the two were seen to work together on macOS (google-deepmind/gemma pull request 466, 2025-12)."""
_FIRST_WITH_CLASH = ">=2.20.0rc0"


@check("native-library-clash", prevents=Ability.COMPUTE, explains=(*FOLLOWS, "smoke-timeout"))
def native_library_clash(case: Case) -> Found | None:
    """By the failed stage's words alone; which package is meant is likely where one of those known for it is installed."""
    must_have_listened(case)
    text = words(case.facts, "native-library-clash")
    if text is None:
        return None
    present = [each.value for name in _BRING_ABSEIL if isinstance(each := installed(case, name), Known)]
    older = [
        each
        for each in present
        if each.name in _FITS_BESIDE and not fits(each.version, _FITS_BESIDE[each.name])
    ]
    suspects = older or present
    shown = " and ".join(f"{each.name} {each.version}" for each in suspects[:3])
    order = fix("import-other-package-first-or-use")
    return Found(
        f"Another native package in this process ({shown or 'which one is not known'}) exports symbols that TensorFlow's libraries take for "
        "their own, and they wait for a lock for ever or abort.",
        (text, *(Evidence("packages.installed", f"{each.name} {each.version}", _FITS_BESIDE.get(each.name, "")) for each in suspects[:3])),
        (*(_newer(case, each.name) for each in older), *_older_tensorflow(case), order),
        Confidence.CERTAIN,
        title=f"{shown} and TensorFlow bring the same C++ libraries, and these clash." if shown else "",
    )  # fmt: skip


def _newer(case: Case, name: str) -> Fix:
    spec = f"{name}{_FITS_BESIDE[name]}"
    return put_right(case.facts, f"Install {spec}", spec)


def _older_tensorflow(case: Case) -> tuple[Fix, ...]:
    """2.19 and older were not seen to clash."""
    version = value_or(case.facts.tensorflow.version, "")
    if not version or not fits(version, _FIRST_WITH_CLASH):
        return ()
    name = value_or(case.facts.tensorflow.distribution, "tensorflow")
    return (put_right(case.facts, f"Install {name}<2.20", f"{name}<2.20"),)
