"""Titles by the text that was found: each belongs to a signature, and says something else than its code's own title."""

from __future__ import annotations

from tests.logs.judged import judged, log, root
from tfdoctor.checks.log.titles import OF_A_TEXT
from tfdoctor.signatures.catalogue import named


def test_the_title_stands_where_the_text_does() -> None:
    for name in (
        "slurm-time-limit",
        "disk-quota",
        "docker-invalid-runtime",
        "growth-differs",
        "shell-killed",
    ):
        diagnosis = judged(log([named(name).samples[0]]))
        assert root(diagnosis) == named(name).code
        assert diagnosis.roots[0].finding.title == OF_A_TEXT[name]
