"""Ranges of versions as pip writes them (">=1.26,<2"): what two have in common, and whether anything can be in one. Names as it compares them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.specifiers import Specifier, SpecifierSet
    from packaging.version import Version

_asked_often = lru_cache(maxsize=4096)  # of the same ranges, for each build file and check


@_asked_often
def range_of(specifier: str) -> SpecifierSet:
    """The range. Raises InvalidSpecifier."""
    from packaging.specifiers import SpecifierSet  # 20 ms that few answers need

    return SpecifierSet(specifier)


@_asked_often
def contains(specifier: str, version: str) -> bool:
    """Whether the version is in the range, prereleases too."""
    return range_of(specifier).contains(version, prereleases=True)


@_asked_often
def is_possible(specifier: str) -> bool:
    """Whether any version can be in the range: if one can, so can the lowest, one of its bounds, or one just above a bound."""
    asked = range_of(specifier)
    bounds = [each.version.removesuffix(".*") for each in parts((specifier,)) if of_a_version(each)]
    tried = ["0", *bounds, *(f"{_release(each)}.0.0.1" for each in bounds)]
    return any(asked.contains(each, prereleases=True) for each in tried)


def of_a_version(bound: Specifier) -> bool:
    """Whether it bounds by a version: `===` takes any text."""
    from packaging.version import InvalidVersion, Version  # 20 ms that few answers need

    try:
        return bound.operator != "===" or bool(Version(bound.version))
    except InvalidVersion:
        return False


def _release(version: str) -> str:
    """Without what follows the numbers of a release: "5.0.0" of "5.0.0.dev0"."""
    from packaging.version import Version  # 20 ms that few answers need

    return ".".join(map(str, Version(version).release))


@_asked_often
def tightest(*specifiers: str) -> str:
    """The specifiers as one, redundant bounds left out, the lower bound first: ">=1.26,<2". "" for none.

    A specifier that can't be read is left out.
    """
    from packaging.version import Version  # 20 ms that few answers need

    lowest: Version | None = None
    highest: Version | None = None
    others: list[Specifier] = []
    for each in parts(specifiers):
        if each.operator == ">=":
            lowest = max(_both(lowest, each))
        elif each.operator == "<":
            highest = min(_both(highest, each))
        elif each not in others:
            others.append(each)
    bounds = [f">={lowest}"] if lowest else []
    bounds += sorted(
        str(each)
        for each in others
        if each.operator != "!="
        or each.version.endswith(".*")
        or not (
            (lowest and Version(each.version) < lowest)
            or (highest and Version(each.version) >= highest)
        )
    )
    return ",".join([*bounds, f"<{highest}"] if highest else bounds)


def _both(bound: Version | None, further: Specifier) -> list[Version]:
    """The two in the order of their length, so that of equal ones the shorter is kept ("2" of "2.0.0")."""
    from packaging.version import Version  # 20 ms that few answers need

    return sorted(
        [*([bound] if bound else []), Version(further.version)], key=lambda each: len(str(each))
    )


def parts(specifiers: Iterable[str]) -> list[Specifier]:
    """The single bounds; those of a specifier that can't be read are left out."""
    from packaging.specifiers import InvalidSpecifier, Specifier  # 20 ms that few answers need

    found: list[Specifier] = []
    for text in specifiers:
        try:
            found += [each for each in range_of(text) if isinstance(each, Specifier)]
        except InvalidSpecifier:
            continue
    return found


def normalised(name: str) -> str:
    """PEP 503: "google_pasta" and "Google.Pasta" are "google-pasta"."""
    return re.sub(r"[-_.]+", "-", name).lower()
