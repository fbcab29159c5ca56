"""The JSON Schema of every document: what --schema prints, and what the site publishes."""

from __future__ import annotations

import json
from importlib import import_module

from tfdoctor.facts.schema import DRAFT, schema_of

DOCUMENTS = {
    "check": ("tfdoctor.report.report", "Report", "The report of tfdoctor check 1.0"),
    "diagnose": ("tfdoctor.report.diagnosis", "Diagnosis", "The answer of tfdoctor diagnose 1.0"),
    "run": ("tfdoctor.report.death", "RunReport", "tfdoctor run report 1.0"),
    "fit": ("tfdoctor.report.fit", "Fit", "The answer of tfdoctor fit 1.0"),
    "plan": ("tfdoctor.say.plan", "PlanDocument", "The answer of tfdoctor plan 1.0"),
    "diff": ("tfdoctor.say.difference", "DifferenceDocument", "The answer of tfdoctor diff 1.0"),
    "lint": ("tfdoctor.report.lint", "Linted", "The answer of tfdoctor lint 1.0"),
    "fix": ("tfdoctor.apps.repair.journal", "Entry", "The journal of tfdoctor fix 1.0"),
    "fleet": ("tfdoctor.apps.fleet.summary", "Summary", "The summary of tfdoctor fleet 1.0"),
    "fleet-node": ("tfdoctor.apps.fleet.record", "Record", "The record of tfdoctor fleet node 1.0"),
}


def schema(name: str) -> str:
    """Of the document that the command of that name prints."""
    module, kind, title = DOCUMENTS[name]
    return schema_of(getattr(import_module(module), kind), title)


def settings_schema() -> str:
    """Of tfdoctor.toml, for editors."""
    from tfdoctor.report.settings import KEYS

    head = {"$schema": DRAFT, "$id": "urn:tfdoctor:schema:settings:1.0", "title": "tfdoctor.toml"}
    properties = {key: form.schema for key, form in KEYS.items()}
    whole = {**head, "type": "object", "additionalProperties": False, "properties": properties}
    return json.dumps(whole, indent=2) + "\n"
