"""All messages, loaded from what `make knowledge` compiled of `data/knowledge/`, and the ways to ask for them.

Nothing that starts every time imports this: it is needed where TensorFlow failed, or a log is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tfdoctor.knowledge.compiled import compiled, whole
from tfdoctor.knowledge.messages.signature import KINDS_OF_WORDS, Hit, Signature

COMPILED = Path(__file__).parent / "messages.json"
COMPILED_WORDS = Path(__file__).parent / "words.jsonl"
"""Apart from what recognizes: only a log in which something was found needs it."""
COMPILED_FAILING = Path(__file__).parent / "failing.json"
"""The words of a failure: only a log in which no cause was found needs them."""
FORMAT = 1
ADDED: dict[Signature, tuple[Any, ...]] = {}
"""What plug-ins bring, with title, explanation, fixes, cases and defaults: as `COMPILED_WORDS` has them by name."""
_FIELDS = (
    "name", "code", "anchor", "also", "form", "unless", "role", "rivals", "decided_by", "clears", "why", "sure",
)  # fmt: skip


def signature_to_json(signature: Signature) -> list[Any]:
    """Its fields in the order of _FIELDS."""
    return [getattr(signature, field) for field in _FIELDS]


def signature_from_json(values: list[Any]) -> Signature:
    """The other way round."""
    read: Any = [tuple(each) if isinstance(each, list) else each for each in values]
    return Signature(*read)


@cache
def everything() -> tuple[Signature, ...]:
    """Every message, in the order of the catalogue of codes, those of plug-ins last. Raises OSError for a damaged installation."""
    return (*loaded(), *ADDED)


def loaded() -> tuple[Signature, ...]:
    """The same, read again."""
    document = compiled(COMPILED)
    with whole(COMPILED):
        if document["format"] != FORMAT:
            raise ValueError(f"it is of format {document['format']}, needed is {FORMAT}")
        return tuple(signature_from_json(values) for values in document["messages"])


@cache
def failing() -> dict[str, str]:
    """A pattern for each of KINDS_OF_WORDS. Raises OSError for a damaged installation."""
    found = compiled(COMPILED_FAILING)
    with whole(COMPILED_FAILING):
        return {kind: found[kind] for kind in KINDS_OF_WORDS}


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
