"""`tfdoctor matrix …` as a program: what is printed where, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.unit.knowledge.matrix.wheels import Site, wheel, wheel_name
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.matrix_command import app
from tfdoctor.knowledge.matrix.load import load_bundled


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def refused(*arguments: str) -> str:
    """Why it is wrong usage."""
    with pytest.raises(UsageError) as told:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return str(told.value)


def test_show_all_lists_every_row() -> None:
    result = run("show", "--all")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == len(load_bundled().rows) + 2


def test_show_of_a_release_has_a_source_at_each_cell() -> None:
    lines = run(
        "show", "2.16.1", "--platform", "linux_x86_64", "--distribution", "tensorflow"
    ).stdout.splitlines()
    cells = [line for line in lines if line.startswith("  ") and not line.startswith("    ")]
    assert cells
    assert all(line.endswith("(2026-11-20)]") for line in cells)
    assert any("libcudart" in line and line.startswith("known of 2.16.1") for line in lines)


def test_show_json_has_the_fields_of_the_contract() -> None:
    document = json.loads(run("show", "--json").stdout)
    assert {"version", "releases", "cuda", "cudnn", "gpus", "defects"} <= set(document)
    assert len(document["releases"]) == len(load_bundled().rows)
    newest = next(
        each
        for each in document["releases"]
        if (each["tensorflow"], each["distribution"], each["platform"])
        == ("2.21.0", "tensorflow", "linux_x86_64")
    )
    assert newest["gpu"] is True
    assert newest["python"][0] == "3.10"
    assert (newest["glibc"], newest["cuda"], newest["cudnn"]) == ("2.27", "12.5.1", "9.3.0")
    assert (newest["ptx"], newest["ptx_isa"], newest["ptx_target"]) == (["9.0"], "8.5", "sm_90")
    assert newest["sass_incomplete"] == ["9.0"]
    assert newest["requires"]["numpy"] == ">=1.26.0"
    assert newest["and_cuda"]["nvidia-cudnn-cu12"] == "<10.0,>=9.3.0.75"
    named = {"tensorflow", "distribution", "platform", "sources"}
    for release in document["releases"]:
        for field in set(release) - named:
            assert {"source", "date", "kind"} <= set(release["sources"][field]), (
                release["tensorflow"],
                field,
            )
    row = next(each for each in document["cuda"] if each["version"] == "12.5")
    assert row["driver_min"] == {"linux": "525.60.13", "windows": "527.41"}
    assert row["driver_for_ptx"]["linux"] == "555.42.02"
    assert row["compute_capabilities"][0] == "5.0"


def test_show_html_is_one_page_with_the_chart() -> None:
    page = run("show", "--format", "html").stdout
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    assert page.count('<svg role="img"') == 1 and "525.60.13" in page
    assert run("show", "--format", "json").stdout == run("show", "--json").stdout
    assert "leave out the release" in refused("show", "2.21.0", "--format", "html")


def test_requirements_that_differ_by_marker_are_lists() -> None:
    document = json.loads(run("show", "2.17.0", "--platform", "linux_x86_64", "--json").stdout)
    numpy = document["releases"][0]["requires"]["numpy"]
    assert [set(each) for each in numpy] == [{"spec", "marker"}, {"spec", "marker"}]


@pytest.mark.parametrize(
    "arguments", [["show", "9.9.9"], ["show", "--platform", "amiga"], ["verify", "9.9.9"]]
)
def test_what_the_matrix_does_not_know_is_wrong_usage(arguments: list[str]) -> None:
    assert "does not know" in refused(*arguments)


def test_verify_wants_releases_or_all() -> None:
    for words in (["verify"], ["verify", "--all", "2.21.0"]):
        assert "say --all" in refused(*words)
    assert "need each other" in refused("update", "--from", "x")


def test_a_broken_matrix_file_is_one_line_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("nonsense: true")
    result = run("show", "--matrix", str(file))
    assert result.exit_code == 3
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "unknown key 'nonsense'" in result.stderr


def test_what_stands_in_a_matrix_file_cannot_steer_a_terminal(tmp_path: Path) -> None:
    document: dict[str, Any] = json.loads(json.dumps(load_bundled().document))
    document["releases"]["tensorflow"]["linux_x86_64"]["nccl"]["2.3.0"] = (
        "\x1b[31mred\x1b]0;title\x07"
    )
    file = tmp_path / "own.json"
    file.write_text(json.dumps(document))
    result = run("show", "2.3.0", "--matrix", str(file))
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_verify_prints_differences_and_exits_1(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    result = run("verify", "2.21.0", "--platform", "linux_x86_64")
    assert result.exit_code == 1
    assert (
        "tensorflow 2.21.0 on linux_x86_64: python: matrix ['3.10', '3.11', '3.12', '3.13']"
        in result.stdout
    )
    assert result.stderr == ""


def test_verify_json_is_one_document(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    document = json.loads(run("verify", "2.21.0", "--platform", "linux_x86_64", "--json").stdout)
    assert document["cells_compared"] == 13
    assert {each["field"] for each in document["differences"]} == {"python", "requires", "and_cuda"}
    assert document["bytes_read"] > 0


def test_an_index_that_is_not_there_is_one_line_and_status_3(site: Site) -> None:
    site.page = lambda: (404, b"")
    result = run("verify", "2.21.0")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "status 404" in result.stderr


def test_update_says_what_it_added_and_then_nothing_more(site: Site) -> None:
    site.wheels[wheel_name("2.99.0")] = wheel("2.99.0")
    result = run("update")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == ["tensorflow 2.99.0 on linux_x86_64", "1 row added"]
    assert run("show", "2.99.0").exit_code == 0
    assert "knows every published release" in run("update").stdout


def test_update_with_nothing_reachable_keeps_the_bundled_matrix(site: Site) -> None:
    site.page = lambda: (404, b"")
    result = run("update")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "matrix 2026.11.29 (bundled)" in run("show").stdout
