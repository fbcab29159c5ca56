"""Package fixes in the words of Windows, of a hosted runtime and of another environment."""

from __future__ import annotations

import pytest

from tfdoctor.knowledge.actions import act, placed
from tfdoctor.knowledge.lines import Pip, Words, requirement
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.tools import with_tool

ASKS = Words("$(python -m pip list --format=freeze | grep ^tensorflow==)")


def typed(fix: Fix | None, *names: str, **values: str) -> tuple[str, ...]:
    assert fix is not None
    here = Place(frozenset(names), values=values)
    own = placed(fix, here)
    assert own is not None
    return with_tool(own, here).commands


def test_windows_command_prompt_is_asked_nothing() -> None:
    fix = act("reinstall", "tensorflow")
    assert typed(fix, "windows", keeping=ASKS) == (
        "python -m pip install --force-reinstall --no-deps tensorflow",
    )
    assert typed(fix, "linux", keeping=ASKS)[0].endswith(ASKS)


def test_the_tensorflow_that_is_there_fills_the_hole() -> None:
    fix = act("reinstall", "tensorflow")
    assert typed(fix, keeping="tensorflow-cpu==2.18.0")[0].endswith(
        "--no-deps tensorflow-cpu==2.18.0"
    )


def test_an_unnamed_place_gets_an_example_that_says_so() -> None:
    fix = act("reinstall", "tensorflow")
    assert fix.commands[0].endswith("tensorflow==2.21.0")
    assert "2.21.0 is an example" in fix.note


def test_a_hosted_runtime_is_its_one_environment() -> None:
    values = {
        "minor": "2.10",
        "spec": "tensorflow==2.10.*",
        "more": Words(' "numpy<2"'),
        "in_": Words("x"),
    }
    fix = act("new-environment", "tensorflow-of-minor", python="python", **values)
    assert typed(fix, "colab", "linux") == ('%pip install "tensorflow==2.10.*" "numpy<2"',)
    assert (
        placed(act("new-environment", "create-environment-with-uv"), Place(frozenset({"colab"})))
        is None
    )


def test_another_environments_line_is_not_the_projects() -> None:
    fix = Fix("Load it", (Pip("tensorflow>=2.16", python="keras-3/bin/python"),))
    here = Place(frozenset({"poetry", "linux"}))
    assert with_tool(fix, here).commands == fix.commands


@pytest.mark.parametrize(
    ("name", "place"), [("show-nccls-warnings", "windows"), ("peak-memory", "windows")]
)
def test_what_needs_a_posix_shell_is_not_offered_on_windows(name: str, place: str) -> None:
    assert placed(act("rerun", name), Place(frozenset({place}))) is None


def test_macs_measure_by_their_own_option() -> None:
    assert "/usr/bin/time -l " in typed(act("rerun", "peak-memory"), "macos")[0]


def test_not_equal_stands_in_double_quotes() -> None:
    assert requirement("gast>=0.2.1,!=0.5.0") == '"gast>=0.2.1,!=0.5.0"'
    assert requirement("say hi!") == "'say hi!'"
