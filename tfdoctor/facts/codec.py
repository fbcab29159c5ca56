"""One codec: records to JSON, and back with every type checked, by what their annotations say.

A record becomes an object of its fields; `JSON = "code docs note? from=source"` names other keys, in order: attributes of
any kind are written, fields alone are read, `?` leaves out what is empty, `key=attribute` renames. A class with `parse` is
its text, one with `FLAT` has its groups' fields as "group.name", one with `to_document` and `from_document` does it itself. Unions go by `status`. Unknown keys are ignored.

Our own, for msgspec takes 34 ms to import, brings typing and re into programs that have none, makes both == and != true
for `eq=False`, and has no wheel for a browser; dataclasses take 117 ms for 150 classes where `record` takes 24.
"""

from __future__ import annotations

import sys

from tfdoctor.base.records import is_record, names

TYPE_CHECKING = (
    False  # as type checkers know it: the health check reads its state by this, without typing
)
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar, overload

    T = TypeVar("T")
    Convert = Callable[[Any], Any]

_LONGEST_SHOWN = 60
_KINDS = {dict: "an object", list: "a list", type(None): "null"}
_EXPECTED = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    **_KINDS,
}


class DocumentError(ValueError):
    """JSON of a form that can't be read. `path` says where: "findings[0].severity"."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason, self.path = reason, path

    def within(self, name: str) -> DocumentError:
        """The same error, seen from the value that this one is in."""
        dot = "." if self.path and not self.path.startswith("[") else ""
        return DocumentError(self.reason, name + dot + self.path)


class InvalidValueError(ValueError):
    """A text that is no value of its type. A fact with such a value is Failed, and the rest of the report is read."""


def keys(kind: Any) -> Iterator[tuple[str, str, bool]]:
    """(key, attribute, whether it is left out where empty) of a record's JSON form."""
    for word in getattr(kind, "JSON", "").split() or names(kind):
        key, _, attribute = word.rstrip("?").partition("=")
        yield key, attribute or key, word.endswith("?")


def hints(kind: Any) -> dict[str, Any]:
    """The types of a record's fields: typing.get_type_hints for what records use."""
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        own = {
            name: hint
            for name, hint in vars(base).get("__annotations__", {}).items()
            if name in names(kind)
        }
        # all in one expression, since compiling each takes three times as long
        types = eval(f"[{','.join(own.values())}]", vars(sys.modules[base.__module__]))  # noqa: S307  # our own source
        found.update(zip(own, types, strict=True))
    return found


def to_json(value: Any) -> Any:
    """The JSON form; JSON's own types stay as they are."""
    write = _WRITERS.get(value.__class__)
    if write is None:
        write = _WRITERS[value.__class__] = _writer(value.__class__)
    return write(value)


def _writer(kind: Any) -> Convert:
    if hasattr(kind, "parse") or issubclass(
        kind, str
    ):  # a line that knows what it does is its text
        return str
    if hasattr(kind, "FLAT"):
        return lambda value: {path: to_json(fact) for path, fact in value.items()}
    if hasattr(kind, "to_document"):
        return lambda value: value.to_document()
    if is_record(kind):
        return _record_writer(kind)
    if hasattr(kind, "_value2member_map_"):  # an Enum, whose module costs an import
        return lambda value: to_json(value.value)
    return next(
        (write for base, write in tuple(_WRITERS.items()) if issubclass(kind, base)),
        lambda value: value,
    )


def _record_writer(kind: Any) -> Convert:
    parts = tuple(keys(kind))

    def write(record: Any) -> dict[str, Any]:
        document = {}
        for key, attribute, optional in parts:
            value = getattr(record, attribute)
            if value or not optional:
                document[key] = to_json(value)
        return document

    def write_all(record: Any) -> dict[str, Any]:  # facts have no truth value
        return {key: to_json(getattr(record, attribute)) for key, attribute, _ in parts}

    return write if any(optional for _, _, optional in parts) else write_all


_WRITERS: dict[Any, Convert] = {
    **dict.fromkeys((str, int, float, bool, type(None)), lambda value: value),
    **dict.fromkeys((list, tuple), lambda value: [to_json(item) for item in value]),
    dict: lambda value: {str(key): to_json(item) for key, item in value.items()},
}


if TYPE_CHECKING:

    @overload
    def from_json(document: Any, hint: type[T]) -> T: ...
    @overload
    def from_json(document: Any, hint: Any) -> Any: ...


def from_json(document: Any, hint: Any) -> Any:
    """A value of the type `hint`. Raises DocumentError."""
    try:
        return _reader(hint)(document)
    except InvalidValueError as error:
        raise DocumentError(str(error)) from error


_READERS: dict[Any, Convert] = {}


def _reader(hint: Any) -> Convert:
    if hint not in _READERS:
        _READERS[hint] = _new_reader(hint)
    return _READERS[hint]


def _new_reader(hint: Any) -> Convert:
    kind: Any = getattr(hint, "__origin__", None) or hint
    parts: tuple[Any, ...] = getattr(hint, "__args__", ())
    if hasattr(hint, "__metadata__"):  # Annotated: notes for the schema
        return _reader(kind)
    if kind is tuple:
        return (
            _list_reader(_reader(parts[0]))
            if parts[1:] == (...,)
            else _row_reader([*map(_reader, parts)])
        )
    if getattr(kind, "__name__", "") in ("dict", "Mapping"):
        return _dict_reader(_reader(parts[1]))
    if hasattr(kind, "from_document"):
        return kind.from_document  # type: ignore[no-any-return]  # a class method of the record
    if is_record(kind):
        return _text_reader(kind) if hasattr(kind, "parse") else _record_reader(kind, parts)
    if parts and parts[0].__class__ is str:  # Literal: a newer tfdoctor may know more words
        return _plain_reader(str)
    if parts:
        return (
            _union_reader(parts)
            if all(hasattr(part, "status") for part in parts)
            else _first_of(parts)
        )
    if hasattr(kind, "_value2member_map_"):
        return _enum_reader(kind)
    return _plain_reader(kind) if kind in _EXPECTED else lambda document: document  # Any


def _shown(document: Any) -> str:
    if document.__class__ in _KINDS:
        return _KINDS[document.__class__]
    text = repr(document)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _expect(document: Any, kind: type) -> None:
    if document.__class__ is not kind:
        raise DocumentError(f"{_EXPECTED[kind]} is expected, not {_shown(document)}")


def _plain_reader(kind: type) -> Convert:
    def read(document: Any) -> Any:
        if document.__class__ is kind:
            return document
        if kind is not float or document.__class__ is not int or abs(document) >= 1 << 1000:
            _expect(document, kind)
        return float(document)

    return read


def _text_reader(kind: Any) -> Convert:
    def read(document: Any) -> Any:
        _expect(document, str)
        return kind.parse(document)

    return read


def _enum_reader(kind: Any) -> Convert:
    def read(document: Any) -> Any:
        try:
            return kind(document)
        except ValueError:
            expected = ", ".join(str(member.value) for member in kind)
            raise DocumentError(f"{_shown(document)} is none of {expected}") from None

    return read


def _inside(name: str, read: Convert, document: Any) -> Any:
    try:
        return read(document)
    except DocumentError as error:
        raise error.within(name) from None


def _list_reader(read: Convert) -> Convert:
    def read_all(document: Any) -> tuple[Any, ...]:
        _expect(document, list)
        return tuple([_inside(f"[{at}]", read, item) for at, item in enumerate(document)])

    return read_all


def _row_reader(reads: list[Convert]) -> Convert:
    def read_all(document: Any) -> tuple[Any, ...]:
        _expect(document, list)
        if len(document) != len(reads):
            raise DocumentError(f"{len(reads)} items are expected, not {len(document)}")
        return tuple([_inside(f"[{at}]", reads[at], item) for at, item in enumerate(document)])

    return read_all


def _dict_reader(read: Convert) -> Convert:
    def read_all(document: Any) -> dict[str, Any]:
        _expect(document, dict)
        return {
            str(key): _inside(str(key)[:_LONGEST_SHOWN], read, item)
            for key, item in document.items()
        }

    return read_all


def _union_reader(parts: tuple[Any, ...]) -> Convert:
    reads = {part.status: _reader(part) for part in parts}

    def read(document: Any) -> Any:
        _expect(document, dict)
        status = document.get("status")
        if status.__class__ is not str or status not in reads:
            raise DocumentError(f"{_shown(status)} is none of {', '.join(reads)}", "status")
        try:
            return reads[status](document)
        except InvalidValueError as error:
            return reads["failed"]({"error": str(error), "kind": "unreadable"})

    return read


def _first_of(parts: tuple[Any, ...]) -> Convert:
    reads = [_reader(part) for part in parts]

    def read(document: Any) -> Any:
        for read_part in reads[:-1]:
            try:
                return read_part(document)
            except DocumentError:
                continue
        return reads[-1](document)

    return read


def _record_reader(kind: Any, parts: tuple[Any, ...]) -> Convert:
    """Fields that the document lacks take the record's default, where it has one."""
    fields: list[tuple[str, str, Convert]] = []
    needed: list[str] = []

    def read(document: Any) -> Any:
        if not fields:  # not before the first use: one report has many types
            types, given = (
                hints(kind),
                dict(zip(getattr(kind, "__parameters__", ()), parts, strict=True)),
            )
            own = [(key, name, types[name]) for key, name, _ in keys(kind) if name in types]
            fields.extend((key, name, _reader(given.get(hint, hint))) for key, name, hint in own)
            needed.extend(key for key, name, _ in own if not hasattr(kind, name))
        _expect(document, dict)
        given = {
            name: _inside(key, read, document[key]) for key, name, read in fields if key in document
        }
        if lacking := [key for key in needed if key not in document]:
            raise DocumentError("is missing", lacking[0])
        return kind(**given)

    def read_flat(document: Any) -> Any:
        if not fields:
            fields.extend(
                (group, group, _flat_group(group, of_kind))
                for group, of_kind in hints(kind).items()
            )
        _expect(document, dict)
        return kind(**{name: read(document) for name, _, read in fields})

    return read_flat if hasattr(kind, "FLAT") else read


def _flat_group(group: str, kind: Any) -> Convert:
    fields = [(f"{group}.{name}", name, _reader(hint)) for name, hint in hints(kind).items()]

    def read(document: Any) -> Any:
        return kind(
            **{
                name: _inside(path, read, document[path])
                for path, name, read in fields
                if path in document
            }
        )

    return read
