"""Which Python or machine has no file of what was asked for, by pip's list of releases and by conda's Pythons."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.commands import quoted
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.companions import ANY_PYTHON, FILES, LAGS, NUMBERED_ALIKE, OLD_PYTHON, Files, key
from tfdoctor.judge.log.misfits import pythons_of
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.values import checked

# pip's own list of the releases that it could install, beside the one that was asked for: which of the two is newer.

NONE, PREVIEWS, AHEAD, BEHIND, BETWEEN, UNSURE = "none", "previews", "ahead", "behind", "between", "unsure"
"""The list is empty, or holds previews alone; what was asked for is newer than all of it, older than all, or is between two."""
ALONE = "pip-no-companion-last"
"""pip's last line, which stands alone where its list was not pasted."""
NAMES = ("no-version-satisfies", "pip-no-companion", ALONE)
_FINAL = Expression(r"\d{1,9}(?:\.\d{1,9}){0,4}(?:\.post\d{1,3})?$")
_CLAUSE = Expression(
    r"(?P<operator>==|~=|>=|<=|>|<)(?P<release>\d{1,9}(?:\.\d{1,9}){0,4})(?P<rest>[\w.*]{0,20})$"
)
_ASKER = Expression(r"\(from (?P<asker>[A-Za-z][\w.-]{0,80})")
_PRERELEASE = Expression(r"(?:a|b|rc|\.?dev)\d")


@record
class Listed:
    """`wanted` as it was written ("==2.13.0"); `release` the number in its first bound; `finals` the oldest first."""

    package: str
    wanted: str
    release: str
    finals: tuple[str, ...]
    previews: tuple[str, ...]
    kind: str
    asker: str = ""  # the package that asks for it; "" for the user or a file of requirements

    @property
    def minor(self) -> str:
        """ "2.13" of what was asked for."""
        return ".".join(self.release.split(".")[:2])

    @property
    def below(self) -> str:
        """The newest final release that is older than what was asked for; "" for none, or where no number was asked for."""
        if not self.release:
            return ""
        return next((each for each in reversed(self.finals) if key_of(each) < key_of(self.release)), "")

    @property
    def above(self) -> str:
        """The oldest final release that is newer; "" as below."""
        if not self.release:
            return ""
        return next((each for each in self.finals if key_of(each) > key_of(self.release)), "")

    @property
    def preview(self) -> str:
        """The last preview of the release that was asked for."""
        return next(
            (each for each in reversed(self.previews) if _PRERELEASE.split(each)[0] == self.release), ""
        )


def listed(saying: Saying) -> Listed:
    """Of a line of pip's; whatever can't be read leaves the kind unsure."""
    offered = [each.strip() for each in saying.told.get("version", "").split(",")]
    finals = tuple(each for each in offered if _FINAL.match(each))
    previews = tuple(each for each in offered if each[:1].isdigit() and each not in finals)
    wanted, asker = saying.told.get("wanted", ""), _ASKER.search(saying.told.get("message", ""))
    bound = _bound(wanted, finals)
    package = checked("package", saying.told["package"].lower().replace("_", "-"))
    return Listed(
        package,
        wanted,
        _release(package, bound) if bound else "",
        finals,
        previews,
        _kind(wanted, bound, finals, previews),
        checked("package", asker["asker"].rstrip("-.")) if asker else "",
    )


def _bound(wanted: str, finals: tuple[str, ...]) -> re.Match[str] | None:
    """The bound that decides: an exact release, else an upper one that the whole list is above, else the lowest that is
    allowed, else the highest."""
    found = [match for each in wanted.split(",") if (match := _CLAUSE.match(each.strip()))]
    exact = any(each["operator"] in ("==", "~=") for each in found)
    below = [each for each in found if each["operator"] in ("<", "<=") and finals and key_of(each["release"]) <= key_of(finals[0])]  # fmt: skip
    if below and not exact:
        return below[0]
    return min(found, key=lambda each: _ORDER.index(each["operator"]), default=None)


_ORDER = ("==", "~=", ">=", ">", "<=", "<")
_LAST_OF_1 = "1.15"
_NUMBERED = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu")


def _release(package: str, bound: re.Match[str]) -> str:
    """The release to speak of. Of TensorFlow the minors are known: "<2" and "==1.*" mean 1.15, "<2.5" means 2.4."""
    release = bound["release"]
    if package not in _NUMBERED:
        return release
    if bound["operator"] != "<":
        whole = release == "1" or (bound["operator"] == "~=" and release.startswith("1.") and release.count(".") == 1)  # fmt: skip
        return _LAST_OF_1 if whole else release
    major, minor, *rest = (*key_of(release), 0)
    if any(rest) or major > 2:
        return release
    if minor:
        return f"{major}.{minor - 1}"
    return _LAST_OF_1 if major > 1 else release


def _kind(
    wanted: str, bound: re.Match[str] | None, finals: tuple[str, ...], previews: tuple[str, ...]
) -> str:
    if not finals and not previews:
        return NONE
    if not finals:
        return _of_previews(wanted, previews)
    if bound is None:
        return UNSURE
    release, operator = key_of(bound["release"]), bound["operator"]
    if operator in ("<", "<="):
        return BEHIND if release <= key_of(finals[0]) else UNSURE
    if release > key_of(finals[-1]):
        return AHEAD
    if release < key_of(finals[0]) and operator in ("==", "~="):
        return BEHIND  # of "~=", too: pip takes any newer one up to the next number, and took none
    return BETWEEN if operator == "==" else UNSURE


def _of_previews(wanted: str, previews: tuple[str, ...]) -> str:
    """A list of previews alone still shows what comes after all that was asked for."""
    first = _PRERELEASE.split(previews[0])[0].rstrip(".")
    bounds = [match for each in wanted.split(",") if (match := _CLAUSE.match(each.strip()))]
    highest = [each["release"] for each in bounds if each["operator"] in ("==", "~=", "<", "<=")]
    older = _FINAL.match(first) and any(key_of(each) <= key_of(first) for each in highest)
    return BEHIND if older else PREVIEWS


def key_of(release: str) -> tuple[int, ...]:
    """ "2.13.0.post1" counts as 2.13.0."""
    return key(release.partition(".post")[0])


# The releases that pip passed over for this Python, each with the Pythons that it asks for: they tell which Python pip runs with.

_ONE = Expression(r"(?P<release>\d[\w.+!]{0,30}) Requires-Python (?P<wanted>[<>=!~][^;]{0,80})")
_PYTHONS = tuple(f"3.{minor}" for minor in range(7, 15))
"""Those with a pip that writes such a line (pip 21.1 and newer)."""


def passed_over(told: Testimony) -> list[tuple[str, str]]:
    """("0.53.0", ">=3.6,<3.10") and so on, in pip's order; pip does not say of which package each is."""
    lines = (each.told["message"] for each in told.named("pip-passed-over"))
    return [
        (each["release"], each["wanted"].strip()) for line in lines for each in _ONE.compiled.finditer(line)
    ]


def of_release(told: Testimony, release: str) -> str:
    """The Pythons that the release which was asked for wants; "" where pip did not pass over it."""
    same = (wanted for each, wanted in passed_over(told) if _same(each, release))
    return next((each for each in same if "<" in each or ">" in each), "")


def _same(one: str, other: str) -> bool:
    parts = [each.split(".") for each in (one, other)]
    longest = max(map(len, parts))
    return bool(other) and len({".".join(each + ["0"] * (longest - len(each))) for each in parts}) == 1


def newest_in(wanted: str) -> str:
    """The newest Python of a range; "" for none that is known, or for a range that can't be read."""
    return max((each for each in _PYTHONS if wanted and _holds(wanted, each)), key=key, default="")


def running(facts: Facts, told: Testimony) -> tuple[str, str]:
    """The oldest and the newest Python that can have written the log; "" twice where it does not tell."""
    own = facts.interpreter.version
    if isinstance(own, Known):
        return own.value.feature, own.value.feature
    ranges = [wanted for _, wanted in passed_over(told)]
    left = [each for each in _PYTHONS if not any(_holds(wanted, each) for wanted in ranges)]
    alike = left and [each for each in _PYTHONS if key(left[0]) <= key(each) <= key(left[-1])] == left
    return (left[0], left[-1]) if alike and len(left) < len(_PYTHONS) else ("", "")


def shown_python(facts: Facts, told: Testimony) -> str:
    """ "3.10", or "3.13 or newer"; "" where the log does not tell."""
    first, last = running(facts, told)
    if not first or first == last:
        return first
    return f"{first} or newer" if last == _PYTHONS[-1] else f"{first} to {last}"


def _holds(wanted: str, python: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # costs too much where nothing is asked

    try:
        return SpecifierSet(wanted).contains(f"{python}.5")
    except InvalidSpecifier:
        return False


# What pip's list of releases tells: a Python that is too old or too new, a release that never came, or no index at all.

TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu")
"""Their lists begin and end alike for one Python."""
_WITH_ITS_NUMBER = (*TENSORFLOW, *NUMBERED_ALIKE, "tensorflow-intel", "tensorflow-macos")
_FIRST = {
    "1.13": "3.7", "2.2": "3.8", "2.5": "3.9", "2.8": "3.10", "2.12": "3.11", "2.16": "3.12", "2.20": "3.13",
}  # fmt: skip
"""The Python whose list of TensorFlow begins with that minor (the file names of its wheels, 2026-11-22)."""


_CODE = "python-unsupported"
Answer = tuple[str, str, tuple[Fix, ...]]
"""Title, words, and what to do."""


def of_pip(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the list says no more than that nothing was found."""
    if saying.name not in NAMES:
        return None
    if saying.name == ALONE and (own := _of_same(told, saying)) is not None:
        return of_pip(case, told, own)  # pip's second line says the same
    there = listed(saying)
    if there.kind == NONE and there.package in ANY_PYTHON:
        title = f"pip can't reach a package index: it finds no version of {there.package} at all."
        words = "Every Python can install this package, at least by compiling it, so an empty list means that pip got no answer: no network, an unknown proxy, or a mirror without the package."
        look = fix_here(case.facts, "look", "pip-config")
        at = (place(saying),)
        return Candidate("installer-stopped", Confidence.LIKELY, at, words, title=title, fixes=(look,))
    rules = (_on_a_mac, _on_alpine, _passed_over, _old_pip, _on_another_machine, _by_kind)
    title, words, fixes = next(found for rule in rules if (found := rule(case, told, there)) is not None)
    at = (place(saying),)
    return Candidate(_CODE, Confidence.LIKELY, at, words, title=title, fixes=fixes) if title else None


def _on_a_mac(case: Case, told: Testimony, there: Listed) -> Answer | None:
    if (
        there.kind != NONE
        or there.package not in TENSORFLOW[1:]
        or value_or(case.facts.host.os, "") != "macos"
    ):
        return None
    title = f"pip finds no {there.package} for this Mac; the package for Macs is tensorflow."
    words = f"{there.package} had wheels for Linux and Windows, and for some Macs for a time. On Macs the package tensorflow runs on the CPU."
    own = fix_here(case.facts, "change-packages", "install-tensorflow-instead", package=there.package)
    return title, words, (own,)


def _on_alpine(case: Case, told: Testimony, there: Listed) -> Answer | None:
    if there.kind != NONE or not told.named("of-alpine"):
        return None
    title = f"{there.package} has no wheel for Alpine Linux."
    words = "Alpine's C library is musl, but TensorFlow's wheels need glibc. pip finds no wheel for this system, so another Python does not help."
    return title, words, (act("choose-image", "debian"),)


_LAST_OLD = "1.14.0"
"""The last TensorFlow whose files for Linux are named manylinux1: those of 1.15 and newer are manylinux2010, which pip knows since 19.0
(the files' names on the index, and pip's list of changes; RasaHQ/rasa#4965, 2019-12)."""


def _old_pip(case: Case, told: Testimony, there: Listed) -> Answer | None:
    """None where the list does not end where such a pip's does."""
    if there.kind != AHEAD or there.finals[-1:] != (_LAST_OLD,) or not there.package.startswith("tensorflow"):
        return None
    title = f"This pip is too old to see TensorFlow {there.release}: its list ends with {there.finals[-1]}."
    words = "The Linux wheels of 1.15 and newer are named manylinux2010, which pip knows since 19.0. So pip is too old; the Python may be fine."
    wanted = there.asker or f"{there.package}{there.wanted}"
    return title, words, (fix_here(case.facts, "change-packages", "update-pip", wanted=wanted),)


def _passed_over(case: Case, told: Testimony, there: Listed) -> Answer | None:
    wanted = of_release(told, there.release)
    if not wanted:
        return None
    python = shown_python(case.facts, told)
    runs_on = f"Python {python}" if python else "this Python"
    title = f"{there.package} {there.release} is for Python {wanted}, but pip runs on {runs_on}."
    words = "pip names the versions that it skipped because of their Python, and the requested one is among them. The list after that is not related."
    fitting, asked = newest_in(wanted), there.asker or f"{there.package}{there.wanted}"
    return title, words, (_with_python(fitting, asked),) if fitting else ()


def _on_another_machine(case: Case, told: Testimony, there: Listed) -> Answer | None:
    platform, release = machine_of_list(told, case.matrix)
    if not platform:
        return None
    machine = _NARROWER[platform]
    words = f"pip's list of installable versions is that of {machine}: it begins or ends with their wheels, and for the same Python other systems have {release}. So the Python is not the cause."
    fixes = for_another_machine(case, platform, release)
    return f"TensorFlow {release} has no wheel for {machine}.", words, fixes


def _by_kind(case: Case, told: Testimony, there: Listed) -> Answer:
    """ "" twice where the list tells nothing."""
    return *_meaning(case, told, there), _by_the_list(case, told, there)


def _of_same(told: Testimony, saying: Saying) -> Saying | None:
    """The line above pip's last one, which holds its list."""
    package = saying.told["package"].lower()
    others = (each for each in told.named(*NAMES) if each.name != ALONE)
    return next((each for each in others if each.told["package"].lower() == package), None)


def python_of(there: Listed) -> str:
    """The Python that a list of TensorFlow's releases is for; "" where it does not tell."""
    first = (there.finals or there.previews)[:1]
    if there.package not in TENSORFLOW or not first:
        return ""
    return _FIRST.get(".".join(first[0].split(".")[:2]), "")


def newest_python(case: Case, there: Listed) -> str:
    """The newest that the asked release has files for, by TensorFlow's own minor; "" where that is not known."""
    if lagging := LAGS.get(there.package, {}).get(there.minor):
        return lagging
    known = pythons_of(case, there.minor) if there.package in _WITH_ITS_NUMBER else []
    return max(known, key=key, default="")


def _meaning(case: Case, told: Testimony, there: Listed) -> tuple[str, str]:
    """Title and words; "" twice where the list tells nothing."""
    if there.kind in (NONE, PREVIEWS) and there.package not in TENSORFLOW:
        return _nowhere(case, there)
    if there.kind == NONE:
        return _none_for(case, told, there)
    if there.kind == BETWEEN or (there.kind == AHEAD and there.preview):
        return _never_came(there)
    if there.kind in (AHEAD, BEHIND):
        return _other_python(case, there)
    return "", ""


def _none_for(case: Case, told: Testimony, there: Listed) -> tuple[str, str]:
    """An empty list of TensorFlow's, for the Python that the log tells; "" twice where it tells none and no release was asked for."""
    feature = running(case.facts, told)[0]
    words = "pip found no wheel for this Python and system."
    if not feature:
        of = pythons_of(case, there.minor)
        title = f"pip finds no TensorFlow {there.release} for its Python and system: its wheels are for 64-bit Python {_run(of)}." if of else ""  # fmt: skip
        return (
            title,
            f"{words} The log does not show which Python it is; usually a newer one." if of else "",
        )
    shown = shown_python(case.facts, told)
    first = next((each for each in reversed(_minors(case)) if feature in pythons_of(case, each)), "")
    if not first:
        every = pythons_of_newest(case)
        return f"pip finds no TensorFlow at all for Python {shown}.", f"{words} The newest known TensorFlow has wheels for Python {_run(every)}."  # fmt: skip
    title = f"pip finds no TensorFlow for Python {shown}; {first} is the first with wheels for it."
    return title, f"{first} was not released yet, or this Python is 32-bit, the system has no TensorFlow wheels, or the index was not reached."  # fmt: skip


def _minors(case: Case) -> list[str]:
    """TensorFlow's, the newest first."""
    found = (".".join(row.tensorflow.split(".")[:2]) for row in case.matrix.releases())
    return list(dict.fromkeys(each for each in found if each.replace(".", "").isdecimal()))


def pythons_of_newest(case: Case) -> list[str]:
    """Those of the newest TensorFlow that the matrix knows, the oldest first."""
    known = (pythons_of(case, each) for each in _minors(case))
    return sorted(next((each for each in known if each), ["3.11", "3.12"]), key=key)


def _nowhere(case: Case, there: Listed) -> tuple[str, str]:
    files = FILES.get(there.package)
    words = f"pip found {'no wheel' if there.kind == NONE else 'only a preview'} of {there.package} for this Python and system."
    if files is None:
        return f"{there.package}{there.wanted} has no wheel for this Python and machine.", words
    newest = newest_python(case, there) or files.python
    return (
        f"{there.package}{there.wanted} has no wheel for {_lacking(case.facts, files, newest)}.",
        f"{words} {files.note}",
    )


def _lacking(facts: Facts, files: Files, newest: str) -> str:
    """What of this machine the package has no file for, as far as the log tells. `newest`: the Python that the release has a file for."""
    if value_or(facts.host.os, "") == "windows" and files.windows != "-":
        return "Windows" + (f" after {files.windows}" if files.windows else "")
    python = facts.interpreter.version
    if isinstance(python, Known) and key(python.value.feature) > key(newest):
        return f"Python {python.value.feature}; {newest} is the newest that it has one for"
    return f"this Python or system; Python {newest} is the newest that it has one for"


def _never_came(there: Listed) -> tuple[str, str]:
    only = f" Of {there.release} it has only previews, to {there.preview}." if there.preview else ""
    words = (
        f"pip lists everything it could install here: {_span(there)}.{only} So this Python is not the cause."
    )
    asked = f" {there.asker} needs {there.package} {there.release}." if there.asker else ""
    return f"pip finds no {there.package} {there.release}: it is not released yet, or not for this machine.", words + asked  # fmt: skip


def _other_python(case: Case, there: Listed) -> tuple[str, str]:
    python, newest = python_of(there), newest_python(case, there)
    name = "TensorFlow" if there.package == "tensorflow" else there.package
    words = f"For this Python and system pip lists {_span(there)}."
    side = "newer than all of them" if there.kind == AHEAD else "older than all of them"
    if python and newest:
        begins = f" A list that begins with {(there.finals or there.previews)[0]} is that of Python {python}."
        age = "too old" if there.kind == AHEAD else "too new"
        of = f" {name} {there.minor} has wheels for Python {_run(pythons_of(case, there.minor))}."
        fits = python in pythons_of(case, there.minor)
        if not fits:
            return f"Python {python} is {age} for {name} {there.release}: there is no wheel for this Python.", words + begins + of  # fmt: skip
    made = f" It is made for TensorFlow {there.minor}, whose newest Python is {newest}." if newest else ""
    several = "," in there.wanted
    title = f"{name}{there.wanted if several else f' {there.release}'} has no wheel for this Python or system: pip's list is {_span(there)}."
    return title, f"{words} {'What was asked for' if several else there.release} is {side}.{made}"


def _span(there: Listed) -> str:
    every = there.finals or there.previews
    first, last = every[0], every[-1]
    if not there.finals:
        return f"{first} to {last}"
    return first if key_of(first) == key_of(last) else f"{first} to {last}"


def _run(pythons: list[str]) -> str:
    ordered = sorted(pythons, key=key)
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


# Which machine pip's own list of releases tells, and what to do where TensorFlow has no wheel for it.

FINAL = Expression(r"\d{1,2}\.\d{1,3}\.\d{1,3}$")


def machine_of_list(told: Testimony, matrix: Matrix) -> tuple[str, str]:
    """Whose list of releases pip printed, where not this Python but this machine lacks the release that was asked for: its
    platform and that release; "" twice where the list does not tell.
    """
    for each in told.named("no-version-satisfies"):
        asked = re.fullmatch(r"==(\d{1,2}\.\d{1,3}(?:\.\d{1,3})?)", each.told.get("wanted", ""))
        offered = [text for text in re.split(r",\s?", each.told.get("version", "")) if FINAL.match(text)]
        if not asked or not offered:
            continue
        release = asked[1] if asked[1].count(".") > 1 else f"{asked[1]}.0"
        elsewhere = _by_python(matrix, "linux_x86_64")
        for platform in _NARROWER:
            for python, known in _by_python(matrix, platform).items():
                same_end = offered[-1] == known[0] or numbers(release) < numbers(offered[0])
                if (
                    offered[0] == known[-1]
                    and same_end
                    and release not in known
                    and release in elsewhere.get(python, ())
                ):
                    return platform, release
    return "", ""


def numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _by_python(matrix: Matrix, platform: str) -> dict[str, list[str]]:
    """The final releases for each Python there, the newest first."""
    found: dict[str, list[str]] = {}
    for row in matrix.releases(platform):
        for python in (
            row.python.value if isinstance(row.python, Known) and FINAL.match(row.tensorflow) else ()
        ):
            found.setdefault(str(python), []).append(row.tensorflow)
    return found


def _finals(matrix: Matrix, platform: str) -> list[str]:
    """The final releases with wheels for it, the newest first."""
    every = matrix.releases(platform)
    return [
        each.tensorflow for each in every if FINAL.match(each.tensorflow) and isinstance(each.python, Known)
    ]


def for_another_machine(case: Case, platform: str, release: str) -> tuple[Fix, ...]:
    if platform == "macosx_x86_64":
        last = next(iter(_finals(case.matrix, platform)), "")
        return (
            fix_here(case.facts, "change-packages", "last-for-intel-macs", last=last, release=release),
            fix_here(case.facts, "look", "python-cpu"),
        )  # fmt: skip
    if platform == "macosx_arm64":
        return (fix_here(case.facts, "change-packages", "install-tensorflow-macos", release=release),)
    return (fix_here(case.facts, "change-packages", "install-tensorflow-for-arm"),)


_NARROWER = {"macosx_x86_64": "Intel Macs", "macosx_arm64": "Apple Macs", "linux_aarch64": "Linux on ARM"}


# The ways out where pip's list lacks what was asked for: the release beside it, the Python of its time, its successor.

_BEFORE_UV = ("3.5", "3.6")
"""Pythons that uv does not bring, and conda-forge does."""


def _by_the_list(case: Case, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    nowhere = there.kind in (NONE, PREVIEWS)
    if there.package not in TENSORFLOW and (nowhere or _ended_on_windows(case.facts, there)):
        return _of_a_companion(case, there)
    if there.kind == BETWEEN or (there.kind == AHEAD and there.preview):
        return _neighbors(case.facts, there)
    newest = newest_python(case, there)
    if there.package in TENSORFLOW:
        return _of_tensorflow(case, there, newest)
    if newest:
        return (_with_python(newest, f"{there.package}{there.wanted}"),)
    return (_with_an_older(case.facts, told, there),) if there.kind == BEHIND else ()


def _ended_on_windows(facts: Facts, there: Listed) -> bool:
    """A release that is newer than the last one with a file for Windows."""
    files = FILES.get(there.package)
    ahead = there.kind == AHEAD and files is not None and files.windows != "-"
    return ahead and value_or(facts.host.os, "") == "windows"


def _of_tensorflow(case: Case, there: Listed, newest: str) -> tuple[Fix, ...]:
    """What asked for it, with the Python of its time; () where the matrix has the release and knows more."""
    if not newest:
        return ()
    narrow = (act("look", "python-bits", python="python"),) if there.kind == NONE else ()
    if there.asker:
        title = f"Use Python {newest} to install {there.asker}"
        return (
            replace(_with_python(newest, there.asker, folder=f"{there.asker}-{newest}"), title=title),
            *narrow,
        )
    known = case.matrix.release(there.release) if there.release.count(".") > 1 else None
    if isinstance(known, Known):
        return ()
    return (_with_python(newest, f"{there.package}{there.wanted}", "protobuf<3.21"), *narrow)


def _with_an_older(facts: Facts, told: Testimony, there: Listed) -> Fix:
    """The release is older than all that this Python has files for, so an older Python is what it was made for."""
    first, _ = running(facts, told)
    feature = OLD_PYTHON if not first or key(first) > key(OLD_PYTHON) else "3.8"
    older = _with_python(feature, there.asker or f"{there.package}{there.wanted}")
    return replace(older, title=f"Use an older Python, such as {feature}, in a new environment")


def _of_a_companion(case: Case, there: Listed) -> tuple[Fix, ...]:
    """By the files that the package, or what asks for it, is known to have."""
    facts, files, whole = case.facts, FILES.get(there.package), FILES.get(there.asker)
    if value_or(facts.host.os, "") == "windows" and files is not None and files.windows != "-":
        wsl = act("install-software", "install-in-wsl2", value=there.asker or f"tensorflow {there.package}")
        return (wsl, *_instead(facts, whole or files))
    if whole is not None and (files is None or key(whole.python) < key(files.python)):
        return (_with_python(whole.python, there.asker), *_instead(facts, whole))
    if files is None:
        return (fix_here(facts, "look", "versions-and-python", package=there.package),)
    older = _with_python(newest_python(case, there) or files.python, f"{there.package}{there.wanted}")
    return (older, *_instead(facts, files))


def _instead(facts: Facts, files: Files) -> tuple[Fix, ...]:
    return (
        (fix_here(facts, "change-packages", "use-successor", instead=files.instead),) if files.instead else ()
    )


def _with_python(feature: str, *specs: str, folder: str = "") -> Fix:
    folder, wanted = folder or f"python-{feature}", quoted(*specs)
    if feature in _BEFORE_UV:
        return act("new-environment", "use-python-with-conda", feature=feature, folder=folder, wanted=wanted)
    return act("new-environment", "use-python-with-uv", feature=feature, folder=folder, wanted=wanted)


def _neighbors(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    """The nearest that exists: a release of the same minor, else its preview, else the one before or the next."""
    order = (there.below, there.above)
    same = [each for each in order if each.startswith(f"{there.minor}.")]
    chosen = next(iter(same), "") or there.preview or there.below or there.above
    package = there.package
    if there.asker in TENSORFLOW and there.below:
        package, chosen = there.asker, there.below  # whose requirement it is: the one before has its own
    note = "" if there.asker else "In a file of requirements, change the line."
    return (
        fix_here(facts, "change-packages", "install-other-release", package=package, chosen=chosen, release=there.release, note=note),
        fix_here(facts, "look", "newer-version", release=there.release, package=there.package),
    )  # fmt: skip


# The Pythons that conda has builds for, where its environment's own Python excludes them all.

_CONDA = "conda-no-solution"
_FEATURE = Expression(r"(?:>=|=|^|\|)(?P<feature>3\.\d{1,2})")


def of_conda(told: Testimony, saying: Saying) -> Candidate | None:
    """None for another message, and where it is not the environment's Python that excludes all builds."""
    fixed, possible = _conda_pythons(told) if saying.name == _CONDA else ("", [])
    if not (fixed and possible):
        return None
    only = possible[0] if len(possible) == 1 else f"{possible[0]} to {possible[-1]}"
    whose = "which was asked for" if told.named("conda-asked-python") else "which this environment has"
    title = f"conda has no build of {_conda_package(told)} for Python {fixed}, {whose}: only for {only}."
    words = "conda keeps the environment's Python, or the requested one, so it can install only builds for that one; it lists builds for others."
    newest = possible[-1]
    own = act("new-environment", "create-conda-environment", feature=newest, called=f"python-{newest}")
    return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), words, title=title, fixes=(own,))


def _conda_package(told: Testimony) -> str:
    """What conda has no build of, with the release that was asked for."""
    if (spec := _spec(told)) is not None:
        return (
            f"{spec.told['package'].removesuffix('-base')} {spec.told.get('wanted', '').lstrip('=')}".rstrip()
        )
    said = (*told.named("conda-asked"), *told.named("conda-not-installable"))
    return said[0].told["package"] if said else "TensorFlow"


def _conda_pythons(told: Testimony) -> tuple[str, list[str]]:
    """The environment's Python, where it is what excludes every build, and those that there are builds for."""
    said = told.named("conda-python")
    own = told.named("conda-own-python", "conda-asked-python")
    if own and (listed := _listed(told, {each.told["version"] for each in own})):
        return own[0].told["version"], listed
    pinned, refused = _pinned(told)
    if pinned and not refused:
        return "", []
    fixed = pinned or next((each.told["version"] for each in said if each.told["message"].startswith("conflicts")), "")  # fmt: skip
    possible = {each.told["version"] for each in said if each.told["message"].startswith("can")}
    return fixed, sorted(possible - {fixed}, key=key)


def _pinned(told: Testimony) -> tuple[str, bool]:
    """The Python that conda keeps because the environment has it, and whether that itself is refused; "" where no pin is shown."""
    for pin in told.named("conda-pin"):
        for each in told.named("conda-python"):
            if place(pin) <= place(each) <= (pin.file, pin.line + 1):
                return each.told["version"], each.told["message"].startswith("conflicts")
    return "", False


def _spec(told: Testimony) -> Saying | None:
    """Of the packages that conda lists with their Pythons, TensorFlow's, else the first."""
    said = told.named("conda-spec-python")
    return next(
        (each for each in said if each.told["package"].startswith("tensorflow")), said[0] if said else None
    )


def _listed(told: Testimony, own: set[str]) -> list[str]:
    """The Pythons that there are builds for, as ">=3.6,<3.7.0a0|3.7.*" tells them; without the environment's own."""
    spec = _spec(told)
    found = (
        {each["feature"] for each in _FEATURE.finditer(spec.told["message"])} if spec is not None else set()
    )
    if told.named("conda-asked-python") and found & own:
        return []  # there are builds for it, so something else is in the way
    return sorted(found - own, key=key)
