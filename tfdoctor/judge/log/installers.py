"""No distribution of TensorFlow for this Python, system or processor, as pip, conda, uv and poetry say it."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.commands import interpreter, operand, quoted
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_line
from tfdoctor.judge.log.companions import ANY_PYTHON, FILES, LAGS, NUMBERED_ALIKE, OLD_PYTHON, Files, key
from tfdoctor.judge.log.general_rules import Answer
from tfdoctor.judge.log.misfits import pythons_of
from tfdoctor.judge.log.spans import shown
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Environment, Words, word
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
        """The last preview of the very release that was asked for."""
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


# Why a release is not in pip's list though the Python has a file of it: a pip that is too old to see it, a system without files.

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
    return Answer(title, words, (fix_here(case.facts, "change-packages", "update-pip", wanted=wanted),))


def without_its_line(facts: Facts, there: Listed) -> Fix:
    """A package that TensorFlow brings by itself on the one system that it is for."""
    release, name = there.wanted.lstrip("="), there.package
    typed = next((each for each in shown(facts).typed if "-r " in each), "")
    file = (typed.partition("-r ")[2].split() or ["requirements.txt"])[0]
    pattern, rest = name.replace("-", "[-_]"), f"without-{file.rpartition('/')[2]}"
    return fix_here(
        facts,
        "change-packages",
        "install-list-without-package",
        called=name,
        pattern=f"^{pattern}",
        file=operand(file),
        rest=rest,
        value=f"=={release}" if release else "",
    )


_OF_ARM = "tensorflow-cpu-aws"
"""What TensorFlow 2.9 to 2.16 bring on Linux with ARM; 2.17 and newer have files of their own there (their metadata)."""


def _arm_part(case: Case, told: Testimony, there: Listed) -> Answer | None:
    """None for another package."""
    if there.package != _OF_ARM:
        return None
    listed = f"pip's list is {there.finals[0]} to {there.finals[-1]}" if there.finals else "pip finds none"
    title = f"pip finds no wheel of TensorFlow {there.release} for Linux on ARM ({_OF_ARM})."
    words = f"On Linux on ARM (also in a container on a Mac with an Apple CPU) TensorFlow 2.9 to 2.16 needs {_OF_ARM}, which has wheels for fewer Pythons and versions than TensorFlow itself. Here {listed}."
    near = (
        (fix_here(case.facts, "change-packages", "use-earlier-version", below=there.below),)
        if there.below
        else ()
    )
    newer = fix_here(case.facts, "change-packages", "install-tensorflow-2-17")
    return Answer(title, words, (*near, act("choose-image", "build-image-for-intel"), newer))


# What pip's list of releases tells: a Python that is too old or too new, a release that never came, or no index at all.

TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu")
"""Their lists begin and end alike for one Python."""
_WITH_ITS_NUMBER = (*TENSORFLOW, *NUMBERED_ALIKE, "tensorflow-intel", "tensorflow-macos")
_FIRST = {
    "1.13": "3.7", "2.2": "3.8", "2.5": "3.9", "2.8": "3.10", "2.12": "3.11", "2.16": "3.12", "2.20": "3.13",
}  # fmt: skip
"""The Python whose list of TensorFlow begins with that minor (the file names of its wheels, 2026-11-22)."""


def of_pip(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the list says no more than that nothing was found."""
    if saying.name not in NAMES:
        return None
    if saying.name == ALONE and (own := _of_same(told, saying)) is not None:
        return of_pip(case, told, own)  # pip's second line says the same
    there = listed(saying)
    other = _beside_the_list(case, told, there)
    title, words = (other.title, other.words) if other is not None else _meaning(case, told, there)
    if not title:
        return None
    code = "dependency-mismatch" if without_index(there) else saying.code
    return Candidate(code, Confidence.LIKELY, (place(saying),), words, title=title)


def _of_same(told: Testimony, saying: Saying) -> Saying | None:
    """The line above pip's last one, which holds its list."""
    package = saying.told["package"].lower()
    others = (each for each in told.named(*NAMES) if each.name != ALONE)
    return next((each for each in others if each.told["package"].lower() == package), None)


def _beside_the_list(case: Case, told: Testimony, there: Listed) -> Answer | None:
    """What the system, or other lines, tell of the release that was asked for; None where they tell nothing."""
    rules = (_no_such_system, _passed_over, _arm_part, _old_pip)
    return next((found for rule in rules if (found := rule(case, told, there)) is not None), None)


def _passed_over(case: Case, told: Testimony, there: Listed) -> Answer | None:
    wanted = of_release(told, there.release)
    if not wanted:
        return None
    python = shown_python(case.facts, told)
    runs_on = f"Python {python}" if python else "this Python"
    title = f"{there.package} {there.release} is for Python {wanted}, but pip runs on {runs_on}."
    words = "pip names the versions that it skipped because of their Python, and the requested one is among them. The list after that is not related."
    fitting, asked = newest_in(wanted), there.asker or f"{there.package}{there.wanted}"
    return Answer(title, words, (_with_python(fitting, asked),) if fitting else ())


_SYSTEMS = {"tensorflow-intel": "windows", "tensorflow-macos": "macos"}
"""Names under which TensorFlow had its files for one system (the file names of their wheels, 2026-11-22)."""


def _no_such_system(case: Case, told: Testimony, there: Listed) -> Answer | None:
    """Where nothing is listed, and the log shows a system that TensorFlow has no files for; None else."""
    if there.kind != NONE or not there.package.startswith("tensorflow"):
        return None
    words = "pip finds no wheel for this system, so another Python does not help."
    if there.package in _ON_NO_MAC and value_or(case.facts.host.os, "") == "macos":
        title = f"pip finds no {there.package} for this Mac; the package for Macs is tensorflow."
        words = f"{there.package} had wheels for Linux and Windows, and for some Macs for a time. On Macs the package tensorflow runs on the CPU."
        return Answer(
            title,
            words,
            (fix_here(case.facts, "change-packages", "install-tensorflow-instead", package=there.package),),
        )
    if told.named("of-alpine"):
        title = f"{there.package} has no wheel for Alpine Linux."
        words = f"Alpine's C library is musl, but TensorFlow's wheels need glibc. {words}"
        return Answer(title, words, (_ON_DEBIAN,))
    first = first_for_arm(case)
    asked = there.release and there.package in TENSORFLOW and key_of(there.release) < key_of(first)
    if not asked or not told.named("of-arm"):
        return None
    title = f"TensorFlow {there.release} has no wheel for Linux on ARM: {first} is the first with one."
    newer = fix_here(case.facts, "change-packages", "install-first-tensorflow-for-arm", first_for_arm=first)
    return Answer(
        title,
        words,
        (act("choose-image", "keep-version-and-build-image-for-intel", release=there.release), newer),
    )


_ON_NO_MAC = ("tensorflow-cpu", "tensorflow-gpu")


def first_for_arm(case: Case) -> str:
    """The oldest final release with files for Linux on ARM."""
    return _finals(case.matrix, "linux_aarch64")[-1]


def without_index(there: Listed) -> bool:
    """Nothing at all of what every Python can have."""
    return there.kind == NONE and there.package in ANY_PYTHON


def asked_in_vain(told: Testimony) -> Listed | None:
    """What pip's first such line was about."""
    said = told.named(*NAMES)
    return listed(said[0]) if said else None


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
    if without_index(there):
        words = "Every Python can install this package, at least by compiling it, so an empty list means that pip got no answer: no network, an unknown proxy, or a mirror without the package."
        return f"pip can't reach a package index: it finds no version of {there.package} at all.", words
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


def of_list(told: Testimony, saying: Saying, matrix: Matrix) -> Candidate | None:
    """Where pip's own list tells the machine; None where it does not."""
    platform, release = machine_of_list(told, matrix)
    if not platform:
        return None
    words = f"pip's list of installable versions is that of {_NARROWER[platform]}: it begins or ends with their wheels, and for the same Python other systems have {release}. So the Python is not the cause."
    return of_line(
        saying, words, f"TensorFlow {release} has no wheel for {_NARROWER[platform]}.", sure=Confidence.LIKELY
    )


# The ways out where pip's list lacks what was asked for: the release beside it, the Python of its time, its successor.

_BESIDE = "Your current environment is not changed."


def list_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where pip's list says no more than that nothing was found."""
    there = asked_in_vain(told)
    if there is None or machine_of_list(told, case.matrix)[0]:
        return ()
    if without_index(there):
        return (fix_here(case.facts, "look", "pip-config"),)
    system = value_or(case.facts.host.os, "")
    if _SYSTEMS.get(there.package, system) != system:
        return (without_its_line(case.facts, there),)
    other = _beside_the_list(case, told, there)
    return (other.fixes if other is not None else ()) or _by_the_list(case, told, there)


def _by_the_list(case: Case, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    nowhere = there.kind in (NONE, PREVIEWS)
    if there.package not in TENSORFLOW and (nowhere or _ended_on_windows(case.facts, there)):
        return _of_a_companion(case, there)
    if there.kind == BETWEEN or (there.kind == AHEAD and there.preview):
        return _neighbours(case.facts, there)
    newest = newest_python(case, there)
    if there.package in TENSORFLOW:
        return _of_tensorflow(case, there, newest)
    if newest:
        return (_with_python(newest, f"{there.package}{there.wanted}"),)
    if there.kind == AHEAD:
        return (_newer_python(there),)
    if there.kind == BEHIND:
        return (_with_an_older(case.facts, told, there),)
    return ()


def _ended_on_windows(facts: Facts, there: Listed) -> bool:
    """A release that is newer than the last one with a file for Windows."""
    files = FILES.get(there.package)
    return (
        there.kind == AHEAD
        and files is not None
        and files.windows != "-"
        and value_or(facts.host.os, "") == "windows"
    )


_NARROW = act("look", "python-bits", python="python")


def _of_tensorflow(case: Case, there: Listed, newest: str) -> tuple[Fix, ...]:
    """What asked for it, with the Python of its time; () where the matrix has the release and knows more."""
    narrow = (_NARROW,) if there.kind == NONE else ()
    if not newest:
        return ()
    if there.asker:
        folder = f"{there.asker}-{newest}"
        title = f"Use Python {newest} to install {there.asker}"
        if newest in _BEFORE_UV:
            return (replace(_with_python(newest, there.asker), title=title), *narrow)
        return (Fix(title, (Environment(word(folder), python=newest), quoted("uv", "pip", "install", f"--python={folder}", there.asker)), _BESIDE), *narrow)  # fmt: skip
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


def _newer_python(there: Listed) -> Fix:
    """For one that has a file of it; NumPy and h5py drop a Python with nearly each minor."""
    fitting = "3.12"
    folder = f"python-{fitting}"
    return act(
        "new-environment",
        "use-newer-python",
        fitting=fitting,
        folder=folder,
        spec=f"{there.package}{there.wanted}",
    )


def _of_a_companion(case: Case, there: Listed) -> tuple[Fix, ...]:
    facts, files = case.facts, FILES.get(there.package)
    whole = FILES.get(there.asker)
    if files is not None and not files.windows and value_or(facts.host.os, "") == "windows":
        return (*_on_windows(there, files), *_instead(facts, whole or files))
    if whole is not None and (files is None or key(whole.python) < key(files.python)):
        return (_with_python(whole.python, there.asker), *_instead(facts, whole))
    if files is None:
        return (
            fix_here(facts, "look", "versions-and-python", package=there.package),
        )  # fmt: skip
    windows = value_or(facts.host.os, "") == "windows"
    if windows and files.windows != "-":
        return (*_on_windows(there, files), *_instead(facts, files))
    older = _with_python(newest_python(case, there) or files.python, f"{there.package}{there.wanted}")
    untold = not there.wanted and not isinstance(facts.interpreter.version, Known)
    if (
        untold and files.windows != "-" and not files.instead
    ):  # nor is the system told: Linux is only supposed
        look = fix_here(
            facts,
            "look",
            "python-and-system",
            after=f" after {files.windows}" if files.windows else "",
        )
        return (
            look,
            replace(older, title=f"On Linux, {older.title[0].lower()}{older.title[1:]}"),
            *_instead(facts, files),
            *_on_windows(there, files),
        )
    return (*_instead(facts, files), older) if there.package == "tflite-runtime" else (older, *_instead(facts, files))  # fmt: skip


def _on_windows(there: Listed, files: Files) -> tuple[Fix, ...]:
    wsl = act("install-software", "install-in-wsl2", value=there.asker or f"tensorflow {there.package}")
    if there.package != "tensorflow-text":
        return (wsl,)
    own = act("new-environment", "use-tensorflow-text-2-10")
    return (wsl, own)


def _instead(facts: Facts, files: Files) -> tuple[Fix, ...]:
    if not files.instead:
        return ()
    return (fix_here(facts, "change-packages", "use-successor", instead=files.instead),)


_BEFORE_UV = ("3.5", "3.6")
"""Pythons that uv does not bring, and conda-forge does."""


def _with_python(feature: str, *specs: str) -> Fix:
    folder, wanted = f"python-{feature}", quoted(*specs)
    if feature in _BEFORE_UV:
        return act("new-environment", "use-python-with-conda", feature=feature, folder=folder, wanted=wanted)
    return act("new-environment", "use-python-with-uv", feature=feature, folder=folder, wanted=wanted)


def _neighbours(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    """The nearest that exists: a release of the same minor, else the one before, else its preview or the next."""
    order = (there.below, there.above)
    same = [each for each in order if each.startswith(f"{there.minor}.")]
    chosen = next(iter(same), "") or there.preview or there.below or there.above
    if there.asker in TENSORFLOW and there.below:
        whole = f"{there.asker}=={there.below}"
        return (
            fix_here(facts, "change-packages", "version-with-its-requirement", asker=there.asker, below=there.below, package=there.package, whole=whole),
            fix_here(facts, "look", "newer-version", release=there.release, package=there.package),
        )  # fmt: skip
    line = "" if there.asker else "In a file of requirements, change the line. "
    others = [each for each in dict.fromkeys((there.below, there.above, there.preview)) if each and each != chosen]  # fmt: skip
    more = f"Also there: {', '.join(others)}." if others else ""
    return (
        fix_here(facts, "change-packages", "install-other-release", package=there.package, chosen=chosen, release=there.release, note=line + more),
        fix_here(facts, "look", "newer-version", release=there.release, package=there.package),
    )  # fmt: skip


_CONDA = "conda-no-solution"
_VIRTUAL = "virtual-package-missing"
_FEATURE = Expression(r"(?:>=|=|^|\|)(?P<feature>3\.\d{1,2})")
_OF_THE_MACHINE = {"__cuda": "an NVIDIA driver", "__glibc": "a newer C library (glibc)", "__osx": "macOS, or a newer one", "__linux": "Linux", "__unix": "Linux or macOS", "__win": "Windows", "__archspec": "a newer CPU"}  # fmt: skip


def of_python(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind, and where the log does not tell more than the line."""
    if saying.name == "poetry-python":
        return _of_poetry(saying)
    if saying.name == _CONDA:
        return _of_conda(told, saying)
    return _of_the_machine(saying) if saying.name == _VIRTUAL else None


def python_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where none of these was said."""
    if told.named("poetry-python"):
        return ()
    if told.named(_CONDA) and (possible := _conda_pythons(told)[1]):
        return (
            act(
                "new-environment",
                "create-conda-environment",
                feature=possible[-1],
                called=f"python-{possible[-1]}",
            ),
        )
    return ()


def machine_lacks_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where conda and pixi missed nothing that a machine brings."""
    said = told.named(_VIRTUAL)
    if not said:
        return ()
    if _virtual(said[0]) != "__cuda":
        return (act("look", "conda-virtual"),)
    again = Words(
        "pixi install" if told.named("of-pixi") else "conda install --channel conda-forge tensorflow"
    )
    return (
        act("set-variable", "tell-conda-which-cuda-to-expect", again=again),
        act("change-packages", "install-cpu-build-with-conda"),
    )  # fmt: skip


def _of_poetry(saying: Saying) -> Candidate:
    package, wanted, lacking = saying.told["package"], saying.told["wanted"], saying.told["value"]
    title = f"{package} is for Python {wanted}, but the project also allows {lacking}."
    words = (
        "poetry looks for versions that support every Python the project allows, not only the current one."
    )
    return of_line(saying, words, title, sure=Confidence.CERTAIN)


def _of_conda(told: Testimony, saying: Saying) -> Candidate | None:
    """None where it is not the environment's Python that excludes all builds."""
    fixed, possible = _conda_pythons(told)
    if not (fixed and possible):
        return None
    only = possible[0] if len(possible) == 1 else f"{possible[0]} to {possible[-1]}"
    whose = "which was asked for" if told.named("conda-asked-python") else "which this environment has"
    title = f"conda has no build of {_conda_package(told)} for Python {fixed}, {whose}: only for {only}."
    words = "conda keeps the environment's Python, or the requested one, so it can install only builds for that one; it lists builds for others."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_the_machine(saying: Saying) -> Candidate:
    name = _virtual(saying)
    brings = _OF_THE_MACHINE.get(name, name)
    words = f"{name} stands for {brings}."
    if name == "__cuda":
        words += " While an image is built, in CI and on a login node there is no GPU driver, though the program may find one later."
    title = f"The requested build needs {brings} ({name}), which this machine does not have."
    return of_line(saying, words, title, sure=Confidence.CERTAIN)


def _virtual(saying: Saying) -> str:
    return next(saying.told[each] for each in ("library", "package", "module") if each in saying.told)


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


# A wheel that pip was given by its file and did not take: what its name says that it is for, and what this machine is.

FILE = "wheel-not-supported"
_MACHINES = {
    "x86_64": "Intel's and AMD's processors", "amd64": "Intel's and AMD's processors", "aarch64": "ARM processors", "arm64": "ARM processors",
    "armv7l": "ARM processors of 32 bits", "armv6l": "ARM processors of 32 bits", "i686": "32 bits", "win32": "32 bits",
}  # fmt: skip
_WHEEL_NAMES_SYSTEMS = {"linux": "Linux", "manylinux": "Linux", "musllinux": "Alpine Linux", "macosx": "macOS", "win": "Windows"}  # fmt: skip
"""How a wheel's last tag begins and ends (packaging.python.org, platform compatibility tags, 2026)."""


def of_a_file(saying: Saying) -> Candidate:
    """pip was given a wheel itself, whose name tells what it is for."""
    said = saying.told
    pythons = " and ".join(map(_python_of, said["value"].split(".")))
    words = "A wheel's name contains its version, Python, and system. pip installs it only if both match the Python that pip runs with."
    here = "pip runs on another Python or system"  # fmt: skip
    title = f"This wheel of {said['package'].replace('_', '-')} {said['version']} is for {pythons} on {_system_of(said['host'])}, but {here}."
    return of_line(saying, words, title, sure=Confidence.CERTAIN)


def _python_of(tag: str) -> str:
    """ "Python 3.8" of cp38, "any Python 3" of py3."""
    if not tag[2:].isdecimal():
        return tag
    return f"Python {tag[2]}.{tag[3:]}" if tag[3:] else f"any Python {tag[2]}"


def _system_of(tags: str) -> str:
    """ "Linux on ARM processors" of manylinux2014_aarch64; the tags themselves where they can't be read."""
    system = next((name for begin, name in _WHEEL_NAMES_SYSTEMS.items() if tags.startswith(begin)), "")
    machine = next((name for end, name in _MACHINES.items() if tags.endswith(end)), "")
    return f"{system} ({machine})" if system and machine else tags


def file_fixes(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    name = saying.told["package"].replace("_", "-").removesuffix("-gpu")
    look = fix_here(facts, "look", "pip-tags")
    if name == "tensorflow" and saying.told["host"].endswith(_32_BITS):
        return (act("look", "system-bits"), act("change-packages", "use-32-bit-tflite-runtime"))
    return (fix_here(facts, "change-packages", "by-name-not-by-file", called=name), look)


_32_BITS = ("armv7l", "armv6l")


# No file for this machine: which packages have none where, by the matrix and by what is known of TensorFlow's companions.

_FILESYSTEM = "tensorflow-io-gcs-filesystem"
"""TensorFlow 2.7 to 2.19 require it, with Python 3.11 and older alone from 2.16 on; 2.20 left it out. Its last release for Windows is 0.31.0,
its first for Macs with Apple's processor 0.34.0, none for Windows has Python 3.12, and none at all 3.13 (its files and TensorFlow's metadata, read 2026-11-22)."""
_NAMES = ("uv-no-wheel-here", "uv-platform-hint", "poetry-no-candidates", FILE)
_BY_PIP = ("pip-no-companion", "pip-no-companion-alone")


_ON_DEBIAN = act("choose-image", "debian")


def is_wheel(saying: Saying) -> bool:
    return saying.name in _NAMES or (saying.name in _BY_PIP and saying.told["package"].lower() == _FILESYSTEM)


def no_wheel(told: Testimony, saying: Saying) -> Candidate:
    """What has no file, and for which machine as far as the log tells."""
    sure, at = Confidence(saying.sure), (place(saying),)
    if saying.name == FILE:
        return of_a_file(saying)
    package = saying.told["package"].lower()
    release = "" if saying.name in _BY_PIP else f" {saying.told['version']}"
    wanted = saying.told.get("wanted", "")
    machine = _machine(told)
    alpine = bool(told.named("of-alpine"))
    where = "Alpine Linux" if alpine else f"this {machine or 'machine'}"
    title = f"{package}{release}{wanted} has no wheel for {where}."
    words = "Its authors published wheels only for other systems or Pythons."
    if alpine:
        words += " Alpine's C library is musl, but TensorFlow's wheels need glibc, so another Python does not help."
    elif package == _FILESYSTEM:
        words += " TensorFlow 2.7 to 2.19 need it. Its last wheel for Windows is 0.31.0, its first for Apple CPUs 0.34.0; Python 3.13 has none."
    if saying.name not in _BY_PIP:
        words += " A lock file from another system or Python can name that version anyway."
    return Candidate(saying.code, sure, at, words, title=title)


def _machine(told: Testimony) -> str:
    hint = told.named("uv-platform-hint")
    return (
        f"{'Python' if hint[0].told['value'].startswith('cp') else 'system'} ({hint[0].told['host']}, {hint[0].told['value']})"
        if hint
        else ""
    )


def wheel_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where none of these packages was asked for in vain."""
    said = [each for each in told.of("python-unsupported") if is_wheel(each)]
    if said:
        return _for(case, said[0], told)
    platform, release = machine_of_list(told, case.matrix)
    return for_another_machine(case, platform, release) if platform else ()


def _for(case: Case, saying: Saying, told: Testimony) -> tuple[Fix, ...]:
    python = interpreter(case.facts)
    if saying.name == FILE:
        return file_fixes(case.facts, saying)
    package, tool = saying.told["package"].lower(), saying.name.partition("-")[0]
    if told.named("of-alpine"):
        return (_ON_DEBIAN,)
    if package == _FILESYSTEM:
        windows = value_or(case.facts.host.os, "") == "windows" or saying.told.get("value", "").startswith(
            "win"
        )
        return _filesystem(tool, python, windows=windows)
    if package == "tensorflow":
        return ()
    if tool == "uv":
        return (act("change-packages", "update-with-uv", package=package),)
    if tool == "poetry":
        return (act("change-packages", "update-with-poetry", package=package),)
    return (act("look", "versions", package=package, python=python),)


def _filesystem(tool: str, python: str, *, windows: bool) -> tuple[Fix, ...]:
    pin = f"{_FILESYSTEM}==0.31.0" if windows else f"{_FILESYSTEM}>=0.34"
    if tool == "uv":
        marked = (
            "sys_platform == 'win32' and python_version < '3.12'" if windows else "python_version < '3.12'"
        )
        return (
            act("change-packages", "pin-version-with-uv", pin=f"{pin}; {marked}"),
            act("change-packages", "use-tensorflow-without-it", command=Words("uv add")),
        )  # fmt: skip
    if tool == "poetry":
        where = Words(" --platform win32" if windows else "")
        return (
            act("change-packages", "pin-version-with-poetry", pin=pin, where=where),
            act("change-packages", "use-tensorflow-without-it", command=Words("poetry add")),
        )
    return (
        act("change-packages", "use-tensorflow-without-it", command=quoted(python, "-m", "pip", "install")),
        act("change-packages", "install-pinned-version", python=python, pin=pin),
    )
