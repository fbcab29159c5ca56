"""Records behave as frozen dataclasses do; a real dataclass is the yardstick where both can be asked."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any, ClassVar

import pytest

from tfdoctor.base.records import field, is_record, names, record, replace


@record
class Point:
    x: int
    y: int = 7
    label: str = "here"
    unit: ClassVar[str] = "m"


@record
class Path3(Point):
    z: int = 0
    points: list[int] = field(default_factory=list)


@record(eq=False)
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value <= 0:
            raise ValueError("it is not positive")


@dataclasses.dataclass(frozen=True)
class Yardstick:
    x: int
    y: int = 7
    label: str = "here"
    unit: ClassVar[str] = "m"


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, 2), {}),
    ((1, 2, "there"), {}),
    ((), {"x": 1}),
    ((1,), {"label": "there"}),
    ((), {"label": "there", "x": 1, "y": 2}),
    ((), {}),
    ((), {"y": 1}),
    ((1,), {"x": 1}),
    ((1, 2, "there", 4), {}),
    ((1,), {"unknown": 1}),
    ((), {"unknown": 1}),
    ((), {"unknown": 1, "y": 2, "label": "there"}),
    ((1, 2, "there"), {"unit": "km"}),
]


@pytest.mark.parametrize("call", CALLS)
def test_it_is_made_as_a_dataclass_is_or_refused_as_one_is(
    call: tuple[tuple[Any, ...], dict[str, Any]],
) -> None:
    given, named = call
    made = []
    for kind in (Yardstick, Point):
        try:
            one: Any = kind(*given, **named)
            made.append((one.x, one.y, one.label, one.unit, hash(one), repr(one).partition("(")[2]))
        except TypeError:
            made.append(None)  # type: ignore[arg-type]  # what was refused
    assert made[0] == made[1]


def test_fields_are_inherited_in_order_and_can_be_replaced() -> None:
    assert names(Path3) == ("x", "y", "label", "z", "points")
    path = replace(Path3(1, 2, z=3, points=[4]), y=5)
    assert path == Path3(1, 5, "here", 3, [4]) != Path3(1, 5)
    with pytest.raises(TypeError):
        replace(path, unknown=1)  # type: ignore[call-arg]  # which mypy knows, too


def test_each_record_gets_its_own_list() -> None:
    assert Path3(1).points is not Path3(1).points


def test_it_never_changes() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]  # it is frozen, mypy says so, too
    with pytest.raises(AttributeError):
        del point.y
    assert point == Point(1, 7)


def test_equality_asks_for_the_same_class_and_eq_false_for_the_same_object() -> None:
    assert Point(1) != Yardstick(1)  # type: ignore[comparison-overlap]  # which is the point
    assert Positive(1) != Positive(1)
    with pytest.raises(ValueError, match="not positive"):
        Positive(0)


def test_records_and_their_classes_are_known_from_others() -> None:
    assert is_record(Point) and is_record(Point(1))
    assert not is_record(Yardstick) and not is_record(3)


def test_it_imports_neither_dataclasses_nor_inspect() -> None:
    program = "import sys, tfdoctor.facts.model; print([name for name in ('dataclasses', 'inspect') if name in sys.modules])"
    told = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "[]"
