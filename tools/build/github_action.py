"""What action.yml runs: a check of the runner, of build files, or the diagnosis of a log, with its cause as an annotation and its
ticket as the job's summary. Text of the machine is data: in a workflow command it is escaped, elsewhere no command is read from it.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from tfdoctor.apps import documents
from tfdoctor.apps.cli.lint_command import drawn, exit_status
from tfdoctor.ask.builds.files import read
from tfdoctor.ask.builds.statements import UnreadableError
from tfdoctor.ask.logs.read import LogError, opened_logs
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.knowledge.model import Finding, Severity
from tfdoctor.report.diagnosis import CAUSE_FOUND
from tfdoctor.report.lint import lint
from tfdoctor.report.report import ReportError
from tfdoctor.say.clean import clean
from tfdoctor.say.json_v1 import render_json
from tfdoctor.say.redact.identity import identity
from tfdoctor.say.terminal import Page, render_terminal
from tfdoctor.say.ticket import render_ticket
from tfdoctor.say.view import View

NO_VERDICT, WRONG_USAGE = 3, 2
_FAIL_ON = ("error", "warning", "never")
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_LONGEST = 4_000  # characters of an annotation
_WIDTH = 100


class Unusable(Exception):  # noqa: N818  # a sentence for the person
    """There is no answer; with the exit status."""

    def __init__(self, words: str, status: int = WRONG_USAGE) -> None:
        super().__init__(words)
        self.status = status


def main() -> int:
    """The exit status of the step."""
    try:
        logs, files = _lines("INPUT_LOG"), _lines("INPUT_LINT")
        if logs and files:
            raise Unusable("log and lint are two questions; give one of them")
        return _diagnose(logs) if logs else _lint(files) if files else _check()
    except Unusable as error:
        _annotate("error", "tfdoctor", str(error))
        return error.status
    except OSError as error:
        _annotate(
            "error", "tfdoctor", f"{error.filename or 'the answer'}: {error.strerror or error}"
        )
        return NO_VERDICT


def _lines(variable: str) -> list[str]:
    return [line.strip() for line in os.environ.get(variable, "").split("\n") if line.strip()]


def _lint(paths: list[str]) -> int:
    """Each finding as an annotation on its line."""
    fail_on = os.environ.get("INPUT_FAIL_ON", "error")
    if fail_on not in _FAIL_ON:
        raise Unusable("fail-on is error, warning or never")
    try:
        linted = lint(read(paths), load_in_force())
    except UnreadableError as error:
        raise Unusable(str(error)) from error
    answer_file = _temporary("tfdoctor-lint.json")
    answer_file.write_text(drawn(linted, "json", Page()), encoding="utf-8")
    text = drawn(linted, "terminal", Page(_WIDTH))
    _write_stopped(text)
    _write(drawn(linted, "github", Page()))
    worst = min((each.severity for each in linted.findings), default=Severity.INFO)
    status = exit_status(linted, "error" if fail_on == "never" else fail_on)
    verdict = (
        "unknown"
        if status == NO_VERDICT
        else ("broken", "degraded", "healthy")[list(Severity).index(worst)]
    )
    code = linted.findings[0].code if linted.findings else ""
    _append("GITHUB_STEP_SUMMARY", "".join(f"    {line}\n" for line in text.splitlines()))
    _append("GITHUB_OUTPUT", f"verdict={verdict}\ncode={code}\nreport={answer_file}\n")
    return 0 if fail_on == "never" else status


def _check() -> int:
    report_file = _temporary("tfdoctor-check.json")
    fail_on, gpu = (
        os.environ.get("INPUT_FAIL_ON", "error"),
        os.environ.get("INPUT_REQUIRE_GPU", "false"),
    )
    if fail_on not in _FAIL_ON or gpu not in ("true", "false"):
        raise Unusable("fail-on is error, warning or never; require-gpu is true or false")
    words = [
        "check",
        "--json",
        "-o",
        str(report_file),
        f"--smoke={os.environ.get('INPUT_SMOKE') or 'auto'}",
    ]
    words += [
        f"--fail-on={'error' if fail_on == 'never' else fail_on}",
        *(["--require-gpu"] if gpu == "true" else []),
    ]
    words += [f"--python={os.environ['INPUT_PYTHON']}"] if os.environ.get("INPUT_PYTHON") else []
    ran = subprocess.run(
        [sys.executable, "-I", "-m", "tfdoctor", *words], capture_output=True, check=False
    )
    said = ran.stderr.decode("utf-8", "replace").strip().removeprefix("tfdoctor: ")
    try:
        report = documents.with_own_words(documents.load(report_file.read_bytes()), load_in_force())
    except (FileNotFoundError, ReportError) as error:
        raise Unusable(
            said or "the examination ended without a report", ran.returncode or NO_VERDICT
        ) from error
    roots = report.roots
    _tell(documents.view(report), report.verdict.value, roots, report_file)
    if not roots:
        _annotate("notice" if ran.returncode == 0 else "warning", "tfdoctor", report.summary)
    return 0 if fail_on == "never" else ran.returncode


def _diagnose(logs: Sequence[str]) -> int:
    """The step that failed has failed the job; this one only says why."""
    try:
        told = documents.diagnose(opened_logs(logs), load_in_force(), identity(os.environ))
    except LogError as error:
        raise Unusable(str(error)) from error
    answer_file = _temporary("tfdoctor-diagnosis.json")
    answer_file.write_text(render_json(documents.to_dict(told)), encoding="utf-8")
    view = documents.view(told)
    roots = [each.finding for each in told.roots]
    _tell(view, told.verdict, roots, answer_file)
    if told.verdict != CAUSE_FOUND:
        _annotate(
            "notice" if told.verdict == "noise-only" else "warning", "tfdoctor", view.headline
        )
    return 0


def _tell(view: View, verdict: str, roots: Sequence[Finding], answer: Path) -> None:
    """The answer in the step's log, in the job's summary and as outputs; each cause as an annotation."""
    text = StringIO()
    render_terminal(view, Page(_WIDTH), text)
    _write_stopped(text.getvalue())
    for finding in roots:
        _annotate(
            _LEVELS[finding.severity], f"tfdoctor: {finding.code}", "\n".join(_sentences(finding))
        )
    code = roots[0].code if roots else ""
    _append("GITHUB_STEP_SUMMARY", render_ticket(view))
    _append("GITHUB_OUTPUT", f"verdict={verdict}\ncode={code}\nreport={answer}\n")


def _write_stopped(text: str) -> None:
    """Text of the machine, in which the runner reads no command."""
    token = secrets.token_hex(16)
    _write(f"::stop-commands::{token}\n{text}\n::{token}::\n")


def _sentences(finding: Finding) -> list[str]:
    """The title, then the first fix, a command on each line."""
    if not finding.fixes:
        return [clean(finding.title)]
    fix = finding.fixes[0]
    return [
        clean(finding.title),
        f"Fix: {clean(fix.title)}",
        *(f"  {clean(command)}" for command in fix.commands),
    ]


def _annotate(level: str, title: str, words: str) -> None:
    """A workflow command; what it may not hold as it is stands as %XX."""
    lines = "\n".join(clean(line) for line in words.split("\n"))
    message = lines if len(lines) <= _LONGEST else f"{lines[:_LONGEST]}…"
    _write(
        f"::{level} title={_escaped(clean(title)).replace(':', '%3A').replace(',', '%2C')}::{_escaped(message)}\n"
    )


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _append(variable: str, text: str) -> None:
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


def _temporary(name: str) -> Path:
    return Path(os.environ.get("RUNNER_TEMP") or ".") / name


if __name__ == "__main__":
    sys.exit(main())
