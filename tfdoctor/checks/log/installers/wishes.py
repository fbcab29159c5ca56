"""Whose wishes exclude each other, as pip and poetry list them: the package that all speak of, and what each of them wants."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.installers.compatible import NAMES as OF_TENSORFLOW
from tfdoctor.checks.log.installers.compatible import nearest, together
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.fixes.packages import tightest
from tfdoctor.light.records import record
from tfdoctor.signatures.software.pip import REQUIREMENTS, TRIED

_PIP = ("pip-party", "pip-user-requested")
_POETRY = "poetry-party"
_REFUSED = ("pip-no-resolution", "poetry-no-solution")


@record
class Wish:
    """`asker` "" for the user. `wanted` as pip writes ranges, "" for any release."""

    asker: str
    version: str
    package: str
    wanted: str

    @property
    def who(self) -> str:
        return f"{self.asker} {self.version}".strip() if self.asker else "you"


def of_wishes(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the log does not list them."""
    if saying.name not in _REFUSED:
        return None
    contested = _contested(told)
    if not contested:
        return _of_one(saying)
    package, first, rest = contested[0].package, contested[0], contested[1:]
    if not rest:
        title = f"{first.asker} asks for {package} {first.wanted}, and no such {package} is available here."
        note = FILES[package].note if package in FILES else ""
        words = f"Every release of {first.asker} that was tried ends at {package}: there is no file of it for this Python or system, or what else was asked for excludes it. {note}".rstrip()
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)
    other = rest[0]
    title = f"{_sentence(first)} {package} {first.wanted}, {other.who} for {other.wanted or 'any'}: no release is both."
    words = "The installer looks for one release of each package that all who ask for it can live with. Of this one there is none, so nothing was installed, and nothing of what is there was changed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _alone(saying: Saying) -> str:
    """The one package of which pip tried release after release; "" where several were to be installed, or another installer speaks."""
    names = {each["package"].lower() for each in TRIED.finditer(saying.text)}
    several = saying.text.count("==") > 1
    return names.pop() if len(names) == 1 and several else ""


def _of_one(saying: Saying) -> Candidate | None:
    package = _alone(saying)
    if not package:
        return None
    note = f" {FILES[package].note}" if package in FILES else ""
    words = f"pip went back from release to release of {package}, and what each of them needs is not available here: mostly a package without a file for this Python, because the Python is newer than {package}. pip's lines above name it.{note}"
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=f"No release of {package} that pip tried can be installed here: what they need can't be had for this Python or system.")  # fmt: skip


def _sentence(wish: Wish) -> str:
    return "You ask for" if not wish.asker else f"{wish.who} asks for"


def wish_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not list them."""
    contested, facts = _contested(told) if told.named(*_REFUSED) else [], case.facts
    if not contested:
        alone = next(filter(None, (_alone(each) for each in told.named(*_REFUSED))), "")
        return _nowhere(facts, Wish(alone, "", "", "")) if alone else _untold(facts, told)
    first, rest = contested[0], contested[1:]
    poetry = bool(told.named("poetry-no-solution"))
    if not rest and poetry and first.asker == "tensorflow" and first.package in OF_TENSORFLOW:
        title = f"Leave out TensorFlow {first.wanted.lstrip('=')}: its metadata asks for a {first.package} that was never published, and poetry asks for all systems' needs"
        return (Fix(title, (f'poetry add "tensorflow!={first.wanted.lstrip("=")}"',)),)
    if not rest:
        return _of_project(first) if poetry and not first.version else _nowhere(facts, first)
    if not poetry and (other := _other_tensorflow(case, told, contested)):
        return (other, _without_versions(facts, told, first, rest))
    asker, wanted = rest[0].asker, _newest(rest[0].wanted)
    spec = f"{first.package}{wanted}"
    if poetry:
        command = f'poetry add "{first.package}@{wanted}"'
        return (Fix(f"Let the project ask for a {first.package} that {asker} takes", (command,), f"Or take another release of {asker}."),)  # fmt: skip
    if not first.asker and (odd := _odd_one(facts, told, first, rest)):
        return (odd, _without_versions(facts, told, first, rest))
    if not first.asker:
        spec = f"{first.package}{_of_all(rest)}"
        if file := _file(told):
            title = (
                f"In {file}, write {spec} in place of {first.package}{first.wanted}, then install the file"
            )
            return (Fix(title, (f"{interpreter(facts)} -m pip install -r {quoted(file)}",), f"{rest[0].who} takes that one."), _without_versions(facts, told, first, rest))  # fmt: skip
        both = f'"{asker}=={rest[0].version}" "{spec}"'
        return (
            Fix(f"Ask for a {first.package} that {rest[0].who} takes", (f"{interpreter(facts)} -m pip install {both}",), f"In a file of requirements: {spec} in place of {first.package}{first.wanted}."),
            _without_versions(facts, told, first, rest),
        )  # fmt: skip
    return (_without_versions(facts, told, first, rest),)


def _odd_one(facts: Facts, told: Testimony, first: Wish, rest: list[Wish]) -> Fix | None:
    """An older release of the one package that the user's wish does not suit, where all others can live with that; None else."""
    others = [each.wanted for each in rest[1:] if each.wanted]
    odd, file = rest[0], _file(told)
    if (
        not file
        or not odd.version
        or len(others) < _SEVERAL
        or not together(first.wanted, *others)
        or together(*others, odd.wanted)
    ):
        return None
    command = f'{interpreter(facts)} -m pip install -r {quoted(file)} "{odd.asker}<{odd.version}"'
    return Fix(f"Take an older {odd.asker}: all others can live with {first.package}{first.wanted}, and {odd.who} alone can't", (command,), f"pip then looks for the newest {odd.asker} below that which fits. Write the same line into {file}.")  # fmt: skip


_SEVERAL = 2


def _of_all(wishes: list[Wish]) -> str:
    """What all of them take, where that can be; what the first of them takes else."""
    every = [each.wanted for each in wishes if each.wanted]
    return (tightest(*every) if together(*every) else "") or wishes[0].wanted


def _file(told: Testimony) -> str:
    """The file of requirements that pip was given; "" where its message names none."""
    found = (REQUIREMENTS.compiled.search(each.text) for each in told.named("pip-no-resolution"))
    return next((each["file"] for each in found if each), "")


def _other_tensorflow(case: Case, told: Testimony, contested: list[Wish]) -> Fix | None:
    """The release of TensorFlow that takes what the others ask for; None where TensorFlow asks for nothing here, and where none does."""
    own = next((each for each in contested if each.asker in OF_TENSORFLOW), None)
    others = [each for each in contested if each is not own and each.wanted]
    packages = [each for each in others if each.asker]
    if own is None or own not in contested[:2]:
        return None  # the first two are those that exclude each other
    if not packages or together(own.wanted, *(each.wanted for each in packages)):
        return None  # what the user asked for is the user's to change, where that alone is in the way
    release = nearest(case, own.version, own.package, ",".join(each.wanted for each in others))
    if not release:
        return None
    python, file = interpreter(case.facts), _file(told)
    name = "tensorflow" if own.asker == "tensorflow-intel" else own.asker
    takes = f"it takes the {own.package} that {packages[0].who} needs"
    if file:
        title = (
            f"In {file}, write {name}=={release} in place of {own.version} ({takes}), then install the file"
        )
        return Fix(title, (f"{python} -m pip install -r {quoted(file)}",))
    title = f"Ask for TensorFlow {release} in place of {own.version}: {takes}"
    more = " ".join(each.asker for each in packages)
    return Fix(title, (f'{python} -m pip install "{name}=={release}" {more}',))


def _without_versions(facts: Facts, told: Testimony, first: Wish, rest: list[Wish]) -> Fix:
    """By the names alone, or by the file that names them."""
    file = _file(told)
    clash = rest[:1] if first.asker else rest
    askers = list(
        dict.fromkeys(filter(None, (first.asker or first.package, *(each.asker for each in clash))))
    )
    if not file:
        return _unpinned(facts, askers)
    names = " and ".join(
        dict.fromkeys("tensorflow" if each == "tensorflow-intel" else each for each in askers)
    )
    return Fix(f"Let pip choose the releases: take the versions off the lines of {names} in {file}, then install it", (f"{interpreter(facts)} -m pip install -r {quoted(file)}",), "Best in a new environment; what is there stays as it is.")  # fmt: skip


def _untold(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Where pip's lines below, which name who asks for what, were not pasted; () for other installers."""
    said, python, file = told.named("pip-no-resolution"), interpreter(facts), _file(told)
    names = list(dict.fromkeys(each["package"] for each in TRIED.finditer(said[0].text))) if said else []
    if file:
        again = Fix("See who asks for what: pip names it below this line, under \"The conflict is caused by\". It installs nothing", (f"{python} -m pip install --dry-run -r {quoted(file)}",))  # fmt: skip
        loose = Fix(f"Then take the versions off the lines that are named there in {file}, and let pip choose", (f"{python} -m pip install -r {quoted(file)}",), "Best in a new environment; what is there stays as it is.")  # fmt: skip
        return (again, loose)
    return (_unpinned(facts, names),) if len(names) > 1 else ()


def _unpinned(facts: Facts, askers: list[str]) -> Fix:
    names = " ".join(askers)
    return Fix("Let pip choose the releases: name the packages without a version", (f"{interpreter(facts)} -m pip install {names}",), "Best in a new environment; what is there stays as it is.")  # fmt: skip


def _of_project(wish: Wish) -> tuple[Fix, ...]:
    """poetry names a package with its release, and the user's own project without."""
    files = FILES.get(wish.package)
    feature = files.python if files else "3.11"
    return (
        Fix(f"Give the project an environment with Python {feature}, an older one", (f"poetry env use {feature}", "poetry install"), "The range of Pythons in pyproject.toml has to allow it: python in [tool.poetry.dependencies], or requires-python."),
        Fix(f"Or ask for a {wish.package} that this Python can have", (f"poetry add {wish.package}",), "It takes the newest one that fits."),
    )  # fmt: skip


def _nowhere(facts: Facts, wish: Wish) -> tuple[Fix, ...]:
    files = FILES.get(wish.asker) or FILES.get(wish.package)
    feature = files.python if files else "3.11"
    folder = f"python-{feature}"
    older = Fix(
        f"Use Python {feature}, an older one, in an environment of its own",
        (f"uv venv --python {feature} {folder}", f"uv pip install --python={folder} {wish.asker}"),
        "The present environment stays as it is.",
    )
    instead = (Fix(f"Or take {files.instead}, which took its place", (f"{interpreter(facts)} -m pip install {files.instead}",)),) if files and files.instead else ()  # fmt: skip
    return (older, *instead)


def _contested(told: Testimony) -> list[Wish]:
    """The wishes for the package that is in the way, the user's first; one alone where only one asks in vain; [] for none."""
    every = [_wish(each) for each in told.named(*_PIP, _POETRY)]
    by_package: dict[str, list[Wish]] = {}
    for each in every:
        by_package.setdefault(each.package, []).append(each)
    sets = [_narrowed(each) for each in by_package.values()]
    with_two = [each for each in sets if len(each) > 1]
    with_two = [clash for each in with_two if (clash := _clashing(each))] or with_two
    if with_two:
        return min(with_two, key=lambda each: (bool(each[0].asker), -len(each)))
    return next((each for each in sets if each[0].asker and each[0].wanted), [])


def _clashing(wishes: list[Wish]) -> list[Wish]:
    """The same, the two that no release can satisfy first; [] where each two go together, or a range can't be read."""
    for number, one in enumerate(wishes):
        for other in wishes[number + 1 :]:
            if one.wanted and other.wanted and together(one.wanted, other.wanted) is False:
                return [one, other, *(each for each in wishes if each not in (one, other))]
    return []


def _narrowed(wishes: list[Wish]) -> list[Wish]:
    """One for each asker, without those that take any release; the user's, or the project's, first."""
    found: dict[str, Wish] = {}
    for each in wishes:
        if each.wanted or not each.asker:
            found.setdefault(each.asker, each)
    ordered = sorted(found.values(), key=lambda each: bool(each.version) if each.asker else False)
    return ordered or wishes[:1]


def _wish(saying: Saying) -> Wish:
    told = saying.told
    wanted = told.get("wanted", "").strip()
    if saying.name == _POETRY:
        wanted = wanted if wanted[:1] in "<>=!~^" else f"=={wanted}"
    else:
        wanted = tightest(wanted.replace(" and ", ",")) or wanted
    version = told.get("version", "")
    return Wish(told.get("asker", ""), version, told["package"].lower(), wanted)


def _newest(wanted: str) -> str:
    """The last of poetry's alternatives ("<2 || >=2.6,<3")."""
    return wanted.rpartition("||")[2].strip()
