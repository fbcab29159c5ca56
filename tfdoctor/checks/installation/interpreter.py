"""Whether this is the right Python: one that TensorFlow has wheels for, and the one that is meant."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.questions.build import platform_of, row_of
from tfdoctor.checks.questions.stage_output import FOLLOWS
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.fixes.packages import fitting, in_new_environment

BITS = 64
_NO_VERSION = Version("0")


@check("python-unsupported", prevents=Ability.IMPORT, explains=(*FOLLOWS, "tensorflow-missing"))
def python_unsupported(case: Case) -> Found | None:
    """By the kind of interpreter, then by the installed wheel's own tag; without a tag or an installation, by the
    Pythons that the matrix names.
    """
    kind = _wrong_kind(case)
    if kind is not None:
        return Found(
            "TensorFlow's wheels are for 64-bit CPython with the global lock alone.",
            (kind,),
            _other_python(case),
        )
    python = _python(case)
    present = case.need_outcome(case.facts.tensorflow.version)
    if isinstance(present, Known):
        return _installed_for_another(case, python, present.value)
    return _none_for(case, python)


def _python(case: Case) -> PythonRelease:
    return PythonRelease(case.need(case.facts.interpreter.version).feature)


def _wrong_kind(case: Case) -> Evidence | None:
    """A Python that no wheel is for, whatever its version."""
    facts = case.facts.interpreter
    source = "names of the published wheels (Python and ABI tags)"
    if isinstance(facts.implementation, Known) and facts.implementation.value.lower() != "cpython":
        return Evidence("interpreter.implementation", facts.implementation.value, "cpython", source)
    if isinstance(facts.pointer_bits, Known) and facts.pointer_bits.value != BITS:
        return Evidence(
            "interpreter.pointer_bits", f"{facts.pointer_bits.value} bits", f"{BITS} bits", source
        )
    if isinstance(facts.free_threaded, Known) and facts.free_threaded.value:
        return Evidence(
            "interpreter.free_threaded", "a free-threaded build", "a build with the global lock", source
        )
    return None


def _installed_for_another(case: Case, python: PythonRelease, version: str) -> Found | None:
    """By the wheel's own tag; where it has none, by the matrix."""
    tag = case.facts.tensorflow.wheel_tag
    feature = f"{python.major}.{python.minor}"
    made_for = _pythons_in(tag.value) if isinstance(tag, Known) else ()
    if made_for:
        expected, source = ", ".join(made_for), "the installed wheel's own tag"
        fits, sure = feature in made_for, Confidence.CERTAIN
    else:
        row = row_of(case)
        if not isinstance(row, Known):
            return (
                None  # what is installed without a tag was not made by a wheel: nobody says for which Python
            )
        pythons = case.need(row.value.python)
        expected, source = (
            ", ".join(each.feature for each in pythons),
            str(row.value.sources.get("python", row.source)),
        )
        fits, sure = python in pythons, Confidence.LIKELY
    if fits:
        return None
    return Found(
        f"TensorFlow {version} is made for Python {expected}; Python {feature} can't load its libraries.",
        (Evidence("interpreter.version", feature, expected, source),),
        _other_python(
            case
        ),  # here pip would call the requirement satisfied, and the other packages are as foreign
        sure,
    )


def _pythons_in(tag: str) -> tuple[str, ...]:
    """("3.11",) from "cp311-cp311-manylinux_2_17_x86_64"; () from "py3-none-any"."""
    found = [each for each in tag.split("-")[0].split(".") if each.startswith("cp3") and each[3:].isdigit()]
    return tuple(f"3.{each[3:]}" for each in found)


def _none_for(case: Case, python: PythonRelease) -> Found | None:
    """No TensorFlow is installed: is there one for this Python and this machine?"""
    platform = case.need_outcome(platform_of(case.facts))
    feature = f"{python.major}.{python.minor}"
    if isinstance(platform, Absent):
        proof = Evidence(
            "interpreter.machine", platform.reason, "x86_64 or arm64", "names of the published wheels"
        )
        return Found("TensorFlow has no wheel for this machine.", (proof,))
    releases = case.matrix.releases(platform.value)
    if not releases:
        raise CantTell(f"the matrix knows no TensorFlow for {platform.value}")
    stable = [each for each in releases if not _version(each.tensorflow).is_prerelease]
    served = [each.python.value for each in stable if isinstance(each.python, Known)]
    if any(python in pythons for pythons in served):
        return None
    newest = stable[0] if stable else releases[0]
    expected = ", ".join(each.feature for each in value_or(newest.python, ()))
    pre = [
        each.tensorflow for each in releases if isinstance(each.python, Known) and python in each.python.value
    ]
    hint = f" Only the prerelease {pre[0]} has one." if pre else ""
    return Found(
        f"There is no wheel for Python {feature} on {platform.value}, so pip finds no TensorFlow to install.{hint}",
        (
            Evidence(
                "interpreter.version",
                feature,
                expected,
                f"TensorFlow {newest.tensorflow}: {newest.sources['python']}",
            ),
        ),
        _other_python(case),
    )


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return _NO_VERSION


def _other_python(case: Case) -> tuple[Fix, ...]:
    release = fitting(case.facts, case.matrix, any_python=True)
    return () if release is None else (in_new_environment(case.facts, case.matrix, release),)


@check(
    "wrong-interpreter",
    prevents=Ability.NOTHING,
    explains=("tensorflow-missing", "python-unsupported", "glibc-too-old"),
)
def wrong_interpreter(case: Case) -> Found | None:
    """No TensorFlow here, and one in the environment that is active; never where --python chose the interpreter. A
    kernel of this environment whose Python is gone is a warning.
    """
    if isinstance(case.need_outcome(case.facts.tensorflow.version), Known):
        return _kernel_without_python(case)
    chosen = value_or(case.facts.interpreter.chosen_by, "")
    if chosen.startswith("--python"):
        return None
    other = case.need(case.facts.interpreter.active_with_tensorflow)
    here = interpreter(case.facts)
    return Found(
        f"The Python that is used here ({here}) has no TensorFlow; the environment {other} has one.",
        (
            Evidence(
                "interpreter.executable",
                here,
                f"the Python of {other}",
                "the environment that has TensorFlow",
            ),
            Evidence("interpreter.chosen_by", chosen or "unknown"),
        ),
        (_use_other(case, other),),
        title=f"The Python that is used here has no TensorFlow; another environment ({other}) has one.",
    )


def _kernel_without_python(case: Case) -> Found | None:
    """A kernel of this environment whose Python is gone: the environment was moved, copied or rebuilt."""
    kernels, prefix = case.facts.jupyter.kernels, case.facts.interpreter.prefix
    if not isinstance(kernels, Known) or not isinstance(prefix, Known):
        return None
    lost = [
        each
        for each in kernels.value
        if each.folder.startswith(f"{prefix.value}/") and isinstance(each.interpreter, Absent)
    ]
    if not lost:
        return None
    started = lost[0].argv[0] if lost[0].argv else "nothing"
    return Found(
        f"Jupyter's kernel {lost[0].name} of this environment starts {started}, which does not exist.",
        (
            Evidence(
                "jupyter.kernels",
                f"{lost[0].folder}: {started}",
                interpreter(case.facts),
                "argv of kernel.json",
            ),
        ),
        (
            Fix(
                "Write the kernel again",
                (
                    quoted(
                        interpreter(case.facts),
                        "-m",
                        "ipykernel",
                        "install",
                        "--sys-prefix",
                        "--name",
                        lost[0].name,
                    ),
                ),
            ),
        ),
        severity=Severity.WARNING,
        explains=frozenset(),
    )


def _use_other(case: Case, other: str) -> Fix:
    folder = other.rstrip("/")
    python = folder if folder.rpartition("/")[2].startswith("python") else f"{folder}/bin/python"
    kernel = case.facts.jupyter.examined_kernel
    if isinstance(kernel, Known):
        name = python.rpartition("/bin/")[0].rpartition("/")[2] or "tensorflow"
        commands = (
            _ipykernel_into(case, python),
            quoted(python, "-m", "ipykernel", "install", "--user", "--name", name),
        )
        return Fix(
            "Register that environment as a Jupyter kernel",
            commands,
            f"Then choose the kernel {name} in the notebook.",
        )
    return Fix(
        "Examine and use the environment that has TensorFlow",
        (quoted("tfdoctor", "check", "--python", python),),
    )


def _ipykernel_into(case: Case, python: str) -> str:
    """By pip where that environment has it, else by uv, which makes environments without."""
    has_pip = case.facts.interpreter.active_has_pip
    if isinstance(has_pip, Known) and not has_pip.value:
        return quoted("uv", "pip", "install", "--python", python, "ipykernel")
    return quoted(python, "-m", "pip", "install", "ipykernel")
