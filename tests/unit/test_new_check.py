"""`make new-check` writes all that a new cause needs, and nothing of it passes the tests before its words are written."""

from __future__ import annotations

import ast
import re
import shutil
from itertools import groupby
from pathlib import Path

import pytest
import yaml

from tests.scenarios.overlay import Loader
from tests.unit.documents import ROOT
from tfdoctor.findings.catalog import FAMILIES
from tools.new_check import ANSWERS, FOLDERS, HEADINGS, Refused, laid_out

CODE, TITLE = "cause-of-this-test", "It is made up."


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    catalogue = tmp_path / "tfdoctor" / "findings" / "catalog.py"
    catalogue.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tfdoctor" / "findings" / "catalog.py", catalogue)
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    return tmp_path


def test_every_file_that_a_cause_needs_is_laid_out(tree: Path) -> None:
    files = {str(file.relative_to(tree)) for file in laid_out(tree, CODE, "process", TITLE)}
    assert files == {
        "tfdoctor/findings/catalog.py", "tfdoctor/checks/resources/cause_of_this_test.py", f"docs/codes/{CODE}.md", "CHANGELOG.md",
        *(f"tests/scenarios/{CODE}/{answer}.yaml" for answer in ANSWERS),
    }  # fmt: skip
    assert all((tree / file).exists() for file in files)


def test_the_catalogue_has_it_at_the_end_of_its_family(tree: Path) -> None:
    laid_out(tree, CODE, "driver", TITLE)
    source = (tree / "tfdoctor" / "findings" / "catalog.py").read_text()
    found = re.findall(r'^    _code\("(\w+)", "([\w-]+)"', source, re.MULTILINE)
    assert len([family for family, _ in groupby(family for family, _ in found)]) == len(FAMILIES)
    assert [code for family, code in found if family == "driver"][-1] == CODE
    ast.parse(source)


def test_each_part_asks_for_words(tree: Path) -> None:
    for file in laid_out(tree, CODE, "process", TITLE):
        text = file.read_text()
        assert "TODO" in text or file.name == "catalog.py"  # the marker that the templates have to leave
        if file.suffix == ".py":
            ast.parse(text)
        if file.suffix == ".yaml":
            assert yaml.load(text, Loader)["expect"] == file.stem


def test_another_severity_and_another_folder(tree: Path) -> None:
    (tree / "tfdoctor" / "checks" / "variables").mkdir(parents=True)
    files = laid_out(tree, CODE, "process", TITLE, "warning", "variables")
    assert tree / "tfdoctor" / "checks" / "variables" / "cause_of_this_test.py" in files
    assert f'"{CODE}", "{TITLE}", WARNING)' in (tree / "tfdoctor" / "findings" / "catalog.py").read_text()
    assert "severity: warning by default" in (tree / "docs" / "codes" / f"{CODE}.md").read_text()


def test_a_note_is_of_the_severity_info(tree: Path) -> None:
    laid_out(tree, CODE, "process", TITLE, "note")
    assert f'"{CODE}", "{TITLE}", INFO)' in (tree / "tfdoctor" / "findings" / "catalog.py").read_text()


def test_the_changelog_has_a_line_under_what_is_not_released(tree: Path) -> None:
    laid_out(tree, CODE, "process", TITLE)
    _, _, after = (tree / "CHANGELOG.md").read_text().partition("## [Unreleased]")
    assert f"- New code `{CODE}`: TODO: " in after.partition("\n## ")[0]  # the marker in the changelog's line


def test_the_page_has_its_headings(tree: Path) -> None:
    laid_out(tree, CODE, "process", TITLE)
    page = (tree / "docs" / "codes" / f"{CODE}.md").read_text()
    assert page.startswith(f"# {TITLE}\n\n`{CODE}` · family: process")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [*HEADINGS, "When tfdoctor is wrong"]


def test_a_code_that_the_catalogue_has_keeps_line_and_page(tree: Path) -> None:
    before = (tree / "tfdoctor" / "findings" / "catalog.py").read_text()
    files = laid_out(tree, "fork-after-init", "", "")
    assert (tree / "tfdoctor" / "findings" / "catalog.py").read_text() == before
    assert (tree / "tfdoctor" / "checks" / "resources" / "fork_after_init.py") in files


@pytest.mark.parametrize(
    ("code", "family", "title"),
    [("Tmp", "process", TITLE), (CODE, "proces", TITLE), (CODE, "process", "No full stop"), (CODE, "process", "")],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_is_written(
    code: str, family: str, title: str, tree: Path
) -> None:
    before = sorted(tree.rglob("*"))
    with pytest.raises(Refused):
        laid_out(tree, code, family, title)
    for wrong in ({"severity": "fatal"}, {"folder": "nowhere"}):
        with pytest.raises(Refused):
            laid_out(tree, CODE, "process", TITLE, **wrong)
    assert sorted(tree.rglob("*")) == before


def test_every_family_has_a_folder_that_is_there() -> None:
    assert set(FOLDERS) == set(FAMILIES)
    assert all((ROOT / "tfdoctor" / "checks" / folder).is_dir() for folder in FOLDERS.values())


def test_no_check_and_no_scenario_still_asks_for_words() -> None:
    files = [
        *(ROOT / "tfdoctor").rglob("*.py"),
        *(ROOT / "tests" / "scenarios").rglob("*.yaml"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "CHANGELOG.md",
    ]
    unfinished = [
        str(file.relative_to(ROOT))
        for file in files
        if "TODO: " in file.read_text(encoding="utf-8")  # looks for markers that were left
    ]
    assert not unfinished, (
        f"put your words in place of each TODO in {', '.join(unfinished)}"  # names the markers that were left
    )  # names the files
