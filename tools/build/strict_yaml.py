"""YAML as people write knowledge: no anchors, no tags, no unquoted numbers where words are meant, every slip with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

MOST_BYTES = 1_000_000
FILL_IN = "FILL IN"
"""What a scaffold leaves to be written."""
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_TAG = "tag:yaml.org,2002:str"


class SlipError(Exception):
    """What is wrong in files, a line for each slip: "file:line:column: what it is"."""

    def __init__(self, *slips: str) -> None:
        super().__init__("\n".join(slips))
        self.slips = slips


class Slips:
    """Gathers what is wrong, so that one run names all of it: `with slips: …` for each part, `raise_any` at the end."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, SlipError):
            self._found += error.slips
        return isinstance(error, SlipError)

    def raise_any(self) -> None:
        if self._found:
            raise SlipError(*dict.fromkeys(self._found))


@dataclass(frozen=True)
class Node:
    """A value of a file and its place."""

    file: str
    node: yaml.Node

    @property
    def place(self) -> str:
        mark = self.node.start_mark
        return f"{self.file}:{mark.line + 1}:{mark.column + 1}"

    def slip(self, words: str) -> SlipError:
        return SlipError(f"{self.place}: {words}")

    def children(self) -> list[Node]:
        return [Node(self.file, each) for each in self.node.value]

    def pairs(self) -> list[tuple[str, Node, Node]]:
        """Key, the key's node, the value's node. Raises SlipError for what is no mapping and for a key that stands twice."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.slip("a mapping is expected here (key: value)")
        found: dict[str, tuple[str, Node, Node]] = {}
        for key, value in self.node.value:
            node = Node(self.file, key)
            name = text(node)
            if name in found:
                raise node.slip(f"{name!r} stands here a second time")
            found[name] = (name, node, Node(self.file, value))
        return list(found.values())


class Fields(dict[str, Any]):
    """What a mapping holds, and where: `node` is its own place, `at` that of a key's value or of one of its members."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node
        self.values_at: dict[str, Node] = {}

    def at(self, key: str, member: int | None = None) -> Node:
        value = self.values_at.get(key, self.node)
        several = isinstance(value.node, yaml.SequenceNode)
        return value.children()[member] if several and member is not None else value


@dataclass(frozen=True)
class Kind:
    """What may stand at a place: how it is read, and the same as JSON Schema for editors."""

    read: Callable[[Node], Any]
    schema: Mapping[str, Any]


def document(path: Path, root: Path) -> Node:
    """The file's top node; of a Markdown file that of its front matter. Raises SlipError."""
    name = path.relative_to(root).as_posix()
    if path.stat().st_size > MOST_BYTES:
        raise SlipError(
            f"{name}:1:1: over {MOST_BYTES // 1_000_000} MB; make a folder of several files"
        )
    try:
        content = path.read_text(encoding="utf-8")
        _refuse_unwritten(name, content)
        if path.suffix == ".md":
            content, end, _ = content.partition("\n---\n")
            if not end or not content.startswith("---\n"):
                raise SlipError(
                    f"{name}:1:1: front matter is expected here, between two lines of ---"
                )
        for event in yaml.parse(content, Loader=_LOADER):
            if getattr(event, "anchor", None) is not None:
                raise SlipError(
                    f"{_place(name, event.start_mark)}: no anchors (&) and aliases (*): write it out, or name it in lists"
                )
            if getattr(event, "tag", None) is not None:
                raise SlipError(f"{_place(name, event.start_mark)}: no tags (!)")
        top = yaml.compose(content, Loader=_LOADER)
    except UnicodeDecodeError as error:
        raise SlipError(f"{name}:1:1: this is no UTF-8 ({error.reason})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = _place(name, mark) if mark else f"{name}:1:1"
        raise SlipError(f"{place}: {getattr(error, 'problem', None) or error}") from error
    if top is None:
        raise SlipError(f"{name}:1:1: the file is empty")
    return Node(name, top)


def _refuse_unwritten(name: str, content: str) -> None:
    found = [
        f"{name}:{number}:{line.index(FILL_IN) + 1}: this is still to be filled in"
        for number, line in enumerate(content.splitlines(), 1)
        if FILL_IN in line
    ]
    if found:
        raise SlipError(*found)


def _place(name: str, mark: Any) -> str:
    return f"{name}:{mark.line + 1}:{mark.column + 1}"


def text(node: Node) -> str:
    """The words of a scalar. A number, a date or a word such as `on` needs quotes."""
    scalar = node.node
    if not isinstance(scalar, yaml.ScalarNode):
        raise node.slip("a text is expected here")
    if scalar.tag != _TEXT_TAG:
        raise node.slip(
            f"write '{scalar.value}' in quotes: YAML reads it as {scalar.tag.rsplit(':', 1)[-1]}"
        )
    value: str = scalar.value
    return value


TEXT = Kind(text, {"type": "string"})


def _yes(node: Node) -> bool:
    if getattr(node.node, "value", "") != "true":
        raise node.slip("either true, or leave it out")
    return True


YES = Kind(_yes, {"const": True})


def listed(kind: Kind, *, block: bool = False, alone: bool = False) -> Kind:
    """A list of such values. `block`: one a line, since commas part a flow list. `alone`: a single one needs no list."""

    def read(node: Node) -> tuple[Any, ...]:
        if not isinstance(node.node, yaml.SequenceNode):
            if alone:
                return (kind.read(node),)
            raise node.slip("a list is expected here")
        if block and node.node.flow_style:
            raise node.slip("write one a line (- '...'): commas part a list in brackets")
        found, slips = [], Slips()
        for each in node.children():
            with slips:
                found.append(kind.read(each))
        slips.raise_any()
        return tuple(found)

    several = {"type": "array", "items": dict(kind.schema)}
    return Kind(read, {"anyOf": [dict(kind.schema), several]} if alone else several)


def choice(*words: str) -> Kind:
    """One of these words."""

    def read(node: Node) -> str:
        said = text(node)
        if said not in words:
            raise node.slip(f"{said!r} is none of {', '.join(words)}{meant(said, words)}")
        return said

    return Kind(read, {"enum": list(words)})


def known(what: str, names: Callable[[], Any]) -> Kind:
    """A name out of a table that is asked when a file is read."""

    def read(node: Node) -> str:
        said = text(node)
        if said not in names():
            raise node.slip(f"no {what} {said!r}{meant(said, names())}")
        return said

    return Kind(read, {"type": "string"})


def mapping(keys: Mapping[str, Kind], required: tuple[str, ...] = ()) -> Kind:
    """A mapping with these keys alone."""

    def read(node: Node) -> Fields:
        found, slips = Fields(node), Slips()
        for name, key, value in node.pairs():
            found.values_at[name] = value
            with slips:
                if name not in keys:
                    raise key.slip(f"no key {name!r} here{meant(name, keys)}")
                found[name] = keys[name].read(value)
        slips.raise_any()
        if lacking := [each for each in required if each not in found]:
            raise node.slip(f"{', '.join(lacking)} is missing here")
        return found

    properties = {name: dict(kind.schema) for name, kind in keys.items()}
    return Kind(
        read,
        {
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        },
    )


def by_name(kind: Kind) -> Kind:
    """A mapping of names to such values; each value comes with its node, for what is found wrong later."""

    def read(node: Node) -> dict[str, tuple[Node, Any]]:
        found, slips = {}, Slips()
        for name, key, value in node.pairs():
            with slips:
                found[name] = (key, kind.read(value))
        slips.raise_any()
        return found

    return Kind(read, {"type": "object", "additionalProperties": dict(kind.schema)})


def meant(said: str, names: Any) -> str:
    """The name that is most like it, in parentheses; "" for none."""
    near = get_close_matches(said, list(names), 1)
    return f" ({near[0]}?)" if near else ""
