"""YAML with the place of every value: conda's environment.yml. An alias counts where it stands, and no file can make it explode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdoctor.ask.builds import requirements
from tfdoctor.ask.builds.shell_lines import conda_spec
from tfdoctor.ask.builds.statements import (
    CONDA,
    PIP,
    Environment,
    Source,
    Span,
    Statement,
    UnreadableError,
    is_specifier,
    requirement,
)
from tfdoctor.base.version_ranges import normalised

if TYPE_CHECKING:
    from yaml.nodes import Node

_DEEPEST, _MOST_BRACKETS = 200, 2000


def documents(source: Source) -> list[Node]:
    """The root of each document. Raises UnreadableError."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if max(map(source.text.count, "[{")) > _MOST_BRACKETS or "- " * _DEEPEST in source.text:
        loader = yaml.SafeLoader  # what nests too deep would end the process in libyaml's
    try:
        return list(yaml.compose_all(source.text.removeprefix("\ufeff"), loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise UnreadableError(
            f"it is no YAML{where}: {getattr(error, 'problem', None) or error}"
        ) from error
    except RecursionError as error:
        raise UnreadableError("it nests too deeply") from error
    except ValueError as error:
        raise UnreadableError(f"it is no YAML that can be read: {error}") from error


def mapping(node: Node | None) -> dict[str, Node]:
    """The values of a mapping by their keys, merged ones behind its own; {} for anything else."""
    from yaml.nodes import MappingNode, ScalarNode, SequenceNode

    found: dict[str, Node] = {}
    merged: list[Node] = []
    for key, value in node.value if isinstance(node, MappingNode) else ():
        if isinstance(key, ScalarNode) and key.value == "<<":
            merged += value.value if isinstance(value, SequenceNode) else [value]
        elif isinstance(key, ScalarNode):
            found[key.value] = value
    for each in merged:
        if isinstance(each, MappingNode):
            own = {key.value: value for key, value in each.value if isinstance(key, ScalarNode)}
            found = {**own, **found}
    return found


def items(node: Node | None) -> list[Node]:
    from yaml.nodes import SequenceNode

    return node.value if isinstance(node, SequenceNode) else []


def scalar(node: Node | None) -> str | None:
    from yaml.nodes import ScalarNode

    return node.value if isinstance(node, ScalarNode) else None


def span(source: Source, node: Node) -> Span:
    return source.span(
        source.offset(node.start_mark.line, node.start_mark.column),
        source.offset(node.end_mark.line, node.end_mark.column),
    )


def conda(source: Source) -> tuple[Environment, ...]:
    """An environment.yml; none where it is another kind of YAML of that name."""
    found = []
    for document in documents(source):
        tables = mapping(document)
        if "dependencies" not in tables:
            continue
        told = [*_conda_packages(source, tables["dependencies"])]
        for name, value in mapping(tables.get("variables")).items():
            told.append(Statement("variable", name, scalar(value), span(source, value)))
        found.append(Environment(source.path, "", tuple(told)))
    return tuple(found)


def _conda_packages(source: Source, node: Node) -> Iterator[Statement]:
    for each in items(node):
        text = scalar(each)
        told = conda_spec(text, span(source, each)) if text is not None else None
        if told is not None:
            yield told
        elif text is None:
            for line in items(mapping(each).get("pip")):
                yield from _pip_line(source, line)


def _pip_line(source: Source, node: Node) -> Iterator[Statement]:
    text = (scalar(node) or "").strip()
    for option, kind in (
        ("-r", "package"),
        ("--requirement", "package"),
        ("-c", "constraint"),
        ("--constraint", "constraint"),
    ):
        if text.startswith((f"{option} ", f"{option}=")):
            path = text[len(option) + 1 :].strip()
            other = source.named(path)
            if other is None:
                yield Statement("option", "unread-file", path, span(source, node), step=1)
            else:
                yield from requirements.statements(other, kind=kind, step=1)
            return
    place = span(source, node)
    told = (
        requirement(source, text, place.start, form="yaml", step=1, end=place.end)
        if not text.startswith("-")
        else None
    )
    if told is not None:
        yield told


_CONDA_FILE = re.compile(
    r"(?P<name>[A-Za-z0-9_.-]+)-(?P<version>[^-/]+)-[^-/]+\.(?:conda|tar\.bz2)"
)


def pixi_lock(source: Source) -> tuple[Environment, ...]:
    """What Linux on x86-64 gets, as one environment: a package in two versions counts as unknown."""
    found: list[tuple[str, str, Node, str]] = []
    for package in (
        each for document in documents(source) for each in items(mapping(document).get("packages"))
    ):
        keys = mapping(package)
        conda_url, name, version = (scalar(keys.get(each)) for each in ("conda", "name", "version"))
        kind = scalar(keys.get("kind"))  # up to version 5 of the format
        conda_url = scalar(keys.get("url")) if kind == "conda" else conda_url
        if conda_url is not None:
            file = _CONDA_FILE.fullmatch(conda_url.rpartition("/")[2])
            if file is not None and ("/linux-64/" in conda_url or "/noarch/" in conda_url):
                found.append((file["name"], file["version"], package, CONDA))
        elif ("pypi" in keys or kind == "pypi") and name and version:
            found.append((name, version, package, PIP))
    versions: dict[str, set[str]] = {}
    for name, version, _, _ in found:
        versions.setdefault(normalised(name), set()).add(version)
    told = (
        Statement(
            "python" if name == "python" else "package",
            normalised(name),
            f"=={version}"
            if len(versions[normalised(name)]) == 1 and is_specifier(f"=={version}")
            else None,
            source.span(
                source.offset(node.start_mark.line, node.start_mark.column),
                source.offset(node.start_mark.line + 1, 0),
            ),
            installer=installer,
        )
        for name, version, node, installer in found
    )
    return (Environment(source.path, "", tuple(told), complete=True),) if found else ()
