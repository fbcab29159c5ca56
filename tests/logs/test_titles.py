"""Titles by the text that was found: each belongs to a signature, and says something else than its code's own title."""

from __future__ import annotations

from tests.logs.judged import judged, log, root
from tfdoctor.checks.log.titles import OF_A_KILL, OF_A_TEXT
from tfdoctor.findings.catalog import CODES
from tfdoctor.signatures.catalogue import named
from tfdoctor.signatures.signature import CAUSE


def test_each_title_is_of_a_text_that_names_a_cause() -> None:
    for name, title in OF_A_TEXT.items():
        signature = named(name)
        assert signature.role == CAUSE, name
        assert title != CODES[signature.code].title, name
    assert set(OF_A_KILL) <= set(CODES)
    assert [title for title in (*OF_A_TEXT.values(), *OF_A_KILL.values()) if title[-1] != "."] == []


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
