"""Lines of a program that hold memory, by its source alone: what each turn of a loop or each call keeps, and what buffers."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tfdoctor.facts.death import BUFFERS, KEEPS, Holder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KEEPING = frozenset(("append", "appendleft", "extend", "insert", "add", "setdefault", "update"))
_JOINING = frozenset(("concatenate", "concat", "vstack", "hstack", "append"))
_SMALL = frozenset(("float", "int", "len", "str", "bool", "round", "item", "format", "time", "get"))
_SHUFFLING_IN_PLACE = frozenset(("random", "np", "numpy", "rng"))
_MOST_BYTES, _MOST = 1 << 20, 3
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ONCE = ("__init__", "build")
_COUNTERS = ("batch", "step", "epoch", "index", "i")


def holders_of(source: str, line: int, *, often: bool) -> tuple[Holder, ...]:
    """What may hold the memory that grew while `line` ran: first what its own loop keeps; where memory grew `often`, what any other
    function keeps beyond its call; and the buffers. () for what is no Python.
    """
    if len(source) > _MOST_BYTES:
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    functions = [each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS)]
    around = [each for each in functions if _has(each, line)]
    dicts = _dictionaries(tree)
    loop = next((each for each in ast.walk(around[-1] if around else tree) if isinstance(each, _LOOPS) and _has(each, line)), None)  # fmt: skip
    kept = list(_kept(loop.body, set(), dicts)) if loop is not None else []
    if not kept and often:
        kept = [held for each in functions if each.name not in _ONCE for held in _kept(each.body, _own(each), dicts)]  # fmt: skip
    lines, buffers = source.splitlines(), [each for each in ast.walk(tree) if _buffers(each)]
    found = [*((KEEPS, each) for each in kept), *((BUFFERS, each) for each in buffers)]
    places = dict.fromkeys((how, _line_of(node)) for how, node in found)
    return tuple(Holder(how, number, lines[number - 1].strip()[:120]) for how, number in places)[
        :_MOST
    ]


def _line_of(node: ast.AST) -> int:
    """Of the method's name: a chain of calls begins lines above it."""
    if isinstance(node, ast.Call):
        return node.func.end_lineno or node.lineno
    return node.lineno if isinstance(node, ast.stmt) else 1


def _has(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _kept(body: Sequence[ast.stmt], own: set[str], dicts: set[str]) -> Iterator[ast.AST]:
    """What each turn puts into something that outlives it: neither made in the turn nor one of `own`."""
    own = own | {name for each in body for name in _assigned(each)}
    for node in (inner for each in body for inner in ast.walk(each)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            values = [*node.args, *(each.value for each in node.keywords)]
            if node.func.attr in _KEEPING and _root(node.func.value) not in own and not all(map(_is_small, values)):  # fmt: skip
                yield node
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
            into = _root(target.value) if isinstance(target, ast.Subscript) else ""
            if (into in dicts and into not in own and not _is_small(node.value)) or _joins(node):
                yield node


def _assigned(statement: ast.stmt) -> Iterator[str]:
    """Names that get a new container in it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign) and not _joins(node):
            yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def _own(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """What ends with the call; `global` and `nonlocal` names do not."""
    outer = {
        name
        for each in ast.walk(function)
        if isinstance(each, (ast.Global, ast.Nonlocal))
        for name in each.names
    }
    return {name for each in function.body for name in _assigned(each)} - outer


def _joins(node: ast.Assign) -> bool:
    """`all = np.concatenate([all, more])`."""
    call, target = node.value, node.targets[0]
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(target, ast.Name)):  # fmt: skip
        return False
    names = {
        each.id
        for argument in call.args
        for each in ast.walk(argument)
        if isinstance(each, ast.Name)
    }
    return call.func.attr in _JOINING and target.id in names


def _dictionaries(tree: ast.AST) -> set[str]:
    """Names that are given a dictionary: an item of one is kept, while one of an array has its place already."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_dictionary(node.value):
            found |= {_name(each) for each in node.targets}
    return found


def _is_dictionary(value: ast.expr) -> bool:
    return isinstance(value, ast.Dict) or (
        isinstance(value, ast.Call) and _name(value.func).rpartition(".")[2] in ("dict", "defaultdict", "OrderedDict")
    )  # fmt: skip


def _name(node: ast.expr) -> str:
    """ "self.cache" of an attribute; "" of what is neither name nor attribute."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{_name(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def _root(node: ast.expr) -> str:
    """The container's name: of `history["loss"]`, that of the dictionary."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return _name(node)


def _is_small(value: ast.expr) -> bool:
    """A number, a text, or a container of such."""
    if isinstance(value, (ast.Constant, ast.JoinedStr, ast.Compare)):
        return True
    if isinstance(value, ast.Name):
        return value.id in _COUNTERS
    if isinstance(value, ast.Call):
        return _name(value.func).rpartition(".")[2] in _SMALL
    if isinstance(value, ast.Dict):
        return all(map(_is_small, value.values))
    if isinstance(value, (ast.List, ast.Tuple)):
        return all(map(_is_small, value.elts))
    return isinstance(value, ast.Subscript) and _root(value) in ("logs", "log", "metrics")


def _buffers(node: ast.AST) -> bool:
    """`.shuffle(n)` of a data set, or `.cache()` in memory."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    given = bool(node.args or node.keywords)
    if node.func.attr == "cache":
        return not given
    return node.func.attr == "shuffle" and given and not set(_name(node.func.value).split(".")) & _SHUFFLING_IN_PLACE  # fmt: skip
