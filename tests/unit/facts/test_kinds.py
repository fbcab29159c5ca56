"""Why something could not be found out: a kind for programs, words for people, and nobody reads the words."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias, get_args

import pytest

from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.outcome import NOT_ASKED, Fact, Failed, Kind, kind_of_error
from tfdoctor.facts.schema import schema_of
from tfdoctor.report.report import Report

PACKAGE = Path(__file__).parents[3] / "tfdoctor"
OUTCOME = PACKAGE / "facts" / "outcome.py"
KINDS = set(get_args(Kind))
_TEXT: TypeAlias = Fact[str]


def read(document: dict[str, object]) -> Failed:
    fact = from_json(document, _TEXT)
    assert isinstance(fact, Failed)
    return fact


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_survives_being_written(kind: Kind) -> None:
    assert read(to_json(Failed("some words", kind))) == Failed("some words", kind)


@pytest.mark.parametrize("kind", ["", "invented-later", 7, ["died"]])
def test_a_kind_of_a_later_version_is_some_other_one(kind: object) -> None:
    assert read({"status": "failed", "kind": kind, "error": "died of SIGSEGV"}).kind == "other"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (NOT_ASKED.error, "not-asked"),
        ("skipped: --smoke none", "skipped"),
        ("not-live: /proc/meminfo is not in the examined folder", "not-live"),
        ("the probe nvml did not answer within 12.0 s", "out-of-time"),
        ("not tried: an earlier one used up the time", "out-of-time"),
        ("cuInit did not return within 10 s", "timed-out"),
        ("/home did not answer within 1 s", "timed-out"),
        (
            "cuInit did not return, and its process can't be ended: it is stuck in the kernel",
            "timed-out",
        ),
        ("opening libcublas.so.12 died of SIGBUS", "died"),
        ("cuInit ended the process with status 0", "ended"),
        ("import tensorflow was ended at 4096 MiB of memory", "over-memory"),
        ("the helper program could not be started: no memory", "not-started"),
        ("/usr/lib/libcuda.so.1: file too short", "unloadable"),
        ("libcuda.so.1: cannot open shared object file: Permission denied", "unloadable"),
        ("nvcuda.dll is not a valid Win32 application", "unloadable"),
        ("/dev/kmsg: Operation not permitted", "refused"),
        ("nvmlInit answered 999 (NVML_ERROR_UNKNOWN)", "call-failed"),
        ("the GPU is lost", "lost"),
        ("the matrix does not know tensorflow 9.9.9 on linux_x86_64", "unknown-to-matrix"),
        ("could not be read", "other"),
    ],
)
def test_an_older_report_has_its_kinds_in_its_words(words: str, kind: Kind) -> None:
    assert read({"status": "failed", "error": words}) == Failed(words, kind)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (PermissionError(), "refused"),
        (FileNotFoundError(), "missing"),
        (TimeoutError(), "timed-out"),
        (OSError(5, "Input/output error"), "unreadable"),
        (ValueError(), "unreadable"),
    ],
)
def test_an_exception_has_a_kind(error: Exception, kind: Kind) -> None:
    assert kind_of_error(error) == kind


def test_what_was_wanted_by_nobody_is_told_from_what_went_wrong() -> None:
    assert {kind for kind in KINDS if Failed("", kind).on_purpose} == {
        "not-asked",
        "skipped",
        "not-live",
    }


def test_schema_and_page_name_every_kind() -> None:
    schema = json.loads(schema_of(Report, "report"))
    forms = {
        form["properties"]["status"]["const"]: form for form in schema["$defs"]["fact"]["oneOf"]
    }
    assert set(forms["failed"]["properties"]["kind"]["enum"]) == KINDS
    page = (PACKAGE.parent / "docs" / "json.md").read_text(encoding="utf-8")
    assert {kind for kind in KINDS if f"| `{kind}` |" not in page} == set()


def _sources() -> Iterator[tuple[Path, ast.Module]]:
    """The package's files that speak of failures."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if ".error" in text or "Failed" in text or ".kind" in text:
            yield file, ast.parse(text)


@pytest.mark.slow  # reads all sources
def test_every_kind_is_told_by_somebody_and_other_by_nobody_who_asks() -> None:
    nodes = [
        (file, node) for file, tree in _sources() if file != OUTCOME for node in ast.walk(tree)
    ]
    assert {
        node.value for _, node in nodes if isinstance(node, ast.Constant) and node.value in KINDS
    } == KINDS
    failed = [
        (file, node)
        for file, node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Failed"
    ]
    assert {file for file, node in failed if "'other'" in ast.unparse(node.args[1])} == set()


READS = {
    "match",
    "search",
    "fullmatch",
    "findall",
    "finditer",
    "sub",
    "split",
    "partition",
    "rpartition",
}
READS |= {
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "removeprefix",
    "removesuffix",
    "lower",
    "upper",
}
ALLOWED = {
    "judge/devices.py": (
        ".error.upper()",
        "said[0].error",
    ),  # what TensorFlow said of a computation
    "facts/outcome.py": ("self.error.removeprefix(",),  # for showing
}


def _words_in(node: ast.AST, named: frozenset[str] = frozenset()) -> bool:
    """Whether the text of some `.error` is in this expression, or a name that was given to it."""
    if isinstance(node, ast.JoinedStr):
        return False
    if isinstance(node, ast.Attribute) and node.attr == "error":
        return True
    if isinstance(node, ast.Name) and node.id in named:
        return True
    return any(_words_in(child, named) for child in ast.iter_child_nodes(node))


def _named(function: ast.AST) -> frozenset[str]:
    """The names that are given to the text of an `.error` in a function."""
    given = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    return frozenset(
        target.id
        for node in given
        if isinstance(node.value, (ast.Attribute, ast.IfExp)) and _words_in(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def _asked(node: ast.AST) -> list[ast.expr]:
    """The texts that a comparison, a string's method or a search looks into."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in READS
    ):
        return [node.func.value, *node.args]
    return [node.subject] if isinstance(node, ast.Match) else []


def _readings(tree: ast.AST) -> set[str]:
    """Where the text of an `.error` is looked into."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = {ast.unparse(node) for node in ast.walk(tree) if any(map(_words_in, _asked(node)))}
    for function in functions:
        named = _named(function)
        found |= {
            ast.unparse(node)
            for node in ast.walk(function)
            if any(_words_in(each, named) for each in _asked(node))
        }
    return found


@pytest.mark.slow  # reads all sources
def test_nobody_reads_the_words_of_a_failure() -> None:
    found = [
        f"{name}: {words}"
        for file, tree in _sources()
        for name in [str(file.relative_to(PACKAGE))]
        for words in sorted(_readings(tree))
        if file != OUTCOME and not any(allowed in words for allowed in ALLOWED.get(name, ()))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "fact.error.startswith('skipped')",
        "'died of' in tried.error",
        "fact.error == NOT_ASKED.error",
        "re.match('x', fact.error)",
        "WORDS.search(fact.error.lower())",
        "def f(fact):\n    words = fact.error\n    return words.endswith('s')",
    ],
)
def test_a_reading_of_the_words_would_be_seen(source: str) -> None:
    assert _readings(ast.parse(source))
