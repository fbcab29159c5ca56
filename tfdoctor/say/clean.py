"""Text from the machine is data: this is the one door through which it reaches a terminal or a page."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression

_ESCAPES = Expression(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movements (ECMA-48, 5.4)
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC with their payload
    r"|\x1b[ -/]*[0-~]"
)
_BLANKS = Expression("[\t\n\r\v\f\x85\u2028\u2029]+")
# C0 and C1 controls, and what turns the direction of text around or hides in it (Unicode 16, 23.2; UAX 9)
_UNSEEN = Expression(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_UNSEEN_IN_JSON = Expression(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LONE_SURROGATES = Expression("[\ud800-\udfff]")
_PLAIN = {
    "…": "...", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "≥": ">=", "≤": "<=", "×": "x",
    "→": "->", "·": "-", "✓": "ok", "✗": "x", "•": "*", "°": " deg", "µ": "u", "│": "|", "─": "-",
}  # fmt: skip


def clean(text: str) -> str:
    """One line without terminal escapes, control characters, or characters that hide or turn text around."""
    if text.isascii() and text.isprintable():
        return text
    text = _BLANKS.compiled.sub(" ", _ESCAPES.compiled.sub("", text))
    return _LONE_SURROGATES.compiled.sub("\ufffd", _UNSEEN.compiled.sub("", text))


def as_seen(text: str) -> str:
    """The text as it is read, with its lines: without terminal escapes and what `clean` takes out besides."""
    if text.isascii() and text.isprintable():
        return text
    parts = text.replace("\n", "").replace("\t", "")
    if (parts.isascii() and parts.isprintable()) or _UNSEEN.compiled.search(parts) is None:
        return text
    plain = _ESCAPES.compiled.sub("", text).replace("\t", " ")
    return "\n".join(_UNSEEN.compiled.sub("", line) for line in plain.split("\n"))


def escape_in_json(document: str) -> str:
    """The same JSON document with what `clean` takes out written as \\u escapes: `cat` of a report obeys nothing."""
    if document.isascii() and "\x7f" not in document:
        return document
    return _UNSEEN_IN_JSON.compiled.sub(_escaped, document)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def fit(text: str, encoding: str) -> str:
    """The text in characters that `encoding` has: typographic ones spelt plainly, others as "?"."""
    if can_encode(text, encoding):
        return text
    return "".join(_fitting(character, encoding) for character in text)


def can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _fitting(character: str, encoding: str) -> str:
    if can_encode(character, encoding):
        return character
    return _PLAIN.get(character, "?")
