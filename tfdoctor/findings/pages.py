"""The pages of the finding codes, inside the wheel or in the checkout's docs/codes: what they say, and their ways out."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "data" / "codes", _PACKAGE.parent / "docs" / "codes")
_SECTION = Expression(r"^## (.+)$", re.MULTILINE)
_LINK = Expression(r"\[([^\]\[]{1,200})\]\([^()\[]{0,300}\)")
_FOR_A_SHELL = ("console", "sh", "bash", "powershell", "shell")
_MOST_FIXES = 4
_MOST_LINES = 3  # of a program that are shown in a sentence


def page_of(code: str) -> str:
    """The code's page in Markdown; its title alone where this installation lost the pages. Raises KeyError."""
    title = CODES[code].title
    for place in _PLACES:
        file = place / f"{code}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return f"# {code}\n\n{title}\n"


def _sections(code: str) -> dict[str, str]:
    parts = _SECTION.split(page_of(code))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@cache
def meaning(code: str) -> str:
    """The first paragraph of what the page says that it means; the title where there is no page."""
    text = _sections(code).get("What it means", "").strip()
    return _plain(text.split("\n\n", 1)[0]) or CODES[code].title


@cache
def ways_out(code: str) -> tuple[Fix, ...]:
    """The page's fixes in its order: each sentence before a block is the title of the commands in it."""
    fixes: list[Fix] = []
    words: list[str] = []
    block: list[str] | None = None
    language = ""
    for line in _sections(code).get("Fix", "").splitlines():
        if line.startswith("```") and block is None:
            block, language = [], line[3:].strip()
        elif line.startswith("```") and block is not None:
            fixes.append(_fix(_title(_plain("\n".join(words))), language, block, code))
            words, block = [], None
        else:
            (words if block is None else block).append(line)
    rest = _plain("\n".join(words))
    if rest and not fixes:
        fixes.append(Fix(rest.split(". ")[0].rstrip(".") + "."))
    return tuple(fixes[:_MOST_FIXES])


def _fix(title: str, language: str, block: list[str], code: str) -> Fix:
    lines = tuple(line for line in block if line.strip() and not line.startswith("# "))
    if language in _FOR_A_SHELL and not any(line.startswith("#") for line in lines):
        return Fix(title, lines)
    if len(lines) > _MOST_LINES or any(line.startswith(" ") for line in lines):
        return Fix(title, (f"tfdoctor explain {code}",), "The page shows the lines.")
    return Fix(title, note="In your files: " + "; ".join(lines))


def _title(words: str) -> str:
    return words.rstrip(":").strip() or "Then"


def _plain(text: str) -> str:
    """Markdown's words as one line: the links' texts, no list marks, no code marks."""
    text = _LINK.sub(r"\1", text).replace("`", "").replace("**", "")
    return " ".join(re.sub(r"^[ \t]{0,8}[-*] ", "", text, flags=re.MULTILINE).split())
