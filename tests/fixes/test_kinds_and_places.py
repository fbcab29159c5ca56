"""Every kind of action at every place: the row and the words that are expected there, literally (`kinds_and_places.yaml`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixes.compose import compose_service
from tfdoctor.knowledge.actions import KINDS, act, placed
from tfdoctor.knowledge.compiled import actions
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.shells import typed
from tfdoctor.knowledge.tools import with_tool

EXPECTED: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("kinds_and_places.yaml").read_text("utf-8")
)
ACTIONS = [tuple((*name.split(": "), "")[:2]) for name in EXPECTED]
BESIDE = {
    **dict.fromkeys(("powershell", "cmd"), ("windows",)),
    **dict.fromkeys(("podman", "compose", "lxc", "desktop"), ("docker", "linux")),
    **dict.fromkeys(
        ("docker", "kubernetes", "apptainer", "slurm", "scheduler", "jetson", "node"), ("linux",)
    ),
}
"""What a place of this name also is."""
PLACES = tuple(sorted(actions()["places"]))
VALUES = {"python": "python", "app": "jupyterlab"}


def words(kind: str, what: str, name: str) -> tuple[str, tuple[str, ...], str, str] | None:
    """Title, commands, where, and what the place's shell or tool adds to the note; None where it is not offered."""
    place = Place(frozenset((name, *BESIDE.get(name, ()))), values=VALUES)
    own = placed(act(kind, what), place)
    if own is None:
        return None
    drawn = (
        with_tool(typed(own, place), place) if place.hosted else typed(with_tool(own, place), place)
    )
    return drawn.title, drawn.commands, drawn.where, "" if drawn.note == own.note else drawn.note


def test_each_kind_and_each_place_has_its_words() -> None:
    assert {kind for kind, _ in ACTIONS} == KINDS.keys()
    for name, rows in EXPECTED.items():
        assert sorted(place for row in rows for place in row["at"]) == list(PLACES), name


@pytest.mark.parametrize("name", EXPECTED)
def test_an_action_has_the_words_of_each_place(name: str) -> None:
    kind, what = (*name.split(": "), "")[:2]
    for row in EXPECTED[name]:
        said = (
            row.get("title", ""),
            tuple(row.get("commands", ())),
            row.get("where", ""),
            row.get("note", ""),
        )
        for place in row["at"]:
            assert words(kind, what, place) == (None if row.get("nothing") else said), place


GROWTH = ("set-variable", "allow-memory-growth")
FRAGMENTS = [
    (*GROWTH, "kubernetes", "the pod's file: ", {"env": [{"name": "TF_FORCE_GPU_ALLOW_GROWTH", "value": "true"}]}),
    (*GROWTH, "compose", "the compose file: ", {"environment": ["TF_FORCE_GPU_ALLOW_GROWTH=true"]}),
    ("give-gpu", "start-with-gpu", "compose", "service's name: ",
     {"deploy": {"resources": {"reservations": {"devices": [{"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}]}}}}),
    ("give-gpu", "start-with-gpu", "kubernetes", "Add `", {"resources": {"limits": {"nvidia.com/gpu": 1}}}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "what", "name", "before", "said"), FRAGMENTS)
def test_a_file_takes_the_lines_of_a_note(
    kind: str, what: str, name: str, before: str, said: dict[str, Any]
) -> None:
    place = Place(frozenset((name, *BESIDE.get(name, ()))))
    own = placed(act(kind, what), place)
    assert own is not None
    lines = re.split(r"\.(?: |$)|`", typed(own, place).note.partition(before)[2])[0]
    assert yaml.safe_load(lines) == said
    if name == "compose":
        compose_service().validate(said)
