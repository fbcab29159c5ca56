"""What a scenario says of its base: only what differs, each by a path.

    facts:
      driver.version: "470.57.02"                                       a value that is known
      driver.devices: !failed cuInit answered 35                        … that could not be found out
      driver.module_version: !absent /proc/driver/nvidia/version does not exist
      cuda_libraries.libraries[libcudnn.so.9].version: "9.1.0"          a part of one item of a list
      driver.library: {found_via: jetson, shadows: []}                  some fields of a record
      packages.installed[torch]: {version: "2.5.1"}                     a new item, else like the first one
      packages.installed[keras]: !gone                                  without that item
      cuda_libraries.libraries[*]: {path: !absent not found}            the same of every item

An item is named by its soname, its device and name, its index, its name or itself. The long form of a fact, as in a
report ({"status": …}), may stand wherever a value may.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from tfdoctor.base.records import names
from tfdoctor.facts.model import Facts

GONE, EVERY = object(), "*"
FACTS = {f"{group}.{name}" for group in names(Facts) for name in names(getattr(Facts(), group))}
_KEYS = {
    "known": {"status", "value", "from"},
    "absent": {"status", "reason"},
    "failed": {"status", "kind", "error", "not_live"},
}
_UNASKED = {"status": "failed", "error": "the base does not have it"}
_PATH = re.compile(r"(\w+\.\w+)((?:\[[^\]]+\]|\.\w+)*)")
_STEP = re.compile(r"\[([^\]]+)\]|\.(\w+)")
_NAMES = ("soname", "index", "name")


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # which of the two depends on the machine
    """YAML with the short forms of facts."""


Loader.add_constructor("!absent", lambda loader, node: {"status": "absent", "reason": node.value})
Loader.add_constructor("!failed", lambda loader, node: {"status": "failed", "error": node.value})
Loader.add_constructor("!gone", lambda loader, node: GONE)


def laid_over(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The base's facts with the changes, in their order. Raises KeyError for a place that the base does not have."""
    document = dict(base)
    for path, value in changes.items():
        found = _PATH.fullmatch(path)
        if found is None or found[1] not in base.keys() | FACTS:
            raise KeyError(f"there is no fact {path}")
        steps = [item or name for item, name in _STEP.findall(found[2])]
        try:
            document[found[1]] = _changed(document.get(found[1], _UNASKED), steps, value)
        except (LookupError, TypeError) as error:
            raise KeyError(f"{path}: {error}") from error
    return document


def _changed(node: Any, steps: list[str], value: Any) -> Any:
    if not steps:
        return _put(node, value)
    if is_fact(node):
        if node["status"] != "known":
            raise LookupError(f"the base says {node['status']}: give the whole of it")
        return {**node, "value": _changed(node["value"], steps, value)}
    if isinstance(node, list):
        return _in_list(node, steps[0], steps[1:], value)
    return _followed(node, {steps[0]: _changed(node[steps[0]], steps[1:], value)})


def _in_list(items: list[Any], name: str, steps: list[str], value: Any) -> list[Any]:
    if name == EVERY:
        return [_changed(each, steps, value) for each in items]
    place = next((at for at, each in enumerate(items) if name in names_of(each)), None)
    if place is None and steps:
        raise LookupError(f"no item is named {name}")
    if place is None:
        return [*items, _like(items[0], name, value) if items else value]
    new = [] if value is GONE and not steps else [_changed(items[place], steps, value)]
    return [*items[:place], *new, *items[place + 1 :]]


def names_of(item: Any) -> list[str]:
    """By which names a path may mean this item."""
    if not isinstance(item, dict):
        return [str(item)]
    both = [f"{item['device']} {item['name']}"] if {"device", "name"} <= item.keys() else []
    return both or [str(item[key]) for key in _NAMES if key in item]


def _put(old: Any, value: Any) -> Any:
    """A plain value in a fact's place is known, from where the base knows it."""
    if isinstance(old, dict) and isinstance(value, dict) and not is_fact(old):
        # Also of a computation, whose status and error look like a fact's.
        return _merged(old, value)
    if is_fact(value):
        return value
    if is_fact(old):
        return {
            "status": "known",
            "value": _put(old.get("value"), value),
            "from": old.get("from", "scenario"),
        }
    return value


def _merged(old: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Of a record only the fields that are named change."""
    return _followed(old, {key: _put(old.get(key), each) for key, each in value.items()})


def _followed(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """A folder that holds a package's name and version holds its new ones."""
    item = {**old, **new}
    for each in ("name", "version"):
        before, after = old.get(each), item.get(each)
        if (
            isinstance(before, str)
            and isinstance(after, str)
            and "folder" in old
            and "folder" not in new
        ):
            item["folder"] = _renamed(item["folder"], before, after)
    return item


def _renamed(text: str, old: str, new: str) -> str:
    return text.replace(old, new).replace(old.replace("-", "_"), new.replace("-", "_"))


def _like(first: Any, name: str, value: Any) -> Any:
    """A new item: what is not said of it is as in the first one, whose name and version give way to its own."""
    if not isinstance(value, dict) or not isinstance(first, dict) or is_fact(value):
        return value
    key = next((key for key in _NAMES if key in first), None)
    return _merged(first, {key: type(first[key])(name), **value} if key else value)


def is_fact(node: Any) -> bool:
    """By all of its keys, for a computation has a status, too."""
    return (
        isinstance(node, dict)
        and "status" in node
        and node.keys() <= _KEYS.get(str(node.get("status")), frozenset())
    )
