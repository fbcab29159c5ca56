"""Whether PYTHONPATH puts packages into this Python that do not fit it or its TensorFlow."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.misfits import Misfit, misfits
from tfdoctor.checks.questions.stage_output import FOLLOWS, first_words, raised_in
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.facts.values import PathLeak
from tfdoctor.findings.model import Confidence, Evidence, Severity
from tfdoctor.fixes.variables import leave_out

_OF_PACKAGES = (
    "numpy-abi-mismatch", "protobuf-incompatible", "keras-mismatch", "ml-dtypes-mismatch", "dependency-mismatch",
    "tensorflow-install-broken", "custom-op-mismatch",
)  # fmt: skip


@check("pythonpath-leak", prevents=Ability.NOTHING, explains=(*_OF_PACKAGES, *FOLLOWS))
def pythonpath_leak(case: Case) -> Found | None:
    """Of the packages that PYTHONPATH puts first: one that was built for another Python, that TensorFlow's requirements do not
    take, or in whose code the failed stage's error arose.
    """
    leaks = case.need(case.facts.packages.path_leaks)
    wrong = _misfits(case, leaks)
    blamed = raised_in(case.facts)
    bad = [each for each in leaks if each.built_for or each.name in wrong or each.name == blamed]
    if not bad:
        return None
    said = first_words(case.facts) if any(each.name == blamed for each in bad) else None
    breaks = said is not None or any(each.built_for for each in bad) or _worst(wrong) is Severity.ERROR
    broken = breaks and Ability.COMPUTE not in abilities_seen(case.facts)
    entries = tuple(dict.fromkeys(each.entry for each in bad))
    return Found(
        f"Python takes {_and([_told(each) for each in bad])} from {_and(list(entries))}, which PYTHONPATH names, "
        f"{_instead(bad)}. {_harm(case, bad, wrong)}",
        (
            *(_evidence(case, each, wrong) for each in bad),
            Evidence("environment.variables", f"PYTHONPATH={value_or(case.facts.environment.variables, {}).get('PYTHONPATH', '')}"),
            *((said,) if said else ()),
        ),
        (leave_out(case.facts, "PYTHONPATH", *entries),),
        Confidence.CERTAIN if said else Confidence.LIKELY,
        Severity.ERROR if broken else Severity.WARNING,
        frozenset({*_OF_PACKAGES, *FOLLOWS}) if broken else frozenset(each.code for each in wrong.values()),
        f"PYTHONPATH puts {_and([_told(each) for each in bad])} before what belongs to this environment.",
    )  # fmt: skip


def _misfits(case: Case, leaks: tuple[PathLeak, ...]) -> dict[str, Misfit]:
    """What the leaked versions do to TensorFlow, by name: Python takes them, so they are what is judged as installed."""
    leaked = {each.name for each in leaks if each.version}
    return {each.name: each for each in misfits(case) if each.name in leaked}


def _worst(wrong: dict[str, Misfit]) -> Severity:
    return min((each.severity for each in wrong.values()), key=lambda each: each.rank, default=Severity.INFO)


def _told(leak: PathLeak) -> str:
    return f"{leak.name} {leak.version}".strip()


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _instead(bad: list[PathLeak]) -> str:
    """What it would take without that entry."""
    hidden = [f"{each.name} {each.hides}".strip() for each in bad if each.hidden_folder]
    if not hidden:
        return "which this environment has none of"
    return f"instead of the environment's own {_and(hidden)}"


def _harm(case: Case, bad: list[PathLeak], wrong: dict[str, Misfit]) -> str:
    foreign = [each for each in bad if each.built_for]
    if foreign:
        return f"Their compiled parts are for Python {foreign[0].built_for} and can't be loaded into {_here(case)}."
    if wrong:
        return f"{_and(list(wrong))} of that version {'does' if len(wrong) == 1 else 'do'} not fit this TensorFlow."
    return "Importing it fails there."


def _here(case: Case) -> str:
    version = case.facts.interpreter.version
    return f"Python {version.value.feature}" if isinstance(version, Known) else "this Python"


def _evidence(case: Case, leak: PathLeak, wrong: dict[str, Misfit]) -> Evidence:
    observed = f"{_told(leak)} in {leak.entry}"
    if leak.built_for:
        observed += f", built for Python {leak.built_for}"
        return Evidence("packages.path_leaks", observed, _here(case), "the tags of its compiled files")
    if leak.name in wrong:
        return Evidence(
            "packages.path_leaks",
            observed,
            f"{leak.name} {wrong[leak.name].expected}",
            wrong[leak.name].source,
        )
    return Evidence(
        "packages.path_leaks", observed, "the environment's own", "Python's search order (sys.path)"
    )


def leaks_there(case: Case, *names: str) -> bool:
    """Whether one of these packages comes from PYTHONPATH: installing it into the environment then changes nothing."""
    leaks = case.facts.packages.path_leaks
    return not isinstance(leaks, Absent) and any(each.name in names for each in value_or(leaks, ()))
