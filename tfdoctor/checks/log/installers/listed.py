"""pip's own list of the releases that it could install, beside the one that was asked for: which of the two is newer."""

from __future__ import annotations

import re  # reads no log: pip's lists of releases, as a signature's groups hold them

from tfdoctor.checks.log.fit.present import key
from tfdoctor.facts.log_values import Saying
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: pip's lists of releases, as a signature's groups hold them
from tfdoctor.light.records import record

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
    bound, package = _bound(wanted, finals), saying.told["package"].lower().replace("_", "-")
    return Listed(
        package,
        wanted,
        _release(package, bound) if bound else "",
        finals,
        previews,
        _kind(wanted, bound, finals, previews),
        asker["asker"].rstrip("-.") if asker else "",
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
    if _below_all(wanted, finals[0]):
        return BEHIND
    if operator in ("<", "<="):
        return BEHIND if release <= key_of(finals[0]) else UNSURE
    if release > key_of(finals[-1]):
        return AHEAD
    if release < key_of(finals[0]) and operator in ("==", "~="):
        return BEHIND  # of "~=", too: pip takes any newer one up to the next number, and took none
    return BETWEEN if operator == "==" else UNSURE


def _below_all(wanted: str, first: str) -> bool:
    """A bound that is open above allows nothing where another one ends before the list begins: ">=1.11,<1.15" of 1.15 and newer."""
    bounds = [match for each in wanted.split(",") if (match := _CLAUSE.match(each.strip()))]
    return any(
        each["operator"] == "<" and key_of(each["release"]) <= key_of(first) for each in bounds
    ) or any(each["operator"] == "<=" and key_of(each["release"]) < key_of(first) for each in bounds)


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
