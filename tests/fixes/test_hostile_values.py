"""No value is syntax of a shell: whatever fills a hole of a command is one word of it."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdoctor.fix.loading import loaded
from tfdoctor.knowledge.actions import Command, Row, act, placed, rows
from tfdoctor.knowledge.compiled import filled
from tfdoctor.knowledge.lines import Words, setting, word
from tfdoctor.knowledge.place import Place
from tools.build.knowledge import actions, holes, placeholders, within_quotes

HOSTILE = [
    "a b", "$HOME", "it's", 'say "x"', "$(touch gone)", "`touch gone`", "a;b", "a&&b", "a|b", "a>b", "x\ny", "\\", "a\\", "*", "~", "#x", "!!", "",
    "'; touch gone; '", "{{python}}", "-rf", "\u202egnp.exe", "x" * 10_000, "it's $(touch gone)", "a' b",
]  # fmt: skip
MANY = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)
LOADED = st.text(st.sampled_from("ab'\"$(){}`\\;&|<>*~#! \n\t-=[],."), max_size=40)


def _with_text() -> list[tuple[tuple[str, str], Row]]:
    """Each row that has a hole in a line of a shell which is written as text."""
    return [
        (name, row)
        for name in sorted(actions())
        for row in rows(*name)
        if any("{{" in _text(each) for each in row.commands)
    ]


def _text(said: Command) -> str:
    return said if isinstance(said, str) else said.get("harmless", "")


def _shell(lines: list[str]) -> list[str]:
    """The words that a real shell makes of each."""
    script = "\n".join(f"printf '%s\\0' {each}" for each in lines)
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return ran.stdout.decode(errors="surrogateescape").split("\0")[:-1]


def test_a_shell_takes_each_value_for_one_word() -> None:
    assert _shell([word(each) for each in HOSTILE]) == HOSTILE


@given(st.lists(MANY | LOADED, min_size=1, max_size=200))
def test_a_shell_takes_any_value_for_one_word(values: list[str]) -> None:
    assert _shell([word(each) for each in values]) == values


def test_words_of_a_shell_stay_as_they_are() -> None:
    assert word(Words(" --platform win32")) == " --platform win32"
    line = Words("python -m pip install 'tf-keras~=2.16.0'")
    assert act("change-packages", "tf-keras", tf_keras=line).commands[0] == line


def test_each_command_of_a_table_gets_its_values_as_words() -> None:
    """At each place that has a row; no hole stands between quotes."""
    every, bare = _with_text(), []
    assert len(every) > 50
    for (kind, what), row in every:
        asked = holes((kind, what)) | set(placeholders())
        for value in HOSTILE:
            drawn = act(kind, what, **dict.fromkeys(asked, value))
            fix = placed(drawn, Place(frozenset(row.at[:1]))) if row.at else drawn
            assert fix is not None, (kind, what, row.at)
            for said, line in zip(row.commands, fix.commands, strict=True):
                if text := _text(said):
                    assert within_quotes(text) == ""
                    if line != filled(text, dict.fromkeys(asked, word(value))):
                        bare.append((kind, what, line))
    assert bare == []


def test_a_value_of_a_note_is_quoted_where_it_is_typed() -> None:
    assert (
        "`python -X faulthandler '$(touch gone).py'`"
        in act("edit-program", "eager", program="$(touch gone).py").note
    )


@given(LOADED | MANY)
def test_no_name_is_more_than_one_requirement_or_an_option(name: str) -> None:
    """Of a package that is installed, pip and the shell see the one word."""
    [line] = act(
        "change-packages", "install-module-for-keras", module=name, keeping=Words("")
    ).commands
    found = shlex.split(line)
    assert found[:4] == ["python", "-m", "pip", "install"]
    of_an_index = (
        name[:1].isascii() and name[:1].isalnum() and "@" not in name and "://" not in name
    )
    assert found[4:] == ["PACKAGE"] or (of_an_index and found[4:] == [name])
    if name.isascii() and name.isalnum():
        assert found[4:] == [name]


@given(LOADED | MANY)
def test_a_variable_gets_its_value_as_it_is(value: str) -> None:
    assert shlex.split(setting({"NAME": value})) == ["export", f"NAME={value}"]


QUOTED = [
    ("a '{{x}}'", "{{x}}"), ('a "{{x}}"', "{{x}}"), ("`{{x}}`", "{{x}}"), ('"$(ls "{{x}}")"', "{{x}}"), ('"it\'s {{x}}"', "{{x}}"),
    ("a {{x}}", ""), ('"$(ls {{x}}.1*)"', ""), ("'{{.State}}' {{x}}", ""), ('a \\" {{x}}', ""), ("'a' {{x}} 'b'", ""), ('"a (b" {{x}}', ""),
    ("'a\\' {{x}}", ""), ("\"x==$({{x}} -c 'v(\"t\")[0]').*\"", ""), ('"a\\"{{x}}"', "{{x}}"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "found"), QUOTED)
def test_a_hole_between_quotes_is_refused(line: str, found: str) -> None:
    assert within_quotes(line) == found


WINDOWS = [
    (r"C:\Users\me\tf\Scripts\python.exe", r'"C:\Users\me\tf\Scripts\python.exe"'),
    (r"C:\Program Files\Python312\python.exe", r'"C:\Program Files\Python312\python.exe"'),
    ("numpy>=1.26,<2", '"numpy>=1.26,<2"'),
    ("C:/tf/python.exe", "C:/tf/python.exe"),
]


@pytest.mark.parametrize(("value", "quoted"), WINDOWS)
def test_a_path_of_windows_is_one_word_of_each_of_the_three_shells(value: str, quoted: str) -> None:
    assert word(value) == quoted
    assert _shell([quoted]) == [value]


def test_a_note_names_a_python_of_windows_as_its_shells_take_it() -> None:
    fix = act("edit-program", "eager", program=r"C:\my runs\train.py")
    assert r'`python -X faulthandler "C:\my runs\train.py"`' in fix.note


@pytest.mark.parametrize(
    "python",
    ["/srv/x/python", "x/bin/python", "../python", r"C:\odd\python.exe", r"\\odd\python.exe"],
)
def test_what_a_line_starts_has_to_be_vouched_for_wherever_it_stands(python: str) -> None:
    [line, *_] = act(
        "change-file", "link-to-nvidia-package-library", folder="cublas", python=python
    ).commands
    assert line.startswith("LIB=$(") and line.endswith(")/lib")
    assert loaded(line) == (python,)
