"""The post-mortem of a run as one HTML file that loads nothing: what ended it, its plots, what to do."""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.examine.death import SUCCESS, RunReport
from tfdoctor.findings.model import Finding, Role
from tfdoctor.render.people.death import headline, told_of
from tfdoctor.render.people.html import text, whole_page, write_fixes, write_folded, write_list
from tfdoctor.render.people.sizes import size
from tfdoctor.render.people.story import SURENESS, expectation, gathered
from tfdoctor.render.people.svg_plot import STYLE, Line, Points, svg
from tfdoctor.render.people.training import training_words

_GB = 1e9
_WHICH = "RSS and anonymous memory (their own pages) are sums over its processes; container is the use of its container or job without cache."


def render_death_html(report: RunReport) -> str:
    """Raises ImportError where pygal is not installed."""
    title = headline(report)
    parts = [
        f"<style>{STYLE}</style>",
        f'<header class="{"healthy" if report.outcome == SUCCESS else "broken"}">',
        f"<h1>{text(report.outcome)}</h1>",
        f'<p class="headline">{text(title[:1].upper() + title[1:])}</p>',
        f'<p class="soft">Command: <code>{text(" ".join(report.command))}</code></p>',
        f'<p class="soft">Written {text(report.generated_at)}{"" if report.complete else "; the recorder ended along with the command, so this is what its record holds"}</p>',
        "</header>",
    ]
    told = told_of(report)
    for number, finding in enumerate(told, start=1):
        parts += _chapter(number, finding)
    parts += _plots(report)
    parts += [f"<p>{text(each)}</p>" for each in training_words(report)]
    parts += _rest(report, told)
    parts.append(f'<footer class="soft"><p>tfdoctor {text(report.tool.version)}</p></footer>')
    return whole_page(f"tfdoctor run: {text(report.outcome)}", parts)


def _chapter(number: int, finding: Finding) -> Iterator[str]:
    name = f"finding-{number}"
    yield f'<article class="{finding.severity.value}" aria-labelledby="{name}">'
    yield f'<h2 id="{name}">{number}. {text(finding.title)}</h2>'
    yield f'<p class="weight">{text(finding.code)}, {text(SURENESS[finding.confidence])}</p>'
    yield f"<p>{text(finding.explanation)}</p>"
    if finding.evidence:
        yield "<h3>How this is known</h3>"
        yield from write_list(
            f"<strong>{'<br>'.join(map(text, observed))}</strong>"
            + (f'<br><span class="soft">{text(expectation(item))}</span>' if expectation(item) else "")
            for item, observed in gathered(finding.evidence)
        )
    yield from write_fixes(finding.fixes)
    yield "</article>"


def _rest(report: RunReport, told: list[Finding]) -> Iterator[str]:
    notes = [each for each in report.findings if each not in told and each.role is Role.NOTE]
    yield from write_folded("Worth knowing", [f"{text(each.title)} {text(each.explanation)} <code>{text(each.code)}</code>" for each in notes], shown=True)  # fmt: skip
    yield from write_folded("Could not be found out", [f"{text(each.because)} <code>{text(each.code)}</code>" for each in report.undecided], shown=True)  # fmt: skip
    yield from write_folded("While watching", [text(each) for each in report.notes], shown=True)


def _plots(report: RunReport) -> Iterator[str]:
    """Each with a sentence that says what it shows; none where fewer than two looks were taken."""
    if len(report.samples) < 2:
        yield '<p class="soft">The run was too short for a plot: fewer than two looks were taken.</p>'
        return
    end = report.end.after_s if report.end is not None and report.outcome != SUCCESS else 0.0
    yield from _memory(report, end)
    yield from _machine(report, end)
    yield from _processors(report, end)
    yield from _gpus(report, end)


def _points(report: RunReport, key: str, unit: float = 1.0) -> Points:
    return [(float(each["t"]), float(each[key]) / unit) for each in report.samples if key in each]


def _figure(plot: str, sentence: str) -> str:
    return f'<figure class="plot">{plot}<figcaption>{text(sentence)}</figcaption></figure>'


def _memory(report: RunReport, end: float) -> Iterator[str]:
    named = (("RSS", "rss_bytes"), ("anonymous", "anon_bytes"), ("container", "cgroup_bytes"))  # fmt: skip
    lines = [Line(name, points) for name, key in named if len(points := _points(report, key, _GB)) > 1]
    if not lines:
        return
    limits = _points(report, "cgroup_limit_bytes")
    limit = limits[-1][1] if limits else 0.0
    most = {line.name: max(value for _, value in line.points) for line in lines}
    held = ", ".join(f"{name} {size(value * _GB)}" for name, value in most.items())
    below = f" The limit is {size(limit)}." if limit else " No limit of a container or job was seen."
    yield _figure(svg("memory", "Memory", lines, unit="GB", limit=limit / _GB, end=end), f"{_WHICH} At most: {held}.{below}")  # fmt: skip


def _machine(report: RunReport, end: float) -> Iterator[str]:
    free = _points(report, "available_bytes", _GB)
    if len(free) > 1:
        least = min(value for _, value in free)
        plot = svg(
            "machine", "Memory that the machine had left", [Line("available", free)], unit="GB", end=end
        )
        yield _figure(plot, f"The whole machine had at least {size(least * _GB)} left for new programs.")


def _processors(report: RunReport, end: float) -> Iterator[str]:
    used = _points(report, "cpu_s")
    rates = [
        (after[0], max(after[1] - before[1], 0.0) / (after[0] - before[0]))
        for before, after in zip(used, used[1:], strict=False)  # noqa: RUF007  # a list is at hand
        if after[0] > before[0]
    ]
    if len(rates) > 1:
        mean = used[-1][1] / used[-1][0] if used[-1][0] else 0.0
        plot = svg("cpu", "Processors", [Line("cores at work", rates)], unit="cores", end=end)
        yield _figure(plot, f"Its processes kept {mean:.1f} cores busy on average.")


def _gpus(report: RunReport, end: float) -> Iterator[str]:
    numbers = sorted({int(each["index"]) for sample in report.samples for each in sample.get("gpus", ())})
    for number in numbers:
        readings = [(float(sample["t"]), each) for sample in report.samples for each in sample.get("gpus", ()) if each["index"] == number]  # fmt: skip
        used = [(at, each["used_bytes"] / _GB) for at, each in readings if "used_bytes" in each]
        if len(used) < 2:
            continue
        total = float(readings[-1][1].get("total_bytes", 0.0))
        most = max(value for _, value in used)
        plot = svg(f"gpu-{number}", f"Memory of GPU {number}", [Line("in use", used)], unit="GB", limit=total / _GB, end=end)  # fmt: skip
        yield _figure(plot, f"Of GPU {number}'s memory at most {size(most * _GB)} of {size(total)} were in use, by whomever.")  # fmt: skip
