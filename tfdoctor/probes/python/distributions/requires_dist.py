"""One line of Requires-Dist (PEP 508): what it asks for, and when.

As with specifiers, `packaging` is the authority and reads what is not plain; the plain lines, nearly all, are
understood without importing it. A test holds both to the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record
from tfdoctor.light.specifiers import admits, written
from tfdoctor.probes.python.distributions.metadata import normalised

EXTRAS = ("", "and-cuda")
"""The plain requirements, and the one extra that decides whether a GPU works."""
_LINE = Expression(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?![A-Za-z0-9._-])"  # the name
    r"(?:\s*\(([^()]*)\)\s*|([\d.*,<>=!~\s]*))"  # the specifier, with or without parentheses
    r"(?:;(.*))?",  # the marker
    re.ASCII,
)
_LONGEST = 1000  # characters; a longer line is none that people write
_COMPARISON = Expression(r"""\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*(?:"([\w. -]*)"|'([\w. -]*)')\s*""", re.ASCII)
_VERSIONS = ("python_version", "python_full_version")
_TEXTS = (
    "extra", "implementation_name", "os_name", "platform_machine", "platform_python_implementation", "platform_system", "sys_platform"
)  # fmt: skip


@record
class Asked:
    """`specifier` as packaging writes it; `extras` are those of `EXTRAS` for which the line applies."""

    name: str
    specifier: str
    extras: tuple[str, ...]


def read_line(line: str, environment: Mapping[str, str]) -> Asked:
    """`environment`: PEP 508's variables without `extra`. Raises ValueError where the line is no requirement."""
    if len(line) > _LONGEST:
        raise ValueError(f"it has {len(line)} characters")
    return plain(line, environment) or by_packaging(line, environment)


def plain(line: str, environment: Mapping[str, str]) -> Asked | None:
    """None where the line is more than a name, a plain specifier and comparisons joined by "and"."""
    match = _LINE.fullmatch(line.strip())
    if match is None:
        return None
    name, within, bare, marker = match.groups()
    specifier = bare if within is None else within
    comparisons = _comparisons(marker) if marker is not None else ()
    if comparisons is None or any(each[0] not in (*environment, "extra") for each in comparisons):
        return None
    try:
        extras = tuple(
            extra for extra in EXTRAS if all(_holds(each, environment, extra) for each in comparisons)
        )
        return Asked(normalised(name), written(specifier), _first_alone(extras))
    except ValueError:
        return None


def by_packaging(line: str, environment: Mapping[str, str]) -> Asked:
    from packaging.requirements import Requirement

    parsed = Requirement(line)
    marker = parsed.marker
    extras = tuple(
        extra for extra in EXTRAS if marker is None or marker.evaluate({**environment, "extra": extra})
    )
    return Asked(normalised(parsed.name), str(parsed.specifier), _first_alone(extras))


def _first_alone(extras: tuple[str, ...]) -> tuple[str, ...]:
    """What applies without an extra needs none."""
    return extras[:1] if "" in extras else extras


def _comparisons(marker: str) -> tuple[tuple[str, str, str], ...] | None:
    found = []
    for part in marker.split(" and "):
        match = _COMPARISON.fullmatch(part)
        if match is None:
            return None
        name, operator, double, single = match.groups()
        found.append((name, operator, double if double is not None else single))
    return tuple(found)


def _holds(comparison: tuple[str, str, str], environment: Mapping[str, str], extra: str) -> bool:
    """Raises ValueError for what packaging has to judge."""
    name, operator, value = comparison
    if name in _VERSIONS:
        return admits(operator + value, environment[name])
    if name not in _TEXTS or operator not in ("==", "!=") or value[:1].isdigit():
        raise ValueError(f"{name} {operator} {value!r} is more than whether two names are equal")
    equal = normalised(extra) == normalised(value) if name == "extra" else environment[name] == value
    return equal is (operator == "==")
