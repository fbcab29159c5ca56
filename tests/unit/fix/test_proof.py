"""How a fix is taken back and seen to have helped, by literal facts; and what fixes of several machines become."""

from __future__ import annotations

import pytest

from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Environment, Facts, Interpreter, Packages
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Distribution
from tfdoctor.fix.commands import (
    against_its_will,
    conda_install,
    pip_install,
    pip_reinstall,
    pip_uninstall,
)
from tfdoctor.fix.loading import Trusts, nobody
from tfdoctor.fix.proof import with_proof
from tfdoctor.knowledge.actions import act, applicable, described, for_several, meaning
from tfdoctor.knowledge.lines import Words, prepending, setting, unsetting
from tfdoctor.knowledge.model import Action, Fix
from tfdoctor.say.pages import render_html, render_markdown
from tfdoctor.say.terminal import VERBOSE, Page, render_text
from tfdoctor.say.ticket import render_ticket
from tfdoctor.say.view import Advice, View

VENV = Facts(
    interpreter=Interpreter(
        executable=Known("/venv/bin/python", "test"),
        prefix=Known("/venv", "test"),
        chosen_by=Known("--python", "test"),
        has_pip=Known(value=True, source="test"),
    ),
    packages=Packages(
        installed=Known(
            (
                Distribution("numpy", "2.1.0", "", "pip", in_user_site=False),
                Distribution("tensorflow-cpu", "2.16.1", "", "pip", in_user_site=False),
                Distribution("odd", "?", "", "pip", in_user_site=False),
            ),
            "test",
        )
    ),
    environment=Environment(variables=Known({"TF_XLA_FLAGS": "--a b"}, "test")),
)
PIP = "/venv/bin/python -m pip"


vouched = Trusts(lambda path, as_root: path.startswith("/venv/"))


def undone(*lines: str, facts: Facts = VENV) -> tuple[str, ...]:
    return with_proof(described(Fix("Change it", lines)), facts, vouched).undo


@pytest.mark.parametrize(
    ("line", "undo"),
    [
        (pip_install(VENV, "numpy>=1.26,<2"), (f"{PIP} install numpy==2.1.0",)),
        (pip_install(VENV, "tf-keras"), (f"{PIP} uninstall --yes tf-keras",)),
        (
            pip_install(VENV, "tf-keras", "tensorflow-cpu==2.16.1"),
            (f"{PIP} uninstall --yes tf-keras",),
        ),
        (pip_uninstall(VENV, "tensorflow-cpu"), (f"{PIP} install tensorflow-cpu==2.16.1",)),
        (pip_reinstall(VENV, "numpy==2.1.0"), ()),
        (pip_install(VENV, "odd==1"), ()),
        (conda_install(VENV, "numpy<2"), ()),
        (against_its_will(pip_uninstall(VENV, "numpy")), ()),
        (setting({"TF_XLA_FLAGS": "--c"}), ("export TF_XLA_FLAGS='--a b'",)),
        (setting({"TF_USE_LEGACY_KERAS": "1"}), ("unset TF_USE_LEGACY_KERAS",)),
        (unsetting("TF_XLA_FLAGS"), ("export TF_XLA_FLAGS='--a b'",)),
        (prepending("LD_LIBRARY_PATH", "/venv/lib"), ("unset LD_LIBRARY_PATH",)),
        (Words("sudo reboot"), ()),
    ],
)
def test_a_line_is_taken_back_by_what_was_there(line: str, undo: tuple[str, ...]) -> None:
    assert undone(line) == undo


def test_what_was_removed_first_comes_back() -> None:
    lines = (pip_uninstall(VENV, "tensorflow-cpu"), pip_install(VENV, "tensorflow==2.16.1"))
    assert undone(*lines) == (
        f"{PIP} uninstall --yes tensorflow",
        f"{PIP} install tensorflow-cpu==2.16.1",
    )


def test_what_was_not_read_is_not_put_back() -> None:
    unread = replace(VENV, environment=Environment(variables=Failed("no", "refused")))
    assert undone(setting({"TF_XLA_FLAGS": "--c"}), facts=unread) == ()
    bare = replace(VENV, packages=Packages(installed=Absent("none")))
    assert undone(pip_install(VENV, "numpy<2"), facts=bare) == ()


def test_a_path_that_nothing_vouches_for_is_in_no_line() -> None:
    there = replace(
        VENV, environment=Environment(variables=Known({"LD_PRELOAD": "/tmp/x.so"}, "test"))
    )
    assert undone(unsetting("LD_PRELOAD"), facts=there) == ()
    found = with_proof(described(Fix("x", (pip_install(VENV, "tf-keras"),))), VENV, nobody)
    assert (found.undo, found.verify) == ((), ())


def test_it_is_verified_in_the_environment_that_was_examined() -> None:
    fix = described(Fix("x", (pip_install(VENV, "tf-keras"),)))
    assert with_proof(fix, VENV, vouched, "--require-gpu").verify == (
        "tfdoctor check --python /venv/bin/python --require-gpu",
    )
    look = act("look", "gpus")
    assert with_proof(look, VENV, vouched) == look


def test_a_report_carries_both() -> None:
    fix = with_proof(described(Fix("x", (pip_install(VENV, "tf-keras"),))), VENV, vouched)
    document = to_json(fix)
    assert document["undo"] == [f"{PIP} uninstall --yes tf-keras"]
    assert document["verify"] == ["tfdoctor check --python /venv/bin/python"]
    assert from_json(document, Fix).undo == fix.undo


OF_A_NEWER = {
    "title": "Grow it",
    "commands": ["grow"],
    "note": "",
    "action": {"kind": "grow", "by": ["1", "2"]},
}
OLDER = {"title": "Grow it", "commands": ["grow"], "note": ""}


@pytest.mark.parametrize("document", [OF_A_NEWER, OLDER])
def test_a_fix_of_another_version_is_its_title_and_commands(document: dict[str, object]) -> None:
    fix = from_json(document, Fix)
    assert (fix.title, fix.commands) == ("Grow it", ("grow",))
    assert meaning(fix) == ("Grow it", ("grow",))
    assert not applicable(described(fix)).applies


def there(prefix: str) -> Facts:
    return replace(
        VENV,
        interpreter=replace(VENV.interpreter, executable=Known(f"{prefix}/bin/python", "test")),
    )


def test_what_does_the_same_on_two_machines_is_one_fix_without_their_paths() -> None:
    lines = [
        (pip_uninstall(facts, "tensorflow"), pip_install(facts, "numpy<2"), pip_install(facts, "x", options=("--no-deps",)))
        for facts in (there("/a"), there("/b"))
    ]  # fmt: skip
    first, second = (described(Fix("Downgrade NumPy", each)) for each in lines)
    assert meaning(first) == meaning(second)
    assert for_several([first, first]) == first
    assert for_several([first, second]).commands == (
        "python -m pip uninstall --yes tensorflow",
        'python -m pip install "numpy<2"',
        "python -m pip install --no-deps x",
    )


def test_a_table_says_it_for_several_machines() -> None:
    own = act("give-gpu", "start-with-gpu")
    mine, yours = (replace(own, title="Start it", commands=(name,)) for name in ("a", "b"))
    assert for_several([mine, yours]) == own


def test_what_says_too_little_is_told_apart_by_its_words() -> None:
    some = Fix("A", note="x", action=Action("give-gpu"))
    assert meaning(some) != meaning(replace(some, title="B"))


def test_a_page_says_how_to_undo_it() -> None:
    fix = Advice("Change it", ("a",), undo=("take --back",))
    view = View("tfdoctor", "broken", "broken", "It is broken.", (), "", fix=fix)
    assert "To undo it:\n\n```sh\ntake --back\n```" in render_markdown(view)
    assert "take --back" in render_html(view)
    assert "take --back" in render_ticket(view)
    assert "take --back" in render_text(view, Page(width=80, amount=VERBOSE))
    assert "take --back" not in render_text(view, Page(width=80))
