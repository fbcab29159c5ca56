"""Fixes as data: each use fills exactly its holes, and what fills a hole is never read again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import tfdoctor
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages.signature import PAGE
from tools.build.knowledge import OF_THE_LOG, actions, codes, entries, holes, placeholders

_PYTHON = {"python"}
"""pip is that of the log's Python where it is known, else of `python`."""


@cache
def uses() -> list[tuple[str, tuple[str, str], set[str]]]:
    """Where, which action, with which values."""
    found = []
    for file in sorted(Path(tfdoctor.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = (
                node.func.id
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                else ""
            )
            if called in ("act", "fix_here") and isinstance(node, ast.Call):
                if file.name in ("pages.py", "words.py", "cases.py", "actions.py"):
                    continue  # names that stand in data
                named = [
                    each.value
                    for each in node.args[called == "fix_here" :]
                    if isinstance(each, ast.Constant)
                ]
                assert 1 <= len(named) <= 2, f"{file.name}:{node.lineno}: name the action here"
                kind, what = (str(each) for each in (*named, "")[:2])
                values = {str(each.arg) for each in node.keywords}
                if called == "fix_here":  # filled with the log's interpreter
                    values |= OF_THE_LOG & holes((kind, what))
                found.append((f"{file.name}:{node.lineno}", (kind, what), values))
    for entry in entries():
        of_cases = [
            each
            for case in entry.words.cases
            for each in case.get("fixes", ())
            if each != (PAGE, "")
        ]
        for each in of_cases:
            # The builder refuses what no group fills.
            found.append((entry.place, each, holes(each)))
        for each in entry.words.fixes:
            # Filled with the log's interpreter.
            found.append((entry.place, each, OF_THE_LOG & holes(each)))
    return found


def unfit(call: ast.Call, pages: dict[str, Any]) -> Iterator[str]:
    """What a page lacks of `says(code, name, hole=…)`, or of `of_page(code, name, …, values={…})`, which says two sentences. A name that is
    not written out is one of several that the caller chose."""
    code, *names = [
        str(each.value) for each in call.args[:2] if isinstance(each, ast.Constant)
    ] or [""]
    if not names:
        return
    if isinstance(call.func, ast.Name) and call.func.id == "says":
        given, sentences = {str(each.arg) for each in call.keywords}, names
    else:
        dicts = [each.value for each in call.keywords if each.arg == "values"]
        keys = [key for each in dicts if isinstance(each, ast.Dict) for key in each.keys]
        given = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
        sentences = [names[0], f"{names[0]}-title"]
    texts = [pages[code]["says"].get(each, (None, ""))[1] for each in sentences]
    if (
        not all(texts)
        or {hole for each in texts for hole in re.findall(r"\{\{(\w+)\}\}", each)} != given
    ):
        yield f"{code}, {names[0]}"


def test_each_sentence_of_a_check_is_on_its_page_and_gets_what_it_holds() -> None:
    pages, wrong = codes()["codes"], []
    for file in sorted(Path(tfdoctor.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("says", "of_page")
            ):
                wrong += [f"{file.name}:{node.lineno}: {each}" for each in unfit(node, pages)]
    assert wrong == []


def test_each_use_names_an_action_and_fills_its_holes() -> None:
    known, used = actions(), tuple(uses())
    assert [(place, name) for place, name, _ in used if name not in known] == []
    assert [
        (place, name, values)
        for place, name, values in used
        if (values - placeholders().keys()) | _PYTHON != holes(name) | _PYTHON
    ] == []


def test_a_value_is_not_read_for_holes() -> None:
    """Values come out of logs."""
    name, hole = next(
        (name, hole)
        for name in sorted(actions())
        for hole in sorted(holes(name))
        if len(holes(name)) == 1
    )
    filled = act(*name, **{hole: "{{python}} and {{" + hole + "}}"})
    assert "{{python}} and {{" + hole + "}}" in " ".join(
        (filled.title, *filled.commands, filled.note)
    )
