"""Whether the packages that TensorFlow is compiled against fit it: NumPy, protobuf, ml_dtypes."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.questions.misfits import Misfit, misfit_of, misfits
from tfdoctor.checks.questions.packages import fits, installed, requirement
from tfdoctor.checks.questions.stage_output import FOLLOWS, raised_in, words
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import check_again, pip_install
from tfdoctor.fixes.packages import install_fitting, put_right


@check("numpy-abi-mismatch", prevents=Ability.COMPUTE, explains=FOLLOWS)
def numpy_abi(case: Case) -> Found | None:
    """NumPy's version against the range of this release, or the words of a failed import. Where NumPy is in range, the
    words speak of the package in whose code the error arose.
    """
    text = words(case.facts, "numpy-abi-mismatch")
    misfit = misfit_told(case, "numpy", text)
    if misfit is None and (text is None or _built_for_another_numpy(case)):
        return None
    if misfit is None and (extension := raised_in(case.facts)) not in ("", "numpy", "tensorflow"):
        return _other_extension(case, extension, text)
    newer = install_fitting(case.facts, case.matrix, spec=">=2.18") if _is_new(case, "numpy") else ()
    return _found(
        case, "numpy", misfit, text, newer,
        "TensorFlow's compiled parts were built for another NumPy than the one installed and fail where they meet it.",
    )  # fmt: skip


def _other_extension(case: Case, name: str, text: Evidence | None) -> Found:
    """NumPy and all that TensorFlow requires fit; another package that is imported along was built for another NumPy."""
    present = installed(case, name)
    shown = f"{name} {present.value.version}" if isinstance(present, Known) else name
    update = pip_install(case.facts, name, options=("--upgrade",))
    return Found(
        f"{shown} was built for another NumPy than the one installed and keeps TensorFlow from being imported.",
        (
            Evidence("packages.installed", shown, "a release built for the NumPy installed"),
            *((text,) if text else ()),
        ),
        (Fix(f"Update {name}", (update,), "Its newest release is built for the NumPy of today."),),
    )


_GENCODE = ("protobuf-descriptors", "protobuf-gencode", "protobuf-version-error", "protobuf-runtime-version")


@check("protobuf-incompatible", prevents=Ability.IMPORT, explains=FOLLOWS)
def protobuf_runtime(case: Case) -> Found | None:
    """protobuf's version against the range of this release, the words of a failed import, or a variable that asks
    for the C++ implementation, which protobuf 4.21 dropped.
    """
    forced = _forced_protobuf(case)
    if forced is not None:
        return forced
    text = words(case.facts, *_GENCODE)
    misfit = misfit_told(case, "protobuf", text)
    if misfit is None and text is None:
        return None
    return _found(
        case, "protobuf", misfit, text, (),
        "TensorFlow's message classes were generated for another protobuf, which refuses to load them.",
    )  # fmt: skip


_CHOICE, _DROPPED = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "cpp"
"""With cpp chosen, `import tensorflow` fails so from protobuf 4.21 on (its release notes, May 2022; run with
4.25 under 2.15.1 and 7.36 under 2.21.0, 2026-11-20)."""


def _forced_protobuf(case: Case) -> Found | None:
    """A variable, often set on some forum's advice, asks protobuf for an implementation that its wheels have dropped."""
    variables = case.facts.environment.variables
    if not isinstance(variables, Known) or variables.value.get(_CHOICE, "").lower() != _DROPPED:
        return None
    text, present = words(case.facts, "protobuf-no-cpp"), installed(case, "protobuf")
    if text is None and not (isinstance(present, Known) and fits(present.value.version, ">=4.21")):
        return None
    version = f"protobuf {present.value.version}" if isinstance(present, Known) else "protobuf"
    return Found(
        f"{_CHOICE}={_DROPPED} asks protobuf for its old C++ implementation, which {version} does not bring, so importing it fails.",
        (
            Evidence(
                "environment.variables",
                f"{_CHOICE}={_DROPPED}",
                "not set",
                "protobuf's wheels from 4.21 on hold upb and python",
            ),
            *((text,) if text else ()),
        ),
        (fix("remove-protocol-buffers-python-implementation", check_again=check_again(case.facts)),),
        Confidence.CERTAIN if text else Confidence.LIKELY,
        title=f"{_CHOICE}={_DROPPED} asks for a protobuf implementation that {version} does not have.",
    )


_COMPILED = ("ml-dtypes", "h5py", "scipy")
"""Requirements of TensorFlow that are compiled against NumPy: an old one of them fails with NumPy's own words."""


def _built_for_another_numpy(case: Case) -> Misfit | None:
    """The requirement that is to blame for NumPy's words where NumPy itself is in range."""
    return next((each for each in misfits(case) if each.name in _COMPILED), None)


def numpy_words(case: Case, misfit: Misfit | None) -> Evidence | None:
    """NumPy's words, where this package is to blame for them."""
    numpy_fits = all(each.name != "numpy" for each in misfits(case))
    return (
        words(case.facts, "numpy-abi-mismatch")
        if misfit is not None and numpy_fits and _built_for_another_numpy(case) == misfit
        else None
    )


def misfit_told(case: Case, name: str, text: Evidence | None) -> Misfit | None:
    """What the versions tell. Where the stage has said it already, nothing else needs to be known."""
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
        (*install_range(case, name, misfit), *more),
        Confidence.CERTAIN if text or misfit is None else misfit.confidence,
        Severity.ERROR if text or misfit is None else misfit.severity,
    )


def install_range(case: Case, name: str, misfit: Misfit | None) -> tuple[Fix, ...]:
    """The version that fits; where only the text tells, what TensorFlow's metadata asks for."""
    if misfit is not None:
        return (put_right(case.facts, f"Install {misfit.spec}", misfit.spec),)
    stated = requirement(case, name)
    if not isinstance(stated, Known):
        return ()
    return (
        put_right(
            case.facts,
            f"Install {name} in the range of TensorFlow's own metadata",
            f"{name}{stated.value.specifier}",
        ),
    )


@check("ml-dtypes-mismatch", prevents=Ability.IMPORT, explains=FOLLOWS)
def ml_dtypes(case: Case) -> Found | None:
    """The version of ml_dtypes against the range of this release, or the words of a failed import."""
    text = words(case.facts, "ml-dtypes-mismatch")
    misfit = misfit_told(case, "ml-dtypes", text)
    text = text or numpy_words(case, misfit)
    if misfit is None and text is None:
        return None
    return _found(
        case,
        "ml-dtypes",
        misfit,
        text,
        (),
        "TensorFlow takes its small number types from ml_dtypes and fails where one is missing.",
    )
