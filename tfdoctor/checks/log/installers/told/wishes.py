"""Wishes that no edit of a list settles: a package that is asked for twice, and one that has no release for the Python that pip runs with."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.installers.told.ignored import running, shown_python
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.software.pip import REQUIREMENTS

_REFUSED = ("pip-no-resolution",)


def beyond_edits(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the wishes are to be weighed against each other."""
    if saying.name not in _REFUSED:
        return None
    if twice := _twice(told):
        return _asked_twice(facts, saying, twice)
    package = _too_old(facts, told)
    if not package:
        return None
    files, python = FILES[package], shown_python(facts, told)
    title = f"{package} has no release that can be installed with Python {python}: {files.python} is the newest that it works with."
    words = f"pip goes back from release to release, and each asks for packages of its time, which have no file for this Python or exclude what else is asked for. {files.note} No edit of the versions helps."
    return Candidate("python-unsupported", Confidence.LIKELY, (place(saying),), words, title=title)


def _twice(told: Testimony) -> list[Saying]:
    """What the user asks for under one name and in two ways."""
    said = told.named("pip-user-requested")
    names = [each.told["package"].lower() for each in said]
    double = next((each for each in names if names.count(each) > 1), "")
    found = [each for each in said if each.told["package"].lower() == double]
    return found if len({each.told.get("wanted", "") for each in found}) > 1 else []


def _asked_twice(facts: Facts, saying: Saying, twice: list[Saying]) -> Candidate:
    ways = " and as ".join(dict.fromkeys(f"{each.told['package']}{each.told.get('wanted', '')}" for each in twice))  # fmt: skip
    typed = value_or(facts.log.surroundings, Surroundings()).typed
    again = any(each.split().count("install") > 1 for each in typed)
    why = "The command has the word install twice, and pip takes the second for a package of that name." if again else "It stands twice in the command, or in a file of requirements and beside it."  # fmt: skip
    words = f"pip takes one wish for each package, even where one release would be both. {why} Nothing was installed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=f"pip was asked for {twice[0].told['package']} twice: as {ways}.")  # fmt: skip


def _too_old(facts: Facts, told: Testimony) -> str:
    """A package whose newest Python is older than the one that pip runs with; "" for none."""
    first = running(facts, told)[0]
    askers = (each.told["asker"].lower() for each in told.named("pip-party"))
    old = (each for each in askers if each in FILES and first and key(FILES[each].python) < key(first))
    return next(old, "")


def beyond_edits_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where an edit settles it."""
    if not told.named(*_REFUSED):
        return ()
    if twice := _twice(told):
        exact = next((each for each in twice if each.told.get("wanted")), twice[0])
        spec = f"{exact.told['package']}{exact.told.get('wanted', '')}"
        return (Fix("Ask for it once", (f'{interpreter(facts)} -m pip install --upgrade "{spec}"',), "In a file of requirements, keep one of its lines."),)  # fmt: skip
    if not (package := _too_old(facts, told)):
        return ()
    feature, file = FILES[package].python, _file(told)
    folder, what = f"python-{feature}", f"--requirement {file}" if file else package
    older = Fix(
        f"Use Python {feature} in an environment of its own, and let pip choose the releases",
        (f"uv venv --python {feature} {folder}", f"uv pip install --python={folder} {what}"),
        "The present environment stays as it is. `python -m pip install uv` brings uv, and uv the Python.",
    )
    conda = Fix("Or let conda bring that Python", (f"conda create --yes --name {folder} --channel conda-forge python={feature}", f"conda activate {folder}", f"python -m pip install {what}"))  # fmt: skip
    return (older, conda)


def _file(told: Testimony) -> str:
    """The file of requirements that pip names; "" for none."""
    found = (REQUIREMENTS.compiled.search(each.text) for each in told.named(*_REFUSED))
    return next((each["file"] for each in found if each), "")
