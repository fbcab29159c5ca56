"""Small faults for a program: where each is, and the source with one of them (`tools/watch/mutants.py`)."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SEVERITIES = {"ERROR": "WARNING", "WARNING": "INFO", "INFO": "WARNING"}
_CONFIDENCES = {"CERTAIN": "LIKELY", "LIKELY": "POSSIBLE", "POSSIBLE": "LIKELY"}


@dataclass(frozen=True)
class Mutant:
    """The `number`-th fault of a module. `name`: the constant that it changes, "" where it is inside of a function.

    `lines`: those of the statement. `threshold`: it moves a number that stands at the module's top.
    """

    module: str
    number: int
    line: int
    what: str
    name: str
    lines: range
    threshold: bool


def mutants(module: str, source: str) -> list[Mutant]:
    tree, told = ast.parse(source), []
    statements = _statements(tree)
    for number, (node, what, _) in enumerate(_faults(tree)):
        top, inner = statements.get(id(node), (None, None))
        constant = isinstance(top, (ast.Assign, ast.AnnAssign))
        told.append(
            Mutant(
                module,
                number,
                getattr(node, "lineno", 0),
                what,
                _target(top) if constant else "",
                _own_lines(inner),
                constant and isinstance(top, ast.Assign) and "number" in what,
            )
        )
    return told


def _statements(tree: ast.Module) -> dict[int, tuple[ast.stmt, ast.stmt]]:
    """The statement at the top and the innermost one, of each node."""
    found: dict[int, tuple[ast.stmt, ast.stmt]] = {}

    def walk(node: ast.AST, top: ast.stmt, inner: ast.stmt) -> None:
        inner = node if isinstance(node, ast.stmt) else inner
        found[id(node)] = (top, inner)
        for each in ast.iter_child_nodes(node):
            walk(each, top, inner)

    for each in tree.body:
        walk(each, each, each)
    return found


def _own_lines(statement: ast.stmt | None) -> range:
    """Without the statements inside of it."""
    if statement is None:
        return range(0)
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def _target(statement: ast.stmt | None) -> str:
    target = (
        statement.targets[0]
        if isinstance(statement, ast.Assign)
        else getattr(statement, "target", None)
    )
    if isinstance(target, ast.Tuple):
        target = target.elts[0]
    return target.id if isinstance(target, ast.Name) else ""


def mutated(source: str, number: int) -> ast.Module:
    """The module with that fault."""
    tree = ast.parse(source)
    for place, (_, _, apply) in enumerate(_faults(tree)):
        if place == number:
            apply()
            return ast.fix_missing_locations(tree)
    raise LookupError(f"there is no fault {number}")


def _faults(tree: ast.Module) -> Iterator[tuple[ast.AST, str, Any]]:
    """Every place that can be changed: the node, in words how, and what changes it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
            yield (
                node,
                f"compares otherwise: {ast.unparse(node)[:60]}",
                lambda node=node: node.ops.__setitem__(0, _COMPARED[type(node.ops[0])]()),
            )
        elif isinstance(node, ast.BoolOp):
            yield (
                node,
                f"and for or: {ast.unparse(node)[:60]}",
                lambda node=node: setattr(
                    node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
                ),
            )
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield (
                node,
                f"without not: {ast.unparse(node)[:60]}",
                lambda node=node: node.__dict__.update(
                    op=ast.Not(), operand=ast.UnaryOp(ast.Not(), copy.copy(node.operand))
                ),
            )
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield (
                node,
                f"another number: {node.value!r}",
                lambda node=node: setattr(
                    node, "value", node.value + (1 if isinstance(node.value, int) else 0.01)
                ),
            )
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield (
                node,
                f"never: if {ast.unparse(node.test)[:60]}",
                lambda node=node: setattr(node, "test", ast.Constant(False)),
            )
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("Severity", "Confidence")
        ):
            other = {**_SEVERITIES, **_CONFIDENCES}.get(node.attr)
            if other:
                yield node, f"{node.value.id}.{other} for {node.attr}", lambda node=node, other=other: setattr(node, "attr", other)  # fmt: skip


def file_of(module: str) -> Path:
    return Path(__file__).parents[2] / f"{module.replace('.', '/')}.py"
