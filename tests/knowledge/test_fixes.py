"""Fixes as data: each is used, each use fills exactly its holes, and what fills a hole is never read again."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import tfdoctor
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.fix import fix
from tools.knowledge import fixes

_HOLE = re.compile(r"\{\{([a-z]\w*)\}\}")


def holes(name: str) -> set[str]:
    said = fixes()[name]
    return {
        hole
        for text in (said["title"], *said.get("commands", ()), said.get("note", ""))
        for hole in _HOLE.findall(text)
    }


@cache
def uses() -> list[tuple[str, str, set[str]]]:
    """Where, which fix, with which values."""
    found = []
    for file in sorted(Path(tfdoctor.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "fix":
                name = node.args[0]
                if file.name == "pages.py":
                    continue  # a page's own, which have no holes
                assert isinstance(name, ast.Constant), f"{file.name}:{node.lineno}: name the fix here"
                found.append(
                    (f"{file.name}:{node.lineno}", str(name.value), {str(each.arg) for each in node.keywords})
                )
    return found


def test_each_use_names_a_fix_and_fills_its_holes() -> None:
    known = fixes()
    assert [(place, name) for place, name, _ in uses() if name not in known] == []
    assert [(place, name, values) for place, name, values in uses() if values != holes(name)] == []


def test_each_fix_is_used() -> None:
    on_pages = {name for code in CODES.values() for name in code.fixes}
    assert sorted(set(fixes()) - {name for _, name, _ in uses()} - on_pages) == []


def test_a_value_is_not_read_for_holes() -> None:
    """Values come out of logs."""
    name, hole = next(
        (name, hole) for name in sorted(fixes()) for hole in sorted(holes(name)) if len(holes(name)) == 1
    )
    filled = fix(name, **{hole: "{{python}} and {{" + hole + "}}"})
    assert "{{python}} and {{" + hole + "}}" in " ".join((filled.title, *filled.commands, filled.note))
