"""Holds a matrix file against the layout, so that a slip in it is one sentence and not a wrong verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    CudnnRelease,
    DriverRelease,
    PtxRelease,
    PythonRelease,
    Release,
)
from tfdoctor.knowledge.matrix.cells import EVERY, FIELDS, MAPS, ORDER, RELEASES
from tfdoctor.knowledge.matrix.model import PLATFORMS, MatrixError

SECTIONS = ("format", "version", "sources", "fields", "cuda", "cudnn", "gpus", "nvidia", "defects", "runtime", "pairs", "images", "containers", "empty", "extras", "together", "releases")  # fmt: skip
LATER = ("pairs", "images", "containers", "empty", "extras", "together")
"""Sections that an older matrix lacks."""
IMAGE_TELLS = ("python", "system-python", "libc", "tensorflow", "gpu", "cuda", "cudnn", "flavor")
LISTS = ("python", "sass", "ptx", "sass_incomplete", "sonames")
ROWS = {
    "source": ("source date kind", ""),
    "cuda": ("version ptx_isa driver", "driver_min compute_capabilities source"),
    "cudnn": ("since", "lowest highest driver_min source"),
    "cudnn bug": ("kind since fixed_in text source", ""),
    "gpu drivers": (
        "name sources",
        "capabilities products first last module open_from platform pci",
    ),
    "listed": ("products first source", "pci"),
    "other gpu": ("name says source", ""),
    "container": ("image tensorflow source", "gpus built needs"),
    "nvidia": ("folder holds", ""),
    "defect": ("kind text source", "releases since until detail platforms"),
    "pair": ("package needs spec source", "of brings stated"),
    "image": ("image tag source", "tells"),
    "empty": ("source packages", ""),
    "extras": ("source since", ""),
    "together": ("source python releases rows sets", ""),
    "frameworks": ("tensorflow extra beside outcomes", ""),
    "set": ("tensorflow extra python set", ""),
    "runtime": ("spec", "releases since until because source"),
}
"""The keys of a row of each kind: those that it must have, and those that it may have."""


def validate(document: Any, name: str) -> None:
    """Raises MatrixError with one sentence for the first thing that is wrong in the file called `name`."""
    try:
        _validate(document)
    except MatrixError as error:
        raise MatrixError(f"{name}: {error}") from None
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise MatrixError(
            f"{name}: not laid out as a matrix is ({type(error).__name__}: {error})"
        ) from error


def _fail(message: str) -> NoReturn:
    raise MatrixError(message)


def _validate(document: Any) -> None:
    _mapping(document, "the file")
    _known_keys(document, set(SECTIONS), "the file", set(SECTIONS) - set(LATER))
    if document["format"] != "1":
        _fail(f'format {document["format"]!r} is unknown: this tfdoctor reads format "1"')
    if not re.fullmatch(r"\d{4}\.\d{2}\.\d{2}(\.\d{1,9})?", str(document["version"])):
        _fail(f"version {str(document['version'])[:40]!r} is not of the form 2026.11.20")
    _sources(document["sources"])
    _fields(document)
    if "tensorflow" not in _mapping(document["releases"], "releases"):
        _fail("releases has no 'tensorflow'")
    for distribution, block in document["releases"].items():
        _distribution(document, distribution, block)
    _tables(document)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _fail(f"{where} is not a mapping")
    return value


def _known_keys(value: Mapping[str, Any], known: set[str], where: str, required: set[str]) -> None:
    for key in value:
        if key not in known:
            _fail(f"{where} has an unknown key {key!r}")
    for key in sorted(required):
        if key not in value:
            _fail(f"{where} has no {key!r}")


def _sources(sources: Any) -> None:
    for name, each in _mapping(sources, "sources").items():
        where = f"source {name!r}"
        _row(each, "source", where)
        if each["kind"] not in ("artefact", "page"):
            _fail(f"{where} has kind {each['kind']!r}, which is neither artefact nor page")
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(each["date"])) or not isinstance(
            each["date"], str
        ):
            _fail(f'{where} has no date of the form "2026-11-20" (in quotes)')


def _fields(document: Mapping[str, Any]) -> None:
    _known_keys(document["fields"], set(FIELDS), "fields", set())
    for field, source in document["fields"].items():
        _source(document, source, f"field {field!r}")


def _source(document: Mapping[str, Any], source: Any, where: str) -> None:
    if not source:
        _fail(f"{where} has no source")
    if source not in document["sources"]:
        _fail(f"{where} names a source {source!r} that `sources` does not have")


def _tables(document: Mapping[str, Any]) -> None:
    for table, kind in (
        ("cuda", "rows"),
        ("cudnn", "rows"),
        ("gpus", "names"),
        ("nvidia", "packages"),
    ):
        _source(document, document[table].get("source"), f"the table {table!r}")
        if kind not in document[table]:
            _fail(f"the table {table!r} has no {kind!r}")
    _cuda(document)
    _cudnn(document)
    _numbers(document["gpus"]["names"], ComputeCapability)
    _gpu_drivers(document)
    for package, row in document["nvidia"]["packages"].items():
        _row(row, "nvidia")
        _numbers(row["holds"], Release)
        if not all(isinstance(each, str) for names in row["holds"].values() for each in names):
            _fail(f"{package} holds something that is not text")
    _ranges(document)
    _pairs(document)
    _images(document)
    _containers(document)
    _names(document)
    _together(document)


def _cuda(document: Mapping[str, Any]) -> None:
    for row in document["cuda"]["rows"]:
        _row(row, "cuda")
        _numbers([row["version"]], CudaRelease)
        _numbers([row["ptx_isa"]], PtxRelease)
        _numbers([*row["driver"].values(), *row.get("driver_min", {}).values()], DriverRelease)
        _numbers(row.get("compute_capabilities", ()), ComputeCapability)
        _source(document, row.get("source", document["cuda"]["source"]), f"CUDA {row['version']}")


def _gpu_drivers(document: Mapping[str, Any]) -> None:
    """Both tables are optional: matrices before 2026.11.24 have none."""
    for row in document["gpus"].get("drivers", ()):
        _row(row, "gpu drivers")
        _numbers(row.get("capabilities", ()), ComputeCapability)
        _numbers([row[end] for end in ("first", "last") if row.get(end) is not None], DriverRelease)
        stated = {
            key
            for key, value in row.items()
            if key not in ("name", "capabilities", "products", "sources") and value is not None
        }
        if not row["sources"] or stated != set(row["sources"]):
            _fail(f"the drivers of {row['name']} have not one source for each field")
        for source in row["sources"].values():
            _source(document, source, f"the drivers of {row['name']}")
    for row in document["gpus"].get("listed", ()):
        _row(row, "listed")
        _numbers(row["first"], DriverRelease)
        _source(document, row["source"], f"the list of {row['products'][0]}")
    for row in document["gpus"].get("others", ()):
        _row(row, "other gpu")
        _source(document, row["source"], f"the GPUs {row['name']}")
        _expression(row["name"], "the table of other GPUs")


def _cudnn(document: Mapping[str, Any]) -> None:
    for row in document["cudnn"]["rows"]:
        _row(row, "cudnn")
        _numbers([row["since"]], CudnnRelease)
        _numbers([row[end] for end in ("lowest", "highest") if end in row], ComputeCapability)
        _source(document, row.get("source", document["cudnn"]["source"]), f"cuDNN {row['since']}")
    for row in document["cudnn"].get("bugs", ()):
        _row(row, "cudnn bug")
        _source(document, row["source"], f"cuDNN bug {row['kind']!r}")


def _ranges(document: Mapping[str, Any]) -> None:
    order = document["releases"]["tensorflow"][ORDER]
    for row in document["defects"]:
        _row(row, "defect")
        _range(document, row, order, f"defect {row['kind']!r}")
    for package, each in document["runtime"].items():
        for row in each:
            _row(row, "runtime")
            if row["spec"] is not None:
                _range(document, row, order, f"runtime bound of {package!r}")


def _pairs(document: Mapping[str, Any]) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    for row in document.get("pairs", ()):
        _row(row, "pair")
        where = f"the pair of {row['package']} and {row['needs']}"
        _source(document, row["source"], where)
        for text in (
            row.get("of", ""),
            row.get("stated", ""),
            row["spec"].replace("{minor}", "1.0"),
        ):
            try:
                SpecifierSet(text)
            except InvalidSpecifier:
                _fail(f"{where} holds {text!r}, which isn't a version specifier")


def _images(document: Mapping[str, Any]) -> None:
    for row in document.get("images", ()):
        _row(row, "image")
        where = f"the image {row['image']}"
        _source(document, row["source"], where)
        told = {*_expression(row["tag"], where).groupindex, *row.get("tells", {})}
        if unknown := told - set(IMAGE_TELLS):
            _fail(f"{where} tells {', '.join(sorted(unknown))}; known are {', '.join(IMAGE_TELLS)}")


def _expression(text: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        _fail(f"{where} holds {text!r}, which is no expression: {error}")


def _containers(document: Mapping[str, Any]) -> None:
    for row in document.get("containers", ()):
        _row(row, "container")
        _source(document, row["source"], f"the container {row['image']}")
        _numbers([row["tensorflow"]], Release)
        _numbers([*row.get("gpus", ()), *row.get("built", ())], ComputeCapability)


def _names(document: Mapping[str, Any]) -> None:
    """Of packages that hold no TensorFlow, and of extras, each with a version."""
    from packaging.version import Version

    for table, versions in (("empty", "packages"), ("extras", "since")):
        if table in document:
            _row(document[table], table)
            _source(document, document[table]["source"], f"the table {table!r}")
            _numbers(document[table][versions].values(), Version)


def _together(document: Mapping[str, Any]) -> None:
    if "together" not in document:
        return
    table, own = document["together"], document["releases"]["tensorflow"][ORDER]
    _row(table, "together")
    _source(document, table["source"], "the table 'together'")
    for name, order in table["releases"].items():
        _numbers(order, Release)
        for release, pythons in table["python"][name].items():
            _placed(release, order, f"the Pythons of {name}")
            _numbers(pythons, PythonRelease)
    for row in table["rows"]:
        _row(row, "frameworks")
        for tensorflow in row["tensorflow"]:
            _placed(tensorflow, own, "a row of 'together'")
        for release, stated in row["outcomes"].items():
            _placed(
                release,
                table["releases"][row["beside"].partition("[")[0]],
                f"{row['beside']} beside TensorFlow",
            )
            if stated != "clean" and (
                not isinstance(stated, dict) or not {*stated} < {"refused", "overwritten"}
            ):
                _fail(
                    f"{row['beside']} {release} beside TensorFlow is {stated!r}, which is no outcome"
                )
    for each in table["sets"]:
        _row(each, "set")
        _placed(each["tensorflow"], own, "a set of 'together'")
        _numbers(each["set"].values(), Release)
        _numbers(each["python"], PythonRelease)


def _row(row: Any, kind: str, where: str = "") -> None:
    where = where or f"a {kind} row"
    required, more = (set(keys.split()) for keys in ROWS[kind])
    _known_keys(_mapping(row, where), required | more, where, required)


def _range(
    document: Mapping[str, Any], row: Mapping[str, Any], order: list[str], where: str
) -> None:
    _source(document, row.get("source"), where)
    for release in (
        *row.get("releases", ()),
        *(row[end] for end in ("since", "until") if end in row),
    ):
        _placed(release, order, where)


def _placed(release: Any, order: list[str], where: str) -> None:
    """One that is not in `order` was taken out of it, and its version says where it stood (`cells.Order`)."""
    if release in order:
        return
    from packaging.version import InvalidVersion, Version

    try:
        Version(release)
    except (InvalidVersion, TypeError):
        _fail(f"{where} names a release {release!r} that isn't a version")


def _numbers(texts: Any, kind: Callable[[str], object]) -> None:
    for text in texts:
        if not isinstance(text, str):
            _fail(f"{text!r} is not text: write it in quotes")
        kind(text)


def _distribution(document: Mapping[str, Any], distribution: str, block: Any) -> None:
    order = _mapping(block, distribution).get(ORDER)
    if not order or not all(isinstance(release, str) for release in order):
        _fail(
            f"{distribution} has no `order`: the list of its releases, the oldest first, in quotes"
        )
    _known_keys(block, {ORDER, EVERY, *PLATFORMS}, distribution, set())
    for platform, own in block.items():
        if platform == ORDER:
            continue
        where = f"{distribution} on {platform}"
        _known_keys(own, {RELEASES, *FIELDS}, where, set() if platform == EVERY else {RELEASES})
        unknown = [release for release in own.get(RELEASES, ()) if release not in order]
        if unknown:
            _fail(f"{where} names a release {unknown[0]!r} that `order` does not have")
        for field, series in own.items():
            if field != RELEASES:
                _series(document, order, f"{field} of {where}", field, series)


def _series(
    document: Mapping[str, Any], order: list[str], where: str, field: str, series: Any
) -> None:
    for each in _mapping(series, where).values() if field in MAPS else (series,):
        for release, stated in _mapping(each, where).items():
            _placed(release, order, where)
            own = isinstance(stated, dict) and "is" in stated
            if own:
                _known_keys(stated, {"is", "source", "disagrees"}, f"{where} {release}", set())
            source = (own and stated.get("source")) or document["fields"].get(field)
            _source(document, source, f"{where} {release}")
            _value(field, stated["is"] if own else stated, f"{where} {release}")


def _value(field: str, value: Any, where: str) -> None:
    if value is None or (field == "gpu" and isinstance(value, bool)):
        return
    if field in LISTS and not isinstance(value, list):
        _fail(f"{where} is not a list")
    for leaf in _leaves(value):
        if not isinstance(leaf, str):
            _fail(f"{where} holds {leaf!r}, which is not text: write it in quotes")


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value
