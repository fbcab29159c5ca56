"""Frozen dataclasses that cost little to define: `@record` in place of `@dataclass(frozen=True)`.

The doctor has over a hundred such classes and defines them each time it starts. `dataclass(frozen=True)` compiles
seven methods for each, 0.35 ms here (Python 3.11, 2026-11-20): together longer than any question that is asked of the
machine. Six of the seven say the same for every class and are said once, below; `dataclass` writes the `__init__`.
`fields`, `replace` and `is_dataclass` of the standard library work as for any dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**promises: Any) -> Any:  # only type checkers read the promises
        return lambda function: function


C = TypeVar("C", bound="type[Any]")


@overload
def record(cls: C) -> C: ...
@overload
def record(*, eq: bool) -> Callable[[C], C]: ...
@dataclass_transform(frozen_default=True)
def record(cls: Any = None, *, eq: bool = True) -> Any:
    """The class as a frozen dataclass. With `eq=False` two records are equal only where they are the same object."""
    if cls is None:
        return lambda given: record(given) if eq else _frozen(given)
    made = _frozen(cls)
    made.__eq__, made.__hash__ = _equal, _hash
    return made


def _frozen(cls: Any) -> Any:
    made: Any = dataclass(eq=False, repr=False)(cls)
    made.__setattr__, made.__delattr__ = _set_once, _never_delete
    if "__repr__" not in vars(cls):
        made.__repr__ = _repr
    return made


@cache
def _compared(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)


def _values(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, name) for name in _compared(type(self)))  # type: ignore[arg-type]  # every class is hashable


def _equal(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _set_once(self: Any, name: str, value: object) -> None:
    """`__init__` sets each field once; whoever comes later is refused."""
    if name in vars(self):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _never_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
