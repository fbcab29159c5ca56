"""Titles by the text that was found: each belongs to a signature, and says something else than its code's own title."""

from __future__ import annotations

from tests.logs.judged import judged, log, root
from tfdoctor.judge.log.words import title_of_text
from tools.build.knowledge import entries


def test_the_title_stands_where_the_text_does() -> None:
    by_name = {each.name: each for each in entries()}
    for name in (
        "slurm-time-limit",
        "disk-quota",
        "docker-invalid-runtime",
        "growth-differs",
        "shell-killed",
    ):
        diagnosis = judged(log([by_name[name].samples[0]]))
        assert root(diagnosis) == by_name[name].signature.code
        assert diagnosis.roots[0].finding.title == title_of_text(name)
