"""What the knowledge holds in vain: cases that no sample reaches, fixes that nothing names, sentences that no check says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import tfdoctor
from tfdoctor.ask.logs import extract
from tfdoctor.ask.logs.read import read_of
from tfdoctor.ask.logs.search import Literals
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.cases import case_of
from tfdoctor.judge.log.testimony import testimony as of_the_run
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tools.build.knowledge import Entry, actions, codes

Said = tuple[str, tuple[tuple[str, str], ...]]
"""A title and the actions."""


def idle(entries: tuple[Entry, ...]) -> Iterator[str]:
    """A line for each, with its place. The messages must have been compiled."""
    literals, matrix = default_literals(), load_bundled()
    for entry in entries:
        yield from _unreached(entry, literals, matrix)
    yield from _unused(entries)


def _unreached(entry: Entry, literals: Literals, matrix: Matrix) -> Iterator[str]:
    if not entry.cases:
        return
    texts = [*entry.samples, *(case["sample"] for case in entry.cases if "sample" in case)]
    reached = {each for text in texts for each in _said(entry, text, literals, matrix)}
    for case in entry.cases:
        form, own = case.get("title", entry.words.title), tuple(case.get("fixes", ()))
        if not any(fixes == own and _is_filled(form, title) for title, fixes in reached):
            yield f"{case.node.place}: no sample of {entry.name} reaches this case; give it a `sample` of its own"


def _said(entry: Entry, text: str, literals: Literals, matrix: Matrix) -> set[Said]:
    """What the entry's cases say in a log of that text."""
    transcript = Transcript(literals)
    transcript.feed(f"{text}\n".encode())
    transcript.end()
    facts = extract.extract_facts([read_of(transcript, "log")])
    told, log = of_the_run(facts), Case(facts, matrix)
    found = (case_of(log, told, each) for each in told.named(entry.name))
    return {(each.title, each.fixes) for each in found if each is not None}


def _is_filled(form: str, title: str) -> bool:
    parts = re.split(r"\{\{[\w.|-]+\}\}", form)
    return re.fullmatch(".+".join(map(re.escape, parts)), title) is not None


def _unused(entries: tuple[Entry, ...]) -> Iterator[str]:
    used = {name for page in codes()["codes"].values() for name in page["fixes"]}
    for entry in entries:
        used.update(entry.words.fixes, *(case.get("fixes", ()) for case in entry.words.cases))
    code = "".join(
        each.read_text(encoding="utf-8") for each in Path(tfdoctor.__file__).parent.rglob("*.py")
    )
    for (kind, what), rows in actions().items():
        if (kind, what) not in used and not re.search(rf'"{kind}",\s+"{what}"', code):
            yield f"{rows[0].node.place}: nothing uses {{{kind}: {what}}}: name it in a case, on a code's page, or delete it"
    for page, found in codes()["codes"].items():
        for name, (key, _) in found["says"].items():
            said = name.removesuffix("-title")  # judge/log/candidate.py says both by one name
            if not re.search(rf'"{page}",\s+"{said}(?:-title)?"', code):
                yield f"{key.place}: no check says {name!r} of {page}: delete it"
