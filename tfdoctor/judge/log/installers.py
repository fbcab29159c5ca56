"""Installers that stopped, and which Python or machine has no file of what was asked for, by pip's list of releases and by conda's Pythons."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.companions import NUMBERED_ALIKE
from tfdoctor.judge.log.misfits import pythons_of
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import words as entry
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words
from tfdoctor.knowledge.messages.by_release import key
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import PACKAGES, Package
from tfdoctor.knowledge.says import says

# An installer that stopped: its own sentence whole, then the one thing that is known here, which versions fit together.

_STOPPED = "installer-stopped"
_TOOLS = ("pip", "conda", "poetry", "uv", "pixi", "pdm", "pipenv", "bazel")
_LONGEST = 240  # characters of a title


def stopped(told: Testimony, saying: Saying) -> Candidate | None:
    """The last of the messages that say most; None for a message of another code."""
    if saying.code != _STOPPED:
        return None
    said = told.of(_STOPPED)
    if any(entry(each.name)[3] for each in said):
        return None  # what it lacked is known
    sure = min(Confidence(each.sure) for each in said)
    last = [each for each in said if each.sure == sure.value][-1]
    tool, sentence = _tool(last), last.told.get("message") or last.text
    if reason := _of_the_build(told):
        sentence = f"{sentence.rstrip('.:')} ({reason})"
    short = sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rpartition(' ')[0]} …"
    if short != sentence:
        words = says("installer-stopped", "whole", tool=tool, sentence=_ended(sentence))
    else:
        words = says("installer-stopped", "own", tool=tool)
    title = says("installer-stopped", "title", tool=tool, sentence=_ended(short))
    return Candidate(_STOPPED, Confidence.CERTAIN, (place(last),), words, title=title)


def _of_the_build(told: Testimony) -> str:
    """What the build of a package says beside the installer: the compiler's error, or the last exception."""
    compilers = [each.text for each in told.named("build-lacks")]
    raised = [each.what for each in told.raised[-1:]]
    return next((each.strip()[:_LONGEST] for each in (*compilers[-1:], *raised)), "")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence.rstrip(':')}."


def _tool(saying: Saying) -> str:
    """The tool that a message is named for."""
    name = saying.name.partition("-")[0]
    return name if name in _TOOLS else "pip"


def stopped_fixes(facts: Facts) -> tuple[Fix, ...]:
    """The command that prints an install line that works."""
    python = facts.interpreter.version
    feature = python.value.feature if isinstance(python, Known) else ""
    of = Words(f" --python {feature}" if feature.startswith("3.") else "")
    return (act("plan", "plan-from-log", of=of),)


# What pip's own list of the releases that it could install tells: a Python that is too old or too new, a release that never came, or no file at all.

Values = Mapping[str, str]
_NONE, _PREVIEWS, _AHEAD, _BEHIND, _BETWEEN, _UNSURE = (
    "none",
    "previews",
    "ahead",
    "behind",
    "between",
    "unsure",
)
"""The list is empty, or holds previews alone; what was asked for is newer than all of it, older than all, or is between two."""
_LAST_LINE, _WITH_A_LIST = "pip-no-companion-last", "pip-no-companion"
_INDEX = ("pip-index-unreached", "pip-index-untrusted")
_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu")
"""Their lists begin and end alike for one Python."""
_WITH_ITS_NUMBER = (*_TENSORFLOW, *NUMBERED_ALIKE, "tensorflow-intel", "tensorflow-macos")
_FIRST = {
    "1.13": "3.7", "2.2": "3.8", "2.5": "3.9", "2.8": "3.10", "2.12": "3.11", "2.16": "3.12", "2.20": "3.13",
}  # fmt: skip
"""The Python whose list of TensorFlow begins with that minor (the file names of its wheels, 2026-11-22)."""
_FINAL = Expression(r"\d{1,9}(?:\.\d{1,9}){0,4}(?:\.post\d{1,3})?$")
_CLAUSE = Expression(
    r"(?P<operator>==|~=|>=|<=|>|<)(?P<release>\d{1,9}(?:\.\d{1,9}){0,4})(?P<rest>[\w.*]{0,20})$"
)
_ORDER = ("==", "~=", ">=", ">", "<=", "<")
_LAST_OF_1 = "1.15"
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
    def spec(self) -> str:
        """What to install again."""
        return self.asker or f"{self.package}{self.wanted}"

    @property
    def preview(self) -> str:
        """The last preview of the release that was asked for."""
        same = (each for each in self.previews if _PRERELEASE.split(each)[0] == self.release)
        return max(same, default="")

    @property
    def values(self) -> dict[str, str]:
        """What every sentence may name."""
        every = self.finals or self.previews or ("",)
        span = every[0] if every[0] == every[-1] else f"{every[0]} to {every[-1]}"
        name = "TensorFlow" if self.package == "tensorflow" else self.package
        asked = (
            f"{name} {self.release}"
            if self.wanted == f"=={self.release}"
            else f"{self.package}{self.wanted}"
        )
        return {
            "package": self.package,
            "asked": asked,
            "release": self.release,
            "spec": self.spec,
            "span": span,
        }

    def with_python(self, feature: str) -> dict[str, str]:
        """The same with a Python for it, and the folder of an environment."""
        return {**self.values, "feature": feature, "folder": f"{self.asker or 'python'}-{feature}"}


def _listed(told: Testimony, saying: Saying) -> Listed:
    """Of a line of pip's; what can't be read leaves the kind unsure, and so does a line that repeats one with its list."""
    offered = [each.strip() for each in saying.told.get("version", "").split(",")]
    finals = tuple(each for each in offered if _FINAL.match(each))
    previews = tuple(each for each in offered if each[:1].isdigit() and each not in finals)
    wanted, asker = saying.told.get("wanted", ""), _ASKER.search(saying.told.get("message", ""))
    bound = _bound(wanted, finals)
    package = saying.told["package"].lower().replace("_", "-")
    kind = _kind(bound, finals, previews)
    if (saying.name == _LAST_LINE and told.named(_WITH_A_LIST)) or (
        kind == _NONE and told.named(*_INDEX)
    ):
        kind = _UNSURE
    release = _release(package, bound) if bound else ""
    return Listed(
        package,
        wanted,
        release,
        finals,
        previews,
        kind,
        asker["asker"].rstrip("-.") if asker else "",
    )


def _bound(wanted: str, finals: tuple[str, ...]) -> re.Match[str] | None:
    """The bound that decides: an exact release, else an upper one that the whole list is above, else the lowest that is
    allowed, else the highest."""
    found = [match for each in wanted.split(",") if (match := _CLAUSE.match(each.strip()))]
    exact = any(each["operator"] in ("==", "~=") for each in found)
    below = [each for each in found if each["operator"] in ("<", "<=") and finals and _key(each["release"]) <= _key(finals[0])]  # fmt: skip
    if below and not exact:
        return below[0]
    return min(found, key=lambda each: _ORDER.index(each["operator"]), default=None)


def _release(package: str, bound: re.Match[str]) -> str:
    """The release to speak of. Of TensorFlow the minors are known: "<2" and "==1.*" mean 1.15, "<2.5" means 2.4."""
    release = bound["release"]
    if package not in _TENSORFLOW:
        return release
    if bound["operator"] != "<":
        return _LAST_OF_1 if release == "1" else release
    major, minor, *rest = (*_key(release), 0)
    if any(rest) or major > 2:
        return release
    if minor:
        return f"{major}.{minor - 1}"
    return _LAST_OF_1 if major > 1 else release


def _kind(bound: re.Match[str] | None, finals: tuple[str, ...], previews: tuple[str, ...]) -> str:
    if not finals:
        return _PREVIEWS if previews else _NONE
    if bound is None:
        return _UNSURE
    release, operator = _key(bound["release"]), bound["operator"]
    if operator in ("<", "<="):
        return _BEHIND if release <= _key(finals[0]) else _UNSURE
    if release > _key(finals[-1]):
        return _AHEAD
    if release < _key(finals[0]) and operator in ("==", "~="):
        return _BEHIND  # of "~=", too: pip takes any newer one up to the next number, and took none
    return _BETWEEN if operator == "==" else _UNSURE


def _key(release: str) -> tuple[int, ...]:
    """ "2.13.0.post1" counts as 2.13.0."""
    return key(release.partition(".post")[0])


def _newest_python(case: Case, there: Listed) -> str:
    """The newest that the asked release has files for, by TensorFlow's own minor; "" where that is not known."""
    known = pythons_of(case, there.minor) if there.package in _WITH_ITS_NUMBER else []
    own = _known(there.package).newest.get(there.minor)
    return own or max(known, key=key, default="")


def _known(package: str) -> Package:
    return PACKAGES.get(package, Package())


def pip_list(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """All of the list is older than what was asked for, or all is newer."""
    there = _listed(told, saying)
    return there.values if there.kind in (_AHEAD, _BEHIND) else None


def pip_unreleased(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The release was not there yet, or never came: the list has older and newer ones, or its preview."""
    there = _listed(told, saying)
    if there.kind != _BETWEEN and not (there.kind == _AHEAD and there.preview):
        return None
    below = [each for each in there.finals if _key(each) < _key(there.release)]
    above = [each for each in there.finals if _key(each) > _key(there.release)]
    if there.asker in _TENSORFLOW and below:
        # Whose requirement it is: the one before has its own.
        return {
            **there.values,
            "package": there.asker,
            "chosen": below[-1],
        }
    near = [each for each in (*below[-1:], *above[:1]) if each.startswith(f"{there.minor}.")]
    return {
        **there.values,
        "chosen": (near or [there.preview] * bool(there.preview) or below[-1:] or above)[0],
    }


def pip_python(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The Python that a list of TensorFlow's releases is for, where the release that was asked for has no file for it."""
    there = _listed(told, saying)
    if there.kind not in (_AHEAD, _BEHIND) or there.package not in _TENSORFLOW:
        return None
    first = (there.finals or there.previews)[0]
    python = _FIRST.get(".".join(first.split(".")[:2]), "")
    pythons = pythons_of(case, there.minor)
    if not python or not pythons or python in pythons:
        return None
    of_list = {
        "python": python,
        "age": "old" if there.kind == _AHEAD else "new",
        "first": first,
        "pythons": _run(pythons),
    }
    return {**there.with_python(_newest_python(case, there)), **of_list}


def pip_python_of_asker(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The same where another package asks for TensorFlow."""
    return pip_python(case, told, saying) if _listed(told, saying).asker else None


def pip_python_of_old(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The same of a release that is older than the matrix."""
    there = _listed(told, saying)
    return None if _is_in_the_matrix(case, there) else pip_python(case, told, saying)


def _is_in_the_matrix(case: Case, there: Listed) -> bool:
    return there.release.count(".") > 1 and isinstance(case.matrix.release(there.release), Known)


def pip_newest(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The newest Python that the release has files for; None where the matrix knows more of it."""
    there = _listed(told, saying)
    newest = _newest_python(case, there) if there.kind in (_AHEAD, _BEHIND) else ""
    of_tensorflow = there.package in _TENSORFLOW and _is_in_the_matrix(case, there)
    return (
        {**there.with_python(newest), "minor": there.minor}
        if newest and not of_tensorflow
        else None
    )


def pip_none(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """An empty list of TensorFlow's, the Python that it is for, and the first TensorFlow with a file for that Python."""
    there, (python, shown) = _listed(told, saying), _running(case, told)
    minors = dict.fromkeys(row.minor for row in case.matrix.releases())
    having = [each for each in minors if there.kind == _NONE and python in pythons_of(case, each)]
    return {**there.values, "python": shown, "first": having[-1]} if having else None


def pip_none_of(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """An empty list of TensorFlow's, and the Pythons of the release that was asked for."""
    there = _listed(told, saying)
    pythons = pythons_of(case, there.minor) if there.kind == _NONE and there.release else []
    return (
        {**there.with_python(_newest_python(case, there)), "pythons": _run(pythons)}
        if pythons
        else None
    )


def pip_for_any_python(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """An empty list of a package that every Python can install, if only by compiling it."""
    there = _listed(told, saying)
    return there.values if there.kind == _NONE and _known(there.package).any_python else None


def pip_no_file(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The newest Python that a companion of TensorFlow has files for, where pip found none for this one."""
    there = _listed(told, saying)
    files, whole = _known(there.package), _known(there.asker)
    if there.kind not in (_NONE, _PREVIEWS) or not files.python:
        return None
    newest = _newest_python(case, there) or files.python
    if whole.python and key(whole.python) < key(newest):
        newest = whole.python  # what asks for it takes no newer one either
    instead = (whole if whole.python else files).instead
    return {
        **there.with_python(newest),
        "note": files.note,
        **({"instead": instead} if instead else {}),
    }


def pip_successor(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The same of one in whose place another package came."""
    found = pip_no_file(case, told, saying)
    return found if found is not None and "instead" in found else None


def pip_not_on_windows(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The last release with a file for Windows of a companion that has no newer one there."""
    there = _listed(told, saying)
    files = _known(there.package)
    if there.kind in (_UNSURE, _BETWEEN, _BEHIND) or files.windows == "-":
        return None
    last = f" after {files.windows}" if files.windows else ""
    return {
        **there.values,
        "last": f"Windows{last}",
        "note": files.note,
        "value": there.asker or f"tensorflow {there.package}",
    }


def _run(pythons: list[str]) -> str:
    ordered = sorted(pythons, key=key)
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


# The releases that pip passed over for this Python, each with the Pythons that it asks for.

_ONE = Expression(r"(?P<release>\d[\w.+!]{0,30}) Requires-Python (?P<wanted>[<>=!~][^;]{0,80})")
_PYTHONS = tuple(f"3.{minor}" for minor in range(7, 15))
"""Those with a pip that writes such a line (pip 21.1 and newer)."""


def pip_passed_over(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The Pythons that the release which was asked for wants, where pip passed over it."""
    there = _listed(told, saying)
    same = (
        wanted
        for release, wanted in _passed_over(told)
        if there.release and _same(release, there.release)
    )
    wanted = next(same, "")
    fitting = [each for each in _PYTHONS if wanted and _holds(wanted, each)]
    own = _running(case, told)[1]
    python = f"Python {own}" if own else "another Python"
    return (
        {**there.with_python(fitting[-1]), "wanted": wanted, "python": python} if fitting else None
    )


def _passed_over(told: Testimony) -> list[tuple[str, str]]:
    """("0.53.0", ">=3.6,<3.10") and so on, in pip's order; pip does not say of which package each is."""
    lines = (each.told["message"] for each in told.named("pip-passed-over"))
    return [
        (each["release"], each["wanted"].strip())
        for line in lines
        for each in _ONE.compiled.finditer(line)
    ]


def _running(case: Case, told: Testimony) -> tuple[str, str]:
    """The Python that pip runs with, or the oldest that takes none of what pip passed over, and how to name it; "" twice for neither."""
    own = case.facts.interpreter.version
    if isinstance(own, Known):
        return own.value.feature, own.value.feature
    ranges = [wanted for _, wanted in _passed_over(told)]
    left = [each for each in _PYTHONS if not any(_holds(wanted, each) for wanted in ranges)]
    if not left or len(left) == len(_PYTHONS):
        return "", ""
    return left[0], left[0] if len(left) == 1 else f"{left[0]} or newer" if left[-1] == _PYTHONS[
        -1
    ] else f"{left[0]} to {left[-1]}"


def _holds(wanted: str, python: str) -> bool:
    # Costs too much where nothing is asked.
    from packaging.specifiers import (
        InvalidSpecifier,
        SpecifierSet,
    )

    try:
        return SpecifierSet(wanted).contains(f"{python}.5")
    except InvalidSpecifier:
        return False


def _same(one: str, other: str) -> bool:
    parts = [each.split(".") for each in (one, other)]
    longest = max(map(len, parts))
    return len({".".join(each + ["0"] * (longest - len(each))) for each in parts}) == 1


# The Pythons that conda has builds for, where its environment's own Python excludes them all.

_CONDA = "conda-no-solution"
_FEATURE = Expression(r"(?:>=|=|^|\|)(?P<feature>3\.\d{1,2})")


def of_conda(told: Testimony, saying: Saying) -> Candidate | None:
    """None for another message, and where it is not the environment's Python that excludes all builds."""
    fixed, possible = _conda_pythons(told) if saying.name == _CONDA else ("", [])
    if not (fixed and possible):
        return None
    only = possible[0] if len(possible) == 1 else f"{possible[0]} to {possible[-1]}"
    asked = told.named("conda-asked-python")
    whose = (
        says("python-unsupported", "asked") if asked else says("python-unsupported", "environments")
    )
    newest = possible[-1]
    own = act(
        "new-environment", "create-conda-environment", feature=newest, called=f"python-{newest}"
    )
    return of_page(
        "python-unsupported",
        "of-conda",
        (place(saying),),
        values={"package": _conda_package(told), "fixed": fixed, "whose": whose, "only": only},
        sure=Confidence.CERTAIN,
        fixes=(own,),
    )


def _conda_package(told: Testimony) -> str:
    """What conda has no build of, with the release that was asked for."""
    if (spec := _spec(told)) is not None:
        return f"{spec.told['package'].removesuffix('-base')} {spec.told.get('wanted', '').lstrip('=')}".rstrip()
    said = (*told.named("conda-asked"), *told.named("conda-not-installable"))
    return said[0].told["package"] if said else "TensorFlow"


def _conda_pythons(told: Testimony) -> tuple[str, list[str]]:
    """The environment's Python, where it is what excludes every build, and those that there are builds for."""
    said = told.named("conda-python")
    own = told.named("conda-own-python", "conda-asked-python")
    if own and (listed := _of_builds(told, {each.told["version"] for each in own})):
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
        (each for each in said if each.told["package"].startswith("tensorflow")),
        said[0] if said else None,
    )


def _of_builds(told: Testimony, own: set[str]) -> list[str]:
    """The Pythons that there are builds for, as ">=3.6,<3.7.0a0|3.7.*" tells them; without the environment's own."""
    spec = _spec(told)
    found = (
        {each["feature"] for each in _FEATURE.finditer(spec.told["message"])}
        if spec is not None
        else set()
    )
    if told.named("conda-asked-python") and found & own:
        return []  # there are builds for it, so something else is in the way
    return sorted(found - own, key=key)
