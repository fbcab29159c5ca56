"""A text through the whole of `diagnose`, without the command line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tests.scenarios.conftest import bundled
from tfdoctor.ask.logs.extract import extract_facts
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.facts.model import Facts
from tfdoctor.report.diagnosis import Diagnosis, diagnose

literals = cache(default_literals)
"""Made once in a process, as for all files of one command."""


def judged(
    text: str | bytes,
    *more: str,
    report: Facts | None = None,
    engine: str = "",
    piece: int = 1 << 20,
) -> Diagnosis:
    """The diagnosis of one log, or of several as one case."""
    reads = []
    for number, each in enumerate((text, *more)):
        transcript = Transcript(literals(engine))
        data = each if isinstance(each, bytes) else each.encode("utf-8")
        for at in range(0, len(data), piece):
            transcript.feed(data[at : at + piece])
        transcript.end()
        reads.append(read_of(transcript, f"{number}.log"))
    return diagnose(extract_facts(reads), reads, bundled(), report)


def root(diagnosis: Diagnosis) -> str:
    """The first root's code, else the verdict."""
    return diagnosis.roots[0].finding.code if diagnosis.roots else diagnosis.verdict


def log(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
