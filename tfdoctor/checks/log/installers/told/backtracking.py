"""pip that goes back from release to release and fetches each one: it tells what it fetched, and never why."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.pins import NUMBERED_ALIKE, pin
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.light.records import record

_FETCHES, _GOES_BACK, _EXTRA = "pip-fetches", "pip-goes-back", "pip-extra-unknown"
_FULL = "disk-full"
_ON_THE_WAY = 3
"""Releases of one package. pip takes two of a package now and then (a build's own needs, an upgrade); a third is only fetched on the way back."""
_LAST_FOR = {"36": "2.6", "37": "2.11", "38": "2.13", "313": "2.20"}
"""The last TensorFlow for the Python of a wheel's name (data/compat_matrix.yaml)."""
_NEWEST = "2.19"
"""A TensorFlow for which all companions of NUMBERED_ALIKE that go on have a release."""
_WORDS = (
    "pip takes the newest release of each package. Where one of them can't live with the others it goes back to an older one and looks again, and it has to "
    "fetch each release to read what that asks for: hundreds of megabytes for one of TensorFlow's. That goes on for hours and can fill the disk. Nothing is installed until it ends."
)


@record
class Way:
    """A package that pip went back with: its releases in the order in which they were fetched."""

    package: str
    releases: tuple[str, ...]
    last: Saying


def ways_back(told: Testimony) -> list[Way]:
    """Those of which pip fetched older and older releases, the most first."""
    found: dict[str, list[Saying]] = {}
    for each in told.named(_FETCHES):
        found.setdefault(each.told["package"].lower().replace("_", "-").replace(".", "-"), []).append(each)
    ways = [Way(name, _falling(each), each[-1]) for name, each in found.items()]
    return sorted((each for each in ways if each.releases), key=lambda each: -len(each.releases))


def _falling(said: list[Saying]) -> tuple[str, ...]:
    """() where they are not older and older."""
    releases = tuple(dict.fromkeys(each.told["version"] for each in said))
    numbers = [key(each) for each in releases]
    return releases if len(releases) > 1 and numbers == sorted(numbers, reverse=True) else ()


def backtracking(told: Testimony) -> Candidate | None:
    """None where anything else went wrong, pip came to its end, or it fetched no package again and again."""
    full = told.codes == (_FULL,)
    if (told.codes and not full) or told.named("pip-installed"):
        return None
    if not full and any(each.how != "success" for each in told.endings):
        return None
    ways = ways_back(told)
    if not full and (lost := _lost(told, ways)) is not None:
        return lost
    long = [each for each in ways if len(each.releases) >= _ON_THE_WAY]
    if not long or max(told.spoke, told.last_work) > place(long[0].last):
        return None  # a program ran after it, so pip came to its end
    title = f"pip goes back from release to release of {long[0].package} ({_run(long[0])}) and fetches each: what it was asked for does not go together in the newest releases."
    if full:
        title = f"pip filled the disk: it goes back from release to release of {long[0].package} ({_run(long[0])}) and fetches each."
    others = ", ".join(each.package for each in ways if each is not long[0])
    words = f"{_WORDS} It went back with {others}, too." if others else _WORDS
    if full:
        return Candidate(_FULL, Confidence.CERTAIN, (place(told.of(_FULL)[0]),), words, title=title)
    return Candidate("dependency-mismatch", Confidence.LIKELY, (place(long[0].last),), words, title=title)


def _run(way: Way) -> str:
    first, last = way.releases[0], way.releases[-1]
    return f"{len(way.releases)} of them, {first} to {last}"


def _lost(told: Testimony, ways: list[Way]) -> Candidate | None:
    """An extra that only newer releases have: pip went back because one of its parts can't be had here."""
    for said in told.named(_EXTRA):
        package, extra = said.told["package"].lower().replace("_", "-"), said.told["value"]
        newest = next((each.releases[0] for each in ways if each.package == package), "") or _newest(
            told, package
        )
        if not newest or key(newest) <= key(said.told["version"]):
            continue
        title = f"pip went back from {package} {newest} to {said.told['version']}, which knows no extra {extra}: what the newer one asks for can't be had here."
        words = f"Where a part of {package}[{extra}] has no file for this Python or system, pip looks for an older {package} that does without it, down to one that has no such extra, and installs that. {_of_parts(extra)}".rstrip()
        return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(said),), words, title=title)
    return None


def _newest(told: Testimony, package: str) -> str:
    fetched = (
        each.told["version"]
        for each in told.named(_FETCHES)
        if each.told["package"].lower().replace("_", "-") == package
    )
    return max(fetched, key=key, default="")


def _of_parts(extra: str) -> str:
    """What is known of the package that an extra is named for."""
    return next((f"{name}: {FILES[name].note}" for name in FILES if extra in name.split("-")), "")


def backtracking_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where it is not the answer."""
    if backtracking(told) is None:
        return ()
    python, ways = interpreter(facts), ways_back(told)
    if _lost(told, ways) is not None:
        return _with_extra(python, told, ways)
    names = list(dict.fromkeys(each.package for each in ways))
    uv = Fix(
        "Or have uv look for the set: it reads what each release asks for without fetching it, and installs nothing here",
        (f"{python} -m pip install uv", f"{python} -m uv pip install --dry-run {quoted(*names)}"),
        "With a file of requirements: -r requirements.txt in place of the names. It ends with the set that fits, or with the two that exclude each other.",
    )
    pinned = _pinned(told, names)
    if not pinned:
        return (uv,)
    stop = Fix("End it with Ctrl+C, and name releases that are made for each other", (f"{python} -m pip install {quoted(*pinned)}",), "With a file of requirements: these bounds on its lines.")  # fmt: skip
    return (stop, uv)


def _pinned(told: Testimony, names: list[str]) -> list[str]:
    """TensorFlow and those beside it that carry its number, in one minor; [] where there is none of these."""
    tags = [each.told["value"] for each in told.named(_FETCHES) if "value" in each.told]
    minor = _LAST_FOR.get(tags[-1], _NEWEST) if tags else _NEWEST
    beside = [found for each in names if each in NUMBERED_ALIKE and (found := pin(each, minor))]
    return [f"tensorflow=={minor}.*", *beside] if beside else []


def _with_extra(python: str, told: Testimony, ways: list[Way]) -> tuple[Fix, ...]:
    said = told.named(_EXTRA)[0]
    package, extra = said.told["package"].lower().replace("_", "-"), said.told["value"]
    newest = next((each.releases[0] for each in ways if each.package == package), "") or _newest(
        told, package
    )
    exact = quoted(f"{package}[{extra}]=={newest}")
    plain = quoted(f"{package}=={newest}")
    return (
        Fix("Ask for just the newer release: then pip names the part that can't be had", (f"{python} -m pip install {exact}",)),
        Fix("Or take it without that extra, where the program does without", (f"{python} -m pip install {plain}",)),
    )  # fmt: skip
