"""The rooms' arrows go one way: docs/ARCHITECTURE.md has the table, this test holds it."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "tfdoctor"

USES: dict[str, set[str]] = {
    "system": set(),
    "facts": set(),
    "matrix": {"system", "facts"},
    "findings": {"system"},
    "probes": {"system", "facts", "findings"},
    "fixes": {"system", "facts", "matrix", "findings"},
    "signatures": {"system"},
    "logs": {"system", "facts", "probes", "signatures"},
    "checks": {"system", "facts", "matrix", "findings", "fixes", "signatures"},
    "examine": {"system", "facts", "matrix", "findings", "probes", "logs", "checks"},
    "recorder": {"system", "facts", "probes", "signatures", "logs"},
    "jupyter": {"system", "facts", "matrix", "examine", "recorder", "render"},
    "health": {"system", "facts", "findings", "probes"},
    "fleet": {"system", "facts", "findings", "examine", "render"},
    "render": {"system", "facts", "matrix", "findings", "fixes", "examine"},
    "cli": {
        "system",
        "facts",
        "matrix",
        "findings",
        "probes",
        "fixes",
        "logs",
        "checks",
        "examine",
        "recorder",
        "jupyter",
        "health",
        "fleet",
        "render",
    },
}


def imports_of(file: Path) -> set[str]:
    """The rooms of tfdoctor that a file imports, at its top or inside a function."""
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "tfdoctor":
            names = [f"tfdoctor.{alias.name}" for alias in node.names if alias.name != "__version__"]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        rooms |= {name.split(".")[1] for name in names if name.startswith("tfdoctor.")}
    return rooms


def test_every_room_is_in_the_table() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= set(USES), f"rooms without a line in the table: {rooms - set(USES)}"


def test_arrows_go_one_way() -> None:
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {room}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for home in [file.relative_to(PACKAGE).parts[0]]
        if home in USES
        for room in imports_of(file)
        - USES[home]
        - {home, "data", "records"}  # records.py is no room: how all of them define their values
    ]
    assert wrong == []


def test_no_arrow_is_granted_that_nobody_uses() -> None:
    used: dict[str, set[str]] = {room: set() for room in USES}
    for file in PACKAGE.rglob("*.py"):
        home = file.relative_to(PACKAGE).parts[0]
        if home in USES:
            used[home] |= imports_of(file)
    unused = {room: sorted(granted - used[room]) for room, granted in USES.items() if granted - used[room]}
    assert unused == {}, "take these out of USES and of the table in docs/ARCHITECTURE.md"


def test_no_arrow_leads_back() -> None:
    left = {room: set(granted) for room, granted in USES.items()}
    while free := [room for room, granted in left.items() if not granted & set(left)]:
        for room in free:
            del left[room]
    assert left == {}, "these rooms use each other in a circle"


def test_the_product_knows_nothing_of_the_tests_driver() -> None:
    words = ("simulat", "tfsim", "fake_driver", "TFSIM")
    named = [
        str(file.relative_to(PACKAGE))
        for file in sorted(PACKAGE.rglob("*.py"))
        if any(word in file.read_text(encoding="utf-8") for word in words)
    ]
    assert named == []
