"""Compose files and Kubernetes manifests: the image of each container, built or named, and the variables that it is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdoctor.ask.builds import dockerfile
from tfdoctor.ask.builds.shell_lines import expanded
from tfdoctor.ask.builds.statements import Environment, Source, Statement
from tfdoctor.ask.builds.yaml_files import documents, items, mapping, scalar, span

if TYPE_CHECKING:
    from yaml.nodes import Node

_DEEPEST = 20
"""Of a pod's template within a manifest: a CronJob has five levels, an operator's job nine."""


def compose(source: Source) -> tuple[Environment, ...]:
    """One for each service."""
    found: list[Environment] = []
    for document in documents(source):
        for name, service in mapping(mapping(document).get("services")).items():
            keys = mapping(service)
            built = list(_built(source, keys.get("build")))
            named = [] if built else list(_image(source, keys.get("image")))
            found.append(
                Environment(
                    source.path, name, (*built, *named, *_variables(source, keys.get("environment"))), "linux"
                )
            )
    return tuple(found)


def kubernetes(source: Source) -> tuple[Environment, ...]:
    """One for each container, wherever its pod stands in the manifest."""
    return tuple(
        Environment(source.path, scalar(keys.get("name")) or "", (*_image(source, keys.get("image")), *_variables(source, keys.get("env"))), "linux")
        for document in documents(source)
        for keys in _containers(document, _DEEPEST)
    )  # fmt: skip


def _containers(node: Node, deeper: int) -> Iterator[dict[str, Node]]:
    """Each node once: an alias stands for what has been seen."""
    seen: set[int] = set()
    waiting = [(node, deeper)]
    while waiting:
        each, left = waiting.pop()
        if id(each) in seen or not left:
            continue
        seen.add(id(each))
        keys = mapping(each)
        yield from (
            mapping(one) for name in ("initContainers", "containers") for one in items(keys.get(name))
        )
        waiting += [(one, left - 1) for one in (*keys.values(), *items(each))]


def _image(source: Source, node: Node | None) -> Iterator[Statement]:
    text = expanded(scalar(node) or "", {})
    if node is not None and text:
        repository, tag = dockerfile.image(text)
        yield Statement("image", repository, tag, span(source, node))


def _built(source: Source, node: Node | None) -> Iterator[Statement]:
    """What the Dockerfile's stage says, `target` or the last one, with the arguments that are given."""
    keys = mapping(node)
    context = (scalar(node) or scalar(keys.get("context")) or ".").rstrip("/")
    file = (
        source.named(f"{context}/{scalar(keys.get('dockerfile')) or 'Dockerfile'}")
        if node is not None
        else None
    )
    if file is None:
        return
    given = {
        name: expanded(value, {})
        for name, value, _ in _pairs(keys.get("args"))
        if "$" not in expanded(value, {})
    }
    stages = dockerfile.environments(file, given, every=True)
    target = (scalar(keys.get("target")) or "").lower()
    chosen = [each for each in stages if target in ("", each.name)]
    yield from chosen[-1].statements if chosen else ()


def _variables(source: Source, node: Node | None) -> Iterator[Statement]:
    for name, value, place in _pairs(node):
        text = expanded(value, {})
        yield Statement("variable", name, None if "$" in text else text, span(source, place))


def _pairs(node: Node | None) -> Iterator[tuple[str, str, Node]]:
    """A mapping, a list of "NAME=value", or Kubernetes' list of names and values."""
    for name, stated in mapping(node).items():
        text = scalar(stated)
        if text is not None:
            yield name, text, stated
    for each in items(node):
        keys = mapping(each)
        key, value = scalar(keys.get("name")), scalar(keys.get("value"))
        text = scalar(each)
        if text is not None and "=" in text:
            yield text.partition("=")[0], text.partition("=")[2], each
        elif key and value is not None:
            yield key, value, each
