"""All that tfdoctor knows as one JSON document, for other tools: codes with their fixes, messages, and the matrix.

`make site` publishes it as site/knowledge.json, its schema and those of all documents in site/schemas/.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from tfdoctor import __version__
from tfdoctor.apps.cli.schemas import DOCUMENTS, schema, settings_schema
from tfdoctor.base.records import record
from tfdoctor.facts.codec import to_json
from tfdoctor.facts.schema import schema_of
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.show import shown
from tfdoctor.knowledge.matrix.wheels.verify import selected
from tfdoctor.knowledge.model import CODE, Fix
from tfdoctor.knowledge.pages import meaning, ways_out
from tfdoctor.report.report import Tool
from tools.build.knowledge import Entry, entries


@record
class KnownCode:
    """One problem. `page`: its address, from the document's own; `effects`: the codes that follow from it."""

    SCHEMA: ClassVar = {
        "code": CODE,
        "fixes": "Least invasive first; {{name}} or an upper-case word stands for a value.",
    }

    code: str
    family: str
    name: str
    meaning: str
    severity: str
    gpu_only: bool
    logs_only: bool
    effects: tuple[str, ...]
    fixes: tuple[Fix, ...]
    page: str


@record
class KnownMessage:
    """A line that programs print. One of `anchors` is in each such line, none of `unless`, and `pattern` is found; "" is the anchor."""

    SCHEMA: ClassVar = {
        "code": "The problem that it shows; left out for harmless messages and for what only tells facts.",
        "pattern": "Python's re; also valid for RE2 and Hyperscan: no look-around, no repeat without a bound.",
        "why": "Of a harmless message: why it is one.",
    }
    JSON: ClassVar = "name role code? anchors pattern unless confidence rivals title? why? samples sources releases?"

    name: str
    role: str
    code: str
    anchors: tuple[str, ...]
    pattern: str
    unless: tuple[str, ...]
    confidence: str
    rivals: tuple[str, ...]
    title: str
    why: str
    samples: tuple[str, ...]
    sources: tuple[str, ...]
    releases: str


@record
class Knowledge:
    """Codes, messages and the compatibility matrix of one version of tfdoctor."""

    JSON: ClassVar = "schema_version $schema=schema_id tool license codes messages matrix"
    SCHEMA: ClassVar = {
        "matrix": "As `tfdoctor matrix show --json` prints it; each value has its source and date."
    }
    schema_version: ClassVar = "1.0"
    schema_id: ClassVar = "urn:tfdoctor:schema:knowledge:1.0"

    tool: Tool
    license: str
    codes: tuple[KnownCode, ...]
    messages: tuple[KnownMessage, ...]
    matrix: dict[str, Any]


def knowledge() -> dict[str, Any]:
    """The document."""
    codes = tuple(
        KnownCode(
            each.code, each.family, each.name, meaning(each.code), each.severity.value, each.gpu_only, each.logs_only,
            tuple(sorted(each.effects | each.effects_in_logs)), ways_out(each.code), f"codes/{each.code}.html",
        )
        for each in CODES.values()
    )  # fmt: skip
    messages = tuple(map(_message, entries()))
    matrix = load_bundled()
    document: dict[str, Any] = to_json(
        Knowledge(
            Tool(__version__),
            "Apache-2.0",
            codes,
            messages,
            shown(matrix, selected(matrix, [], [], [])),
        )
    )
    return document


def _message(entry: Entry) -> KnownMessage:
    said = entry.signature
    return KnownMessage(
        said.name, said.role, said.code if said.code in CODES else "", said.anchors, said.form, said.unless, said.sure, said.rivals,
        entry.words.title, said.why, tuple(entry.samples), tuple(entry.sources), entry.releases,
    )  # fmt: skip


def knowledge_schema() -> str:
    return schema_of(Knowledge, "What tfdoctor knows 1.0")


def publish(site: Path) -> None:
    """Writes them below the site."""
    (site / "knowledge.json").write_text(
        json.dumps(knowledge(), ensure_ascii=False) + "\n", encoding="utf-8"
    )
    texts = {name: schema(name) for name in DOCUMENTS}
    texts |= {"settings": settings_schema(), "knowledge": knowledge_schema()}
    (site / "schemas").mkdir(exist_ok=True)
    for name, text in texts.items():
        (site / "schemas" / f"{name}.json").write_text(text, encoding="utf-8")
