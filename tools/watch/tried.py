"""One mutant, in a fork: a function's code or a module's constants are others, then tests run up to the first that fails."""

from __future__ import annotations

import ast
import functools
import gc
import os
import resource
import sys
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tools.watch.mutate import Mutant, file_of, mutated

_MOST_S = 120  # seconds of the processor; who needs more is in a loop without end
_NOTICED, _SURVIVED = 1, 0
_FILES = (
    "tests.scenarios.conftest",
    "tests.scenarios.releases",
    "tfdoctor.knowledge.matrix",
    "tfdoctor.knowledge.messages",
)
"""Modules whose caches hold what was read, not what was judged."""


def begin(mutant: Mutant, tests: list[pytest.Item]) -> int:
    """The process that tries it; `noticed` reads its status."""
    child = os.fork()
    if child == 0:
        status = _NOTICED
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (_MOST_S, _MOST_S))
            _put_in(mutant)
            _forget()
            status = _NOTICED if any(_fails(tests, at) for at in range(len(tests))) else _SURVIVED
        finally:
            os._exit(status)
    return child


def noticed(status: int) -> bool:
    """Of the status that `os.wait` gives: a test failed, or the process did not come to its end."""
    return os.waitstatus_to_exitcode(status) != _SURVIVED


def failing(tests: list[pytest.Item]) -> set[int]:
    """The places of those that fail in a fork without any fault, where they run a second time: they prove nothing."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _forget()
            for at in range(len(tests)):
                if _fails(tests, at):
                    os.write(write_end, f"{at} ".encode())
            os.write(write_end, b"all")
        finally:
            os._exit(0)
    os.close(write_end)
    with open(read_end, encoding="ascii") as told:
        *places, last = told.read().split(" ")
    os.waitpid(child, 0)
    if last != "all":
        raise SystemExit("the tests do not come to their end in a fork")
    return {int(place) for place in places}


def _fails(tests: list[pytest.Item], at: int) -> bool:
    """The next one says what of the surroundings stays; after the last nothing is put away, for the process ends."""
    following = tests[min(at + 1, len(tests) - 1)]
    return any(
        report.failed for report in runtestprotocol(tests[at], nextitem=following, log=False)
    )


def _forget() -> None:
    """What was judged before the fault was there."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper) and not (
            each.__module__ or ""
        ).startswith(_FILES):
            each.cache_clear()


def _put_in(mutant: Mutant) -> None:
    file = str(file_of(mutant.module))
    tree = mutated(file_of(mutant.module).read_text(encoding="utf-8"), mutant.number)
    if mutant.name:
        _assign_again(mutant, tree)
        return
    changed = {
        (each.co_qualname, each.co_firstlineno): each
        for each in _codes(compile(tree, file, "exec"))
    }
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == file:
            code = changed[each.__code__.co_qualname, each.__code__.co_firstlineno]
            if code != each.__code__:
                each.__code__ = code


def _codes(code: CodeType) -> list[CodeType]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return [code, *(found for each in inner for found in _codes(each))]


def _assign_again(mutant: Mutant, tree: ast.Module) -> None:
    """The constant, and those of its module that are made of it; modules that imported one get the new one, too."""
    module = vars(sys.modules[mutant.module])
    changed: set[str] = set()
    for statement in tree.body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            continue
        own = {
            each.id
            for each in ast.walk(statement)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        used = {each.id for each in ast.walk(statement.value) if isinstance(each, ast.Name)}
        if mutant.name not in own and not used & changed:
            continue
        before = {name: module[name] for name in own if name in module}
        exec(compile(ast.Module([statement], []), "mutant", "exec"), module)  # noqa: S102  # our own source, with its fault
        changed |= own
        for name, old in before.items():
            _give(name, old, module[name])


def _give(name: str, old: Any, new: Any) -> None:
    for module in list(sys.modules.values()):
        known = getattr(module, "__dict__", {})
        if (module.__name__ if hasattr(module, "__name__") else "").startswith(
            ("tfdoctor", "tests")
        ) and known.get(name) is old:
            known[name] = new
