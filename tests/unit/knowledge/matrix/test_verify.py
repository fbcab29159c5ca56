"""`verify` finds every cell that does not say what the wheels say, and is honest about what it could not read."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from tests.unit.knowledge.matrix.wheels import Site, wheel, wheel_name
from tfdoctor.knowledge.matrix.cells import HARVESTED, Row, rows
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels.update import compact, expand
from tfdoctor.knowledge.matrix.wheels.verify import Outcome, Verification, compare, verify_wheels

BUNDLED = load_bundled()
ROW = Row("2.21.0", "tensorflow", "linux_x86_64")


def small_matrix(**cells: Any) -> Matrix:
    """A matrix that knows one row, as the local wheels tell it, with some cells changed."""
    document: dict[str, Any] = json.loads(json.dumps(BUNDLED.document))
    true: dict[str, Any] = {
        "gpu": True,
        "python": ["3.10"],
        "glibc": "2.27",
        "cuda": "12.5.1",
        "cudnn": "9.3.0",
        "nccl": "2.27.7",
        "gencode": "6.31.1",
        "sass": ["6.0", "7.0", "8.0", "8.9"],
        "ptx": ["9.0"],
        "requires": {"numpy": ">=1.26.0", "protobuf": "<8.0.0,>=6.31.1"},
        "and_cuda": {"nvidia-cudnn-cu12": "<10.0,>=9.3.0.75"},
    } | cells
    series = {
        field: {name: {"2.21.0": each} for name, each in value.items()}
        if field in ("requires", "and_cuda")
        else {"2.21.0": value}
        for field, value in true.items()
    }
    document["releases"] = {
        "tensorflow": {"order": ["2.21.0"], "linux_x86_64": {"releases": ["2.21.0"], **series}},
    }
    document["defects"], document["runtime"] = [], {}
    return Matrix(document, "0" * 64, "file")


def run(matrix: Matrix) -> Verification:
    return verify_wheels(matrix, [ROW], lambda each: None)


def test_a_matrix_that_says_what_the_wheels_say_has_no_difference(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    found = run(small_matrix())
    assert found.outcome.differences == []
    assert found.outcome.compared == len(HARVESTED)
    assert found.exit_code == 0


def test_only_pieces_of_a_wheel_travel(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0", padding=8_000_000)
    found = run(small_matrix())
    assert found.outcome.differences == []
    assert 0 < found.received < 200_000
    assert site.sent < 200_000


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("gpu", False), ("python", ["3.10", "3.11"]), ("glibc", "2.17"), ("cuda", "12.5"), ("cudnn", "9.3"),
        ("nccl", "2.27.6"), ("gencode", "6.31.0"), ("sass", ["6.0"]), ("ptx", []), ("requires", {"numpy": ">=1.26.0"}),
        ("and_cuda", {}), ("stub_for", "tensorflow-intel"), ("requires_by_python", {"3.10": {"numpy": "<2"}}),
    ],
)  # fmt: skip
def test_a_wrong_cell_of_each_field_is_found(site: Site, field: str, wrong: Any) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    found = run(small_matrix(**{field: wrong}))
    assert [each.field for each in found.outcome.differences] == [field]
    assert found.exit_code == 1
    assert f"tensorflow 2.21.0 on linux_x86_64: {field}: matrix" in found.to_text()


@pytest.mark.slow  # the whole matrix, fifty times
def test_fifty_random_cells_of_the_bundled_matrix_changed_are_found_each() -> None:
    """The wheels' side is the matrix' own cells here; that these are the wheels' is what tests/real holds."""
    document = BUNDLED.document
    usual = document["fields"]
    table = expand(document, rows(document["releases"]))
    published = {
        row: {f: c.value for f, c in cells.items() if c.source == usual[f]}
        for row, cells in table.items()
    }
    orders = {name: block["order"] for name, block in document["releases"].items()}
    provable = [
        (row, field) for row, cells in published.items() for field in cells if field in HARVESTED
    ]
    for row, field in random.Random(20261120).sample(provable, 50):
        changed = copy.deepcopy(table)
        old = changed[row][field]
        changed[row][field] = old._replace(value=_altered(old.value))
        altered = {**document, "releases": compact(changed, orders, usual)}
        outcome = Outcome()
        compare(Matrix(altered, "0" * 64, "file"), {row: published[row]}, outcome)
        assert [(each.row, each.field) for each in outcome.differences] == [(row, field)]


def _altered(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value + "1"
    if isinstance(value, list):
        return [*value, "99.9"]
    return {**value, "another-package": ">=1"}


@pytest.mark.parametrize("old", [b"numpy>=1.26.0", b"A description", b"Name: tensorflow"])
def test_one_flipped_byte_in_a_served_wheels_metadata_is_found(site: Site, old: bytes) -> None:
    """Whoever changes the file alone is found by the zip's own checksum, wherever in METADATA the byte lies."""
    whole = bytearray(wheel("2.21.0"))
    whole[whole.index(old)] ^= 1
    site.wheels[wheel_name("2.21.0")] = bytes(whole)
    found = run(small_matrix())
    assert [each.damaged for each in found.unreadable] == [True]
    assert found.exit_code == 1
    assert "damaged: tensorflow-2.21.0" in found.to_text()


def test_a_row_without_published_wheels_is_a_difference(site: Site) -> None:
    site.wheels[wheel_name("2.20.0")] = wheel("2.20.0")
    found = run(small_matrix())
    assert "wheels: matrix has this row, published no wheel" in found.to_text()
    assert found.exit_code == 1


def test_a_yanked_release_is_named_and_still_compared(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    site.yanked.add(wheel_name("2.21.0"))
    found = run(small_matrix())
    assert found.yanked == [wheel_name("2.21.0")]
    assert found.outcome.compared == len(HARVESTED)


@pytest.mark.slow  # takes a second
def test_a_server_without_ranges_is_refused_before_the_body(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0", padding=40_000_000)
    site.ranges = False
    found = run(small_matrix())
    assert found.unreadable[0].error == "the server does not answer range requests"
    assert found.exit_code == 3
    assert site.sent < 20_000_000


def test_a_broken_zip_directory_is_one_clear_line(site: Site) -> None:
    whole = wheel("2.21.0")
    site.wheels[wheel_name("2.21.0")] = whole[:-60] + b"\0" * 60
    found = run(small_matrix())
    assert found.unreadable[0].error.startswith("the wheel's zip can't be read")
    assert found.exit_code == 3


def test_a_wheel_without_metadata_is_one_clear_line(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0", metadata="<html>an error page</html>")
    assert "has no METADATA" in run(small_matrix()).unreadable[0].error


@pytest.mark.slow  # waits between two tries
def test_a_busy_server_is_asked_again(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    site.statuses = [429, 503]
    assert run(small_matrix()).exit_code == 0


@pytest.mark.slow  # waits between tries
def test_a_server_that_stays_busy_is_named(site: Site) -> None:
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    site.statuses = [429] * 50
    found = run(small_matrix())
    assert found.unreadable[0].error.endswith("status 429")
    assert found.exit_code == 3


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (404, b"", "status 404"),
        (429, b"", "status 429"),
        (200, b"\x00\xffgarbage", "lists no wheel"),
        (200, b"", "lists no wheel"),
    ],
)
def test_an_index_that_answers_badly_is_a_clear_error(
    site: Site, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes, said: str
) -> None:
    monkeypatch.setattr("tfdoctor.knowledge.matrix.wheels.index.TRIES", 2)
    site.page = lambda: (status, body)
    with pytest.raises(MatrixError, match=said):
        run(small_matrix())


def test_no_network_is_a_clear_error(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfdoctor.knowledge.matrix.wheels.index.TRIES", 1)
    monkeypatch.setenv("PIP_INDEX_URL", "http://someone:secret@127.0.0.1:9/simple")
    with pytest.raises(MatrixError) as raised:
        run(small_matrix())
    assert "ConnectionError" in str(raised.value)
    assert "secret" not in str(raised.value)
