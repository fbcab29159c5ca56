"""A matrix file with a slip in it is refused by one sentence that says what and where."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tfdoctor.knowledge.matrix.load import load_bundled, load_file
from tfdoctor.knowledge.matrix.model import MatrixError
from tfdoctor.knowledge.matrix.show import shown

Change = Callable[[dict[str, Any]], object]


def linux(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["releases"]["tensorflow"]["linux_x86_64"]
    return found


def test_a_matrix_without_known_bugs_of_cudnn_is_shown(tmp_path: Path) -> None:
    """Found by fuzzing: it was accepted, and showing it raised KeyError."""
    document = copy.deepcopy(load_bundled().document)
    del document["cudnn"]["bugs"]
    file = tmp_path / "matrix.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert shown(load_file(file), ())["cudnn_bugs"] == []


def test_an_older_matrix_without_pairs_is_one_that_knows_none(tmp_path: Path) -> None:
    document = dict(copy.deepcopy(load_bundled().document))
    del document["pairs"]
    file = tmp_path / "matrix.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert load_file(file).pairs == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(extra={}), "the file has an unknown key 'extra'"),
        (lambda d: d.pop("cuda"), "the file has no 'cuda'"),
        (lambda d: d.update(format="2"), "format '2' is unknown"),
        (lambda d: d.update(version="yesterday"), "version 'yesterday' is not of the form"),
        (
            lambda d: d["fields"].pop("cuda"),
            "cuda of tensorflow on linux_x86_64 2.3.0 has no source",
        ),
        (lambda d: d["fields"].update(cuda="nowhere"), "names a source 'nowhere'"),
        (lambda d: d["sources"]["tags"].pop("date"), "source 'tags' has no 'date'"),
        (lambda d: d["sources"]["tags"].update(kind="rumour"), "kind 'rumour'"),
        (lambda d: d["cuda"].pop("source"), "the table 'cuda' has no source"),
        (
            lambda d: d["cuda"]["rows"][0].update(drivers={}),
            "a cuda row has an unknown key 'drivers'",
        ),
        (
            lambda d: d["cuda"]["rows"][0]["driver"].update(linux="new"),
            "'new' isn't a driver release",
        ),
        (lambda d: d["defects"][0].pop("source"), "a defect row has no 'source'"),
        (lambda d: d["pairs"][0].pop("needs"), "a pair row has no 'needs'"),
        (
            lambda d: d["pairs"][0].update(source="hearsay"),
            "the pair of tf-keras and tensorflow names a source 'hearsay'",
        ),
        (
            lambda d: d["pairs"][0].update(of="old"),
            "the pair of tf-keras and tensorflow holds 'old', which isn't a version specifier",
        ),
        (
            lambda d: d["defects"][0].update(until="the newest"),
            "names a release 'the newest' that isn't a version",
        ),
        (lambda d: linux(d).update(colour={}), "unknown key 'colour'"),
        (
            lambda d: linux(d)["cuda"].update({"2.x": "1.0"}),
            "names a release '2.x' that isn't a version",
        ),
        (
            lambda d: linux(d)["ptx_isa"].update({"2.3.0": 6.4}),
            "holds 6.4, which is not text: write it in quotes",
        ),
        (lambda d: linux(d)["sass"].update({"2.3.0": "7.0"}), "is not a list"),
        (
            lambda d: linux(d)["cuda"].update({"2.3.0": {"is": "10.1", "from": "x"}}),
            "unknown key 'from'",
        ),
        (
            lambda d: linux(d)["cuda"].update({"2.3.0": {"is": "10.1", "source": "x"}}),
            "names a source 'x'",
        ),
        (lambda d: d["releases"]["tensorflow"].pop("order"), "tensorflow has no `order`"),
        (
            lambda d: d["releases"]["tensorflow"].update(haiku_x86_64={}),
            "unknown key 'haiku_x86_64'",
        ),
        (lambda d: d.update(releases=[]), "releases is not a mapping"),
        (lambda d: d.update(gpus=7), "not laid out as a matrix is"),
    ],
)
def test_each_slip_is_one_clear_sentence(change: Change, said: str, tmp_path: Path) -> None:
    document = copy.deepcopy(dict(load_bundled().document))
    change(document)
    file = tmp_path / "matrix.json"
    file.write_text(json.dumps(document))
    with pytest.raises(MatrixError) as raised:
        load_file(file)
    assert said in str(raised.value)
    assert str(file) in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[1, 2]",
        b"just text",
        b"a: [unclosed",
        b"a: !!python/object:os.system {}",
        b"null",
    ],
)
def test_broken_files_are_one_clear_sentence(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "matrix.yaml"
    file.write_bytes(content)
    with pytest.raises(MatrixError) as raised:
        load_file(file)
    assert str(raised.value).startswith(str(file))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(MatrixError, match="can't be read"):
        load_file(tmp_path / "none.yaml")
