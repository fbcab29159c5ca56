"""The list below conda's word that it did not find packages: one a line, with its release and its build where they were asked for."""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.light.expressions import Expression

OF_LISTS = ("conda-no-solution", "conda-not-in-channels")
"""Signatures whose line such a list can follow."""
_HEADING = ("ResolvePackageNotFound", "PackagesNotFoundError", "Encountered problems while solving")
_CONFLICT = "specifications were found to be in conflict"
"""Such a list tells of a file that was exported where each of its lines names a build; else it names who asks for what."""
_SPEC = Expression(
    r"^\s{0,8}- (?:[\w./-]{1,80}::)?(?P<package>_?[A-Za-z][\w.-]{0,80})(?: ?={1,2} ?\[?(?:version=)?['\"]?(?P<version>[\w.*+!<>,|=]{1,60}?)['\"]?\]?(?:=(?P<build>\w{1,80}))?)?\s{0,4}$"
)
_REQUESTED = Expression(
    r"^\s{0,8}- nothing provides requested (?:[\w./-]{1,80}::)?(?P<package>_?[A-Za-z][\w.-]{0,80})(?: ={0,2}(?P<version>[\w.*+!]{1,60}))?(?: (?P<build>\w{1,80}))?\s{0,4}$"
)
"""libmamba's words for the same."""
_BESIDE = "- nothing provides __"
"""A need of one of them that no machine of this system brings."""
_APART = 3
_MOST = 200


def specs_below(lines: Iterable[tuple[int, str]], heading: int) -> str:
    """ "libcxx=14.0.6=h9765a3e_0 cudnn" for the lines below; "" where they are none, or where the line is no such heading."""
    found: list[str] = []
    last, conflict = 0, False
    for number, text in lines:
        if number == heading:
            conflict = _CONFLICT in text
            last = number if conflict or any(each in text for each in _HEADING) else 0
        elif last and number > heading:
            spec = _SPEC.match(text) or _REQUESTED.match(text)
            if _BESIDE in text:
                last = number
            elif spec is not None:
                found.append("=".join(filter(None, (spec["package"], spec["version"], spec["build"]))))
                last = number
            elif number - last > _APART or text.strip():
                break
        if len(found) == _MOST:
            break
    return " ".join(found) if not conflict or all(each.count("=") > 1 for each in found) else ""
