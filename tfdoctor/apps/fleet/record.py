"""What became of one node: one line of JSON, in every engine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from tfdoctor.base.records import record
from tfdoctor.base.units import rfc3339
from tfdoctor.facts.codec import from_json, to_json

MOST_STDERR = 2000  # characters, its last
MOST_NAME = 255
START = b'{"schema_version"'


class State(Enum):
    """How a node answered; all but the first are nodes without a report."""

    ANSWERED = "answered"
    TIMEOUT = "timeout"
    LOST = "lost"
    SILENT = "silent"
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    NO_DOCTOR = "no-doctor"


@record
class Record:
    """`reason` says why there is no report; `report` is the document that `check --json` wrote."""

    JSON: ClassVar = "schema_version $schema=schema_id? node engine state reason started_at duration_s exit stderr tfdoctor? report?"
    schema_version: ClassVar = "1.0"
    schema_id: ClassVar = "urn:tfdoctor:schema:fleet-node:1.0"

    node: str
    engine: str = "none"
    state: State = State.ANSWERED
    reason: str = ""
    started_at: str = ""
    duration_s: float = 0.0
    exit: int | None = None
    stderr: str = ""
    tfdoctor: str = ""
    report: Any = None


def unavailable(engine: str, reasons: Mapping[str, str]) -> list[Record]:
    """Of the nodes those that have a reason for which they can't be asked."""
    at = rfc3339()
    return [
        Record(name, engine, State.UNAVAILABLE, why, at) for name, why in reasons.items() if why
    ]


def line_of(made: Record) -> str:
    """The record on one line that any reader takes: a report may hold what no UTF-8 can."""
    return json.dumps(to_json(made), allow_nan=True) + "\n"


def record_line(line: bytes) -> Record | None:
    """The record in a line, also behind what a launcher puts before it ("n17: "); None where it holds none."""
    start = line.find(START)
    if start < 0:
        return None
    try:
        document = json.JSONDecoder().raw_decode(line[start:].decode("utf-8", "replace"))[0]
        return from_json(document, Record)
    except (ValueError, RecursionError):
        return None


def node_name(given: str, environ: Mapping[str, str]) -> str:
    """--node-name or its variable, Slurm's name of the node, the host's."""
    name = given or environ.get("TFDOCTOR_NODE_NAME") or environ.get("SLURMD_NODENAME") or _host()
    return re.sub(r"\s+", " ", name).strip()[:MOST_NAME] or "localhost"


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
