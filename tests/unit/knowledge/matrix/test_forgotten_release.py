"""A matrix from which somebody took a release out of its lists: what is stated of the others stays as it was."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.matrix.cells import MAPS, ORDER, RELEASES, Order
from tfdoctor.knowledge.matrix.load import load_bundled, load_file
from tfdoctor.knowledge.matrix.query import Matrix

pytestmark = pytest.mark.slow

BUNDLED = load_bundled()
NAMED = BUNDLED.document["releases"]["tensorflow"][ORDER]


def without(release: str, folder: Path) -> Matrix:
    """As by hand: out of the lists, and nothing else of the file is touched."""
    document: dict[str, Any] = copy.deepcopy(dict(BUNDLED.document))
    block = document["releases"]["tensorflow"]
    lists = [
        block[ORDER],
        *(own[RELEASES] for own in block.values() if isinstance(own, dict) and RELEASES in own),
    ]
    for each in lists:
        if release in each:
            each.remove(release)
    file = folder / "matrix.json"
    file.write_text(json.dumps(document))
    return load_file(file)


@pytest.mark.parametrize("release", ["2.21.0", "2.22.0rc0", "2.16.1", "2.15.0.post1", "2.3.0"])
def test_it_is_unknown_and_the_others_are_what_they_were(release: str, tmp_path: Path) -> None:
    matrix = without(release, tmp_path)
    assert not isinstance(matrix.release(release), Known)
    assert matrix.defects(release) == ()
    for other in (each for each in NAMED if each != release):
        assert matrix.release(other) == BUNDLED.release(other)
        assert matrix.defects(other) == BUNDLED.defects(other)
        assert matrix.runtime_bounds(other) == BUNDLED.runtime_bounds(other)


def test_a_release_that_was_lost_has_the_place_of_its_version() -> None:
    order = Order(["2.15.0", "2.16.1", "2.22.0rc0"])
    assert (
        order["2.15.0"]
        < order["2.15.0.post1"]
        < order["2.16.1"]
        < order["2.21.0"]
        < order["2.22.0rc0"]
        < order["2.22.0"]
    )
    assert order["2.3.0"] < order["2.15.0"]


def test_the_bundled_matrix_names_no_release_that_is_not_in_its_lists() -> None:
    """A slip of the pen in ours would pass for a lost release."""
    rows = [
        *BUNDLED.document["defects"],
        *(row for rows in BUNDLED.document["runtime"].values() for row in rows),
    ]
    named = {row[end] for row in rows for end in ("since", "until") if end in row}
    named |= {release for row in rows for release in row.get("releases", ())}
    assert named <= set(NAMED)
    for distribution in BUNDLED.document["releases"].values():
        own = [
            (name, each)
            for block in distribution.values()
            if isinstance(block, dict)
            for name, each in block.items()
        ]
        series = [
            one
            for name, each in own
            if name != RELEASES
            for one in (each.values() if name in MAPS else [each])
        ]
        assert {release for one in series for release in one} <= set(distribution[ORDER])
