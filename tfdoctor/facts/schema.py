"""JSON Schema of a document, from the records that the codec writes it from.

`SCHEMA` of a record adds, by key, what types don't say: a text is a description, a dictionary more of the schema; what
stands under "" is for the object itself.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from tfdoctor.base.records import is_record
from tfdoctor.facts.codec import hints, keys
from tfdoctor.facts.outcome import Absent, Failed, Known

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def schema_of(kind: Any, title: str) -> str:
    """The schema of a document that is one such record, as JSON."""
    definitions: dict[str, Any] = {}
    whole = _of_record(kind, definitions)
    head = {"$schema": DRAFT, "$id": kind.schema_id, "title": title}
    return json.dumps({**head, **whole, "$defs": definitions}, indent=2) + "\n"


def _of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple:
        return {"type": "array", "items": _of(parts[0], definitions)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _of(parts[1], definitions)}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(part, definitions) for part in parts]}
    if hasattr(hint, "FLAT"):
        definitions["fact"] = {
            "oneOf": [_of_record(each, definitions) for each in (Known, Absent, Failed)]
        }
        names = {"pattern": "^[a-z_]+\\.[a-z0-9_]+$"}
        return {
            "type": "object",
            "propertyNames": names,
            "additionalProperties": {"$ref": "#/$defs/fact"},
        }
    if is_record(hint) and not hasattr(hint, "parse"):
        definitions[hint.__name__] = _of_record(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if is_record(hint):
        return {"type": "string"}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}  # Any


def _of_record(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    more: dict[str, Any] = getattr(kind, "SCHEMA", {})
    types_of = hints(kind)
    properties = {}
    for key, attribute, _ in keys(kind):
        if attribute in types_of:
            properties[key] = {**_of(types_of[attribute], definitions), **_added(more.get(key, {}))}
        else:
            properties[key] = _added(more[key]) if key in more else _computed(kind, attribute)
    return {
        "type": "object",
        "description": inspect.cleandoc(kind.__doc__ or "").replace("\n", " "),
        "required": [key for key, _, optional in keys(kind) if not optional],
        "properties": properties,
        **more.get("", {}),
    }


def _computed(kind: Any, attribute: str) -> dict[str, Any]:
    """Of what is no field: a property by what it returns, anything else by its value. The schema's own name may be a newer one's."""
    if attribute == "schema_id":
        return {"type": "string"}
    value = inspect.getattr_static(kind, attribute)
    if isinstance(value, property) and value.fget is not None:
        plain = {"str": "string", "int": "integer"}
        return {"type": plain[value.fget.__annotations__["return"]]}
    return {"const": value}


def _added(more: Any) -> dict[str, Any]:
    return {"description": more} if isinstance(more, str) else more
