"""What a document tells a person: a verdict and sections of typed blocks, in the order in which every medium shows them.

A view is made once per document (`report_view`, `diagnosis_view`, `run_view`); `terminal` and `pages` draw it and
decide nothing. Texts of a machine stand in it as they are: each medium cleans and escapes them where it writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdoctor.base.records import record
from tfdoctor.base.units import counted
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.actions import for_files
from tfdoctor.knowledge.model import Evidence, Finding, Fix
from tfdoctor.report.summary import clause


@record
class Code:
    """A part of a sentence that a program wrote or reads: a code, a command, a line of a log."""

    text: str


Words = tuple["str | Code", ...]
"""A sentence."""


@record
class Prose:
    """A paragraph. `soft`: it stands back."""

    words: Words
    soft: bool = False


@record
class Item:
    """One of a list. Below it stand `soft`, `detail` (on a terminal with -v alone), and what to type."""

    words: Words
    soft: str = ""
    command: str = ""
    detail: str = ""


@record
class Items:
    """A list; where it is long, a terminal shows the first `most` (0: all)."""

    items: tuple[Item, ...]
    heading: str = ""
    most: int = 0


@record
class Row:
    """`mark` is "ok", "error", "warning", "unknown", "skipped" or, for what can't stand well or badly, "". `to`: the problem that it
    speaks of, by its number; 0 for none.
    """

    label: str
    text: str
    mark: str = ""
    to: int = 0


@record
class Bar:
    """`text` is the amount as people read it."""

    label: str
    amount: float
    tone: str
    text: str


@record
class Bars:
    """Amounts beside each other, as a picture."""

    items: tuple[Bar, ...]
    title: str

    @property
    def most(self) -> float:
        return max(bar.amount for bar in self.items) or 1


@record
class Observation:
    """A fact with all that was observed of it, what was expected, and who says so; "" where nothing was."""

    fact: str
    observed: tuple[str, ...]
    expected: str = ""
    source: str = ""

    @property
    def expectation(self) -> str:
        """With a number, which the title does not say in other words; else ""."""
        if not any(map(str.isdigit, self.expected)):
            return ""
        return f"expected: {self.expected}" + (f" ({self.source})" if self.source else "")


@record
class Observations:
    items: tuple[Observation, ...]
    heading: str = ""


@record
class LogRow:
    """A line of a log as it is shown. `mark`: its number, with ">" where a finding rests on it (`itself`)."""

    mark: str
    text: str
    itself: bool
    after_gap: bool


@record
class Passage:
    """Neighbouring lines of one log; `title` names the log where there are several."""

    title: str
    rows: tuple[LogRow, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The rows as text, with an ellipsis in each gap."""
        shown = ((*(("…",) if row.after_gap else ()), f"{row.mark}{row.text}") for row in self.rows)
        return tuple(line for lines in shown for line in lines)


@record
class Quotes:
    items: tuple[Passage, ...]
    heading: str


@record
class Advice:
    """What to do, what to type for it, and what else is to be known."""

    title: str
    commands: tuple[str, ...] = ()
    note: str = ""
    lines: tuple[str, ...] = ()
    """For a file, below the note."""
    undo: tuple[str, ...] = ()
    """What is typed to take it back."""


OTHER_FIXES = "Other fixes"
NO_FIX = "None given: this tfdoctor doesn't find the problem in the report's facts."
"""Instead of a fix: a saved report's own is not shown."""
CONSEQUENCES = "Consequences"
"""Headings; a terminal shows the consequences with -v alone."""


@record
class Advices:
    items: tuple[Advice, ...]
    heading: str = OTHER_FIXES


@record
class Line:
    """One quantity over time: (seconds, value)."""

    name: str
    points: tuple[tuple[float, float], ...]


@record
class Mark:
    """A moment that is drawn across a figure, and what happened then."""

    at: float
    text: str


@record
class Figure:
    """Quantities over time, in "bytes", "cores" or "%"; `limit` is drawn across, 0.0: there is none.

    `caption` is for a page, which draws all lines; `title_in_text` for a terminal, which draws the one called
    `line_in_text` or, where that is "", leaves the figure out.
    """

    title: str
    caption: str
    lines: tuple[Line, ...]
    unit: str
    limit: float = 0.0
    marks: tuple[Mark, ...] = ()
    title_in_text: str = ""
    line_in_text: str = ""


@record
class Pair:
    """A quantity on both sides."""

    label: str
    a: str
    b: str


@record
class Pairs:
    """Two sides beside each other, each column under its name."""

    items: tuple[Pair, ...]
    names: tuple[str, str]
    heading: str = ""


@record
class Run:
    """Neighboring versions with one answer: `state` is "works", "compiled", "unproven" or "no", `words` say it."""

    first: int
    count: int
    versions: str
    state: str
    driver: str
    words: str


@record
class GpuRow:
    capability: str
    generation: str
    names: tuple[str, ...]
    runs: tuple[Run, ...]


@record
class Compatibility:
    """GPUs by versions of TensorFlow."""

    versions: tuple[str, ...]
    rows: tuple[GpuRow, ...]


Block = Prose | Items | Bars | Observations | Quotes | Advices | Figure | Pairs | Compatibility


@record
class Section:
    """Blocks under a title. A problem has a `number`, `severity` and `weight`: how bad, how sure.

    `shut`: a page shows its title alone until it is opened, a terminal only with -v, and says so. `paged`: only a page
    and a notebook have it.
    """

    title: str
    blocks: tuple[Block, ...]
    number: int = 0
    severity: str = ""
    weight: str = ""
    shut: bool = False
    paged: bool = False


@record
class View:
    """`tone` is "healthy", "degraded", "broken" or "unknown"; `facts` what stands below the headline; `footer` who judged.

    `verdict` names the page; `about` says of when and what it is and how much was found, for a page that is kept; `lead` stands before
    the headline. `fix` is the first thing to do. `all_facts` are for a form that shows them all.
    """

    program: str
    verdict: str
    tone: str
    headline: str
    sections: tuple[Section, ...]
    footer: str
    lead: str = ""
    about: str = ""
    fix: Advice | None = None
    facts: tuple[Row, ...] = ()
    overview: tuple[Row, ...] = ()
    all_facts: Facts | None = None

    @property
    def problems(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.number)

    @property
    def picture(self) -> Figure | None:
        """What a page shows below the headline: the first figure of an open section."""
        shown = (block for section in self.sections if not section.shut for block in section.blocks)
        return next((block for block in shown if isinstance(block, Figure)), None)

    def has_said(self, section: Section) -> bool:
        """Whether the headline holds the title of the first problem already."""
        return section.number == 1 and section.title.rstrip(".")[1:] in self.headline


def about(time: str, program: str, what: str, problems: int, notes: int = 0) -> str:
    """When it was, by which command, on which machine or log, and how much was found."""
    found = (counted(problems, "problem"), counted(notes, "note") if notes else "")
    return " · ".join(filter(None, (minute_of(time), program, what, *found)))


def minute_of(time: str) -> str:
    """ "2026-11-20 14:03 UTC" of an RFC 3339 time in UTC; "" of none."""
    day, _, clock = time.partition("T")
    return f"{day} {clock[:5]} UTC" if clock else ""


def plain(words: Words) -> str:
    """The sentence without its parts."""
    return "".join(part.text if isinstance(part, Code) else part for part in words)


def problem(number: int, finding: Finding, weight: str, *blocks: Block | None) -> Section:
    """The section of a root: its explanation, these blocks, and where more is to be read."""
    explanation = Prose((finding.explanation,)) if finding.explanation else None
    more = Prose((Code(finding.docs),), soft=True)
    shown = tuple(block for block in (explanation, *blocks, more) if block is not None)
    return Section(finding.title, shown, number, finding.severity.value, weight)


def first_fix(findings: Sequence[Finding]) -> Advice | None:
    """What the first finding with a fix advises first; None where none advises anything."""
    return next((advice(each.fixes[0]) for each in findings if each.fixes), None)


def advice(fix: Fix) -> Advice:
    return Advice(fix.title, fix.commands, *for_files(fix.note), fix.undo)


def fixes(finding: Finding, *, without: Advice | None = None, heading: str = "") -> Advices | None:
    """The fixes of a finding but for the one that stands above; None where none is left."""
    left = tuple(found for found in map(advice, finding.fixes) if found != without)
    named = heading or (
        OTHER_FIXES if len(left) < len(finding.fixes) else "Fix" if len(left) == 1 else "Fixes"
    )
    return Advices(left, named) if left else None


def also(problems: Sequence[Finding]) -> tuple[Row, ...]:
    """The problems behind the first one: "1 more problem: the CUDA libraries are missing"."""
    if len(problems) < 2:
        return ()
    if len(problems) == 2:
        return (Row("Also", f"1 more problem: {clause(problems[1].title)}", to=2),)
    return (Row("Also", f"{len(problems) - 1} more problems", to=2),)


def observations(evidence: Iterable[Evidence]) -> Observations | None:
    """Pieces of evidence that share fact, expectation and source stand together."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in evidence:
        found.setdefault((each.fact, each.expected, each.source), []).append(each.observed)
    items = tuple(Observation(fact, tuple(seen), *told) for (fact, *told), seen in found.items())
    return Observations(items, "Seen") if items else None


def items(*entries: Item, heading: str = "", most: int = 0) -> Items | None:
    """None for an empty list, whose heading would stand alone."""
    return Items(entries, heading, most) if entries else None


def noted(finding: Finding) -> Item:
    """A finding in one line; its explanation is for those who want more."""
    return Item(
        (f"{finding.title.rstrip('.')} (", Code(finding.code), ")"), detail=finding.explanation
    )


def with_code(text: str, code: str) -> Item:
    return Item((f"{text} (", Code(code), ")"))


def to_apply(fix: Fix | None) -> tuple[Section, ...]:
    """What applies the first fix, with what is to be filled in; () where nothing does."""
    if fix is None:
        return ()
    return (Section(fix.title, (Items((Item((), fix.note, fix.commands[0]),)),)),)


def folded(title: str, *entries: Item, shut: bool = False, most: int = 0) -> tuple[Section, ...]:
    """A section with a list; none where the list is empty."""
    return (Section(title, (Items(entries, "", most),), shut=shut),) if entries else ()
