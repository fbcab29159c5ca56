"""Whether this is the right Python: one that TensorFlow has wheels for, the one that is meant, with nothing in its way."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.build import platform_of, row_of
from tfdoctor.checks.questions.misfits import misfits
from tfdoctor.checks.questions.stage_output import FOLLOWS, failed_stage, words
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.facts.values import Shadow
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.fixes.packages import fitting, in_new_environment
from tfdoctor.fixes.paths import leave_out

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


@check(
    "tensorflow-shadowed",
    prevents=Ability.NOTHING,
    explains=(*FOLLOWS, "tensorflow-missing", "tensorflow-install-broken"),
)
def tensorflow_shadowed(case: Case) -> Found | None:
    """By what the probe found before the real module on the search path. From PYTHONPATH it meets every program and is
    an error unless TensorFlow was seen to be imported; from one folder it is a warning.
    """
    shadows = case.need(case.facts.packages.shadowing)
    if not shadows:
        return None
    text = words(case.facts, "tensorflow-shadowed", "tensorflow-lacks-attribute")
    always = [each for each in shadows if each.place == "PYTHONPATH"]
    harmful = bool(always) and Ability.IMPORT not in abilities_seen(case.facts)
    names = ", ".join(dict.fromkeys(each.module for each in shadows))
    where = " and ".join(dict.fromkeys(_place(each) for each in shadows))
    return Found(
        f"Python finds this {names} first, {where}, so programs get it instead of the real module.",
        (*(_evidence(each) for each in shadows), *((text,) if text else ())),
        (*(_off_the_path(case, always) if always else ()), _rename(shadows)),
        Confidence.CERTAIN if text or failed_stage(case.facts) is None else Confidence.LIKELY,
        Severity.ERROR if harmful else Severity.WARNING,
        title=_shadow_title(shadows, always),
    )


def _shadow_title(shadows: tuple[Shadow, ...], always: list[Shadow]) -> str:
    """For whom it is in the way: for all, or for the programs of one folder alone."""
    first = (always or list(shadows))[0]
    folder, name = _split(first.path)
    if always:
        return f"{name} in {folder}, which PYTHONPATH names, is imported instead of the real {first.module}."
    return f"Programs that are started in {folder} import its {name} instead of the real {first.module}."


def _off_the_path(case: Case, shadows: list[Shadow]) -> tuple[Fix, ...]:
    """What is in that folder may be another program's, so it is not renamed at first."""
    return (leave_out(case.facts, "PYTHONPATH", *dict.fromkeys(_split(each.path)[0] for each in shadows)),)


def _split(path: str) -> tuple[str, str]:
    """Folder and name, of a path of this system or of a Windows report."""
    end = max(path.rfind("/"), path.rfind("\\"))
    return path[:end] or "/", path[end + 1 :]


def _place(shadow: Shadow) -> str:
    folder, _ = _split(shadow.path)
    if shadow.place == "PYTHONPATH":
        return f"in {folder}, which PYTHONPATH names"
    return f"in {folder}, for every program that is started there or lies there"


def _evidence(shadow: Shadow) -> Evidence:
    return Evidence(
        "packages.shadowing",
        f"{shadow.path} ({shadow.place})",
        f"no {shadow.module} before the real one",
        "Python's search order (sys.path)",
    )


def _rename(shadows: tuple[Shadow, ...]) -> Fix:
    """All of them: each alone is enough to stand in the way."""
    places = [_split(each.path) for each in shadows]
    names = list(dict.fromkeys(name for _, name in places))
    title = f"Rename {names[0]}" if len(names) == 1 else f"Rename {', '.join(names[:-1])} and {names[-1]}"
    commands = tuple(
        quoted("mv", each.path, f"{folder}/my_{name}")
        for each, (folder, name) in zip(shadows, places, strict=True)
    )
    note = "A compiled copy in __pycache__ beside it goes, too. Programs of yours that import it need the new name."
    return Fix(title, commands, note)


@check(
    "user-site-leak", prevents=Ability.NOTHING,
    explains=(
        "numpy-abi-mismatch", "protobuf-incompatible", "keras-mismatch", "ml-dtypes-mismatch", "dependency-mismatch",
        "smoke-tensorflow-failed", "native-crash", "check-failed", "python-exception", "cuda-libraries-missing",
        "cuda-libraries-unreachable", "cuda-libraries-wrong-version", "cuda-libraries-mixed", "cudnn-version-mismatch",
        "cudnn-incomplete", "image-lacks-cuda-libraries", "and-cuda-extra-lost", "tensorflow-cpu-only", "libdevice-missing",
        "ptxas-missing", "tensorflow-mixed-distributions",
    ),
)  # fmt: skip
def user_site_leak(case: Case) -> Found | None:
    """By the packages that the user site puts before the environment's own, unless TensorFlow itself lives there. It
    explains the misfits of those packages that are in range in the environment itself.
    """
    leaked = case.need(case.facts.packages.user_site_shadowing)
    if not leaked or _lives_there(case):
        return None
    leaking = {name.partition(" ")[0].partition("==")[0] for name in leaked}
    wrong = [each for each in misfits(case) if each.name in leaking]
    explained = frozenset(each.code for each in wrong) - {
        each.code for each in misfits(case) if each.name not in leaking
    }
    abilities = abilities_seen(case.facts)
    whole = _is_another_tensorflow(case, leaking) and failed_or_without_gpu(case)
    if whole:
        explained |= frozenset(OF_ANOTHER_TENSORFLOW)
    breaks = whole or (
        any(each.severity is Severity.ERROR for each in wrong) and Ability.COMPUTE not in abilities
    )
    verb = "does" if len(wrong) == 1 else "do"
    harm = (
        f" The leaked {' and '.join(each.name for each in wrong)} {verb} not fit this TensorFlow."
        if wrong
        else ""
    )
    folder = value_or(case.facts.interpreter.user_site, "the user site (~/.local)")
    return Found(
        f"Python takes {', '.join(leaked)} from {folder} instead of the environment's own.{harm}",
        (Evidence("packages.user_site_shadowing", ", ".join(leaked), "none", "Python's search order (sys.path)"),),
        (
            Fix("Keep the user site out of this environment", ("export PYTHONNOUSERSITE=1",), "For this shell; a line in the environment's activate script makes it last."),
            Fix("Uninstall them from the user site", (_uninstall(case, leaked),), "Changes every environment that uses the user site."),
        ),
        severity=Severity.ERROR if breaks else Severity.WARNING,
        explains=explained,
        title=f"Python takes TensorFlow itself from the user site ({folder}) instead of the environment's own." if whole else "",
    )  # fmt: skip


OF_ANOTHER_TENSORFLOW = (
    *FOLLOWS, "cuda-libraries-missing", "cuda-libraries-unreachable", "cuda-libraries-wrong-version", "cuda-libraries-mixed",
    "cudnn-version-mismatch", "cudnn-incomplete", "image-lacks-cuda-libraries", "and-cuda-extra-lost", "tensorflow-cpu-only",
    "libdevice-missing", "ptxas-missing", "tensorflow-mixed-distributions",
)  # fmt: skip
"""What a TensorFlow shows that was installed for another place than the one in which it is imported now."""


def _is_another_tensorflow(case: Case, leaking: set[str]) -> bool:
    """The TensorFlow that is imported is the user site's, and the environment has one of its own behind it."""
    name = case.facts.tensorflow.distribution
    return isinstance(name, Known) and name.value in leaking


def failed_or_without_gpu(case: Case) -> bool:
    """It was not seen to do its work: it failed, or a GPU is there that it was not seen to use."""
    abilities = abilities_seen(case.facts)
    gpu = isinstance(case.facts.driver.devices, Known) and bool(case.facts.driver.devices.value)
    return Ability.GPU not in abilities if gpu else failed_stage(case.facts) is not None


def _lives_there(case: Case) -> bool:
    """A TensorFlow that is in the user site itself has its packages there on purpose (`pip install --user`)."""
    distributions = case.facts.tensorflow.distributions
    return isinstance(distributions, Known) and all(each.in_user_site for each in distributions.value)


def _uninstall(case: Case, leaked: tuple[str, ...]) -> str:
    names = [name.partition(" ")[0].partition("==")[0] for name in leaked]
    return quoted(interpreter(case.facts), "-m", "pip", "uninstall", "--yes", *names)
