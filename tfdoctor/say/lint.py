"""What `tfdoctor lint` found, for a terminal and as GitHub's annotations."""

from __future__ import annotations

from io import StringIO

from tfdoctor.knowledge.model import Severity
from tfdoctor.report.lint import Linted, Located
from tfdoctor.say.clean import clean
from tfdoctor.say.lint_page import counted, headline, worst, written
from tfdoctor.say.redact.redactor import hide_secrets
from tfdoctor.say.terminal import Page, Writer

_MARKS = {
    Severity.ERROR: ("✗", "bold red"),
    Severity.WARNING: ("!", "bold yellow"),
    Severity.INFO: ("–", "bold"),
}
_ANNOTATIONS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def lint_to_text(linted: Linted, page: Page) -> str:
    """One block for each finding, in the order of files and lines."""
    text = StringIO()
    writer = Writer(page, text)
    symbol, style = (
        _MARKS[worst(linted)]
        if linted.findings
        else ("✓", "bold green")
        if any(each.read for each in linted.files)
        else ("!", "bold yellow")
    )
    writer.paragraph(
        writer.text(headline(linted), "bold"), first=writer.symbol(symbol, style), hang=2
    )
    for each in linted.findings:
        _write(writer, each)
    for file in linted.files:
        if not file.read:
            writer.blank()
            writer.paragraph(
                writer.text(f"{file.path}: not read, {file.problem}."),
                first=writer.symbol("!", "bold yellow"),
                hang=2,
            )
    for excuse in linted.excuses_without_reason:
        writer.blank()
        words = f"{excuse.file}:{excuse.line}: this comment gives no reason, so it does not count: write `because …`."
        writer.paragraph(writer.text(words), first=writer.symbol("!", "bold yellow"), hang=2)
    if linted.findings:
        codes = list(dict.fromkeys(each.code for each in linted.findings))
        writer.blank()
        fixable = sum(each.edit is not None for each in linted.findings)
        words = f"tfdoctor explain {codes[0]} says more." + (f" tfdoctor lint --fix writes {counted(fixable, 'of these fixes', 'of these fixes')}." if fixable else "")  # fmt: skip
        writer.paragraph(writer.text(words, "dim"))
    return text.getvalue()


def _write(writer: Writer, each: Located) -> None:
    symbol, style = _MARKS[each.severity]
    writer.blank()
    place = f"{each.file}:{each.line}:{each.column}" + (
        f" ({each.environment})" if each.environment else ""
    )
    writer.paragraph(
        writer.text(f"{place}  {each.code}", style), first=writer.symbol(symbol, style), hang=2
    )
    writer.paragraph(writer.text(each.title), indent=2)
    if each.explanation:
        writer.paragraph(writer.text(each.explanation), indent=2)
    if each.fixes:
        writer.labelled("Fix", f"{each.fixes[0].title}{written(each)}", 2)


def lint_to_annotations(linted: Linted) -> str:
    """Workflow commands of GitHub Actions, one for each finding."""
    lines = [
        f"::{_ANNOTATIONS[each.severity]} file={_property(each.file)},line={each.line},endLine={each.end_line},col={each.column},"
        f"title={_property(f'tfdoctor: {each.code}')}::{_data(' '.join(filter(None, (each.title, each.explanation, _fix(each)))))}"
        for each in linted.findings
    ]
    lines += [
        f"::warning file={_property(each.path)},title=tfdoctor::{_data(f'not read: {each.problem}')}"
        for each in linted.unread
    ]
    return "".join(f"{line}\n" for line in lines)


def _fix(each: Located) -> str:
    return f"Fix: {each.fixes[0].title}." if each.fixes else ""


def _data(text: str) -> str:
    """Encoded, a password no longer looks like one, so it is hidden before."""
    return clean(hide_secrets(text)).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
