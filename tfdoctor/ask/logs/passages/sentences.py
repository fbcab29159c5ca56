"""A message that an installer spreads over several lines, as one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.base.expressions import Expression

STOPPED = "installer-stopped"
"""The code of the messages that are read whole."""
_STEP = Expression(r"^#\d{1,4} \d{1,6}\.\d{1,4} ?")
"""What Docker's BuildKit writes before each line."""
_MARK = Expression(
    r"^[\s│├└╰─▶×x\"'`-]{0,40}(?:(?:[Ee]rror|ERROR): {0,9}×? {0,9}|error {1,9}libmamba )?"
)
"""What a tool draws or writes before its words."""
_LIST, _ITEMS, _LEADS = "The conflict is caused by:", ("│", "├", "└─ ", "- "), "─▶"
_BELOW = (" ", "- ", "│", "├", "└", "╰", _LIST, "The following package")
_ABOVE = ("So, because ", "And because ", "and ")
_OUTPUT = Expression(r" (?:exit code:|Complete output from|\[\d{1,6} lines of output|Traceback \()")
"""What the tool's own tool wrote follows."""
_MOST, _LONGEST = 12, 500


def whole_sentence(lines: Mapping[int, str], number: int) -> str:
    """The sentence of this line: poetry begins it above, the others go on below."""
    sentence = ""
    for text in (*_above(lines, number), _line(lines, number), *_below(lines, number)):
        words = _words(text)
        if (
            words not in sentence
        ):  # a line that was joined with the one before stands here once more
            sentence = f"{sentence}{_sign(sentence, text)} {words}".lstrip()
    sentence = _OUTPUT.compiled.split(sentence, maxsplit=1)[0]
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]} …"


def _above(lines: Mapping[int, str], number: int) -> list[str]:
    """The lines that end in this one."""
    found: list[str] = []
    while _words(_line(lines, number)).startswith(_ABOVE) and len(found) < _MOST:
        number -= 1
        found.insert(0, _line(lines, number))
    return found


def _below(lines: Mapping[int, str], number: int) -> list[str]:
    """The lines that this one goes on in."""
    found: list[str] = []
    for at in range(number + 1, number + 1 + _MOST):
        text = _line(lines, at)
        if text.strip():
            if not text.startswith(_BELOW) or _words(text).startswith(("hint:", "help:")):
                break
            found.append(text)
        elif len(found) > 1:
            break
    return found


def _sign(sentence: str, text: str) -> str:
    """What stands between a sentence and its next line."""
    if sentence.endswith(":") or not sentence:
        return ""
    if _LEADS in text or text.lstrip().startswith("The following package"):
        return ":"
    return ";" if text.lstrip().startswith(_ITEMS) or _LIST in sentence else ""


def _line(lines: Mapping[int, str], number: int) -> str:
    return _STEP.compiled.sub("", lines.get(number, ""), count=1)


def _words(text: str) -> str:
    return " ".join(_MARK.compiled.sub("", text, count=1).split()).rstrip(";")
