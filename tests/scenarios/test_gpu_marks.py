"""What concerns a GPU alone says so in three places, and they agree: the catalogue's mark, the check's first question, a scenario without a GPU."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module

import pytest

from tests.scenarios.conftest import Scenario, all_scenarios
from tfdoctor.judge.engine.case import Check
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.knowledge.catalog import CODES

OF_GPUS = ("driver", "libraries", "devices", "smoke")
"""Families whose codes are marked, but for few, and whose bases have a GPU."""
CHECKS = {check.code: check for check in in_catalog_order()}
ELSEWHERE = [code for code in CHECKS if CODES[code].family not in OF_GPUS]


def file_of(check: Check) -> str:
    return f"{check.module.replace('.', '/')}.py"


def asks_for_a_gpu(check: Check) -> bool:
    """Whether the function of the code itself calls need_gpu."""
    tree = ast.parse(inspect.getsource(import_module(check.module)))
    functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
    of_code = (each for each in functions if check.code in _codes(each))
    calls = (call for each in of_code for call in ast.walk(each) if isinstance(call, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id == "need_gpu" for call in calls)


def _codes(function: ast.FunctionDef) -> list[object]:
    decorators = (each for each in function.decorator_list if isinstance(each, ast.Call))
    return [arg.value for each in decorators for arg in each.args if isinstance(arg, ast.Constant)]


def without_a_gpu(code: str) -> list[Scenario]:
    return [
        each
        for each in all_scenarios()
        if each.code == code and str(each.said["base"]).startswith("cpu")
    ]


@pytest.mark.slow  # judges every scenario of a code twice
@pytest.mark.parametrize("code", CHECKS)
def test_who_asks_for_a_gpu_is_marked(code: str) -> None:
    if asks_for_a_gpu(CHECKS[code]):
        assert CODES[code].gpu_only, f"{file_of(CHECKS[code])} calls need_gpu: write gpu_only: true into docs/codes/{code}.md"  # fmt: skip


@pytest.mark.parametrize("code", ELSEWHERE)
def test_what_is_marked_has_a_scenario_without_a_gpu(code: str) -> None:
    if CODES[code].gpu_only:
        assert without_a_gpu(code), f"tests/scenarios/codes/{code}.yaml: write a scenario whose base has no GPU (base: cpu), for its page says gpu_only"  # fmt: skip
