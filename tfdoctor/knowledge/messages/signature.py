"""One text that is worth knowing: what it looks like, what it means, who writes it, where it was seen."""

from __future__ import annotations

import re
from functools import cache

from tfdoctor.base.records import record

CAUSE, HINT, NOISE, SUCCESS, FACT = "cause", "hint", "noise", "success", "fact"
"""What a text is: it gives a cause away; it says why where the program died or was slow, and nothing by itself; it
frightens and means nothing; it shows that something worked; it tells something about the machine or about how a
program ended, from which others judge."""

CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"
_BEFORE, _AFTER = 1000, 2000
_BACKTICK = re.compile(r"(?<!\))`(?![?\]]|\(\?P|[^\[\n]{0,12}\])")
"""One around a word of the message itself: not optional already, in no set of characters, and not around what is to be told, which
would have no end without it."""
_LONG_ENOUGH = 15  # characters of a literal that is rare without its backticks, too
_PLACES = 20  # of one anchor in one line: more of them is no message


@record
class Signature:
    """A text of one line. Its form is searched anywhere in the line and never bound to a log's prefix, which changes
    with every release; colours are gone before.

    `anchor` is a literal that stands in each line that is meant, for looking for all signatures at once; of a text that
    has no rare one of its own, `also` names others, and one of them all stands in each line. `form` is a regular expression without unbounded repeats, look-around and back-references, so that its cost stays linear in
    any engine; "" is the anchor itself. Its named groups tell what the line tells (GROUPS). A line that has one of
    the literals of `unless` is not meant.
    """

    name: str
    code: str
    """A code of the catalogue of findings; "" for what shows success or tells a fact."""
    anchor: str
    also: tuple[str, ...] = ()
    form: str = ""
    unless: tuple[str, ...] = ()
    role: str = CAUSE
    rivals: tuple[str, ...] = ()
    """Other codes that the same text can mean: it does not decide by itself."""
    decided_by: tuple[str, ...] = ()
    """Paths of facts (facts/model.py) that decide among `code` and `rivals`, or confirm what the text leaves open."""
    clears: tuple[str, ...] = ()
    """Of a success: the codes that it disproves where it comes after them."""
    why: str = ""
    """Of noise: why it means nothing, in a sentence for users."""
    sure: str = CERTAIN
    """How much the text alone proves."""

    @property
    def anchors(self) -> tuple[str, ...]:
        """Literals of which one stands in each line that is meant. Backticks are lost where a text goes through a web page."""
        return _anchors(self.anchor, self.also)

    def hit(self, line: str) -> Hit | None:
        """What the line says in this form. Lines of megabytes are fine."""
        anchors = self.anchors
        if not any(each in line for each in anchors):
            return None
        if any(each in line for each in self.unless):
            return None
        if not self.form:
            return Hit(self, {}, next(each for each in anchors if each in line))
        for anchor in anchors:
            if found := self._found(line, anchor):
                told = {name: text for name, text in found.groupdict().items() if text is not None}
                return Hit(self, told, found[0])
        return None

    def _found(self, line: str, anchor: str) -> re.Match[str] | None:
        """The form around the anchor: all of it is nearer than that, and a line without an end costs no more."""
        form, at = compiled(self.form), line.find(anchor)
        for _ in range(_PLACES):
            if at < 0:
                break
            if found := form.search(line, max(0, at - _BEFORE), at + _AFTER):
                return found
            at = line.find(anchor, at + _BEFORE)
        return None


@record
class Hit:
    """A line that fits a signature: what its groups tell, and the part that matched."""

    signature: Signature
    told: dict[str, str]
    text: str


GROUPS = frozenset(
    """asker branch capability device epoch error file flag free function gpu host interpreter library limit line
    message module number op package pid port process requested seconds signal size step symbol total used value
    variable version wanted xid""".split()  # noqa: SIM905  # quoted one by one they would be harder to read
)
"""What a group of a form is called; data/knowledge/README.md says what each holds."""
KINDS_OF_WORDS = (
    "fatal",
    "error",
    "weak",
    "said-well",
    "goes-on",
    "never-again",
    "warned",
    "informed",
)
"""Of the words by which a line tells that something failed (data/knowledge/failing.yaml says what each is)."""
PAGE = "code"
"""In the fixes of a case: those of its code's page."""
KNOWN, SURROUNDINGS = "known", "surroundings"
"""In `fact`: any value, and the group of what the log shows of where it ran (facts/log_values.py)."""


@cache
def _anchors(anchor: str, also: tuple[str, ...]) -> tuple[str, ...]:
    own = (anchor, *also)
    bare = (each.replace("`", "") for each in own if "`" in each)
    return (*own, *(each for each in bare if len(each) >= _LONG_ENOUGH))


def costly(form: str) -> str:
    """Why a form can't be searched in linear time by any engine, or what it can't tell; "" for a good one."""
    try:
        groups = compiled(form).groupindex
    except re.error as error:
        return f"the pattern can't be compiled: {error}"
    if unknown := sorted(set(groups) - set(GROUPS)):
        return f"no group {unknown[0]!r} (see GROUPS in tfdoctor/knowledge/messages/signature.py)"
    if re.search(r"\(\?(?:[=!<](?!P)[=!]?|P=)", re.sub(r"\(\?P<\w+>", "(", form)):
        return "a pattern has no look-around and no back-reference: use `unless`"
    bare = re.sub(r"\[(?:\\.|[^\]\\])*\]", "S", re.sub(r"\\.", "E", form))
    if re.search(r"[*+]|\{\d*,\}", bare):
        return "a pattern has no repeat without a bound: write {0,200} for *, {1,200} for +"
    return "a pattern has no back-reference" if re.search(r"\\[1-9]", form) else ""


@cache
def compiled(form: str) -> re.Pattern[str]:
    """A form is compiled at its first use: most of them are never needed."""
    return re.compile(loosened(form))


def loosened(form: str) -> str:
    """A backtick of the message's own may be lacking in the line; where a part ends at the next one ([^`]), it has to be there."""
    return form if "[^`" in form else _BACKTICK.sub("`?", form)
