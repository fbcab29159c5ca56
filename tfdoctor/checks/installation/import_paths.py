"""What Python finds before the environment's own packages: files of the same name, and the user site."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.misfits import misfits
from tfdoctor.checks.questions.stage_output import FOLLOWS, failed_stage, words
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import Shadow
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.fixes.variables import leave_out


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
    return f"in {folder}, for every program that is started or stored there"


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
            fix("keep-user-site-out-environment"),
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
