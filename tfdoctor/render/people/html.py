"""A report as one HTML file: no script, no other file, readable by people and by screen readers, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape as _escape

from tfdoctor.examine.report import Report
from tfdoctor.findings.model import Finding, Fix
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

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2125; --soft: #565e66; --paper: #ffffff; --card: #f5f6f8; --line: #cfd4da;
  --healthy: #14692c; --degraded: #7a5200; --broken: #a51212; --unknown: #6b2a8c; --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaed; --soft: #a9b1b9; --paper: #14171a; --card: #1f2428;
  --line: #3c444c; --healthy: #6fd68a; --degraded: #f0bf55; --broken: #ff8d85; --unknown: #d9a5f3; --link: #83bdf7; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.15rem; margin: 0; letter-spacing: .04em; }
h2 { font-size: 1.2rem; margin: 0 0 .25rem; line-height: 1.35; }
h3 { font-size: 1rem; margin: 1.1rem 0 .3rem; }
p { margin: .4rem 0; }
ul { margin: .3rem 0; padding-left: 1.3rem; }
li { margin: .25rem 0; }
code, pre { font: .92em/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
code, p, li, dd, h2 { overflow-wrap: anywhere; }
pre { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; margin: .4rem 0; }
header, article { background: var(--card); border: 1px solid var(--line); border-left: .4rem solid var(--soft); border-radius: 8px;
  padding: 1rem 1.2rem; margin: 0 0 1rem; }
.healthy { border-left-color: var(--healthy); } .healthy h1 { color: var(--healthy); }
.degraded, .warning { border-left-color: var(--degraded); } .degraded h1, .warning .weight { color: var(--degraded); }
.broken, .error { border-left-color: var(--broken); } .broken h1, .error .weight { color: var(--broken); }
.unknown { border-left-color: var(--unknown); } .unknown h1 { color: var(--unknown); }
.headline { font-size: 1.15rem; }
.weight { font-size: .9rem; }
.soft { color: var(--soft); font-size: .9rem; }
details { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 .6rem; padding: .5rem 1rem; }
summary { cursor: pointer; font-weight: 600; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
@media (max-width: 32rem) { dl { display: block; } dd { margin: 0 0 .4rem; } }
@media print { details > * { display: block; } body { background: none; } }
"""


def render_html(report: Report) -> str:
    story = tell(report)
    parts = [*_header(story)]
    for number, chapter in enumerate(story.chapters, start=1):
        parts += _chapter(number, chapter)
    parts += _rest(story)
    parts.append(f'<footer class="soft"><p>{text(story.judged_by)}</p></footer>')
    return whole_page(f"tfdoctor: {VERDICTS[story.verdict].lower()}", parts)


def whole_page(title: str, parts: Iterable[str]) -> str:
    """One file that needs no other and may load none."""
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def text(words: str) -> str:
    """Cleaned and escaped, for an element or an attribute."""
    return _escape(clean(words), quote=True)


def _header(story: Story) -> Iterator[str]:
    yield f'<header class="{story.verdict.value}">'
    yield f"<h1>{VERDICTS[story.verdict]}</h1>"
    yield f'<p class="headline">{text(story.headline)}</p>'
    yield f'<p class="soft">Examined: {text(story.subject)}</p>'
    yield "</header>"


def _chapter(number: int, chapter: Chapter) -> Iterator[str]:
    root = chapter.root
    name = f"finding-{number}"
    yield f'<article class="{root.severity.value}" aria-labelledby="{name}">'
    yield f'<h2 id="{name}">{number}. {text(root.title)}</h2>'
    yield f'<p class="weight">{text(weight(root))}</p>'
    if root.explanation:
        yield f"<p>{text(root.explanation)}</p>"
    yield from _evidence(root)
    yield from write_fixes(root.fixes)
    if chapter.consequences:
        yield "<h3>What follows from it</h3>"
        yield from write_list(text(effect(item)) for item in chapter.consequences)
    yield f'<p class="soft">More about it: <code>{text(root.docs)}</code></p>'
    yield "</article>"


def _evidence(finding: Finding) -> Iterator[str]:
    if finding.evidence:
        yield "<h3>How this is known</h3>"
        yield from write_list(
            f"<code>{text(item.fact)}</code>: <strong>{'<br>'.join(map(text, observed))}</strong>"
            + (f'<br><span class="soft">{text(expectation(item))}</span>' if expectation(item) else "")
            for item, observed in gathered(finding.evidence)
        )


def write_fixes(fixes: Iterable[Fix]) -> Iterator[str]:
    for number, fix in enumerate(fixes):
        yield f"<h3>{'What to do' if number == 0 else 'Or'}</h3>"
        yield f"<p>{text(fix.title)}</p>"
        if fix.commands:
            commands = "\n".join(text(command) for command in fix.commands)
            yield f"<pre><code>{commands}</code></pre>"
        if fix.note:
            yield f"<p>{text(fix.note)}</p>"


def write_list(items: Iterable[str]) -> Iterator[str]:
    yield "<ul>"
    yield from (f"<li>{item}</li>" for item in items)
    yield "</ul>"


def _rest(story: Story) -> Iterator[str]:
    notes = [
        f"{text(note.title)} {text(note.explanation)} <code>{text(note.code)}</code>" for note in story.notes
    ]
    yield from write_folded("Worth knowing", notes, shown=True)
    doubts = [
        f'{text(doubt.because)}<br><span class="soft">{text(left_open(doubt))}</span>'
        for doubt in story.doubts
    ]
    yield from write_folded("Could not be found out", doubts, shown=True)
    if story.in_order:
        yield f"<details open><summary>Found in order ({len(story.in_order)})</summary>\n<dl>"
        yield from (f"<dt>{text(line.label)}</dt><dd>{text(line.text)}</dd>" for line in story.in_order)
        yield "</dl>\n</details>"
    yield from write_folded("Not examined", [text(line) for line in story.not_examined])
    yield from write_folded(
        "Ignored", [f"<code>{text(i.code)}</code>: {text(i.reason)}" for i in story.ignored]
    )


def write_folded(title: str, items: list[str], *, shown: bool = False) -> Iterator[str]:
    if items:
        yield f"<details{' open' if shown else ''}><summary>{title} ({len(items)})</summary>"
        yield from write_list(items)
        yield "</details>"
