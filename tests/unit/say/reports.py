"""Reports for the tests of the renderers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tfdoctor.knowledge.model import Confidence, Evidence, Finding, Fix, Role, Severity
from tfdoctor.report.report import Report, report_from_json, report_to_json

MACHINES = Path(__file__).parents[2] / "machines"
NAMES = sorted(path.parent.name for path in MACHINES.glob("*/report.json"))


def document(machine: str) -> dict[str, Any]:
    loaded = json.loads((MACHINES / machine / "report.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    added_since = report_to_json(report_from_json(loaded))["facts"]
    return {**loaded, "facts": {**added_since, **loaded["facts"]}}


def report(machine: str) -> Report:
    return report_from_json(document(machine))


def finding(
    code: str = "driver-too-old",
    *,
    role: Role = Role.ROOT,
    severity: Severity = Severity.ERROR,
    **more: Any,
) -> Finding:
    told: dict[str, Any] = {
        "title": "The driver is old.",
        "explanation": "No GPU.",
        "evidence": (),
        **more,
    }
    return Finding(code, severity, Confidence.CERTAIN, role=role, **told)


def with_text(text: str) -> Finding:
    """A finding in which every text that can come from a machine is `text`."""
    return finding(
        explanation=text,
        evidence=(Evidence("driver.version", text, text, text),),
        fixes=(Fix(text, (text,), text),),
    )
