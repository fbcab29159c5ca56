"""How one stage of the ladder went, for the report's `smoke` section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tfdoctor.facts.outcome import Failed
from tfdoctor.light.records import field, record

WANTED_BY = {
    "driver": ("auto", "driver", "tf"),
    "libraries": ("auto", "tf"),
    "tensorflow": ("auto", "tf"),
}
"""The values of --smoke under which a stage is climbed. Under every other it is left out by wish."""


@record
class Stage:
    """One stage of the smoke ladder: "passed", "failed" or "skipped". `detail["reason"]` says why it was skipped."""

    SCHEMA: ClassVar = {
        "name": {"enum": ["driver", "libraries", "tensorflow"]},
        "status": {"enum": ["passed", "failed", "skipped"]},
        "duration_s": {"minimum": 0},
    }

    name: str
    status: str
    duration_s: float = 0.0
    detail: Mapping[str, Any] = field(default_factory=dict)


def skipped(name: str, reason: str) -> tuple[Failed, Stage]:
    """The fact and the stage of a stage that was not climbed."""
    return Failed(f"skipped: {reason}", "skipped"), Stage(name, "skipped", 0.0, {"reason": reason})
