"""The versions of a package that all that is installed allows, by metadata and the matrix; nothing is asked of a network.

What is needed comes first. Whose range has nothing in common with it stands against it, and has to change, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfdoctor.base.records import record, replace
from tfdoctor.base.version_ranges import contains, is_possible, parts, tightest
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import Bound
from tfdoctor.knowledge.matrix.model import Pair
from tfdoctor.knowledge.matrix.query import Matrix


@record
class Range:
    """`specifier`: what is needed and what all others allow, but for those `against` it. `holders`: these others."""

    name: str
    specifier: str
    against: tuple[Bound, ...]
    holders: tuple[Bound, ...]

    @property
    def spec(self) -> str:
        """For pip: "numpy>=1.26,<2"."""
        return f"{self.name}{self.specifier}"


def range_of(facts: Facts, matrix: Matrix, name: str, needed: str) -> Range:
    """The versions of `name` that are the nearest to the installed one of all that are needed and allowed."""
    specifier, against, holders = tightest(needed), [], []
    for bound in bounds_on(facts, matrix, name):
        both = tightest(specifier, bound.specifier)
        if is_possible(both):
            specifier = both
            holders.append(bound)
        else:
            against.append(bound)
    both = tightest(specifier, _taking_tensorflow(facts, matrix, name))
    specifier = both if is_possible(both) else specifier
    return Range(
        name, _nearest(specifier, installed_version(facts, name)), tuple(against), tuple(holders)
    )


def _taking_tensorflow(facts: Facts, matrix: Matrix, name: str) -> str:
    """The releases of a package that take the TensorFlow that is here, which stays: "<0.25"; "" where nothing is known."""
    version = installed_version(facts, "tensorflow")
    if not version:
        return ""
    refusing = (
        each
        for each in matrix.pairs_of(name, "tensorflow")
        if not contains(specifier_for(each.specifier, version), version)
    )
    return tightest(*filter(None, map(releases_without, refusing)))


def bounds_on(facts: Facts, matrix: Matrix, name: str) -> tuple[Bound, ...]:
    """In which ranges installed packages other than TensorFlow hold `name`: by their metadata, and by what is known beside it."""
    stated = [each for each in value_or(facts.packages.bounds, ()) if each.name == name]
    known = [
        Bound(name, pair.specifier, pair.package, version)
        for pair, version in pairs_here(facts, matrix)
        if pair.needs == name
    ]
    return (*stated, *known)


_NO_COMPANIONS = ("tensorflow", "python")


def required(facts: Facts, matrix: Matrix, name: str) -> str:
    """What the metadata of the TensorFlow release that is here asks of a package, as far as the matrix has it; for any Python where that
    is not known.
    """
    from packaging.markers import Marker  # 20 ms that few answers need

    row = matrix.release(value_or(facts.tensorflow.version, ""))
    stated = value_or(row.value.requires, {}).get(name, ()) if isinstance(row, Known) else ()
    python = facts.interpreter.version
    if not isinstance(python, Known):
        bounds = [set(map(str, parts((each.spec,)))) for each in stated]
        return tightest(*set.intersection(*bounds)) if bounds else ""
    said = {"python_version": python.value.feature}
    return tightest(
        *(each.spec for each in stated if not each.marker or Marker(each.marker).evaluate(said))
    )


def pairs_here(facts: Facts, matrix: Matrix) -> tuple[tuple[Pair, str], ...]:
    """What the installed packages need beside them and pip does not see to, each with the package's version."""
    return tuple(
        _here(facts, [pair for pair in matrix.pairs if pair.package not in _NO_COMPANIONS])
    )


def _here(facts: Facts, pairs: Iterable[Pair]) -> Iterator[tuple[Pair, str]]:
    """Those whose package is installed, in a version that they speak of."""
    for pair in pairs:
        version = installed_version(facts, pair.package)
        if version and contains(pair.of, version):
            yield replace(pair, specifier=specifier_for(pair.specifier, version)), version


def pair_here(facts: Facts, matrix: Matrix, package: str, needs: str) -> Pair | None:
    """What a package, TensorFlow or Python, as it is here needs of another one; None where it is not here or nothing is known."""
    return next((pair for pair, _ in _here(facts, matrix.pairs_of(package, needs))), None)


def releases_beside(matrix: Matrix, package: str, needed: str, version: str) -> str | None:
    """The releases of `package` that go with this version of what it needs: ">=1.2,<1.3"; None where none does."""
    rows = matrix.pairs_of(package, needed)
    fitting = [each for each in rows if contains(each.specifier, version)]
    if not fitting:
        return None
    lower = [str(each) for each in parts((fitting[0].of,)) if each.operator == ">="]
    upper = [str(each) for each in parts((fitting[-1].of,)) if each.operator == "<"]
    return "" if len(fitting) == len(rows) else tightest(*lower, *upper)


def releases_without(pair: Pair) -> str:
    """The releases of the package that no longer need it: ">=0.24" where those before 0.24 do; "" where all do, as where the row ends
    with the last release ("<=")."""
    bounds = parts((pair.of,))
    inverse = {"<": ">=", ">=": "<"}
    if len(bounds) != 1 or bounds[0].operator not in inverse:
        return ""
    return f"{inverse[bounds[0].operator]}{bounds[0].version}"


def specifier_for(specifier: str, version: str) -> str:
    """A pair's specifier, where the package has this version: "{minor}" stands for its minor release."""
    from packaging.version import Version  # 20 ms that few answers need

    release = (*Version(version).release, 0)
    return specifier.replace("{minor}", f"{release[0]}.{release[1]}")


def installed_version(facts: Facts, name: str) -> str:
    """The version that is installed; "" where it is not, or its metadata names none. TensorFlow's whatever its distribution."""
    if name == "tensorflow":
        return _readable(value_or(facts.tensorflow.version, ""))
    if name == "python":
        python = facts.interpreter.version
        return python.value.text if isinstance(python, Known) else ""
    listed = value_or(facts.packages.installed, ())
    return _readable(next((each.version for each in listed if each.name == name), ""))


def _readable(version: str) -> str:
    if not version:
        return ""
    from packaging.version import InvalidVersion, Version  # 20 ms that few answers need

    try:
        Version(version)
    except InvalidVersion:
        return ""
    return version


def _nearest(specifier: str, installed: str) -> str:
    """Kept within the lowest major release where an installed version has to rise: a package's next major breaks what uses it."""
    from packaging.version import Version  # 20 ms that few answers need

    lowest = max(
        (Version(each.version) for each in parts((specifier,)) if each.operator == ">="),
        default=None,
    )
    if not installed or lowest is None or Version(installed) >= lowest:
        return specifier
    near = tightest(specifier, f"<{lowest.major + 1}")
    return near if is_possible(near) else specifier
