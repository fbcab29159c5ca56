"""How the asking went: a report's list of probes."""

from __future__ import annotations

from typing import ClassVar

from tfdoctor.base.records import record


@record
class ProbeRun:
    """How a probe went: "ok", "failed", "timeout" or "skipped"."""

    JSON: ClassVar = "name status duration_s detail?"
    SCHEMA: ClassVar = {
        "status": {"enum": ["ok", "failed", "timeout", "skipped"]},
        "duration_s": {"minimum": 0},
    }

    name: str
    status: str
    duration_s: float = 0.0
    detail: str = ""
