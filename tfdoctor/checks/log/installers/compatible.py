"""The release of TensorFlow that can live with what another package asks for: the nearest one, by the metadata in the matrix."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import rows, runs_on
from tfdoctor.checks.log.fit.present import key
from tfdoctor.facts.outcome import Known
from tfdoctor.matrix.model import Release

NAMES = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-macos")


def nearest(case: Case, version: str, package: str, wanted: str) -> str:
    """The first newer release that takes a `package` of `wanted` ("==1.0,<2"), else the last older one; "" for none."""
    if not _final(version):
        return ""
    fitting = [
        row.tensorflow
        for row in rows(case)
        if _final(row.tensorflow) and runs_on(row, case.facts) and _takes(row, package, wanted)
    ]
    newer = [each for each in fitting if key(each) > key(version)]
    older = [each for each in fitting if key(each) < key(version)]
    return min(newer, key=key) if newer else max(older, key=key, default="")


def _final(release: str) -> bool:
    """Neither a preview nor a build of somebody else's."""
    return release.count(".") == 2 and release.replace(".", "").isdecimal()


def _takes(row: Release, package: str, wanted: str) -> bool:
    if not isinstance(row.requires, Known):
        return False
    specs = row.requires.value.get(package.replace("_", "-"), ())
    asked = [each.spec for each in specs if not each.marker] or [each.spec for each in specs]
    return not asked or bool(together(asked[0], wanted))


def together(*wanted: str) -> bool | None:
    """Whether one release can be what all of them ask for; None where a range can't be read.

    Tried are the releases that they name, and one right above each.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # costs too much where nothing is asked

    try:
        sets = [SpecifierSet(each) for each in wanted]
    except InvalidSpecifier:
        return None
    named = [one.version.removesuffix(".*") for each in sets for one in each]
    tried = [*named, *(f"{each}.post1" for each in named), *(f"{each}.99" for each in named)]
    return any(all(each.contains(one, prereleases=True) for each in sets) for one in tried)
