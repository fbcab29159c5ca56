"""A Python that has no file of what was asked for, as uv and poetry say it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.installers.condas import conda_fixes, of_conda
from tfdoctor.checks.log.installers.uvs import nowhere, nowhere_fixes, of_project, project_fixes, uv_fixes
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.expressions import Expression  # reads no log: tags of Pythons

_UV = ("uv-no-matching-abi", "uv-no-solution", "uv-conclusion")
_TAG = Expression(r"`?cp3(?P<minor>\d{1,2})`?")


def of_python(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind, and where the log does not tell more than the line."""
    if saying.name == "poetry-python":
        return _of_poetry(saying)
    if saying.name in _UV:
        return _of_uv(told, saying)
    return of_conda(told, saying)


def _of_poetry(saying: Saying) -> Candidate:
    package, wanted, lacking = saying.told["package"], saying.told["wanted"], saying.told["value"]
    title = f"{package} is for Python {wanted}, and the project says that it runs on {lacking} as well."
    words = "poetry looks for releases that fit every Python that the project allows, not only the one that is used now."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_uv(told: Testimony, saying: Saying) -> Candidate | None:
    hint, tags = told.named("uv-python-hint"), _tags(told)
    if not hint or not tags:
        return of_project(told, saying) or nowhere(told, saying) or _of_a_companion(saying)
    package = hint[0].told.get("package", "") or saying.told.get("package", "") or "a package"
    release = f" {hint[0].told['version']}" if "version" in hint[0].told else ""
    mine = _TAG.match(hint[0].told["value"])
    python = f"3.{mine['minor']}" if mine else hint[0].told["value"]
    title = f"uv finds no file of {package} for Python {python}: {package}{release} has files for Python {tags[0]} to {tags[-1]}."
    words = "uv took the newest Python that it found, or the one that the project names. The packages have ready-made files (wheels) for certain Pythons alone."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_a_companion(saying: Saying) -> Candidate | None:
    """By what is known of the package that uv names, where it lists no Pythons."""
    package = saying.told.get("package", "").lower()
    if package not in FILES:
        return None
    words = f"The package has ready-made files (wheels) for certain Pythons alone, and uv took another one. {FILES[package].note}"
    title = f"{package} has no file for the Python that uv took: {FILES[package].python} is the newest that it has one for."
    return Candidate("python-unsupported", Confidence.LIKELY, (place(saying),), words.rstrip(), title=title)


def _companion_fixes(told: Testimony) -> tuple[Fix, ...]:
    said = [each for each in told.named(*_UV) if _of_a_companion(each) is not None]
    package = said[0].told["package"].lower() if said else ""
    return _uv_pin(told, FILES[package].python, package) if package else ()


def _tags(told: Testimony) -> list[str]:
    """The Pythons that uv found files for, the oldest first."""
    found = {f"3.{each['minor']}" for tag in told.named("uv-python-tags") for each in _TAG.finditer(tag.told["message"])}  # fmt: skip
    return sorted(found, key=key)


def python_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where none of these was said."""
    if told.named("poetry-python"):
        return _range(told)
    if project := project_fixes(told):
        return project
    if tags := _tags(told) if told.named(*_UV) else []:
        return _uv_pin(told, tags[-1])
    if companion := _companion_fixes(told):
        return companion
    if fixes := nowhere_fixes(told):
        return fixes
    return conda_fixes(facts, told) or uv_fixes(told)


def _range(told: Testimony) -> tuple[Fix, ...]:
    said, range_ = told.named("poetry-python")[0], told.named("poetry-python-range")
    value = range_[0].told["value"] if range_ else said.told["wanted"].replace(" ", "")
    return (
        Fix(
            "Say in the project which Pythons it is for, and lock again",
            ("poetry lock",),
            f'In pyproject.toml first: python = "{value}" under tool.poetry.dependencies, or requires-python = "{value}" under project.',
        ),
    )


def _uv_pin(told: Testimony, newest: str, package: str = "") -> tuple[Fix, ...]:
    package = package or next((each.told["package"] for each in told.named("uv-python-hint") if "package" in each.told), "tensorflow")  # fmt: skip
    return (
        Fix(f"In a project, have uv use Python {newest}", (f"uv python pin {newest}", "uv sync"), "For a script: `uv run --python " + newest + " SCRIPT`."),
        Fix("Without a project, make the environment with it", (f"uv venv --python {newest}", f"uv pip install {package}")),
    )  # fmt: skip
