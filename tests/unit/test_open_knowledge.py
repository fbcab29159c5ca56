"""What the site publishes for other tools fits its schema and holds all that tfdoctor knows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema

from tfdoctor.apps.cli.schemas import DOCUMENTS
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.messages.catalogue import everything
from tools.build.open_knowledge import publish


def test_the_published_document(tmp_path: Path) -> None:
    publish(tmp_path)
    document = json.loads((tmp_path / "knowledge.json").read_text())
    published = {
        each.stem: json.loads(each.read_text()) for each in (tmp_path / "schemas").iterdir()
    }
    assert set(published) == {*DOCUMENTS, "settings", "knowledge"}
    assert {name: said["$id"] for name, said in published.items()} == {
        name: f"urn:tfdoctor:schema:{name}:1.0" for name in published
    }
    jsonschema.Draft202012Validator(published["knowledge"]).validate(document)
    assert [each["code"] for each in document["codes"]] == list(CODES)
    assert {each["name"] for each in document["messages"]} == {each.name for each in everything()}
    first = next(each for each in document["messages"] if each["pattern"])
    assert re.search(first["pattern"], first["samples"][0])
    assert any(each["tensorflow"] == "2.21.0" for each in document["matrix"]["releases"])
