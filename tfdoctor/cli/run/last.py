"""`tfdoctor run --last`: what the black box of the last run tells."""

from __future__ import annotations

import os

from tfdoctor.cli.guard import UsageError
from tfdoctor.cli.output import OutputFile, width_of, write_text
from tfdoctor.cli.run.run import Wishes
from tfdoctor.cli.run.telling import to_show, write_files
from tfdoctor.facts.model import Facts
from tfdoctor.records import replace


def run_last(wishes: Wishes) -> int:
    """0: it was told. Raises UsageError where no run was kept, or a report can't be written."""
    from tfdoctor.cli.output import text_encoding
    from tfdoctor.examine.death import judge_run
    from tfdoctor.matrix.load import load_in_force
    from tfdoctor.recorder.journal import folder
    from tfdoctor.recorder.recovered import last_run
    from tfdoctor.render.run_view import run_view
    from tfdoctor.render.terminal import render_brief

    if wishes.command:
        raise UsageError("--last tells of the last run; leave the command out")
    asked = (("--report", wishes.report), ("--html", wishes.html))
    files = {option: OutputFile(name, option) for option, name in asked if name}
    place = folder(os.environ)
    last = last_run(place)
    if last is None:
        raise UsageError(f"no run has been kept in {place}; start one with: tfdoctor run -- CMD")
    report = judge_run(
        replace(Facts(), death=last.death), load_in_force(), command=last.command, status=last.status,
        samples=last.samples, interval_s=last.interval_s, complete=last.complete,
    )  # fmt: skip
    report = to_show(report, redact=wishes.redact)
    write_files(report, files)
    words = render_brief(
        run_view(report),
        width=width_of(os.environ, nobody_looks=0),
        encoding=text_encoding(os.environ),
    )
    write_text(words)
    return 0
