"""A view for a terminal, in colour or plain.

Sentences are wrapped to the width; commands never are, so that they can be copied. Nothing from the machine is
read as markup: every piece is a rich `Text` of cleaned characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from io import StringIO
from itertools import zip_longest
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from tfdoctor.base.records import record, replace
from tfdoctor.report.summary import clause
from tfdoctor.say.clean import can_encode, clean, fit
from tfdoctor.say.fact_names import fact_name
from tfdoctor.say.plots import plot
from tfdoctor.say.view import (
    CONSEQUENCES,
    OTHER_FIXES,
    Advice,
    Advices,
    Bars,
    Block,
    Figure,
    Item,
    Items,
    Observation,
    Observations,
    Pairs,
    Prose,
    Quotes,
    Row,
    Section,
    View,
    plain,
)

WIDEST = 100  # longer lines are hard to read
NARROWEST = 24
_TONES = {
    "healthy": "bold green",
    "degraded": "bold yellow",
    "broken": "bold red",
    "unknown": "bold magenta",
}
_SYMBOLS = {"healthy": "✓", "degraded": "!", "broken": "✗", "unknown": "?"}
_MARKS = {"ok": ("✓", "green"), "error": ("✗", "bold red"), "warning": ("!", "bold yellow"), "unknown": ("?", "bold magenta"), "skipped": ("–", "dim"), "": (" ", "")}  # fmt: skip
_PLAIN = {"✓": "+", "✗": "x", "–": "-"}
"""Symbols where the encoding has none of these."""
_SEVERITIES = {"error": "bold red", "warning": "bold yellow", "info": "bold"}
_LABEL_WIDTH = 14
_BAR_MARGIN = 14  # columns around a bar: blanks and its number
_ROOM_FOR_LABELS = 60
_IN_FILES = "In your files"  # how a note begins what is to be written into a file
_MOST_FIXES, _MOST_ROWS = 2, 2  # beside the first fix; of one list: -v shows all
QUIET, USUAL, VERBOSE = -1, 0, 1
_PLOT_WIDEST = 80
_CARD_WIDTH = 88  # of the text below a notebook's cell


@record
class Page:
    """Where it is printed, and how much. `width` is the terminal's in columns, `encoding` the stream's.

    `signed`: below another program's output, so it names tfdoctor and leaves out what the reader has just typed.
    """

    width: int = 80
    colour: bool = False
    encoding: str = "utf-8"
    amount: int = USUAL
    signed: bool = False


def render_terminal(view: View, page: Page, file: TextIO) -> None:
    """Prints the view to `file`."""
    writer = Writer(page, file)
    if page.signed:
        view = replace(view, headline=f"tfdoctor: {clause(view.headline)}", facts=(), footer="")
    _write_head(writer, view)
    if page.amount == QUIET:
        return
    _write_overview(writer, view.overview)
    shown = page.amount == VERBOSE
    in_a_row = False
    for section in view.sections:
        if section.blocks and not section.paged and (shown or not section.shut):
            in_a_row = _write_section(writer, section, in_a_row, said=view.has_said(section))
    hidden = () if shown else tuple(filter(None, map(_counted, view.sections)))
    if footer := " · ".join(filter(None, (*hidden, view.footer))):
        writer.blank()
        writer.paragraph(writer.text(footer, "dim"))


def render_text(view: View, page: Page) -> str:
    """The view as `render_terminal` prints it; signed, each line but the first is indented."""
    text = StringIO()
    render_terminal(view, page, text)
    first, *others = text.getvalue().splitlines(keepends=True)
    indented = (
        line if line[:1] in (" ", "\n") or not page.signed else f"  {line}" for line in others
    )
    return "".join((first, *indented))


def render_card_text(view: View) -> str:
    """A card as text, below a notebook's cell."""
    return render_text(view, Page(_CARD_WIDTH, signed=True))


class Writer:
    """Lines of cleaned text, wrapped with a hanging indent."""

    def __init__(self, page: Page, file: TextIO) -> None:
        width = max(NARROWEST, min(page.width, WIDEST))
        self.width, self.encoding, self.amount = width, page.encoding, page.amount
        self._has_symbols = can_encode("✓✗–", page.encoding)
        self._console = Console(
            file=file, width=width, color_system="standard" if page.colour else None, force_terminal=page.colour,
            no_color=not page.colour, highlight=False, markup=False, emoji=False, legacy_windows=False,
        )  # fmt: skip

    def text(self, words: str, style: str = "") -> Text:
        return Text(fit(clean(words), self.encoding), style=style)

    def symbol(self, symbol: str, style: str) -> Text:
        return Text(symbol if self._has_symbols else _PLAIN.get(symbol, symbol), style=style)

    def blank(self) -> None:
        self._console.print()

    def heading(self, words: str, indent: int = 0) -> None:
        self.blank()
        self.paragraph(self.text(words, "bold"), indent=indent)

    def paragraph(
        self, text: Text, *, first: Text | None = None, indent: int = 0, hang: int = 0
    ) -> None:
        """`first` stands in the margin of the first line; following lines are indented by `indent + hang`."""
        lines = text.wrap(
            self._console, max(self.width - indent - hang, NARROWEST // 2), overflow="fold"
        )
        for number, line in enumerate(lines):
            line.rstrip()
            margin = Text(" " * indent)
            if number == 0 and first is not None:
                margin.append_text(first)
            margin.append(" " * max(indent + hang - margin.cell_len, 0))
            self._console.print(margin + line, soft_wrap=True)

    def line(self, text: Text, indent: int) -> None:
        self._console.print(Text(" " * indent) + text, soft_wrap=True)

    def item(self, words: str, indent: int = 0) -> None:
        self.paragraph(self.text(words), first=Text("-"), indent=indent, hang=2)

    def labelled(self, label: str, words: str, indent: int) -> None:
        if self.width >= _ROOM_FOR_LABELS:
            first = self.text(label, "bold")
            self.paragraph(self.text(words), first=first, indent=indent, hang=len(label) + 1)
        else:
            self.paragraph(self.text(f"{label} {words}"), indent=indent)

    def whole(self, lines: Iterable[str], indent: int, style: str = "") -> None:
        """Lines that no width breaks, so that they can be copied."""
        for line in lines:
            self._console.print(Text(" " * indent) + self.text(line, style), soft_wrap=True)


def _write_head(writer: Writer, view: View) -> None:
    style = _TONES[view.tone]
    symbol = writer.symbol(_SYMBOLS[view.tone], style)
    lead = writer.text(f"{view.lead}  " if view.lead else "", style)
    writer.paragraph(lead + writer.text(view.headline, "bold"), first=symbol, hang=2)
    if view.fix or (view.facts and writer.amount != QUIET):
        writer.blank()
    if view.fix:
        _write_fix(writer, view.fix)
    for row in view.facts if writer.amount != QUIET else ():
        _write_labelled(writer, row.label, writer.text(row.text))


def _write_fix(writer: Writer, fix: Advice) -> None:
    _write_labelled(writer, "Fix", writer.text(fix.title))
    writer.whole(fix.commands, _indent(writer) + 4, "bold cyan")
    if fix.note:
        _write_labelled(writer, "", writer.text(fix.note))
    writer.whole(fix.lines, _indent(writer) + 4)
    if fix.undo and writer.amount == VERBOSE:
        _write_labelled(writer, "Undo", writer.text(""))
        writer.whole(fix.undo, _indent(writer) + 4)


def _indent(writer: Writer) -> int:
    return 12 if writer.width >= _ROOM_FOR_LABELS else 2


def _write_labelled(writer: Writer, label: str, text: Text) -> None:
    if writer.width >= _ROOM_FOR_LABELS:
        writer.paragraph(text, first=writer.text(label, "bold"), indent=2, hang=_indent(writer) - 2)
    else:
        writer.paragraph(writer.text(f"{label}: " if label else "", "bold") + text, indent=2)


def _write_overview(writer: Writer, rows: tuple[Row, ...]) -> None:
    if rows:
        writer.blank()
    for row in rows:
        mark = writer.symbol(*_MARKS[row.mark])
        if writer.width >= _ROOM_FOR_LABELS:
            label = mark + writer.text(f" {row.label}")
            writer.paragraph(writer.text(row.text), first=label, indent=2, hang=_LABEL_WIDTH)
        else:
            writer.paragraph(writer.text(f"{row.label}: {row.text}"), first=mark, hang=2)


def _counted(section: Section) -> str:
    """A section that only -v shows: "harmless messages: 5 (-v)"."""
    count = sum(len(block.items) for block in section.blocks if isinstance(block, Items))
    return f"{section.title.lower()}: {count} (-v)" if section.shut and count else ""


def _write_section(writer: Writer, section: Section, in_a_row: bool, *, said: bool) -> bool:
    """Whether it was one labelled line, below which another one may stand without a gap (`in_a_row`)."""
    if section.number:
        _write_problem(writer, section, said=said)
        return False
    one = _only_item(section) if writer.amount != VERBOSE else None
    if section.title and not (one and in_a_row):
        writer.blank()
    if one:
        if words := plain(one.words):
            writer.labelled(f"{section.title}:", words, 0)
        else:
            writer.paragraph(writer.text(f"{section.title}:", "bold"))
        _write_below(writer, one, 2)
        return not one.command
    if section.title:
        writer.paragraph(writer.text(section.title, "bold"))
    for block in section.blocks:
        _write(writer, block, 0)
    return False


def _only_item(section: Section) -> Item | None:
    match section.blocks:
        case (Items(items=(Item() as one,)),) if section.title:
            return one
    return None


def _write_problem(writer: Writer, section: Section, *, said: bool) -> None:
    """`said`: its title stands in the headline."""
    if not said:
        style = _SEVERITIES[section.severity]
        writer.blank()
        number = writer.text(f"{section.number}.", style)
        writer.paragraph(writer.text(section.title, style), first=number, hang=3)
    *blocks, last = section.blocks
    more = plain(last.words) if isinstance(last, Prose) and last.soft else ""
    before: Block | None = None
    for block in blocks if more else section.blocks:
        if isinstance(block, Items) and block.heading == CONSEQUENCES and writer.amount != VERBOSE:
            continue
        if isinstance(block, Items) and not isinstance(before, Observations):
            writer.blank()
        _write(writer, block, 3)
        before = before if isinstance(block, Quotes) else block
    if isinstance(before, Prose) or before is None or writer.amount == VERBOSE:
        writer.blank()
    words = (more, section.weight, _hidden_fixes(section) if writer.amount != VERBOSE else "")
    writer.paragraph(writer.text(" · ".join(filter(None, words)), "dim"), indent=3)


def _hidden_fixes(section: Section) -> str:
    """How many fixes only -v shows: "1 more fix (-v)"."""
    more = sum(
        len(block.items) - _MOST_FIXES for block in section.blocks if isinstance(block, Advices)
    )
    return f"{more} more fix{'es' if more > 1 else ''} (-v)" if more > 0 else ""


def _write(writer: Writer, block: Block, indent: int) -> None:
    if isinstance(block, Items) and block.heading and writer.amount != VERBOSE:
        _write_in_a_row(writer, block.heading, [plain(item.words) for item in block.items], indent)
        return
    if isinstance(block, (Items, Pairs)) and block.heading:
        writer.heading(block.heading, indent)
    _WRITE[type(block)](writer, block, indent)


def _write_in_a_row(writer: Writer, heading: str, parts: list[str], indent: int) -> None:
    """A list in one paragraph: as many as fit into a few lines, and one at least."""
    room = (writer.width - indent - len(heading) - 2) * _MOST_ROWS
    shown = parts[:1]
    for part in parts[1:]:
        if len("; ".join((*shown, part))) > room:
            break
        shown.append(part)
    writer.labelled(f"{heading}:", "; ".join(shown), indent)


def _write_prose(writer: Writer, block: Prose, indent: int) -> None:
    writer.blank()
    writer.paragraph(writer.text(plain(block.words)), indent=indent)


def _write_advices(writer: Writer, block: Advices, indent: int) -> None:
    """What is not the first fix: titles and what to type; what else is to be known stands with -v."""
    writer.blank()
    label = {OTHER_FIXES: "Or:", "Fixes": "Fix:"}.get(block.heading, f"{block.heading}:")
    for advice in block.items if writer.amount == VERBOSE else block.items[:_MOST_FIXES]:
        writer.labelled(label, advice.title, indent)
        writer.whole(advice.commands, indent + 6, "bold cyan")
        label = "Or:"
        whole = writer.amount == VERBOSE or not (advice.commands or advice.lines)
        note = advice.note if whole else "".join(advice.note.partition(_IN_FILES)[1:])
        if note:
            writer.paragraph(writer.text(note), indent=indent + 3)
        writer.whole(advice.lines, indent + 6)
        if advice.undo and writer.amount == VERBOSE:
            writer.labelled("Undo:", "", indent)
            writer.whole(advice.undo, indent + 6)


def _write_figure(writer: Writer, block: Figure, indent: int) -> None:
    if rows := _figure(block, writer.width, writer.encoding):
        writer.blank()
        writer.whole(rows, indent + 3)


def _write_items(writer: Writer, block: Items, indent: int) -> None:
    for item in block.items[: block.most or None]:
        if item.words:
            writer.item(plain(item.words), indent)
        _write_below(writer, item, indent + 2)


def _write_below(writer: Writer, item: Item, indent: int) -> None:
    for words in filter(None, (item.soft, item.detail if writer.amount == VERBOSE else "")):
        writer.paragraph(writer.text(words), indent=indent)
    if item.command:
        writer.whole((item.command,), indent + 2, "bold cyan")


def _write_bars(writer: Writer, block: Bars, indent: int) -> None:
    """A bar that is not empty has one cell at least."""
    cell = "█" if can_encode("█", writer.encoding) else "#"
    room = max(writer.width - indent - _BAR_MARGIN, 8)
    label = min(max(len(bar.label) for bar in block.items), room // 2)
    for bar in block.items:
        length = max(1, round(bar.amount / block.most * (room - label))) if bar.amount else 0
        name = writer.text(f"{bar.label[:label]:<{label}}  ")
        writer.line(name + Text(cell * length, _TONES[bar.tone]) + Text(f" {bar.text}"), indent + 2)


def _write_observations(writer: Writer, block: Observations, indent: int) -> None:
    """What was seen, in one paragraph; with -v each by itself, with what was expected and who says so."""
    if writer.amount != VERBOSE:
        writer.blank()
        seen = [words for each in block.items for words in _observed(each)]
        _write_in_a_row(writer, block.heading, seen, indent)
        return
    writer.heading(block.heading, indent)
    for each in block.items:
        writer.item(
            f"{fact_name(each.fact)}: {', '.join(each.observed)}"
            if each.fact
            else ", ".join(each.observed),
            indent,
        )
        if each.expectation:
            writer.paragraph(writer.text(each.expectation), indent=indent + 2)


def _observed(each: Observation) -> tuple[str, ...]:
    """With the fact's name where a number or "none" stands alone."""
    first, *others = each.observed
    alone = each.fact and not re.search("[ =/]", first)
    return (f"{fact_name(each.fact)}: {first}" if alone else first, *others)


def _write_quotes(writer: Writer, block: Quotes, indent: int) -> None:
    """The lines with their neighbors, with -v alone."""
    if writer.amount != VERBOSE:
        return
    writer.heading(block.heading, indent)
    for passage in block.items:
        if passage.title:
            writer.paragraph(writer.text(passage.title, "dim"), indent=indent)
        for row in passage.rows:
            if row.after_gap:
                writer.paragraph(writer.text("…", "dim"), indent=indent)
            text = writer.text(row.text, "" if row.itself else "dim")
            writer.paragraph(text, first=Text(row.mark), indent=indent, hang=len(row.mark))


def _write_pairs(writer: Writer, block: Pairs, indent: int) -> None:
    """In two columns, each cell wrapped within its own."""
    from textwrap import wrap  # seldom needed

    label = min(max(len(pair.label) for pair in block.items), writer.width // 3)
    room = (writer.width - indent - label - 6) // 2
    rows = (("", *block.names), *((pair.label, pair.a, pair.b) for pair in block.items))
    longest = max((len(cell) for row in rows for cell in row[1:]), default=room)
    widths = (label, min(room, longest), min(room, longest))
    if not block.heading:
        writer.blank()
    for number, row in enumerate(rows):
        cells = [wrap(fit(clean(cell), writer.encoding), width) for cell, width in zip(row, widths, strict=True)]  # fmt: skip
        for texts in zip_longest(*cells, fillvalue=""):
            line = "  ".join(
                f"{text:<{width}}" for text, width in zip(texts, widths, strict=True)
            ).rstrip()
            writer.line(Text(line, style="dim" if number == 0 else ""), indent + 2)


_WRITE: dict[type[Block], Callable[[Writer, Any, int], None]] = {
    Prose: _write_prose,
    Items: _write_items,
    Bars: _write_bars,
    Observations: _write_observations,
    Quotes: _write_quotes,
    Advices: _write_advices,
    Figure: _write_figure,
    Pairs: _write_pairs,
}


def _figure(figure: Figure, width: int, encoding: str) -> list[str]:
    """The line that a terminal draws; [] where it draws none."""
    line = next((line for line in figure.lines if line.name == figure.line_in_text), None)
    if line is None:
        return []
    plain = not can_encode("▁█", encoding)
    drawn = plot(line.points, width=min(width, _PLOT_WIDEST) - 8, limit=figure.limit, plain=plain)
    return [figure.title_in_text, *drawn] if drawn else []
