"""The post-mortem of a watched program: what ended it, how that is known, how its memory went, what to do."""

from __future__ import annotations

import signal
import textwrap
from collections.abc import Iterator

from tfdoctor.examine.death import SUCCESS, RunReport
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Evidence, Finding, Role
from tfdoctor.render.clean import can_encode, clean, fit
from tfdoctor.render.people.plot import plot
from tfdoctor.render.people.story import SURENESS, gathered
from tfdoctor.render.people.training import training_words

_NARROWEST, _WIDEST = 40, 100
_PLOT_FROM_S = 2.0
_POLITE = frozenset({signal.SIGINT, signal.SIGTERM})


def render_death(report: RunReport, *, width: int = 0, encoding: str = "utf-8") -> str:
    """Lines that end in a newline. `width` 0: sentences stay whole, as off a terminal."""
    folded = max(_NARROWEST, min(width, _WIDEST)) if width else 0
    lines = [line for text in _lines(report, folded, encoding) for line in _wrapped(text, folded)]
    return "".join(f"{fit(line, encoding)}\n" for line in lines)


def _wrapped(text: str, width: int) -> list[str]:
    """Plots and commands (eight blanks) stay as they are."""
    if not width or len(text) <= width or text.startswith("        "):
        return [text]
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _lines(report: RunReport, width: int, encoding: str) -> Iterator[str]:
    yield f"tfdoctor: {headline(report)}"
    told = told_of(report)
    if _is_plain(report):
        shown = [each for each in told[0].evidence if each.fact == "death.signals"]
        yield from (f"  {clean(each.observed)}." for each in shown)
        return
    for finding in told:
        yield from _finding(finding, report)
    yield from _memory(report, width or 80, plain=not can_encode("▁█", encoding))
    yield from _gpu_memory(report, width or 80, plain=not can_encode("▁█", encoding))
    yield from (f"  {clean(each)}" for each in training_words(report))
    for finding in told[:1]:
        yield from _fixes(finding)
    for item in report.undecided:
        yield f"  Could not be found out: {clean(item.because)} ({item.code})"
    for note in report.notes:
        yield f"  While watching: {clean(note)}"
    notes = [each for each in report.findings if each.role is Role.NOTE and each not in told]
    for finding in notes:
        yield f"  Worth knowing: {clean(finding.title)} {clean(finding.explanation)} ({finding.code})"
    if told:
        yield f"  More about it: tfdoctor explain {told[0].code}"


def told_of(report: RunReport) -> list[Finding]:
    """The roots first; then how it ended, where that only follows."""
    roots = [each for each in report.findings if each.role is Role.ROOT]
    ending = report.finding(report.outcome)
    return [*roots, *([ending] if ending is not None and ending not in roots else [])]


def headline(report: RunReport) -> str:
    ending = report.finding(report.outcome)
    title = clean(ending.title if ending is not None else CODES[report.outcome].title).rstrip(".")
    end = report.end
    if end is None or end.how == "unknown":
        return f"the recorder died with the command; as far as it saw: {title} ({report.outcome})"
    if end.how == "not-started":
        return f"the command was not started: {title} ({report.outcome})"
    after = f" after {_time(end.after_s)}"
    if report.outcome == SUCCESS:
        return f"the command ended well{after}"
    how = f"died of {_signal(end.status)}" if end.how == "signal" else f"ended with status {end.status}"
    return f"the command {how}{after}: {title} ({report.outcome})"


def _is_plain(report: RunReport) -> bool:
    """Ctrl-C or a polite request to end, and nothing else to tell: whoever sent it knows why."""
    end = report.end
    if report.outcome != "killed-by-user" or end is None or end.how != "signal" or end.status not in _POLITE:
        return False
    return len(report.findings) == 1 and not report.undecided and not report.notes


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _finding(finding: Finding, report: RunReport) -> Iterator[str]:
    sure = SURENESS[finding.confidence]
    title = "" if finding.code == report.outcome else f"{clean(finding.title)} "
    yield f"  {title}{clean(finding.explanation)} ({finding.code}, {sure})"
    for evidence, observed in gathered(finding.evidence):
        for words in observed:
            says = _expected(evidence)
            yield f"    - {clean(words)}" + (f" ({clean(says)})" if says else "")


def _expected(evidence: Evidence) -> str:
    """What should have been, and who says what was."""
    wanted = f"expected: {evidence.expected}" if evidence.expected else ""
    return "; ".join(
        each for each in (wanted, f"source: {evidence.source}" if evidence.source else "") if each
    )


def _memory(report: RunReport, width: int, *, plain: bool) -> Iterator[str]:
    """Of the cgroup where it has a limit, else of the processes."""
    if not report.samples or float(report.samples[-1]["t"]) < _PLOT_FROM_S:
        return
    limited = [each for each in report.samples if "cgroup_limit_bytes" in each]
    key, name = (
        ("cgroup_bytes", "memory of its container or job")
        if limited
        else ("rss_bytes", "memory (RSS) of its processes")
    )
    points = [(float(each["t"]), float(each[key])) for each in report.samples if key in each]
    limit = float(limited[-1]["cgroup_limit_bytes"]) if limited else 0.0
    drawn = plot(points, width=min(width, 80) - 8, limit=limit, plain=plain)
    if drawn:
        yield f"  The {name}{', up to its limit' if limit else ''}:"
        yield from (f"        {line}" for line in drawn)


def _gpu_memory(report: RunReport, width: int, *, plain: bool) -> Iterator[str]:
    """Of the GPU that was fullest: what was in use there, by whomever, up to what it has."""
    looks = [
        (float(sample["t"]), gpu)
        for sample in report.samples
        for gpu in sample.get("gpus", ())
        if gpu.get("total_bytes") and "used_bytes" in gpu
    ]
    if not looks:
        return
    fullest = max(looks, key=lambda look: look[1]["used_bytes"] / look[1]["total_bytes"])[1]["index"]
    points = [(at, float(gpu["used_bytes"])) for at, gpu in looks if gpu["index"] == fullest]
    total = next(float(gpu["total_bytes"]) for _, gpu in looks if gpu["index"] == fullest)
    drawn = plot(points, width=min(width, 80) - 8, limit=total, plain=plain)
    if drawn:
        yield f"  The memory of GPU {fullest}, by all who use it, up to what it has:"
        yield from (f"        {line}" for line in drawn)


def _fixes(finding: Finding) -> Iterator[str]:
    for number, fix in enumerate(finding.fixes):
        note = f" {clean(fix.note)}" if fix.note else ""
        yield f"  {'What to do' if number == 0 else 'Or'}: {_sentence(clean(fix.title))}{note}"
        for command in fix.commands:
            yield f"        {clean(command)}"


def _sentence(words: str) -> str:
    return words if words.endswith((".", "?")) else f"{words}."
