"""A diagnosis for a terminal: the root first, its lines, what to type; then what followed, and the noise."""

from __future__ import annotations

from typing import TextIO

from rich.text import Text

from tfdoctor.examine.diagnosis import Diagnosis
from tfdoctor.render.diagnosis.story import Chapter, Story, effect, passages, place, tell, weight
from tfdoctor.render.people.terminal import Page, Writer, write_fixes

_STYLES = {
    "CAUSE FOUND": "bold red",
    "WORTH KNOWING": "bold yellow",
    "NOTHING WRONG": "bold green",
    "NO FAILURE": "bold yellow",
    "NOT RECOGNISED": "bold magenta",
    "UNFINISHED": "bold magenta",
}
_MOST_NOISE = 12


def render_terminal(diagnosis: Diagnosis, page: Page, file: TextIO) -> None:
    """Prints the diagnosis to `file`."""
    writer, story = Writer(page, file), tell(diagnosis)
    name = writer.text(story.verdict, _STYLES[story.verdict])
    writer.paragraph(writer.text(story.headline), first=name, hang=name.cell_len + 2)
    writer.blank()
    for line in story.read:
        writer.paragraph(writer.text(f"Read: {line}"))
    for remark in (*story.earlier, *story.remarks):
        writer.paragraph(writer.text(remark))
    for number, chapter in enumerate(story.chapters, start=1):
        _chapter(writer, number, chapter, story)
    _rest(writer, story)
    writer.blank()
    writer.paragraph(writer.text(story.judged_by, "dim"))


def _chapter(writer: Writer, number: int, chapter: Chapter, story: Story) -> None:
    root = chapter.root.finding
    writer.blank()
    writer.paragraph(writer.text(root.title, "bold red"), first=writer.text(f"{number}.", "bold red"), hang=3)
    writer.paragraph(writer.text(weight(chapter.root), "dim"), indent=3)
    writer.blank()
    writer.paragraph(writer.text(root.explanation), indent=3)
    if chapter.root.lines:
        writer.heading("What the log says", indent=3)
    for file, rows in passages(chapter.root.lines):
        if story.several:
            writer.paragraph(writer.text(f"log {file + 1}", "dim"), indent=3)
        width = len(str(rows[-1].number))
        for row in rows:
            if row.gap:
                writer.paragraph(writer.text("…", "dim"), indent=3)
            mark = Text(("> " if row.itself else "  ") + f"{row.number:>{width}} ")
            style = "" if row.itself else "dim"
            writer.paragraph(writer.text(row.text, style), first=mark, indent=3, hang=len(mark))
    for evidence in root.evidence:
        writer.item(f"{evidence.fact}: {evidence.observed}", indent=3)
    write_fixes(writer, root.fixes)
    if chapter.followed:
        writer.heading("What followed from it", indent=3)
    for each in chapter.followed:
        writer.item(effect(each, several=story.several), indent=3)
    writer.blank()
    writer.paragraph(writer.text(f"More about it: {root.docs}"), indent=3)


def _rest(writer: Writer, story: Story) -> None:
    if story.suspects:
        writer.heading("Lines that look like a failure")
    for line in story.suspects:
        writer.item(f"{place(line, several=story.several)}: {line.text}")
    if story.open:
        writer.heading("What stays open")
    for words, command in story.open:
        writer.item(words)
        writer.command(command, indent=4)
    if story.notes:
        writer.heading("Worth knowing")
    for note in story.notes:
        writer.item(f"{note.finding.title} {effect(note, several=story.several)}")
    if story.noise:
        writer.heading("Frightening, and meaning nothing")
    for words in story.noise[:_MOST_NOISE]:
        writer.item(words)
