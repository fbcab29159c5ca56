"""Fixes as data: each use fills exactly its holes, and what fills a hole is never read again."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import tfdoctor
from tfdoctor.findings.fix import fix
from tfdoctor.signatures.signature import PAGE
from tools.knowledge import OF_THE_LOG, codes, entries, fixes, holes


@cache
def uses() -> list[tuple[str, str, set[str]]]:
    """Where, which fix, with which values."""
    found = []
    for file in sorted(Path(tfdoctor.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called in ("fix", "fix_here") and isinstance(node, ast.Call):
                if file.name in ("pages.py", "words.py", "cases.py"):
                    continue  # names that stand in data
                first = node.args[called == "fix_here"]
                assert isinstance(first, ast.Constant), f"{file.name}:{node.lineno}: name the fix here"
                values = {str(each.arg) for each in node.keywords}
                if called == "fix_here":  # filled with the log's interpreter
                    values |= OF_THE_LOG & holes(str(first.value))
                found.append((f"{file.name}:{node.lineno}", str(first.value), values))
    for entry in entries():
        of_cases = [name for case in entry.words.cases for name in case.get("fixes", ()) if name != PAGE]
        for name in of_cases:
            found.append((entry.place, name, holes(name)))  # the builder refuses what no group fills
        for name in entry.words.fixes:
            found.append((entry.place, name, OF_THE_LOG & holes(name)))  # filled with the log's interpreter
    return found


def test_each_sentence_of_a_check_is_on_its_page_and_gets_what_it_holds() -> None:
    pages, wrong = codes()["codes"], []
    for file in sorted(Path(tfdoctor.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "says":
                code, name = (ast.literal_eval(each) for each in node.args)
                _, text = pages[code]["says"].get(name, (None, ""))
                if not text or set(re.findall(r"\{\{(\w+)\}\}", text)) != {
                    each.arg for each in node.keywords
                }:
                    wrong.append(f"{file.name}:{node.lineno}: {code}, {name}")
    assert wrong == []


def test_each_use_names_a_fix_and_fills_its_holes() -> None:
    known = fixes()
    assert [(place, name) for place, name, _ in uses() if name not in known] == []
    assert [(place, name, values) for place, name, values in uses() if values != holes(name)] == []


def test_a_value_is_not_read_for_holes() -> None:
    """Values come out of logs."""
    name, hole = next(
        (name, hole) for name in sorted(fixes()) for hole in sorted(holes(name)) if len(holes(name)) == 1
    )
    filled = fix(name, **{hole: "{{python}} and {{" + hole + "}}"})
    assert "{{python}} and {{" + hole + "}}" in " ".join((filled.title, *filled.commands, filled.note))
