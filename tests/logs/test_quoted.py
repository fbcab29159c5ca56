"""Each line that a code's page quotes from logs leads to that page's code: by itself, or together with those beside it."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tests.unit.documents import fences
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.messages.catalogue import everything
from tfdoctor.knowledge.messages.signature import HINT, NOISE
from tfdoctor.knowledge.pages import page_of

ELSEWHERE = {
    (
        "worker-lost",
        "host-oom-killed",
    ): "mpirun's line also tells the signal by which the worker died, which says more",
}
"""A page's line that leads to another code, and why."""


def quoted(code: str, *languages: str) -> list[str]:
    return fences(page_of(code), *languages)


def leads(text: str, code: str) -> bool:
    """Whether it is the root, one of those that the text leaves open, or a line that only explains an end or frightens."""
    diagnosis = judged(log(text.splitlines()))
    found = root(diagnosis)
    left_open = {each for question in diagnosis.open for each in question.codes}
    harmless = any(
        code in (each.code, *each.rivals) and each.hit(text)
        for each in everything()
        if each.role in (HINT, NOISE)
    )
    return code in left_open or found == code or harmless or (code, found) in ELSEWHERE


@pytest.mark.parametrize("code", CODES)
def test_each_line_and_each_log_that_a_page_quotes_leads_to_its_code(code: str) -> None:
    lines = [line for block in quoted(code, "text") for line in block.splitlines() if line.strip()]
    assert [text for text in (*lines, *quoted(code, "log")) if not leads(text, code)] == []
