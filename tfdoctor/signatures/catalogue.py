"""All signatures, and the ways to ask for them.

Nothing that starts every time imports this: it is needed where TensorFlow failed, or a log is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tfdoctor.signatures import facts, forks, last_words, other_programs, own_results, success
from tfdoctor.signatures.deaths import (
    aborts,
    children,
    clusters,
    exhausted,
    host_memory,
    jobs,
    kills,
    languages,
    launchers,
    meeting,
    notebooks,
    platforms,
    process,
    servers,
    starts,
)
from tfdoctor.signatures.gpu import (
    at_work,
    beside,
    containers,
    cudnn,
    devices,
    driver,
    installed,
    kernel,
    libraries,
    memory,
    placement,
    reported,
    rocm,
    stubs,
    xla,
)
from tfdoctor.signatures.noise import graphs as rewriting
from tfdoctor.signatures.noise import others, survived, tensorflow
from tfdoctor.signatures.noise import variables as passed_over
from tfdoctor.signatures.outside import commands, compilers, hosts, plugins, reticulate, shells
from tfdoctor.signatures.outside import notebooks as hosted
from tfdoctor.signatures.own import calls, converting, files, graphs, handed, programs, scopes, values
from tfdoctor.signatures.own import models as own_models
from tfdoctor.signatures.signature import Hit, Signature
from tfdoctor.signatures.software import (
    companions,
    installation,
    installers,
    installing,
    keras,
    loaders,
    models,
    native,
    packages,
    pip,
    platform,
    removed,
    resolvers,
    variables,
    wheels,
    windows,
)

_FAMILIES = (
    platform,
    variables,
    windows,
    loaders,
    removed,
    pip,
    wheels,
    resolvers,
    installers,
    installing,
    installation,
    packages,
    keras,
    models,
    programs,
    own_models,
    graphs,
    scopes,
    values,
    handed,
    calls,
    converting,
    files,
    companions,
    shells,
    commands,
    compilers,
    hosts,
    native,
    driver,
    kernel,
    containers,
    devices,
    libraries,
    installed,
    at_work,
    beside,
    cudnn,
    xla,
    memory,
    host_memory,
    kills,
    platforms,
    forks,
    languages,
    exhausted,
    process,
    jobs,
    meeting,
    notebooks,
    children,
    tensorflow,
    rewriting,
    others,
    passed_over,
    survived,
    success,
    facts,
    reported,
    own_results,
    last_words,
    placement,
    stubs,
    launchers,
    aborts,
    servers,
    starts,
    rocm,
    plugins,
    reticulate,
    hosted,
    clusters,
    other_programs,
)


@cache
def everything() -> tuple[Signature, ...]:
    """Every signature, family by family."""
    return tuple(each for family in _FAMILIES for each in family.SIGNATURES)


@cache
def _by_code() -> dict[str, tuple[Signature, ...]]:
    return _grouped((each.code, each) for each in everything())


@cache
def _by_name() -> dict[str, Signature]:
    return {each.name: each for each in everything()}


def of_code(code: str) -> tuple[Signature, ...]:
    """All texts of a code; () where it has none, for many codes show in facts alone."""
    return _by_code().get(code, ())


def named(name: str) -> Signature:
    """Raises KeyError for a name that no signature has."""
    return _by_name()[name]


@cache
def anchors() -> dict[str, tuple[Signature, ...]]:
    """Each anchor with its signatures: what a search for many literals at once needs."""
    return _grouped((anchor, each) for each in everything() for anchor in each.anchors)


def _grouped(pairs: Iterator[tuple[str, Signature]]) -> dict[str, tuple[Signature, ...]]:
    groups: dict[str, tuple[Signature, ...]] = {}
    for key, signature in pairs:
        groups[key] = (*groups.get(key, ()), signature)
    return groups


def read(line: str) -> Iterator[Hit]:
    """Each signature that the line fits, in the catalogue's order."""
    for signature in everything():
        if hit := signature.hit(line):
            yield hit


@cache
def chosen(*wanted: str) -> tuple[Signature, ...]:
    """The signatures of these codes and of these names. Raises KeyError for what is neither."""
    return tuple(each for name in wanted for each in of_code(name) or (named(name),))


def first(text: str, *wanted: str) -> Hit | None:
    """The first of these codes and names that the text fits."""
    return next((hit for each in chosen(*wanted) if (hit := each.hit(text))), None)
