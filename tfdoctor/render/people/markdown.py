"""A report for a ticket: Markdown as GitHub and GitLab show it, the bulk folded away.

What the machine says stands in code spans and code blocks, where nothing is read as markup, as a mention of
a person or as a link; in sentences every character that Markdown could read is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdoctor.examine.report import Report
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.light.expressions import Expression
from tfdoctor.render.clean import clean
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

_MARKUP = Expression(r"([\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|^[-+=#]|#(?=\d))")
_ZERO_WIDTH = "&#8203;"  # breaks a mention or a link without showing


def render_markdown(report: Report) -> str:
    story = tell(report)
    lines = [
        f"## tfdoctor: {VERDICTS[story.verdict]}",
        "",
        escape(story.headline),
        "",
        f"Examined: {escape(story.subject)}",
        "",
    ]
    for number, chapter in enumerate(story.chapters, start=1):
        lines += _chapter(number, chapter)
    lines += _rest(story)
    lines += [f"<sub>{escape(story.judged_by)}</sub>"]
    return "\n".join(lines) + "\n"


def escape(words: str) -> str:
    """A sentence that shows as it is written."""
    text = clean(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MARKUP.sub(r"\\\1", text)
    text = re.sub(r"^(\d+)([.)])", r"\1\\\2", text)
    text = text.replace("@", f"@{_ZERO_WIDTH}").replace("://", f":{_ZERO_WIDTH}//")
    return text.replace("www.", f"www{_ZERO_WIDTH}.")


def code(words: str) -> str:
    """A code span around any text."""
    text = clean(words).strip() or "(empty)"
    fence = "`" * (longest_run(text) + 1)
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def block(commands: tuple[str, ...]) -> list[str]:
    text = [clean(command) for command in commands]
    fence = "`" * max(3, *(longest_run(line) + 1 for line in text))
    return [f"{fence}sh", *text, fence, ""]


def longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _chapter(number: int, chapter: Chapter) -> Iterator[str]:
    root = chapter.root
    yield from (f"### {number}. {escape(root.title)}", "", f"*{escape(weight(root))}*", "")
    if root.explanation:
        yield from (escape(root.explanation), "")
    yield from _evidence(root)
    for index, fix in enumerate(root.fixes):
        yield from write_fix(index, fix)
    if chapter.consequences:
        yield from ("**What follows from it**", "")
        yield from (f"- {escape(effect(item))}" for item in chapter.consequences)
        yield ""
    yield from (f"More about it: {code(root.docs)}", "")


def _evidence(finding: Finding) -> Iterator[str]:
    if not finding.evidence:
        return
    yield from ("**How this is known**", "")
    for evidence, observed in gathered(finding.evidence):
        told = expectation(evidence)
        shown = ", ".join(map(code, observed))
        yield f"- {code(evidence.fact)}: {shown}" + (f" – {escape(told)}" if told else "")
    yield ""


def write_fix(index: int, fix: Fix) -> Iterator[str]:
    yield from (f"**{'What to do' if index == 0 else 'Or'}**: {escape(fix.title)}", "")
    if fix.commands:
        yield from block(fix.commands)
    if fix.note:
        yield from (escape(fix.note), "")


def _rest(story: Story) -> Iterator[str]:
    notes = [f"{escape(note.title)} {escape(note.explanation)} ({code(note.code)})" for note in story.notes]
    yield from write_folded("Worth knowing", notes)
    doubts = [f"{code(doubt.because)} {escape(left_open(doubt))}" for doubt in story.doubts]
    yield from write_folded("Could not be found out", doubts)
    yield from write_folded(
        "Found in order", [f"{escape(line.label)}: {code(line.text)}" for line in story.in_order]
    )
    yield from write_folded("Not examined", [code(line) for line in story.not_examined])
    yield from write_folded(
        "Ignored", [f"{code(item.code)}: {escape(item.reason)}" for item in story.ignored]
    )


def write_folded(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield from ("<details>", f"<summary>{title} ({len(items)})</summary>", "")
        yield from (f"- {item}" for item in items)
        yield from ("", "</details>", "")
