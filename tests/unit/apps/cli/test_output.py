"""Where results go: a file whole or not at all, characters and colours that the reader can take."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import tfdoctor
from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.output import OutputFile, as_bytes, folded, text_encoding, wants_colour
from tfdoctor.say.redact.identity import identity


def test_a_new_file_gets_the_mode_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        file = OutputFile(str(tmp_path / "new"))
        assert not (tmp_path / "new").exists()
        file.write(b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "new").read_bytes() == b"x"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    OutputFile(str(tmp_path / "link")).write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    OutputFile(os.devnull).write(b"x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_what_is_not_written_leaves_nothing(tmp_path: Path) -> None:
    OutputFile(str(tmp_path / "x"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["no/such/folder/x", "."])
def test_a_place_that_can_not_be_written_is_told_before_the_work(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be written"):
        OutputFile(str(tmp_path / name))


@pytest.mark.parametrize(
    ("environ", "terminal", "colour"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, True, False),
        ({"CLICOLOR": "0"}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_when_there_is_colour(environ: dict[str, str], terminal: bool, colour: bool) -> None:
    assert wants_colour(environ, terminal=terminal) is colour


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"LANG": "C"},
        {"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"},
        {"LC_CTYPE": "C.UTF-8", "LANG": "C"},
    ],
)
def test_the_plain_locale_is_ascii_whatever_python_makes_of_it(environ: dict[str, str]) -> None:
    assert text_encoding(environ) == "ascii"


def test_text_for_the_plain_locale_has_plain_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    assert as_bytes("3.10–3.13 · ≥ 535 … 日", to_file=False) == b"3.10-3.13 - >= 535 ... ?"
    assert as_bytes("3.10–3.13", to_file=True) == "3.10–3.13".encode()


@pytest.mark.parametrize(
    "environ", [{"LANG": "C.UTF-8"}, {"LC_ALL": "en_US.UTF-8"}, {"PYTHONIOENCODING": "utf-8"}]
)
def test_another_locale_is_what_the_stream_says(environ: dict[str, str]) -> None:
    assert text_encoding(environ) != "ascii"


def test_who_runs_it() -> None:
    me = identity({"USER": "alice", "HOME": "/home/alice", "HOSTNAME": "node17.example.org"})
    assert (me.user, me.home) == ("alice", "/home/alice")
    assert {"node17.example.org", "node17"} <= set(me.hosts)
    assert identity({}).user != ""


def test_sentences_are_folded_and_commands_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "  note: one two three four five six seven\n    a command that is far too long for this\nshort\n"
    monkeypatch.delenv("COLUMNS", raising=False)
    assert folded(text) == text, "off a terminal nothing is folded"
    monkeypatch.setenv("COLUMNS", "24")
    assert (
        folded(text)
        == "  note: one two three\n    four five six seven\n    a command that is far too long for this\nshort\n"
    )


@pytest.mark.slow  # a program for each width
@pytest.mark.parametrize("columns", ["40", "80", "120"])
def test_no_line_of_a_listing_is_wider_than_the_terminal(columns: str) -> None:
    for arguments in (
        ("explain", "--list"),
        ("plan", "--os", "linux", "--python", "3.12"),
        ("matrix", "show", "2.21.0"),
    ):
        for line in tfdoctor(*arguments, env={"COLUMNS": columns}).stdout.splitlines():
            assert (
                len(line) <= int(columns) or line.startswith("    ") or " " not in line.strip()
            ), line


@pytest.mark.parametrize("again", [False, True], ids=["removed", "made again"])
def test_a_relative_name_holds_where_the_working_directory_is_removed(
    again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tfdoctor run --report out/report.json -- sh -c 'rm -r "$PWD"'`, and a clean-up of the output's directory alone."""
    folder = tmp_path / "work"
    (folder / "out").mkdir(parents=True)
    monkeypatch.chdir(folder)
    files = [OutputFile("report.json"), OutputFile("out/report.html")]
    shutil.rmtree(folder)
    if again:
        folder.mkdir()
    assert [file.write(b"whole") for file in files] == [5, 5]
    assert (folder / "report.json").read_bytes() == b"whole"
    assert (folder / "out" / "report.html").read_bytes() == b"whole"
