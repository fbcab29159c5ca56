"""What runs in a browser starts no process, thread or socket and needs nothing compiled outside of the standard library."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "tfdoctor"
MODULES = {
    ".".join(("tfdoctor", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): file
    for file in PACKAGE.rglob("*.py")
}
FORBIDDEN = {
    "subprocess", "threading", "multiprocessing", "concurrent", "asyncio", "socket", "signal", "select", "ctypes", "typer", "rich",
    "requests", "hyperscan", "zstandard", "psutil",
}  # fmt: skip
LATE = {
    (
        "tfdoctor.ask.logs.search",
        "hyperscan",
    ): "faster where it is installed; without it the tree answers the same",
    (
        "tfdoctor.ask.logs.forms.opening",
        "zstandard",
    ): "for a log packed with zstd, where this Python has no compression.zstd",
    (
        "tfdoctor.ask.logs.forms.opening",
        "select",
    ): "to wait for the writer of a named pipe, of which a browser has none",
    (
        "tfdoctor.base.forked",
        "select",
    ): "to hear the children in which plug-ins work: a browser loads none",
}
"""What is forbidden and imported inside of a function all the same, with the reason."""
ELSEWHERE = {"tfdoctor.apps.jupyter.inside.extension", "tfdoctor.apps.api"}
"""What the package's own first module imports late, for notebooks and programs."""


def imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """What a module imports, and whether it does so as it is imported itself."""
    late = {
        id(each)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for each in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) not in late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module, id(node) not in late


def reached() -> dict[str, str]:
    """The modules that `documents` brings, late ones, too, and the checks, which are imported by name; each with who imports it."""
    found: dict[str, str] = {}
    left = [("tfdoctor.apps.documents", "")] + [
        (each, "families") for each in MODULES if each.startswith("tfdoctor.judge.")
    ]
    while left:
        module, by = left.pop()
        if module in found or module not in MODULES:
            continue
        found[module] = by
        tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
        left += [(each, module) for each, _ in imports(tree) if each not in ELSEWHERE]
    return found


@pytest.mark.slow  # more than a second
def test_no_module_on_these_paths_names_what_a_browser_lacks() -> None:
    named = {
        (module, name.partition(".")[0]): at_once
        for module in reached()
        for name, at_once in imports(ast.parse(MODULES[module].read_text(encoding="utf-8")))
        if name.partition(".")[0] in FORBIDDEN
    }
    assert {each for each, at_once in named.items() if at_once} == set()
    assert {each for each, at_once in named.items() if not at_once} == set(LATE)


PROGRAM = r"""
import importlib.machinery, io, json, os, sys, sysconfig
from pathlib import Path

tests, blocked = Path(sys.argv[1]), sys.argv[2] == "blocked"
if blocked:
    ours = sysconfig.get_path("stdlib")
    make = importlib.machinery.ExtensionFileLoader.create_module

    def create(self, spec):
        if not os.path.realpath(spec.origin).startswith(os.path.realpath(ours) + "/lib-dynload"):
            raise ImportError(f"{spec.origin} is compiled")
        return make(self, spec)

    importlib.machinery.ExtensionFileLoader.create_module = create
    starts = ("subprocess.", "os.fork", "os.posix_spawn", "os.exec", "os.system", "os.spawn", "socket.", "ctypes.")

    def refuse(event, given):
        if event.startswith(starts):
            raise RuntimeError(f"{event} {given}")

    def refuse_thread(*given, **named):
        raise RuntimeError("a thread")

    import _thread

    _thread.start_new_thread = _thread.start_joinable_thread = refuse_thread
    sys.modules.pop("threading", None)  # sysconfig imports it since Python 3.14, and it has taken the real one
    sys.addaudithook(refuse)

from tfdoctor.apps import documents
from tfdoctor.report.diagnosis import diagnosis_to_json
from tfdoctor.report.report import report_to_json
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.say.difference import difference_to_json
from tfdoctor.say.plan import plan_to_json
from tfdoctor.say.redact.identity import Identity

matrix, nobody = load_bundled(), Identity()
answers = []
for log in sorted((tests / "public" / "logs").iterdir())[::40]:
    answers.append(diagnosis_to_json(documents.diagnose([(log.name, io.BytesIO(log.read_bytes()))], matrix, nobody)))
long = b"a line that means nothing\n" * 20_000 + b"Killed\n"
answers.append(diagnosis_to_json(documents.diagnose([("long", io.BytesIO(long))], matrix, nobody)))
for said in ({"gpu": "RTX 3090", "driver": "535.104.05"}, {"gpu": "none", "python": "3.12"}, {"gpu": "GTX 680", "os": "windows"}):
    made, ways = documents.plan(matrix, Facts(), **said)
    answers.append(plan_to_json(made, matrix, ways))
answers.append(documents.explain("driver-too-old"))
reports = [documents.load(file.read_bytes()) for file in sorted((tests / "machines").glob("*/report.json"))]
for report in reports:
    again = report_to_json(documents.judge_again(report, matrix, nobody))
    answers.append({key: value for key, value in again.items() if key not in ("generated_at", "duration_s")})
    answers.append(difference_to_json(documents.compare(reports[0], report), reports[0], report))
json.dump(answers, sys.stdout)
"""


def answers(how: str) -> list[object]:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(PACKAGE.parent / "tests"), how],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert isinstance(told, list)
    return told


@pytest.mark.slow  # more than a second
def test_the_answers_are_the_same_where_nothing_can_be_started_and_nothing_is_compiled() -> None:
    assert answers("blocked") == answers("free")


def test_the_program_that_blocks_does_block() -> None:
    for line in ("import threading; threading.Thread(target=print).start()", "import os; os.system('true')", "import socket; socket.socket()", "import hyperscan"):  # fmt: skip
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM.replace("from tfdoctor.apps import documents", line), str(PACKAGE), "blocked"],
            capture_output=True, text=True,
        )  # fmt: skip
        assert ran.returncode, line
        assert "hyperscan" in ran.stderr or "RuntimeError" in ran.stderr, ran.stderr
