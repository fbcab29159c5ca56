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
from tests.unit.documents import DOCS, ROOT, commands, documents, fences, links
from tfdoctor.apps.documents import explain as page
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.messages.catalogue import everything
from tfdoctor.knowledge.messages.signature import CAUSE, HINT, NOISE
from tfdoctor.knowledge.pages import search
from tools.build.knowledge import index

CODE_PAGES = DOCS / "codes"
OF_LOGS = ("text", "log", "output")
"""Each line of a log by itself; lines of one log that tell it together; what is no line of a log, or none that tells."""
OF_FILES = ("powershell", "yaml", "json", "ini", "dockerfile", "sbatch", "requirements")

JUDGED = {check.code for check in in_catalog_order()}

every_code = every(CODES)
every_document = every(documents(), lambda file: str(file.relative_to(DOCS)))
BY_OTHER_WORDS = (
    "host-oom-killed", "container-oom-killed", "cpu-instructions-missing", "killed-by-user", "native-crash", "python-exception",
    "exited-nonzero", "package-import-failed", "gpu-memory-fragmented", "gpu-memory-held", "gpu-dataset-on-device", "gpu-out-of-memory",
    "cuda-libraries-mixed", "cuda-libraries-wrong-version", "driver-module-not-loaded", "container-without-gpu", "gpu-hidden",
    "driver-library-unreachable", "driver-missing", "gpu-absent", "wsl-driver-shadowed", "driver-versions-differ", "driver-too-old",
    "retracing-memory-growth", "host-memory-leak", "driver-too-old-for-ptx", "gpu-too-new-for-build", "compute-capability-too-low", "ptx-jit-slow-start",
)  # fmt: skip
"""Codes that are found by ends, by the allocator's accounts, or by what several lines tell together."""


def test_the_index_lists_every_code_make_knowledge_writes_it() -> None:
    assert (CODE_PAGES / "index.md").read_text(encoding="utf-8") == index()


def test_every_code_can_be_found() -> None:
    in_logs = {each.code for each in everything() if each.role in (CAUSE, HINT, NOISE)} | set(
        BY_OTHER_WORDS
    )
    assert set(CODES) == JUDGED | in_logs


PARTS = (
    "What it means", "How tfdoctor knows", "Why it happens", "Did it use the GPU?", "Fix", "How to see that it is fixed",
    "Not this problem?",
)  # fmt: skip


@every_code
def test_the_parts_of_a_page_stand_once_and_in_their_order(code: str) -> None:
    headings = [line[3:] for line in page(code).splitlines() if line.startswith("## ")]
    assert headings == [each for each in PARTS if each in headings]


def test_a_fix_without_a_command_is_shown_where_it_says_more_than_its_title() -> None:
    assert "\nImport the named package first.\n" in page("static-tls-exhausted")
    assert "Nothing to do" not in page("success")


@every_code
def test_commands_of_a_page_are_shell_and_its_programs_python(code: str) -> None:
    for block in fences(page(code), "python"):
        ast.parse(block)
    script = "\n".join(fences(page(code), "console"))
    bash = shutil.which("bash")
    assert bash, "the commands are for bash"
    checked = subprocess.run(
        [bash, "-n"], input=script, capture_output=True, text=True, check=False
    )
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
        assert code in CODES or code.startswith(("-", "acme/")) or code.isupper(), words


def test_explain_as_a_program() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "explain", "uvm-broken"],
        capture_output=True, check=True, cwd=ROOT, env={"PYTHONIOENCODING": "utf-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert printed.stdout.decode("utf-8").splitlines()[0].strip() == CODES["uvm-broken"].name
    assert printed.stderr == b""


def test_search_finds_a_word_that_only_a_page_has() -> None:
    assert "gpu-hidden" in search(["CUDA_VISIBLE_DEVICES", "tmux"])


@pytest.mark.slow
def test_wheel_carries_what_the_program_reads(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "uv",
        "build",
        "--quiet",
        "--wheel",
        "--out-dir",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(build, check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        inside = set(wheel.namelist())
    pages = {f"tfdoctor/data/codes/{code}.md" for code in CODES}
    others = {
        "knowledge/matrix/compat_matrix.json",
        "data/compat_matrix.yaml",
        "py.typed",
    }
    assert pages | {f"tfdoctor/{name}" for name in others} <= inside
