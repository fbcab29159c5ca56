"""Frozen records that cost little to define: `@record` in place of `@dataclass(frozen=True)`.

The doctor has over a hundred such classes and defines them each time it starts. `dataclass` compiles an `__init__`
for each (0.15 ms here; Python 3.11, 2026-11-20) and imports `inspect`: together longer than any question that is
asked of the machine. What it would write for each class is said once here, for all. Type checkers see dataclasses.
"""

from __future__ import annotations

TYPE_CHECKING = (
    False  # as type checkers know it: importing typing takes longer than all that is said here
)
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import replace as replace  # so that each changed field is checked by name
    from typing import Any, TypeVar, overload

    from typing_extensions import dataclass_transform

    C = TypeVar("C", bound="type[Any]")
    T = TypeVar("T")


class _Made:
    """Stands for a default that each record gets for itself."""

    def __init__(self, factory: Callable[[], object]) -> None:
        self.factory = factory


def field(*, default_factory: Callable[[], T]) -> T:
    """The default of a field whose value is made for each record, as in `dataclasses`."""
    made: Any = _Made(default_factory)
    return made  # type: ignore[no-any-return]  # the class holds the promise, each record what is promised


if not TYPE_CHECKING:

    def dataclass_transform(**promises: Any) -> Any:  # only type checkers read the promises
        return lambda function: function

    def replace(original: Any, **changes: Any) -> Any:
        """A record like `original` with some fields changed."""
        return type(original)(
            **{name: getattr(original, name) for name in names(type(original))} | changes
        )


if TYPE_CHECKING:

    @overload
    def record(cls: C) -> C: ...
    @overload
    def record(*, eq: bool) -> Callable[[C], C]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, *, eq: bool = True) -> Any:
    """The class as a frozen record. With `eq=False` two records are equal only where they are the same object."""
    if cls is None:
        return lambda given: record(given) if eq else _made(given)
    made = _made(cls)
    made.__eq__, made.__hash__ = _equal, _hash
    return made


def is_record(value: object) -> bool:
    """Whether it is a record or the class of one."""
    return hasattr(value, "_record_names")


def names(kind: Any) -> tuple[str, ...]:
    """The fields of a record or of its class, in order."""
    fields: tuple[str, ...] = kind._record_names  # put there by `record`
    return fields


def _made(cls: Any) -> Any:
    own = [name for name, hint in cls.__annotations__.items() if not hint.startswith("ClassVar")]
    inherited = [name for name in getattr(cls, "_record_names", ()) if name not in own]
    cls._record_names = (*inherited, *own)
    cls._record_known = frozenset(cls._record_names)
    cls._record_defaults = {
        name: getattr(cls, name) for name in cls._record_names if hasattr(cls, name)
    }
    cls._record_made = tuple(
        name for name, value in cls._record_defaults.items() if value.__class__ is _Made
    )
    cls.__init__, cls.__setattr__, cls.__delattr__ = _init, _refuse, _refuse
    if "__repr__" not in vars(cls):
        cls.__repr__ = _repr
    return cls


def _init(self: Any, *given: Any, **named: Any) -> None:
    """Raises TypeError for a field that is missing, unknown or given twice."""
    fields, state = self._record_names, self.__dict__
    if len(given) == len(fields) and not named:
        state.update(zip(fields, given, strict=True))
    else:
        state.update(self._record_defaults)
        if given:
            state.update(zip(fields, given, strict=False))
        state.update(named)
        for name in self._record_made:
            if state[name].__class__ is _Made:
                state[name] = state[name].factory()
        if named or len(given) > len(fields) or len(state) != len(fields):
            _refuse_wrong(self, given, named)
    if hasattr(self, "__post_init__"):
        self.__post_init__()


def _refuse_wrong(self: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    fields, state = self._record_names, self.__dict__
    if len(given) > len(fields) or not named.keys().isdisjoint(fields[: len(given)]):
        wrong = f"has the fields {', '.join(fields)}, each is given once"
    elif not named.keys() <= self._record_known:
        wrong = f"has the fields {', '.join(fields)}, and no other"
    elif len(state) < len(fields):
        wrong = f"needs the field {next(name for name in fields if name not in state)}"
    else:
        return
    raise TypeError(f"{type(self).__qualname__} {wrong}")


def _values(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, name) for name in self._record_names)


def _equal(self: Any, other: object) -> Any:
    if self is other:
        return True
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = [f"{name}={getattr(self, name)!r}" for name in self._record_names]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, *value: object) -> None:
    raise AttributeError(f"{type(self).__qualname__} is a record: its {name} can't be changed")
