"""The child that judges a kernel's death: what was observed comes in on stdin, the report is written, its words go out."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tfdoctor.base.records import record
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts


@record
class Observed:
    """All that is known of a kernel's death. `folder`: where its report goes."""

    facts: Facts
    samples: tuple[dict[str, Any], ...]
    interval_s: float
    notes: tuple[str, ...]
    command: tuple[str, ...]
    kernel_id: str
    status: int
    execution_count: int | None
    died_at: float
    folder: str


@record
class Verdict:
    """`path` of the report, "" where it could not be written, for which `error` has the reason. `line` is for a log,
    `text` and `html` are for people; "" where the child did not answer."""

    path: str
    error: str
    line: str
    text: str
    html: str


def main() -> None:
    json.dump(to_json(answer_to(from_json(json.load(sys.stdin), Observed))), sys.stdout)


def answer_to(observed: Observed) -> Verdict:
    from tfdoctor.apps.jupyter.reports import keep
    from tfdoctor.knowledge.matrix.load import load_in_force
    from tfdoctor.report.death import judge_run, run_to_json
    from tfdoctor.say.json_v1 import render_json
    from tfdoctor.say.pages import render_fragment
    from tfdoctor.say.redact.identity import identity
    from tfdoctor.say.redact.report import redacted
    from tfdoctor.say.run_view import card_line, card_view
    from tfdoctor.say.terminal import render_card_text

    report = judge_run(
        observed.facts, load_in_force(), command=observed.command, status=observed.status,
        samples=observed.samples, interval_s=observed.interval_s, notes=observed.notes,
    )  # fmt: skip
    of_kernel = {"kernel_id": observed.kernel_id, "execution_count": observed.execution_count}
    told = redacted(report, identity(os.environ))
    path, error = "", ""
    try:
        data = render_json({**run_to_json(told), **of_kernel}).encode("utf-8")
        path = str(keep(Path(observed.folder), observed.kernel_id, data, observed.died_at))
    except OSError as refused:
        error = (
            f"the report could not be written to {observed.folder}: {refused.strerror or refused}"
        )
    card = card_view(told, path or error)
    return Verdict(path, error, card_line(told), render_card_text(card), render_fragment(card))
