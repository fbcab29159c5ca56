"""A death as it is told inside a notebook, below the cell that ran: one line, the same in full, and that as a card.

The HTML has no script, loads nothing, and takes its colours from the page around it, light or dark.
"""

from __future__ import annotations

import signal
import textwrap
from collections.abc import Iterator

from tfdoctor.examine.death import RunReport
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Finding, Role
from tfdoctor.render.clean import clean
from tfdoctor.render.people.html import text
from tfdoctor.render.people.story import SURENESS, expectation, gathered

_WIDTH = 88
_MOST_EVIDENCE = 4
_BOX = (
    "border:1px solid rgba(128,128,128,.45);border-left:4px solid #d9534f;border-radius:4px;"
    "padding:.5em .9em;margin:.3em 0;max-width:52em;color:inherit;overflow-wrap:anywhere;line-height:1.45"
)
_CODE = "white-space:pre-wrap;overflow-wrap:anywhere;margin:.2em 0;padding:.3em .5em;background:rgba(128,128,128,.15);color:inherit"


def in_a_line(report: RunReport) -> str:
    """How it ended and what that is called: "died of SIGSEGV after 3.2 s: native-crash"."""
    return f"{_end(report)}: {report.outcome}"


def card_text(report: RunReport, where: str) -> str:
    """Lines of some 88 characters. `where` is the report's path, or why there is none."""
    lines = [f"tfdoctor: the kernel {_end(report)}. {_title(report)}"]
    for finding in _told(report):
        lines += _folded(
            f"{clean(finding.explanation)} ({finding.code}, {SURENESS[finding.confidence]})", "  "
        )
        lines += [line for words in _evidence(finding) for line in _folded(f"- {words}", "    ", "      ")]
    for title, note, commands in _fixes(report):
        lines += _folded(f"{title}.{f' {note}' if note else ''}", "  ")
        lines += [f"      {command}" for command in commands]
    lines += _folded(_where(where), "  ")
    return "".join(f"{line}\n" for line in lines)


def card_html(report: RunReport, where: str) -> str:
    """One element with its own style. Nothing of what the kernel or the machine said is taken for markup."""
    parts = [f'<div style="{_BOX}" role="note" aria-label="tfdoctor">']
    parts.append(
        f"<p style='margin:.2em 0'><b>tfdoctor: the kernel {text(_end(report))}. {text(_title(report))}</b></p>"
    )
    for finding in _told(report):
        parts.append(f"<p style='margin:.4em 0'>{text(finding.explanation)}</p>")
        evidence = "".join(f"<li>{text(words)}</li>" for words in _evidence(finding))
        how = f"<code>{text(finding.code)}</code>, {text(SURENESS[finding.confidence])}"
        parts.append(
            f"<p style='margin:.4em 0 0'>How this is known ({how}):</p><ul style='margin:.1em 0 .4em;padding-left:1.4em'>{evidence}</ul>"
        )
    for title, note, commands in _fixes(report):
        parts.append(f"<p style='margin:.4em 0 0'><b>{text(title)}.</b> {text(note)}</p>")
        if commands:
            shown = "\n".join(text(command) for command in commands)
            parts.append(f"<pre style='{_CODE}'>{shown}</pre>")
    parts.append(f"<p style='margin:.5em 0 .1em;opacity:.8;font-size:.9em'>{text(_where(where))}</p></div>")
    return "".join(parts)


def _told(report: RunReport) -> list[Finding]:
    """The roots first; then how it ended, where that only follows."""
    roots = [each for each in report.findings if each.role is Role.ROOT]
    ending = report.finding(report.outcome)
    return [*roots[:2], *([ending] if ending is not None and ending not in roots else [])]


def _title(report: RunReport) -> str:
    told = _told(report)
    title = told[0].title if told else CODES[report.outcome].title
    return f"{clean(title).rstrip('.')}."


def _end(report: RunReport) -> str:
    end = report.end
    if end is None:
        return "died"
    known = {int(each): each.name for each in signal.Signals}
    after = f"{end.after_s:.1f} s" if end.after_s < 100 else f"{end.after_s / 60:.0f} min"
    how = (
        f"died of {known.get(end.status, f'signal {end.status}')}"
        if end.how == "signal"
        else f"ended itself with status {end.status}"
    )
    return f"{how} after {after}"


def _evidence(finding: Finding) -> list[str]:
    found = []
    for evidence, observed in gathered(finding.evidence):
        says = expectation(evidence)
        found += [clean(words) + (f" ({clean(says)})" if says else "") for words in observed]
    return found[:_MOST_EVIDENCE]


def _fixes(report: RunReport) -> Iterator[tuple[str, str, list[str]]]:
    for finding in _told(report)[:1]:
        for fix in finding.fixes:
            yield clean(fix.title).rstrip("."), clean(fix.note), [clean(command) for command in fix.commands]


def _where(where: str) -> str:
    return (
        f"The whole report: {clean(where)}"
        if where.startswith(("/", "~", "<"))
        else f"There is no report: {clean(where)}."
    )


def _folded(words: str, indent: str, then: str = "") -> list[str]:
    return textwrap.wrap(
        words, _WIDTH, initial_indent=indent, subsequent_indent=then or indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
