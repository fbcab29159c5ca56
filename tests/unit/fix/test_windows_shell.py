"""Commands as Windows' two shells take them, Command Prompt and PowerShell; where it is not known which one, the note names the other's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdoctor.fix.loading import guarded, nobody
from tfdoctor.knowledge.lines import prepending, quoted, setting, unsetting, word
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.quoting import UnwritableError, cmd, powershell, split, windows
from tfdoctor.knowledge.shells import LEFT_OUT, typed

CMD = Place(frozenset({"windows", "cmd"}))
POWERSHELL = Place(frozenset({"windows", "powershell"}))
WINDOWS = Place(frozenset({"windows"}))
PYTHON = r"C:\my env\python.exe"
BOTH: list[tuple[str, list[str], list[str]]] = [
    ("wsl --install", ["wsl --install"], ["wsl --install"]),
    ("pip install 'numpy<2'", ['pip install "numpy<2"'], ['pip install "numpy<2"']),
    ("pip install numpy==1.26.4", ["pip install numpy==1.26.4"], ["pip install numpy==1.26.4"]),
    (r"tf\Scripts\python -m pip install numpy", [r"tf\Scripts\python -m pip install numpy"], [r"tf\Scripts\python -m pip install numpy"]),
    (f'"{PYTHON}" -m pip', [f'"{PYTHON}" -m pip'], [f'& "{PYTHON}" -m pip']),
    (f"'{PYTHON}' -c 'print(\"x\")'", [f'"{PYTHON}" -c "print(\'x\')"'], [f'& "{PYTHON}" -c "print(\'x\')"']),
    ("env -u A -u B python -X faulthandler", ["set A=", "set B=", "python -X faulthandler"], ["Remove-Item Env:A", "Remove-Item Env:B", "python -X faulthandler"]),
    ("A=1 python train.py", ["set A=1", "python train.py"], ['$env:A = "1"', "python train.py"]),
    ("mv random.py my_random.py", ["move random.py my_random.py"], ["move random.py my_random.py"]),
    ("python3.11 -m venv tf", ["py -3.11 -m venv tf"], ["py -3.11 -m venv tf"]),
    ("tf/bin/python -m pip install numpy && python a.py", [r"tf\Scripts\python -m pip install numpy", "python a.py"], [r"tf\Scripts\python -m pip install numpy", "python a.py"]),
    ("'it is' '$HOME'", [], ["& \"it is\" '$HOME'"]),
    ("a 'C:\\new dir\\'", ['a "C:\\new dir\\\\"'], ['a "C:\\new dir\\\\"']),
    (setting({"A": "1"}), ["set A=1"], ['$env:A = "1"']),
    (setting({"A": "true"}), ["set A=true"], ['$env:A = "true"']),
    (setting({"A": "10.3.0"}), ["set A=10.3.0"], ['$env:A = "10.3.0"']),
    (setting({"A": "a b", "B": ""}), ['set "A=a b"', "set B="], ['$env:A = "a b"', '$env:B = ""']),
    (unsetting("A"), ["set A="], ["Remove-Item Env:A"]),
    (prepending("PATH", r"C:\my dir"), [r'set "PATH=C:\my dir;%PATH%"'], [r'$env:PATH = "C:\my dir;" + $env:PATH']),
    ("%pip install numpy", ["%pip install numpy"], ["%pip install numpy"]),
    ("(Get-CimInstance Win32_VideoController).Name", ["(Get-CimInstance Win32_VideoController).Name"], ["(Get-CimInstance Win32_VideoController).Name"]),
    ("echo 'left open", ["echo 'left open"], ["echo 'left open"]),
]  # fmt: skip


def parsed(line: str) -> Any:
    """By a grammar of PowerShell that editors use."""
    tree_sitter = pytest.importorskip("tree_sitter", reason="pip install 'tfdoctor[dev]'")
    grammar = pytest.importorskip("tree_sitter_powershell", reason="pip install 'tfdoctor[dev]'")
    return (
        tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(line.encode()).root_node
    )


@pytest.mark.parametrize(("posix", "in_cmd", "in_powershell"), BOTH)
def test_a_command(posix: str, in_cmd: list[str], in_powershell: list[str]) -> None:
    assert list(typed(Fix("Do it", (posix,)), CMD).commands) == in_cmd
    assert list(typed(Fix("Do it", (posix,)), POWERSHELL).commands) == in_powershell
    if "'left" not in posix:
        assert not any(parsed(line).has_error for line in in_powershell if not line.startswith("%"))


def test_where_either_may_be_the_shell_the_note_names_the_other() -> None:
    fix = typed(
        Fix("Set it", (setting({"A": "1"}), "python a.py"), "Lasts for this window."), WINDOWS
    )
    assert fix.commands == ("set A=1", "python a.py")
    assert fix.note == 'Lasts for this window. In PowerShell: $env:A = "1"'


def test_what_both_take_needs_no_word() -> None:
    assert typed(Fix("Install", ("pip install 'numpy<2'",)), WINDOWS).note == ""


def test_other_systems_keep_theirs() -> None:
    fix = Fix("Install", ("pip install 'numpy<2'",))
    assert typed(fix, Place()) == typed(fix, Place(frozenset({"linux"}))) == fix


def test_a_look_at_a_path_that_windows_would_expand_is_left_out() -> None:
    fix = guarded(Fix("Use it", (quoted("D:\\a%PATH%\\python.dll"),)), nobody)
    assert (fix.commands, fix.note) == ((), LEFT_OUT)


@pytest.mark.parametrize("value", ['a"b', "%PATH%", "a\nb", "\u202egnp"])
def test_what_command_prompt_would_act_on_is_not_typed(value: str) -> None:
    fix = typed(Fix("Set it", (setting({"A": value}),), "Then run it.", applies=True), CMD)
    assert (fix.commands, fix.note, fix.applies) == ((), f"{LEFT_OUT} Then run it.", False)


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(
    "ab'\"$(){}`\\%;&|<>^* ‘’“”\n=", max_size=30
)


def _arguments(line: str) -> list[Any]:
    [command] = [each for each in _all(parsed(line)) if each.type == "command"]
    elements: list[Any] = next(
        each for each in _all(command) if each.type == "command_elements"
    ).named_children
    return elements


def _all(node: Any) -> list[Any]:
    return [node, *(inner for each in node.children for inner in _all(each))]


@pytest.mark.parametrize("quote", [powershell, windows])
@given(value=ANY)
def test_any_value_is_one_word_of_powershell_or_refused(
    quote: Callable[[str], str], value: str
) -> None:
    try:
        quoted = quote(value)
    except UnwritableError:
        return
    line = f"program {quoted} last"
    assert not parsed(line).has_error
    words = [each for each in _arguments(line) if each.type != "command_argument_sep"]
    assert len(words) == 2
    assert not any(each.type in ("variable", "sub_expression") for each in _all(words[0]))


@pytest.mark.parametrize("quote", [cmd, windows])
@given(value=ANY)
def test_any_value_is_one_word_of_command_prompt_or_refused(
    quote: Callable[[str], str], value: str
) -> None:
    """By its rules: within one pair of quotation marks nothing but % is acted on."""
    try:
        quoted = quote(value)
    except UnwritableError:
        return
    assert quoted.isprintable() and "%" not in quoted
    assert (
        quoted == value
        if '"' not in quoted
        else quoted[0] == quoted[-1] == '"' and '"' not in quoted[1:-1]
    )


@given(
    st.lists(ANY.filter(lambda each: "$" not in each and "`" not in each), min_size=1, max_size=5)
)
def test_the_words_of_a_line_are_found_again(words: list[str]) -> None:
    assert split(" ".join(map(word, words))) in ([words], None)
