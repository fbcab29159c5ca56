"""Every slip in a knowledge file is refused with file, line, column and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.knowledge.compiled import Lines
from tfdoctor.knowledge.messages.linear import explodes
from tools.build import knowledge
from tools.build.strict_yaml import SlipError

GOOD = """\
code: gpu-memory-held
messages:
  held-by-another:
    anchor: 'is held by'
    pattern: 'GPU (?P<gpu>\\d{1,3}) is held by (?P<process>\\w{1,40})'
    samples:
      - 'GPU 0 is held by python'
    not:
      - 'the lock is held by python'
    sources: [wheels]
"""
SLIPS = {
    "a misspelled key": ("samples:", "sampels:", "6:5", "no key 'sampels' here (samples?)"),
    "an unknown code": ("gpu-memory-held", "gpu-memory-hold", "1:7", "no code 'gpu-memory-hold' (gpu-memory-held?)"),
    "a pattern that may run for ever": (
        "(?P<process>\\w{1,40})", "(?P<process>(?:\\w{1,40},?){1,40})", "5:14", "in too many ways against 'GPU 0 is held by 000'"),
    "a repeat without a bound": ("\\w{1,40}", "\\w+", "5:14", "without a bound"),
    "a near miss that matches": ("the lock is held", "GPU 1 is held", "9:9", "is recognized: it should not be"),
    "a near miss without the anchor": ("the lock is held by", "the lock is kept by", "9:9", "lacks the anchor"),
    "no source": ("    sources: [wheels]\n", "", "3:3", "It needs `sources`"),
    "no near miss": ("    not:\n      - 'the lock is held by python'\n", "", "3:3", "it needs a line under `not`"),
    "a sample that does not match": ("GPU 0 is", "GPU zero is", "7:9", "is not recognized"),
    "an unknown group": ("?P<gpu>", "?P<card>", "5:14", "no group 'card'"),
    "a list in brackets": (":\n      - 'GPU 0 is held by python'", ": ['GPU 0 is held by python']", "6:14", "one a line"),
    "a version without quotes": ("sources: [wheels]", "releases: 2.10", "10:15", "write '2.10' in quotes"),
    "an unknown fix": ("sources: [wheels]", "fixes: [restart]", "10:13", "no action restart"),
    "a hole that nothing fills": ("[wheels]", "[wheels]\n    title: 'Held by {{proces}}.'", "11:12", "no such group (process?)"),
    "an undated source": ("[wheels]", "[somewhere]", "10:15", "ends with its date"),
    "a key that stands twice": ("    sources: [wheels]\n", "    sources: [wheels]\n    anchor: 'x'\n", "11:5", "a second time"),
    "a tab": ("    anchor", "\tanchor", "4:1", "cannot start any token"),
    "an anchor of YAML's": ("'is held by'", "&here 'is held by'", "4:13", "no anchors"),
    "what a scaffold left open": ("GPU 0 is held by", "FILL IN: a line", "7:10", "still to be filled in"),
    "a code in the wrong file": ("gpu-memory-held", "gpu-absent", "1:7", "causes/gpu-absent.yaml"),
}  # fmt: skip


def built(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[knowledge.Entry, ...]:
    (folder / "causes").mkdir(parents=True)
    (folder / "causes" / "gpu-memory-held.yaml").write_text(text, encoding="utf-8")
    (folder / "sources.yaml").write_text(
        "wheels: 'the published wheels (2026-11)'\n", encoding="utf-8"
    )
    monkeypatch.setattr(knowledge, "FOLDER", folder)
    monkeypatch.setattr(knowledge, "ROOT", folder)
    return knowledge.read_entries()


def test_a_good_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = built(tmp_path, GOOD, monkeypatch)
    assert (entry.name, entry.signature.code, entry.sources) == (
        "held-by-another", "gpu-memory-held", ("the published wheels (2026-11)",),
    )  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_with_its_place(
    slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad, place, words = SLIPS[slip]
    assert good in GOOD
    with pytest.raises(SlipError) as refused:
        built(tmp_path, GOOD.replace(good, bad), monkeypatch)
    assert str(refused.value).startswith(f"causes/gpu-memory-held.yaml:{place}: ")
    assert words in str(refused.value)


def test_all_slips_are_named_in_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GOOD.replace("samples:", "sampels:") + GOOD.partition("messages:\n")[2].replace(
        "held-by-another", "second"
    ).replace("GPU 0", "GPU zero").replace("[wheels]", "[somewhere]")
    with pytest.raises(SlipError) as refused:
        built(tmp_path, text, monkeypatch)
    assert [each.partition(": ")[0].rpartition("yaml:")[2] for each in refused.value.slips] == [
        "6:5",
        "15:9",
        "18:15",
    ]


@pytest.mark.parametrize(
    "content",
    ["", "\x00", "{}", "- a", "messages: {}\n" * 2, pytest.param("a" * 2_000_000, id="2 MB")],
)
def test_rubbish_is_refused(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SlipError):
        built(tmp_path, content, monkeypatch)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(a{1,9}){1,9}", True),
        (r"(\w{1,9},?){1,9}", True),
        (r"(?:\w{1,9}|\d){1,9}", True),
        (r"(?:a|a|ab|[\w.-]){1,50}", True),
        (r"(?:ab|a|b){1,50}", True),
        (r"\w{0,200}\w{0,200}x", True),
        (r"(?:x?){1,90}y", True),
        (r".{0,200} but .{0,200}", False),
        (r"(?:\.\w{1,60}){0,8}", False),
        (r"\w{1,60}\.\w{1,60}", False),
        (r"(?:ab){0,9}", False),
    ],
)
def test_a_pattern_that_goes_back_too_often_is_known(pattern: str, expected: bool) -> None:
    assert bool(explodes(pattern)) is expected


@pytest.mark.parametrize(
    "content", ["", "{", '{"format": 0, "messages": []}', '{"format": 1, "messages": [[1]]}']
)
def test_a_damaged_compiled_file_is_one_clear_error(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tfdoctor.knowledge.messages import catalogue

    damaged = tmp_path / "messages.json"
    damaged.write_text(content, encoding="utf-8")
    monkeypatch.setattr(catalogue, "COMPILED", damaged)
    with pytest.raises(OSError, match="reinstall tfdoctor"):
        catalogue.loaded()


@pytest.mark.parametrize("content", ["", "{", '{"a": 7}\n{}\n', '{"a": 0}\n[1,\n'])
def test_a_damaged_file_of_lines_is_one_clear_error(content: str, tmp_path: Path) -> None:
    damaged = tmp_path / "actions.jsonl"
    damaged.write_text(content, encoding="utf-8")
    with pytest.raises(OSError, match="reinstall tfdoctor"):
        Lines(damaged)["a"]


def test_a_line_is_read_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "actions.jsonl"
    file.write_text('{"ä": 0, "b": 8}\n"über"\n[1]\n', encoding="utf-8")
    lines = Lines(file)
    assert (lines["ä"], lines["b"], list(lines)) == ("über", [1], ["ä", "b"])
