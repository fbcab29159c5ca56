"""A message that an installer spreads over several lines, as one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.light.expressions import Expression

STOPPED = "installer-stopped"
"""The code of the messages that are read whole."""
_MARK = Expression(r"^[\s│├└╰─▶×x\"'`-]{0,40}(?:(?:[Ee]rror|ERROR): {0,9}×? {0,9})?")
"""What a tool draws or writes before its words."""
_BELOW = (" ", "│", "├", "└", "╰", "The conflict is caused by:", "The following package")
_ABOVE = ("So, because ", "And because ", "and ")
_OUTPUT = Expression(r" (?:exit code:|Complete output from|\[\d{1,6} lines of output|Traceback \()")
"""What the tool's own tool wrote follows."""
_LEADS = "─▶"
_MOST, _LONGEST = 12, 500


def whole_sentence(lines: Mapping[int, str], number: int) -> str:
    """The sentence of this line: poetry begins it above, the others go on below."""
    parts = [*_above(lines, number), lines.get(number, "")]
    below = 0
    for at in range(number + 1, number + 1 + _MOST):
        text = lines.get(at, "")
        if text.strip():
            if not text.startswith(_BELOW) or _words(text).startswith(("hint:", "help:")):
                break
            parts.append(text)
            below += 1
        elif below > 1:
            break
    sentence = ""
    for part in parts:
        words = _words(part)
        if words not in sentence:  # a line that was joined with the one before stands here once more
            colon = ":" if _LEADS in part and sentence[-1:] not in ("", ":") else ""
            sentence = f"{sentence}{colon} {words}".lstrip()
    sentence = _OUTPUT.compiled.split(sentence, maxsplit=1)[0]
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]} …"


def _above(lines: Mapping[int, str], number: int) -> list[str]:
    """The lines that end in this one."""
    found: list[str] = []
    while _words(lines.get(number, "")).startswith(_ABOVE) and len(found) < _MOST:
        number -= 1
        found.insert(0, lines.get(number, ""))
    return found


def _words(text: str) -> str:
    return " ".join(_MARK.compiled.sub("", text, count=1).split())
