"""The bundled matrix against the real index: read again, it says what it said. Needs the network."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.matrix.cells import HARVESTED, Row, rows
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels.index import Index
from tfdoctor.knowledge.matrix.wheels.read import by_row, harvest
from tfdoctor.knowledge.matrix.wheels.update import compact, expand
from tfdoctor.knowledge.matrix.wheels.verify import Outcome, compare, selected, verify_wheels

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.usefixtures("reachable_index"),
]
BUNDLED = load_bundled()
SAMPLE = ("2.3.0", "2.10.1", "2.15.0.post1", "2.16.1", "2.21.0", "2.22.0rc0")


def test_a_sample_of_releases_on_every_platform_has_no_difference() -> None:
    chosen = selected(BUNDLED, SAMPLE, ["tensorflow"], [])
    found = verify_wheels(BUNDLED, chosen, lambda each: None)
    assert found.to_text().startswith(
        f"{found.outcome.compared} cells of {len(chosen)} rows compared"
    )
    assert found.exit_code == 0
    assert found.outcome.compared >= len(chosen)


def test_fifty_random_cells_changed_are_found_against_the_real_wheels() -> None:
    chosen = selected(BUNDLED, SAMPLE, ["tensorflow"], ["linux_x86_64", "win_amd64"])
    index = Index()
    wheels = by_row("tensorflow", index.wheels("tensorflow"))
    published, failed = harvest(index.session, {row: wheels[row] for row in chosen})
    assert failed == []
    document = BUNDLED.document
    usual = document["fields"]
    table = expand(document, chosen)
    provable = [
        (row, field)
        for row in chosen
        for field, here in table[row].items()
        if field in HARVESTED and here.source == usual[field]
    ]
    orders = {"tensorflow": document["releases"]["tensorflow"]["order"]}
    for row, field in random.Random(50).sample(provable, 50):
        changed = {each: dict(cells) for each, cells in table.items()}
        changed[row][field] = changed[row][field]._replace(value=altered(changed[row][field].value))
        outcome = Outcome()
        matrix = Matrix({**document, "releases": compact(changed, orders, usual)}, "0" * 64, "file")
        compare(matrix, {row: published[row]}, outcome)
        assert [(each.row, each.field) for each in outcome.differences] == [(row, field)]


def altered(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "1"
    if isinstance(value, list):
        return value[:-1]
    return {**value, "another-package": ">=1"}


def test_the_newest_final_release_is_known_again_after_it_was_forgotten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """`update` on the real index brings back what the bundled matrix says, without what range reads can't tell."""
    from datetime import date

    from tfdoctor.knowledge.matrix.load import load_in_force
    from tfdoctor.knowledge.matrix.wheels.update import harvest_new

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    document = json.loads(json.dumps(BUNDLED.document))
    table = expand(document, rows(document["releases"]))
    kept = {
        row: cells
        for row, cells in table.items()
        if row.release != "2.21.0" and row.distribution == "tensorflow"
    }
    order = [each for each in document["releases"]["tensorflow"]["order"] if each != "2.21.0"]
    document["releases"] = compact(kept, {"tensorflow": order}, document["fields"])
    document["defects"], document["runtime"] = [], {}
    added, failed = harvest_new(
        Matrix(document, "0" * 64, "bundled"), Index(), lambda each: None, date(2026, 12, 1)
    )
    assert failed == []
    assert Row("2.21.0", "tensorflow", "linux_x86_64") in added
    again, before = load_in_force().release("2.21.0"), BUNDLED.release("2.21.0")
    assert isinstance(again, Known)
    assert isinstance(before, Known)
    for field in (
        "gpu",
        "python",
        "glibc",
        "cuda",
        "cudnn",
        "nccl",
        "sass",
        "ptx",
        "requires",
        "and_cuda",
    ):
        old, new = getattr(before.value, field), getattr(again.value, field)
        assert isinstance(old, Known)
        assert isinstance(new, Known)
        assert new.value == old.value, field
