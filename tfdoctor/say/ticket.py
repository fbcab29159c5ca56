"""A view with all of its facts as a ticket in Markdown, and TensorFlow's issue form: never longer than a ticket may be.

What does not fit is cut in this order: long texts and lists, the facts, the last sections; the last lines say what.
A command is whole or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tfdoctor.base.records import is_record, names, record, replace
from tfdoctor.facts.model import Facts
from tfdoctor.say.fact_rows import fact_rows
from tfdoctor.say.issue_form import Field
from tfdoctor.say.pages import markdown_macro
from tfdoctor.say.view import Advice, View

MOST_BYTES = 60_000
_FOR_THE_END = 1_500
_AMOUNTS = ((20_000, 1_000), (2_000, 100), (300, 30), (80, 8))
"""Characters of a text and entries of a list: the first pair that fits."""


@record
class Cut:
    """How many of each were left out; of the texts, how many end early."""

    sections: int = 0
    commands: int = 0
    entries: int = 0
    facts: int = 0
    texts: int = 0

    def __add__(self, other: Cut) -> Cut:
        return Cut(*(getattr(self, name) + getattr(other, name) for name in names(self)))

    @property
    def words(self) -> str:
        """ "3 sections, 1 fact"; "" where nothing was cut."""
        counted = (
            (self.sections, "section", "sections"), (self.commands, "command", "commands"),
            (self.entries, "entry of a list", "entries of lists"), (self.facts, "fact", "facts"),
            (self.texts, "text that ends in …", "texts that end in …"),
        )  # fmt: skip
        return ", ".join(
            f"{count:,} {one if count == 1 else many}" for count, one, many in counted if count
        )


def render_ticket(view: View) -> str:
    """For GitHub: verdict, overview, problems, and all facts folded away."""
    room = MOST_BYTES - _FOR_THE_END
    bare = replace(view, sections=(), all_facts=None)
    head, cut = _fitting(markdown_macro("parts.md", "head"), bare, room // 2)
    texts = [head]
    for section in (each for each in view.sections if not each.paged):
        text, lost = _fitting(markdown_macro("parts.md", "part"), section, room - _size(texts))
        texts.append(text)
        cut += lost if text else Cut(sections=1)
    if view.all_facts is not None:
        text, lost = _facts(fact_lines(view.all_facts), room - _size(texts))
        texts.append(text)
        cut += lost
    return "".join([*texts, _ended(cut, view.footer)])


def render_issue_form(fields: Sequence[Field], footer: str) -> str:
    """TensorFlow's issue form: each field with what the facts say and what is to be answered."""
    draw, room = (
        markdown_macro("issue_form.md", "field"),
        (MOST_BYTES - _FOR_THE_END) // len(fields),
    )
    fitted = [_fitting(partial(draw, field.question), field, room) for field in fields]
    return "".join(
        [*(text for text, _ in fitted), _ended(_sum([cut for _, cut in fitted]), footer)]
    )


def fact_lines(facts: Facts) -> tuple[str, ...]:
    """Each fact that was asked for, in one line by its path."""
    return tuple(f"{row.path}: {row.text}" for row in fact_rows(facts))


def _facts(lines: Sequence[str], room: int) -> tuple[str, Cut]:
    """All lines, each as short as it must be; where even that is too much, the first of them."""
    if not lines:
        return "", Cut()
    draw, kept = markdown_macro("parts.md", "folded_lines"), len(lines)
    text, cut = _fitting(partial(draw, "All facts"), tuple(lines), room, most=kept)
    short, _ = _shortened(tuple(lines), _AMOUNTS[-1][0], kept)
    while kept and not text:
        kept = kept * 9 // 10
        text = draw("Facts", short[:kept]) if kept else ""
        text = text if _size([text]) <= room else ""
    return (text, cut) if kept == len(lines) else (text, Cut(facts=len(lines) - kept))


def _fitting(draw: Callable[[Any], str], value: Any, room: int, most: int = 0) -> tuple[str, Cut]:
    """What is drawn of as much of the value as fits; "" where nothing of it does. `most`: entries of a list all the same."""
    for longest, usual in _AMOUNTS:
        small, cut = _shortened(value, longest, most or usual)
        text = draw(small)
        if _size([text]) <= room:
            return text, cut
    return "", Cut()


def _ended(cut: Cut, footer: str) -> str:
    return markdown_macro("parts.md", "ended")(cut.words, footer[:300])


def _size(texts: Sequence[str]) -> int:
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def _shortened(value: Any, longest: int, most: int) -> tuple[Any, Cut]:
    """The value with long texts and lists cut."""
    if isinstance(value, str):
        return (value, Cut()) if len(value) <= longest else (f"{value[:longest]}…", Cut(texts=1))
    if isinstance(value, tuple):
        parts = [_shortened(item, longest, most) for item in value[:most]]
        return tuple(part for part, _ in parts), _sum(
            [cut for _, cut in parts], max(0, len(value) - most)
        )
    if isinstance(value, Advice):
        kept, undo = (
            tuple(line for line in lines if len(line) <= longest)[:most]
            for lines in (value.commands, value.undo)
        )
        rest, cut = _shortened_parts(replace(value, commands=(), undo=()), longest, most)
        lost = len(value.commands) + len(value.undo) - len(kept) - len(undo)
        return replace(rest, commands=kept, undo=undo), cut + Cut(commands=lost)
    return _shortened_parts(value, longest, most) if is_record(value) else (value, Cut())


def _shortened_parts(value: Any, longest: int, most: int) -> tuple[Any, Cut]:
    parts = {name: _shortened(getattr(value, name), longest, most) for name in names(value)}
    return replace(value, **{name: part for name, (part, _) in parts.items()}), _sum(
        [cut for _, cut in parts.values()]
    )


def _sum(cuts: Sequence[Cut], entries: int = 0) -> Cut:
    return sum((cut for cut in cuts if cut != Cut()), Cut(entries=entries))
