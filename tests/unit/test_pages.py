"""Closes the ring: every code has a page and every page a code, every check its scenarios, every link an end."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.every import every
from tests.scenarios.conftest import WHOLE
from tests.unit.documents import DOCS, ROOT, commands, documents, fault_of, fences, links
from tfdoctor.cli.pages import page_of, search
from tfdoctor.findings.catalog import CODES
from tools import coverage_table

CODE_PAGES = DOCS / "codes"
OF_LOGS = ("text", "log", "output")
"""Each line of a log by itself; lines of one log that tell it together; what is no line of a log, or none that tells."""
OF_FILES = ("powershell", "yaml", "json", "ini", "dockerfile", "sbatch", "requirements")

every_code = every(CODES)
every_document = every(documents(), lambda file: str(file.relative_to(DOCS)))


def text_of(code: str) -> str:
    return (CODE_PAGES / f"{code}.md").read_text(encoding="utf-8")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {file.stem for file in CODE_PAGES.glob("*.md")} - {"index"} == set(CODES)


@every_code
def test_page_begins_with_the_catalogs_words(code: str) -> None:
    entry = CODES[code]
    first, empty, second = text_of(code).splitlines()[:3]
    alone = " · concerns the GPU alone" if entry.gpu_only else ""
    assert first == f"# {entry.title}"
    assert empty == ""
    assert (
        second == f"`{code}` · family: {entry.family} · severity: {entry.severity.value} by default{alone}"
    ), f"docs/codes/{code}.md and the code's line in tfdoctor/findings/catalog.py have to say the same"


@every_code
def test_commands_of_a_page_are_shell_and_its_programs_python(code: str) -> None:
    for block in fences(text_of(code), "python"):
        ast.parse(block)
    script = "\n".join(fences(text_of(code), "console"))
    bash = shutil.which("bash")
    assert bash, "the commands are for bash"
    checked = subprocess.run([bash, "-n"], input=script, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@every_document
def test_blocks_say_what_they_are(file: Path) -> None:
    fenced = re.findall(r"^```(.*)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(fenced) % 2 == 0
    assert set(fenced[1::2]) <= {""}
    if file.parent == CODE_PAGES:
        assert set(fenced[::2]) <= {"console", "python", *OF_LOGS, *OF_FILES}


@every_document
def test_links_between_documents_resolve(file: Path) -> None:
    broken = [link.target for link in links(file) if link.relative and not link.path.exists()]
    assert broken == []


@every_document
def test_documents_name_codes_that_exist(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    to_codes = [
        link
        for link in links(file)
        if link.relative and link.path.parent == CODE_PAGES and link.path.stem != "index"
    ]
    assert [link.text for link in to_codes if link.text != link.path.stem] == []
    named = [words for words in commands(text) if words[:1] == ["explain"] or "--ignore" in words]
    for words in named:
        code = words[words.index("--ignore") + 1] if "--ignore" in words else words[1]
        assert code in CODES or code.startswith("-") or code.isupper(), words


@every_document
def test_documents_name_commands_that_exist(file: Path) -> None:
    wrong = [fault for words in commands(file.read_text(encoding="utf-8")) if (fault := fault_of(words))]
    assert wrong == []


def test_every_check_has_its_scenarios() -> None:
    counts = coverage_table.scenario_counts()
    judged = coverage_table.recognised() | coverage_table.watched()
    wanted = {(code, answer) for code in judged for answer in coverage_table.ANSWERS}
    given = {(code, answer) for code, answers in counts.items() for answer in answers}
    lacking = sorted(wanted - given - set(coverage_table.NEVER))
    assert lacking == [], (
        f"write {', '.join(f'tests/scenarios/{code}: one that expects {answer}' for code, answer in lacking)}"
    )


def test_no_scenario_is_an_orphan() -> None:
    folders = {
        folder.name
        for folder in coverage_table.SCENARIOS.iterdir()
        if not folder.name.startswith("_") and any(folder.glob("*.yaml"))
    }
    judged = coverage_table.recognised() | coverage_table.watched()
    orphans = sorted(folders - set(WHOLE) - judged)
    assert not orphans, (
        f"no check judges {', '.join(orphans)}: the folder of tests/scenarios has another name than the code, or the function with "
        f'@check("{orphans[0]}") is missing in tfdoctor/checks/<folder>/{orphans[0].replace("-", "_")}.py; then: make rings'
    )


def test_answers_that_are_excused_are_not_given() -> None:
    for (code, answer), reason in coverage_table.NEVER.items():
        assert reason
        assert not coverage_table.scenario_counts()[code][answer]


def test_generated_pages_are_current() -> None:
    again = "out of date: make rings writes it again"
    assert coverage_table.INDEX.read_text(encoding="utf-8") == coverage_table.index_page(), again
    assert coverage_table.COVERAGE.read_text(encoding="utf-8") == coverage_table.coverage_page(), again


@every_code
def test_explain_prints_the_page(code: str) -> None:
    assert page_of(code) == text_of(code)


def test_explain_as_a_program() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "explain", "uvm-broken"],
        capture_output=True, check=True, cwd=ROOT, env={"PYTHONIOENCODING": "utf-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert printed.stdout.decode("utf-8").splitlines()[0] == f"# {CODES['uvm-broken'].title}"
    assert printed.stderr == b""


def test_search_finds_a_word_that_only_a_page_has() -> None:
    assert "gpu-hidden" in search(["CUDA_VISIBLE_DEVICES", "tmux"])


@pytest.mark.slow
def test_wheel_carries_what_the_program_reads(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        inside = set(wheel.namelist())
    pages = {f"tfdoctor/data/codes/{code}.md" for code in CODES}
    others = {
        "matrix/compat_matrix.json",
        "data/compat_matrix.yaml",
        "py.typed",
    }
    assert pages | {f"tfdoctor/{name}" for name in others} <= inside
