"""What the pages ask of tfdoctor, in the worker that runs it: a question in JSON, files by their paths, an answer in JSON."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

from tfdoctor.apps import documents
from tfdoctor.ask.builds.files import kind_of, read
from tfdoctor.ask.logs.read import LogError
from tfdoctor.base.json_text import with_texts
from tfdoctor.facts.model import Facts
from tfdoctor.fix.machine import DescriptionError
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.report.lint import difference, lint_to_json
from tfdoctor.report.report import Report, ReportError
from tfdoctor.say.json_v1 import render_json
from tfdoctor.say.lint_page import lint_to_page
from tfdoctor.say.pages import render_html, render_markdown
from tfdoctor.say.plan import plan_to_page
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import hide_secrets
from tfdoctor.say.sarif import lint_to_sarif
from tfdoctor.say.view import View

MATRIX = load_bundled()
# The browser's machine has no names; those that a log tells are found in the log.
NOBODY = Identity()
Progress = Callable[[int], object]


class Counted(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, path: str, tell: Progress) -> None:
        super().__init__()
        self._file, self._tell, self._read = open(path, "rb", buffering=0), tell, 0  # noqa: SIM115  # read to its end, then gone

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size) or b""
        self._read += len(piece)
        self._tell(self._read)
        return piece


def answer(question: str, tell: Progress) -> str:
    """The answer to {"what": …}, or what is wrong with the question: `message`, and the `field` that it is about."""
    asked = json.loads(question)
    try:
        found = _ANSWERS[asked.pop("what")](asked, tell)
    except DescriptionError as error:
        found = {"message": f"{error.value}: {error.why}", "field": error.field}
    except (LogError, ReportError) as error:
        found = {"message": str(error)}
    return json.dumps(found)


def _log(asked: dict[str, Any], tell: Progress) -> dict[str, Any]:
    logs = [(name, cast("IO[bytes]", Counted(path, tell))) for name, path in asked["logs"]]
    facts = _report(*asked["report"]).facts if asked.get("report") else None
    told = documents.diagnose(logs, MATRIX, NOBODY, facts)
    return _forms(documents.to_dict(told), documents.view(told))


def _saved(asked: dict[str, Any], tell: Progress) -> dict[str, Any]:
    told = documents.judge_again(_report(*asked["report"]), MATRIX, NOBODY)
    return _forms(documents.to_dict(told), documents.view(told))


def _compare(asked: dict[str, Any], tell: Progress) -> dict[str, Any]:
    (name_a, a), (name_b, b) = (
        (name, documents.with_own_words(_report(name, path), MATRIX))
        for name, path in asked["reports"]
    )
    return _forms(
        documents.comparison_to_dict(a, b), documents.comparison_view(a, b, (name_a, name_b))
    )


def _plan(asked: dict[str, Any], tell: Progress) -> dict[str, Any]:
    tool = asked.pop("tool", "commands")
    asked["beside"] = asked.pop("with", "")
    made, ways = documents.plan(MATRIX, Facts(), **asked)
    return plan_to_page(made, MATRIX, ways, tool)


def _lint(asked: dict[str, Any], tell: Progress) -> dict[str, Any]:
    """The files under their own names in a directory of their own, for the names tell what they are."""
    before, skipped = os.getcwd(), []
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # findings are named from here
        try:
            for number, (name, path) in enumerate(asked.pop("files")):
                place = Path(name if not Path(name).exists() else f"{number}/{name}")
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(Path(path).read_bytes())
                skipped += [] if kind_of(str(place)) else [name]
            reading = read(["."])
        finally:
            os.chdir(before)
    linted = documents.lint(reading, MATRIX, **asked)
    page = lint_to_page(linted, difference(reading, linted))
    page["unread"] += [f"{name}: its name is none of a build file" for name in skipped]
    sarif = with_texts(lint_to_sarif(linted), hide_secrets)
    return {
        **page,
        "json": render_json(with_texts(lint_to_json(linted), hide_secrets)),
        "sarif": render_json(sarif),
    }


def _report(name: str, path: str) -> Report:
    """Raises ReportError with the name that the file has on the visitor's machine."""
    try:
        return documents.load(Path(path).read_bytes(), secrets=False)
    except ReportError as error:
        raise ReportError(f"{name}: {error}") from error


def _forms(document: dict[str, Any], view: View) -> dict[str, Any]:
    return {
        "json": render_json(document),
        "html": render_html(view),
        "markdown": render_markdown(view),
        "commands": list(view.fix.commands) if view.fix else [],
    }


_ANSWERS: dict[str, Callable[[dict[str, Any], Progress], dict[str, Any]]] = {
    "log": _log,
    "report": _saved,
    "compare": _compare,
    "plan": _plan,
    "lint": _lint,
}
