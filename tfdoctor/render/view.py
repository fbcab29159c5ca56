"""What a document tells a person: a verdict and sections of typed blocks, in the order in which every medium shows them.

A view is made once per document (`report_view`, `diagnosis_view`, `run_view`); `terminal` and `pages` draw it and
decide nothing. Texts of a machine stand in it as they are: each medium cleans and escapes them where it writes them.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.findings.model import Evidence, Finding, Fix
from tfdoctor.light.records import record


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
    """One of a list; `soft` stands below it, and then what to type."""

    words: Words
    soft: str = ""
    command: str = ""


@record
class Items:
    """A list; where it is long, a terminal shows the first `most` (0: all)."""

    items: tuple[Item, ...]
    heading: str = ""
    most: int = 0


@record
class Row:
    label: str
    text: str


@record
class Rows:
    """A table of two columns."""

    items: tuple[Row, ...]


@record
class Bar:
    label: str
    count: int
    tone: str


@record
class Bars:
    """Counts beside each other, as a picture."""

    items: tuple[Bar, ...]
    title: str

    @property
    def most(self) -> int:
        return max(bar.count for bar in self.items)


@record
class Observation:
    """A fact with all that was observed of it, what was expected, and who says so; "" where nothing was."""

    fact: str
    observed: tuple[str, ...]
    expected: str = ""
    source: str = ""

    @property
    def expectation(self) -> str:
        if not self.expected:
            return f"source: {self.source}" if self.source else ""
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

    heading: str
    title: str
    commands: tuple[str, ...]
    note: str


@record
class Line:
    """One quantity over time: (seconds, value)."""

    name: str
    points: tuple[tuple[float, float], ...]


@record
class Figure:
    """Quantities over time, in `unit` of `scale`. `limit` is drawn across, `end` is where the command died; 0.0: neither.

    `caption` is for a page, which draws all lines; `title_in_text` for a terminal, which draws the one called
    `line_in_text` or, where that is "", leaves the figure out.
    """

    name: str
    title: str
    caption: str
    lines: tuple[Line, ...]
    unit: str
    scale: float = 1.0
    limit: float = 0.0
    end: float = 0.0
    title_in_text: str = ""
    line_in_text: str = ""


Block = Prose | Items | Rows | Bars | Observations | Quotes | Advice | Figure


@record
class Section:
    """Blocks under a title. A problem has a `number`, `severity` and `weight`: how bad, how sure, which code.

    `shut`: a page shows its title alone until it is opened.
    """

    title: str
    blocks: tuple[Block, ...]
    number: int = 0
    severity: str = ""
    weight: str = ""
    shut: bool = False


@record
class View:
    """`tone` is "healthy", "degraded", "broken" or "unknown"; `facts` what stands below the headline; `footer` who judged."""

    program: str
    verdict: str
    tone: str
    headline: str
    facts: tuple[Words, ...]
    sections: tuple[Section, ...]
    footer: str

    @property
    def problems(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if section.number)

    @property
    def has_figures(self) -> bool:
        return any(isinstance(block, Figure) for section in self.sections for block in section.blocks)


def plain(words: Words) -> str:
    """The sentence without its parts."""
    return "".join(part.text if isinstance(part, Code) else part for part in words)


def problem(number: int, finding: Finding, weight: str, *blocks: Block | None) -> Section:
    """The section of a root: its explanation, these blocks, and where more is to be read."""
    explanation = Prose((finding.explanation,)) if finding.explanation else None
    more = Prose(("More about it: ", Code(finding.docs)), soft=True)
    shown = tuple(block for block in (explanation, *blocks, more) if block is not None)
    return Section(finding.title, shown, number, finding.severity.value, weight)


def advice(fixes: Iterable[Fix]) -> tuple[Advice, ...]:
    return tuple(
        Advice("Or" if number else "What to do", fix.title, fix.commands, fix.note)
        for number, fix in enumerate(fixes)
    )


def observations(evidence: Iterable[Evidence], heading: str = "How this is known") -> Observations | None:
    """Pieces of evidence that share fact, expectation and source stand together."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in evidence:
        found.setdefault((each.fact, each.expected, each.source), []).append(each.observed)
    items = tuple(Observation(fact, tuple(seen), *told) for (fact, *told), seen in found.items())
    return Observations(items, heading) if items else None


def items(*entries: Item, heading: str = "", most: int = 0) -> Items | None:
    """None for an empty list, whose heading would stand alone."""
    return Items(entries, heading, most) if entries else None


def with_code(text: str, code: str) -> Item:
    return Item((f"{text} (", Code(code), ")"))


def folded(title: str, *entries: Item, shut: bool = False, most: int = 0) -> tuple[Section, ...]:
    """A section with a list; none where the list is empty."""
    return (Section(title, (Items(entries, "", most),), shut=shut),) if entries else ()
