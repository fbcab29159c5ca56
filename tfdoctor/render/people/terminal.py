"""A report for a terminal: the verdict first, then each fault with what to type, then the rest.

Sentences are wrapped to the width; commands never are, so that they can be copied. Nothing from the machine is
read as markup: every piece is a rich `Text` of cleaned characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from tfdoctor.examine.report import Report
from tfdoctor.findings.model import Finding, Fix, Severity, Verdict
from tfdoctor.light.records import record
from tfdoctor.render.clean import clean, fit
from tfdoctor.render.people.story import (
    VERDICTS,
    Chapter,
    Story,
    effect,
    expectation,
    gathered,
    left_open,
    tell,
    weight,
)

WIDEST = 100  # longer lines are hard to read
NARROWEST = 24
_VERDICT_STYLES = {
    Verdict.HEALTHY: "bold green",
    Verdict.DEGRADED: "bold yellow",
    Verdict.BROKEN: "bold red",
    Verdict.UNKNOWN: "bold magenta",
}
_SEVERITY_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold"}
_LABEL_WIDTH = 16
_ROOM_FOR_LABELS = 60


@record
class Page:
    """Where it is printed. `width` is the terminal's in columns, `encoding` the stream's."""

    width: int = 80
    colour: bool = False
    encoding: str = "utf-8"


def render_terminal(report: Report, page: Page, file: TextIO) -> None:
    """Prints the report to `file`."""
    writer = Writer(page, file)
    story = tell(report)
    _head(writer, story)
    for number, chapter in enumerate(story.chapters, start=1):
        _chapter(writer, number, chapter)
    _notes(writer, story.notes)
    _doubts(writer, story)
    _good(writer, story)
    _ending(writer, story)


class Writer:
    """Lines of cleaned text, wrapped with a hanging indent."""

    def __init__(self, page: Page, file: TextIO) -> None:
        width = max(NARROWEST, min(page.width, WIDEST))
        self.width, self._encoding = width, page.encoding
        self._console = Console(
            file=file, width=width, color_system="standard" if page.colour else None, force_terminal=page.colour,
            no_color=not page.colour, highlight=False, markup=False, emoji=False, legacy_windows=False,
        )  # fmt: skip

    def text(self, words: str, style: str = "") -> Text:
        return Text(fit(clean(words), self._encoding), style=style)

    def blank(self) -> None:
        self._console.print()

    def heading(self, words: str, indent: int = 0) -> None:
        self.blank()
        self.paragraph(self.text(words, "bold"), indent=indent)

    def paragraph(self, text: Text, *, first: Text | None = None, indent: int = 0, hang: int = 0) -> None:
        """`first` stands in the margin of the first line; following lines are indented by `indent + hang`."""
        lines = text.wrap(self._console, max(self.width - indent - hang, NARROWEST // 2), overflow="fold")
        for number, line in enumerate(lines):
            line.rstrip()
            margin = Text(" " * indent)
            if number == 0 and first is not None:
                margin.append_text(first)
            margin.append(" " * max(indent + hang - margin.cell_len, 0))
            self._console.print(margin + line, soft_wrap=True)

    def item(self, words: str, indent: int = 0) -> None:
        self.paragraph(self.text(words), first=Text("-"), indent=indent, hang=2)

    def command(self, words: str, indent: int) -> None:
        """One line whatever the width, so that it can be copied."""
        self._console.print(Text(" " * indent) + self.text(words, "bold cyan"), soft_wrap=True)


def _head(writer: Writer, story: Story) -> None:
    name = writer.text(VERDICTS[story.verdict], _VERDICT_STYLES[story.verdict])
    hang = name.cell_len + 2 if writer.width >= _ROOM_FOR_LABELS else 0
    if hang:
        writer.paragraph(writer.text(story.headline), first=name, hang=hang)
    else:
        writer.paragraph(name)
        writer.paragraph(writer.text(story.headline))
    writer.blank()
    writer.paragraph(writer.text(f"Examined: {story.subject}"), hang=0)


def _chapter(writer: Writer, number: int, chapter: Chapter) -> None:
    root = chapter.root
    style = _SEVERITY_STYLES[root.severity]
    writer.blank()
    mark = writer.text(f"{number}.", style)
    writer.paragraph(writer.text(root.title, style), first=mark, hang=3)
    writer.paragraph(writer.text(weight(root), "dim"), indent=3)
    if root.explanation:
        writer.blank()
        writer.paragraph(writer.text(root.explanation), indent=3)
    _evidence(writer, root)
    write_fixes(writer, root.fixes)
    if chapter.consequences:
        writer.heading("What follows from it", indent=3)
        for consequence in chapter.consequences:
            writer.item(effect(consequence), indent=3)
    writer.blank()
    writer.paragraph(writer.text(f"More about it: {root.docs}"), indent=3)


def _evidence(writer: Writer, finding: Finding) -> None:
    if finding.evidence:
        writer.heading("How this is known", indent=3)
    for evidence, observed in gathered(finding.evidence):
        if len(observed) == 1:
            writer.item(f"{evidence.fact}: {evidence.observed}", indent=3)
        else:
            writer.item(f"{evidence.fact}:", indent=3)
        for words in observed if len(observed) > 1 else ():
            writer.paragraph(writer.text(words), indent=5, hang=2)
        if told := expectation(evidence):
            writer.paragraph(writer.text(told), indent=5)


def write_fixes(writer: Writer, fixes: Iterable[Fix]) -> None:
    for number, fix in enumerate(fixes):
        writer.heading("What to do" if number == 0 else "Or", indent=3)
        writer.paragraph(writer.text(fix.title), indent=3)
        for command in fix.commands:
            writer.command(command, indent=7)
        if fix.note:
            writer.paragraph(writer.text(fix.note), indent=3)


def _notes(writer: Writer, notes: Iterable[Finding]) -> None:
    for number, note in enumerate(notes):
        if number == 0:
            writer.heading("Worth knowing")
        writer.item(f"{note.title} {note.explanation} ({note.code})")


def _doubts(writer: Writer, story: Story) -> None:
    if story.doubts:
        writer.heading("Could not be found out")
    for doubt in story.doubts:
        writer.item(doubt.because)
        writer.paragraph(writer.text(left_open(doubt)), indent=2)


def _good(writer: Writer, story: Story) -> None:
    if story.in_order:
        writer.heading("Found in order")
    for line in story.in_order:
        if writer.width >= _ROOM_FOR_LABELS:
            label = writer.text(line.label, "green")
            writer.paragraph(writer.text(line.text), first=label, indent=2, hang=_LABEL_WIDTH)
        else:
            writer.item(f"{line.label}: {line.text}")


def _ending(writer: Writer, story: Story) -> None:
    if story.not_examined:
        writer.heading("Not examined")
    for line in story.not_examined:
        writer.item(line)
    if story.ignored:
        writer.heading("Ignored at your wish")
    for ignored in story.ignored:
        writer.item(f"{ignored.code}: {ignored.reason}" if ignored.reason else ignored.code)
    writer.blank()
    writer.paragraph(writer.text(story.judged_by, "dim"))
