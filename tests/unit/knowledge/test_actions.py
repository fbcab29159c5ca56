"""Which fixes are left where their answer is known, and what stands in for a name that nothing tells."""

from __future__ import annotations

import pytest

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts, Host, Interpreter
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.fix.install import environment_fix
from tfdoctor.fix.loading import guarded, nobody
from tfdoctor.judge.log.fitting import in_the_project
from tfdoctor.knowledge.actions import KINDS, act, applicable, described, names, placed, unanswered
from tfdoctor.knowledge.lines import Environment
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.tools import with_tool

GPUS = act("look", "gpus")
CPU = act("words", "check-without-requiring-gpu")
ASKED = replace(Facts(), host=Host(gpus_on_bus=Failed("permission denied", "refused")))


def test_a_look_whose_answer_is_known_is_left_out() -> None:
    none = replace(Facts(), host=Host(gpus_on_bus=Absent("no GPU on the bus")))
    assert unanswered((GPUS, CPU), none) == (CPU,)


def test_a_look_stays_where_the_answer_could_not_be_had() -> None:
    assert unanswered((GPUS, CPU), ASKED) == (GPUS, CPU)


def test_a_look_for_two_facts_stays_until_both_are_known() -> None:
    look = act("look", "cpu-flags")
    half = replace(Facts(), host=Host(cpu_flags=Known(("avx",), "/proc/cpuinfo")))
    both = replace(half, host=replace(half.host, cpu_model=Known("Xeon", "/proc/cpuinfo")))
    assert unanswered((look,), half) == (look,)
    assert unanswered((look,), both) == ()


def test_no_fact_answers_what_is_no_look() -> None:
    known = replace(Facts(), interpreter=Interpreter(pointer_bits=Known(64, "struct")))
    assert unanswered((CPU,), known) == (CPU,)


def test_a_program_is_called_by_its_name_where_the_log_shows_it() -> None:
    fix = placed(act("rerun", "gdb"), Place(values={"program": "fit.py"}))
    assert fix is not None
    assert "python fit.py" in fix.commands[0]
    assert "PROGRAM.py" not in fix.note


def test_a_placeholder_says_that_it_is_one() -> None:
    fix = placed(act("rerun", "gdb"), Place())
    assert fix is not None
    assert "python PROGRAM.py" in fix.commands[0]
    assert "Replace PROGRAM.py with your program." in fix.note


def test_a_look_has_the_words_of_its_system() -> None:
    windows = placed(act("look", "gpus"), Place(frozenset({"windows"})))
    linux = placed(act("look", "gpus"), Place(frozenset({"linux"})))
    assert windows is not None
    assert linux is not None
    assert "Get-CimInstance" in windows.commands[0]
    assert "lspci" in linux.commands[0]


def test_a_new_environment_says_where_and_of_which_python_it_is() -> None:
    action = described(act("new-environment", "load-with-tensorflow-2-15")).action
    assert action is not None
    assert (action.values["environment"], action.values["python_version"]) == (
        "tensorflow-2.15",
        "3.11",
    )


def test_a_project_gets_another_python_in_place_of_a_new_environment() -> None:
    made = Environment("tensorflow-2.18", python="3.12")
    fix = environment_fix("Use TensorFlow 2.18", (made, "uv pip install tensorflow"))
    assert in_the_project(fix, Place(frozenset({"poetry"}))).commands == (
        "poetry env use 3.12",
        "poetry install",
    )
    assert in_the_project(fix, Place(frozenset({"linux"}))) == fix
    # What it installs is not the project's.
    tried = act("new-environment", "load-with-tensorflow-2-15")
    assert in_the_project(tried, Place(frozenset({"poetry"}))) == tried


def test_an_environment_that_a_projects_tool_makes_is_the_fixs_own() -> None:
    pipenv = Place(frozenset({"pipenv", "linux"}))
    fix = placed(act("new-environment", "create-environment-with-venv"), pipenv)
    assert fix is not None
    made = with_tool(fix, pipenv)
    assert made.commands[0] == "pipenv run python3.12 -m venv tensorflow-2.21.0"
    assert guarded(made, nobody) == made


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_a_table_says_is_applied_only_where_it_is_packages_and_says_all(kind: str) -> None:
    for name in (what for of, what in names() if of == kind):
        fix = applicable(described(act(kind, name)))
        if not fix.applies:
            continue
        assert kind in ("change-packages", "reinstall"), fix
        assert all(line.startswith("python -m pip ") for line in fix.commands), fix
        assert not any(
            word in line
            for line in fix.commands
            for word in ("sudo", "--break-system-packages", "PACKAGE")
        ), fix
        assert sum(" install " in line and "--no-deps" not in line for line in fix.commands) < 2, (
            fix
        )


def test_an_example_and_an_either_or_are_not_applied() -> None:
    names = ("update-packages-bundle-protobuf", "pyarrow-or-older-tensorflow", "install-tensorflow")
    assert not any(applicable(described(act("change-packages", each))).applies for each in names)
