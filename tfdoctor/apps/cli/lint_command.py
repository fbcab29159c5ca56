"""`tfdoctor lint`: build files judged before anything is built."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tfdoctor.apps.cli.guard import NO_VERDICT, UsageError, say
from tfdoctor.apps.cli.options import LINT
from tfdoctor.apps.cli.output import form_of, output_of, tell_written, terminal_page
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import codes_to_ignore, matrix_of, refuse_broken_settings
from tfdoctor.base.records import record

if TYPE_CHECKING:
    from tfdoctor.ask.builds.files import Reading
    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.report.lint import Linted
    from tfdoctor.say.terminal import Page

_ENDINGS = ("json", "sarif", "txt")


@record
class LintOptions:
    driver: str
    gpu: str
    python: str
    fix: bool
    diff: bool
    fail_on: str
    ignore: tuple[str, ...]
    form: str
    output: str
    matrix: str
    paths: tuple[str, ...] = (".",)


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    parsed = parse_args(LINT, arguments, os.environ)
    fields = parsed.fields()
    refuse_broken_settings()
    fields["form"] = form_of(parsed, _ENDINGS)
    return _lint(LintOptions(**fields, paths=tuple(parsed.words) or (".",)))


def _lint(asked: LintOptions) -> int:
    if asked.fix and asked.diff:
        raise UsageError("--fix writes what --diff shows; give one of them")
    output = output_of(asked.output)
    matrix = matrix_of(asked.matrix)
    reading, linted = _judged(asked, matrix)
    if asked.diff:
        from tfdoctor.report.lint import difference
        from tfdoctor.say.redact.redactor import hide_secrets

        output.write(hide_secrets(difference(reading, linted)).encode("utf-8", "surrogateescape"))
        return exit_status(linted, asked.fail_on)
    if asked.fix:
        written, failed = _fixed(reading, linted)
        say(f"{written} {'edit' if written == 1 else 'edits'} written")
        for path, why in failed.items():
            say(f"{path}: not written, {why}")
        reading, linted = _judged(asked, matrix)
    from tfdoctor.say.lint_page import headline

    page = terminal_page(os.environ, to_file=output.to_file)
    encoding = page.encoding if asked.form == "terminal" else "utf-8"
    output.write(drawn(linted, asked.form, page).encode(encoding, "replace"))
    tell_written(output, headline(linted))
    if reading.cut:
        say("there are more files than lint looks at; name the directories that matter")
    if asked.fix and failed:
        return NO_VERDICT
    return exit_status(linted, asked.fail_on)


def exit_status(linted: Linted, fail_on: str) -> int:
    """1: a finding at `fail_on` or worse; 3: no file was read."""
    from tfdoctor.knowledge.model import Severity

    if any(each.severity <= Severity(fail_on) for each in linted.findings):
        return 1
    return 0 if any(each.read for each in linted.files) else NO_VERDICT


def _judged(asked: LintOptions, matrix: Matrix) -> tuple[Reading, Linted]:
    from tfdoctor.apps.documents import lint
    from tfdoctor.ask.builds.files import read
    from tfdoctor.ask.builds.statements import UnreadableError
    from tfdoctor.fix.machine import DescriptionError

    ignore = codes_to_ignore(asked.ignore)
    try:
        reading = read(asked.paths)
        return reading, lint(
            reading, matrix, ignore=ignore, driver=asked.driver, gpu=asked.gpu, python=asked.python
        )
    except (DescriptionError, UnreadableError) as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{error.filename or '.'}: {error.strerror}") from error


def _fixed(reading: Reading, linted: Linted) -> tuple[int, dict[str, str]]:
    """How many edits were written, and which files were not, and why."""
    from tfdoctor.ask.builds.files import text_of
    from tfdoctor.base.safe_open import head_of
    from tfdoctor.base.safe_replace import replace_file
    from tfdoctor.report.lint import edits_of
    from tfdoctor.report.lint_edits import edited

    written, failed = 0, {}
    # A link is another name.
    by_file = {os.path.realpath(path): (path, edits) for path, edits in edits_of(linted).items()}
    for real, (path, edits) in by_file.items():
        source = reading.sources[path]
        text = edited(source.text, edits)
        errors = "surrogateescape" if "16" not in source.encoding else "strict"
        try:
            # Bytes: of UTF-8's longest characters, and a byte order mark.
            longest = 4 * len(source.text) + 4
            if text_of(head_of(real, longest))[0] != source.text:
                failed[path] = "it was changed meanwhile"
                continue
            replace_file(real, text.encode(source.encoding, errors))
        except OSError as error:
            failed[path] = error.strerror or type(error).__name__
        else:
            written += len(edits)
    return written, failed


def drawn(linted: Linted, form: str, page: Page) -> str:
    """In one of `LINT_FORMATS`; what looks like a password is hidden."""
    from tfdoctor.base.json_text import with_texts
    from tfdoctor.report.lint import lint_to_json
    from tfdoctor.say.json_v1 import render_json
    from tfdoctor.say.lint import lint_to_annotations, lint_to_text
    from tfdoctor.say.redact.redactor import hide_secrets
    from tfdoctor.say.sarif import lint_to_sarif

    if form in ("json", "sarif"):
        document = lint_to_json(linted) if form == "json" else lint_to_sarif(linted)
        return render_json(with_texts(document, hide_secrets))
    return hide_secrets(
        lint_to_annotations(linted) if form == "github" else lint_to_text(linted, page)
    )
