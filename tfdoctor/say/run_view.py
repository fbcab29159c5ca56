"""The views of a run that has ended: the whole post-mortem, and the card below a notebook's cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfdoctor.base.records import replace
from tfdoctor.base.signals import SIGINT, SIGKILL, SIGTERM, signal_name
from tfdoctor.base.units import counted, seconds
from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.fix.batch import largest_batch
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Finding, Role
from tfdoctor.report.death import SUCCESS, RunReport
from tfdoctor.report.summary import clause
from tfdoctor.say.charts import duration
from tfdoctor.say.overview import OK, system
from tfdoctor.say.plots import size
from tfdoctor.say.report_view import weight as _weight
from tfdoctor.say.view import (
    Figure,
    Item,
    Line,
    Mark,
    Observations,
    Prose,
    Row,
    Section,
    View,
    about,
    first_fix,
    fixes,
    folded,
    observations,
    problem,
    with_code,
)

_PLOT_FROM_S = 2.0
_POLITE = frozenset({SIGINT, SIGTERM})
_WHICH = "RSS and anonymous memory (their own pages) are sums over its processes; container is the use of its container or job without cache."
_CUT_OFF = "The recorder ended along with the command, so this is what its record holds."
_TOO_SHORT = "The run was too short for a picture: memory was sampled fewer than twice."
_MOST_ON_A_CARD, _MOST_SEEN_ON_A_CARD = 2, 4


def run_view(report: RunReport) -> View:
    """The post-mortem: what ended it, how that is known, how its memory went, what to do."""
    told = _told(report)
    cut = () if report.complete else (Row("Note", _CUT_OFF),)
    return View(
        program="tfdoctor run",
        verdict=_verdict(report),
        tone="broken" if report.outcome != SUCCESS else "degraded" if told else "healthy",
        headline=_headline(report),
        fix=first_fix(told[:1]),
        facts=(Row("Command", " ".join(report.command)), *cut),
        sections=tuple(_sections(report)),
        footer=f"tfdoctor {report.tool.version}",
        about=about(report.generated_at, "tfdoctor run", _system(report), len(told)),
        all_facts=report.facts,
    )


def _verdict(report: RunReport) -> str:
    """How it ended, in a word."""
    if report.outcome == SUCCESS:
        return "SUCCEEDED"
    if _is_asked_for(report):
        return "STOPPED"
    return "KILLED" if report.end is not None and report.end.how == "signal" else "FAILED"


def _system(report: RunReport) -> str:
    """ "" where the machine was not looked at."""
    _, named, mark = system(report.facts)
    return named if mark == OK else ""


def _sections(report: RunReport) -> Iterator[Section]:
    figures = tuple(_figures(report))
    if not figures:
        yield Section("", (Prose((_TOO_SHORT,), soft=True),), paged=True)
    if _is_asked_for(report):
        signals = (
            each.observed for each in report.findings[0].evidence if each.fact == "death.signals"
        )
        yield Section("", tuple(Prose((f"{observed}.",)) for observed in signals))
        yield Section("", tuple(replace(each, line_in_text="") for each in figures))
        return
    yield from _problems(report)
    yield Section("", figures)
    yield Section("", tuple(Prose((words,)) for words in training_words(report)))
    yield from folded(
        "Could not be read", *(with_code(each.because, each.code) for each in report.undecided)
    )
    yield from folded("While watching", *(Item((note,)) for note in report.notes))
    told = _told(report)
    notes = (each for each in report.findings if each.role is Role.NOTE and each not in told)
    yield from folded(
        "Notes", *(with_code(f"{each.title} {each.explanation}", each.code) for each in notes)
    )


def _problems(
    report: RunReport, most: int | None = None, seen: int | None = None
) -> Iterator[Section]:
    """The causes with their fixes; then how it ended, where that only follows and what fixes it stands above."""
    told = _told(report, most)
    above = first_fix(told[:1])
    for number, finding in enumerate(told, start=1):
        advised = fixes(finding, without=above) if finding.role is Role.ROOT else None
        yield problem(number, finding, _weight(finding), _seen(finding, seen), advised)


def card_view(report: RunReport, where: str) -> View:
    """The card: the kernel's end, its cause, and how memory went. `where` is the report's path, or why there is none."""
    kept = where.startswith(("/", "~", "<"))
    place = ("The whole report", where) if kept else ("There is no report", f"{where}.")
    drawn = tuple(each for each in _figures(report) if each.line_in_text)
    pictures = (Section("Over time", drawn, shut=True, paged=True),) if drawn else ()
    return View(
        program="tfdoctor",
        verdict=report.outcome,
        tone="broken",
        headline=f"The notebook kernel {_how(report)}: {clause(_why(report))}",
        fix=first_fix(_told(report)[:1]),
        sections=(
            *_problems(report, _MOST_ON_A_CARD, _MOST_SEEN_ON_A_CARD),
            *folded(place[0], Item((place[1],))),
            *pictures,
        ),
        footer="",
    )


def card_line(report: RunReport) -> str:
    """How it ended and what that is called: "died of SIGSEGV after 3.2 s: native-crash"."""
    return f"{_kernels_end(report)}: {report.outcome}"


def _seen(finding: Finding, most: int | None = None) -> Observations | None:
    """The evidence that the headline and the explanation do not hold, without the names of its facts."""
    said = f"{finding.title} {finding.explanation}"
    seen = observations(
        [
            each
            for each in finding.evidence
            if each.fact != "death.end" and each.observed not in said
        ]
    )
    return (
        replace(seen, items=tuple(replace(each, fact="") for each in seen.items[:most]))
        if seen
        else None
    )


def _told(report: RunReport, most: int | None = None) -> list[Finding]:
    """The roots first; then how it ended, where that only follows."""
    roots = [each for each in report.findings if each.role is Role.ROOT]
    ending = report.finding(report.outcome)
    return [*roots[:most], *([ending] if ending is not None and ending not in roots else [])]


def _headline(report: RunReport) -> str:
    """How the command ended, and why."""
    why = clause(_why(report))
    end = report.end
    if end is None or end.how == "unknown":
        return f"The recorder was killed with the command. Last seen: {why}"
    if end.how == "not-started":
        return f"The command was not started: {why}"
    if report.outcome == SUCCESS:
        return f"The command {_how(report)}" + (f": {why}" if _told(report) else "")
    how, said_already = _how(report), _how(report).partition(" after ")[0] in why
    text = f"{why} after {seconds(end.after_s)}" if said_already else f"the command {how}: {why}"
    return f"{text[:1].upper()}{text[1:]}"


def _why(report: RunReport) -> str:
    """The title of the first cause, else of the end."""
    told = _told(report)
    return told[0].title if told else CODES[report.outcome].name


def _how(report: RunReport) -> str:
    """ "was killed (SIGKILL) after 41 s", "exited with status 1 after 3.0 s"."""
    end = report.end
    if end is None:
        return "died"
    after = f"after {seconds(end.after_s)}"
    on_cpu = known(report.facts.death.cpu_only)
    if on_cpu is not None and on_cpu.ended:
        return f"was ended for want of a GPU (--require-gpu) {after}"
    if end.how == "signal":
        name = signal_name(end.status)
        return (
            f"was killed ({name}) {after}"
            if end.status == SIGKILL
            else f"was ended by {name} {after}"
        )
    return (
        f"succeeded {after}"
        if report.outcome == SUCCESS
        else f"exited with status {end.status} {after}"
    )


def _is_asked_for(report: RunReport) -> bool:
    """Ctrl-C or a polite request to end, and nothing else to tell: whoever sent it knows why."""
    end = report.end
    if (
        report.outcome != "killed-by-user"
        or end is None
        or end.how != "signal"
        or end.status not in _POLITE
    ):
        return False
    return len(report.findings) == 1 and not report.undecided and not report.notes


def _kernels_end(report: RunReport) -> str:
    end = report.end
    if end is None:
        return "died"
    after = f"{end.after_s:.1f} s" if end.after_s < 100 else f"{end.after_s / 60:.0f} min"
    if end.how == "signal":
        return f"died of {signal_name(end.status)} after {after}"
    return f"ended itself with status {end.status} after {after}"


def _figures(report: RunReport) -> Iterator[Figure]:
    """Each with a sentence that says what it shows; none of fewer than two samples."""
    if len(report.samples) < 2:
        return
    marks = tuple(_marks(report))
    for each in (*_memory(report), *_machine(report), *_processors(report), *_gpus(report)):
        yield replace(each, marks=marks)


def _marks(report: RunReport) -> Iterator[Mark]:
    """The death; nothing where the command ended well, or nobody saw how."""
    end = report.end
    if end is None or report.outcome == SUCCESS or end.how not in ("signal", "exit"):
        return
    how = signal_name(end.status) if end.how == "signal" else f"exit status {end.status}"
    yield Mark(end.after_s, f"{duration(end.after_s)}: {how}")


def _line(report: RunReport, name: str, key: str) -> Line:
    return Line(
        name, tuple((float(each["t"]), float(each[key])) for each in report.samples if key in each)
    )


def _most(line: Line) -> str:
    return size(max(value for _, value in line.points))


def _memory(report: RunReport) -> Iterator[Figure]:
    """In text: of the cgroup where it has a limit, else of the processes."""
    named = (("RSS", "rss_bytes"), ("anonymous", "anon_bytes"), ("container", "cgroup_bytes"))
    lines = tuple(line for line in (_line(report, *each) for each in named) if len(line.points) > 1)
    if not lines:
        return
    limits = _line(report, "limit", "cgroup_limit_bytes").points
    limit = limits[-1][1] if limits else 0.0
    held = ", ".join(f"{line.name} {_most(line)}" for line in lines)
    below = (
        f" The limit is {size(limit)}." if limit else " No limit of a container or job was seen."
    )
    title = (
        "Memory of its container or job, up to the limit:"
        if limits
        else "Memory (RSS) of its processes:"
    )
    long_enough = float(report.samples[-1]["t"]) >= _PLOT_FROM_S
    yield Figure(
        "Memory", f"{_WHICH} At most: {held}.{below}", lines, "bytes", limit,
        title_in_text=title, line_in_text=("container" if limits else "RSS") if long_enough else "",
    )  # fmt: skip


def _machine(report: RunReport) -> Iterator[Figure]:
    free = _line(report, "available", "available_bytes")
    if len(free.points) > 1:
        least = size(min(value for _, value in free.points))
        caption = f"The whole machine had at least {least} left for new programs."
        yield Figure("Memory that the machine had left", caption, (free,), "bytes")


def _processors(report: RunReport) -> Iterator[Figure]:
    used = _line(report, "", "cpu_s").points
    rates = tuple(
        (after[0], max(after[1] - before[1], 0.0) / (after[0] - before[0]))
        for before, after in zip(used, used[1:], strict=False)  # noqa: RUF007  # a tuple is at hand
        if after[0] > before[0]
    )
    if len(rates) > 1:
        mean = used[-1][1] / used[-1][0] if used[-1][0] else 0.0
        caption = f"Its processes kept {mean:.1f} cores busy on average."
        yield Figure("CPU", caption, (Line("cores at work", rates),), "cores")


def _gpus(report: RunReport) -> Iterator[Figure]:
    """Memory and utilization of each. In text: the memory of the GPU that was fullest."""
    looks: dict[int, list[tuple[float, dict[str, Any]]]] = {}
    for sample in report.samples:
        for gpu in sample.get("gpus", ()):
            looks.setdefault(int(gpu["index"]), []).append((float(sample["t"]), gpu))
    shares = {
        number: max((_share(gpu) for _, gpu in seen if "used_bytes" in gpu), default=-1.0)
        for number, seen in looks.items()
    }
    fullest = max(shares, key=shares.__getitem__, default=-1)
    for number, seen in sorted(looks.items()):
        yield from _gpu_memory(number, seen, fullest=number == fullest)
        used = _gpu_line("utilization", seen, "utilization", 100.0)
        if len(used.points) > 1:
            mean = sum(value for _, value in used.points) / len(used.points)
            caption = f"GPU {number} was busy {mean:.0f} % of the time that was looked at."
            yield Figure(f"Utilization of GPU {number}", caption, (used,), "%")


def _gpu_memory(
    number: int, seen: list[tuple[float, dict[str, Any]]], *, fullest: bool
) -> Iterator[Figure]:
    named = (
        ("in use", "used_bytes"),
        ("this run", "own_bytes"),
        ("other programs", "others_bytes"),
    )
    lines = tuple(
        line for line in (_gpu_line(name, seen, key) for name, key in named) if len(line.points) > 1
    )
    if not lines or lines[0].name != "in use":
        return
    total = float(next((gpu["total_bytes"] for _, gpu in seen if gpu.get("total_bytes")), 0))
    caption = f"Of GPU {number}'s memory at most {_most(lines[0])} of {size(total)} were in use, by whomever."
    yield Figure(
        f"Memory of GPU {number}", caption, lines, "bytes", total,
        title_in_text=f"Memory of GPU {number}, used by all programs:",
        line_in_text="in use" if fullest and total else "",
    )  # fmt: skip


def _gpu_line(
    name: str, seen: list[tuple[float, dict[str, Any]]], key: str, times: float = 1.0
) -> Line:
    return Line(name, tuple((at, float(gpu[key]) * times) for at, gpu in seen if key in gpu))


def _share(gpu: dict[str, Any]) -> float:
    return gpu["used_bytes"] / gpu["total_bytes"] if gpu.get("total_bytes") else 0.0


_MIB = 1 << 20


def training_words(report: RunReport) -> list[str]:
    """What the program told of its training, and which batch fits by it; [] where it told nothing."""
    told = report.facts.death.training
    if not isinstance(told, Known):
        return []
    words = [_steps(told.value), *map(_held, _devices(told.value)), _fits(told.value)]
    if told.value.error:
        words.append(f"The callback then stopped telling: {told.value.error}.")
    return [each for each in words if each]


def _steps(told: Training) -> str:
    pace = told.seconds_per_step
    each = f", {pace.value:.3g} s each" if isinstance(pace, Known) else ""
    traced = f"; its training function was traced {_times(told.traces.value)}" if isinstance(told.traces, Known) else ""  # fmt: skip
    return (
        f"Training: {counted(told.steps, 'step')} in {counted(told.epochs, 'epoch')}{each}{traced}."
    )


def _devices(told: Training) -> tuple[StepMemory, ...]:
    return value_or(told.memory, ())


def _held(memory: StepMemory) -> str:
    held = f"Of the {_size(memory.limit)} that TensorFlow may use of {memory.device}, {_size(memory.held)} are in use between steps"
    if isinstance(memory.peak, Known):
        return f"{held}; a step peaks at {_size(memory.peak.value)}."
    return f"{held}; how much a step takes is unknown, because fewer than two steps ran."


def _fits(told: Training) -> str:
    found = largest_batch(told)
    if not isinstance(found, Known):
        return ""
    fits, ran = found.value, value_or(told.batch, 0)
    if fits.bound == "full":
        batch = f"A batch of {ran:,} fits" if ran else "This batch fits"
        return f"{batch}, and a step of it filled the GPU. Whether a larger one fits, such a peak does not show."
    if fits.bound == "xla":
        batch = f"A batch of at least {ran:,} fits" if ran else "This batch fits"
        return f"{batch}. How much more fits is unknown: XLA compiles the step and takes extra memory to choose its algorithms."
    if isinstance(fits.batch, Known) and fits.bound:
        return f"A batch of at least {fits.batch.value:,} fits ({ran:,} ran). Train with it to learn more: much of a step's memory is for the weights."
    if isinstance(fits.batch, Known):
        return f"The largest batch that fits is about {fits.batch.value:,} ({ran:,} ran), from the memory of a step."
    return f"A batch {fits.share:.2f} times this one fits, from the memory of a step. Pass Steps(batch_size=…) to get a number."


def _size(count: int) -> str:
    return f"{count / _MIB:,.0f} MiB" if count >= 10 * _MIB else f"{count / _MIB:.1f} MiB"


def _times(number: int) -> str:
    return "once" if number == 1 else "twice" if number == 2 else f"{number:,} times"
