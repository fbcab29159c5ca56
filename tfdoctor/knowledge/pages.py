"""The page of a finding code: what docs/codes says of it, with its fixes out of data/knowledge."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from tfdoctor.base.expressions import Expression
from tfdoctor.knowledge.actions import act, for_files
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Fix

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "data" / "codes", _PACKAGE.parent / "docs" / "codes")
OTHERS: dict[str, str] = {}
"""The pages of plug-ins behind their front matter, by their codes."""
_LINK = Expression(r"\[([^\]\[]{1,200})\]\([^()\[]{0,300}\)")
_FIXES = "## Fix\n"
_BEHIND = ("\n## How to see that it is fixed\n", "\n## Not this problem?\n")


_IGNORED = """
`tfdoctor check --ignore {code}` ignores it.
"""


def page_of(code: str) -> str:
    """The code's page in Markdown; without its longer part where this installation lost that. Raises KeyError."""
    said = CODES[code]
    alone = " · GPU only" if said.gpu_only else ""
    about = f"`{code}`{alone}{' · found in logs and runs, not by check' if said.logs_only else ''}"
    fixes = "".join(f"\n{shown}" for each in ways_out(code) if (shown := _shown(each)))
    before, heading, after = _parts(_body(code))
    if fixes or not heading:
        fixes = f"\n{_FIXES}{fixes}"
    above = (
        f"# {said.name}\n\n{about}\n\n## What it means\n\n{said.explanation}\n\n{before}".rstrip(
            "\n"
        )
    )
    ignored = "" if said.logs_only else _IGNORED.format(code=code)
    return f"{above}\n{fixes}{heading}{after}{ignored}"


def _parts(body: str) -> tuple[str, str, str]:
    """What stands before the fixes, the heading behind them where they have no words of their own, and what follows."""
    before, own, after = body.partition(_FIXES)
    if own:
        return before, "", after
    heading = next((each for each in _BEHIND if each in body), "")
    before, _, after = body.partition(heading) if heading else (body, "", "")
    return before, heading, after


def _body(code: str) -> str:
    if code in OTHERS:
        return OTHERS[code]
    for file in (place / f"{code}.md" for place in _PLACES):
        if file.is_file():
            return file.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    return ""


def _shown(each: Fix) -> str:
    """A fix that is only a title, or only leads to this page, stands in the page's own words."""
    commands = [line for line in each.commands if not line.startswith("tfdoctor explain ")]
    if not commands and (each.commands or not each.note):
        return ""
    title = textwrap.fill(each.title + (":" if commands else "."), 80, break_long_words=False)
    block = "\n\n```console\n" + "\n".join(commands) + "\n```" if commands else ""
    words, lines = for_files(each.note)
    note = "\n\n" + textwrap.fill(words, 80, break_long_words=False) if words else ""
    in_file = "\n\n```\n" + "\n".join(lines) + "\n```" if lines else ""
    return f"{title}{block}{note}{in_file}\n"


def meaning(code: str) -> str:
    """What the code means, in plain words."""
    return _plain(CODES[code].explanation)


def ways_out(code: str) -> tuple[Fix, ...]:
    """The code's general fixes, in order."""
    return tuple(act(*each) for each in CODES[code].fixes)


def _plain(text: str) -> str:
    """Markdown's words as one line: the links' texts, no list marks, no code marks."""
    text = _LINK.sub(r"\1", text).replace("`", "").replace("**", "")
    return " ".join(re.sub(r"^[ \t]{0,8}[-*] ", "", text, flags=re.MULTILINE).split())


def search(words: list[str]) -> list[str]:
    """The codes whose name, title or page holds all of the words; those that say it in name or title first."""
    wanted = [word.casefold() for word in words]
    named, mentioned = [], []
    for code in CODES.values():
        short = f"{code.code} {code.name}".casefold()
        if all(word in short for word in wanted):
            named.append(code.code)
        elif all(word in f"{short} {page_of(code.code).casefold()}" for word in wanted):
            mentioned.append(code.code)
    return named + mentioned


def unknown_code(name: str) -> str:
    """What to tell somebody who named a code that does not exist."""
    import difflib  # only for a word that is no code

    near = difflib.get_close_matches(name.casefold(), CODES, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else "tfdoctor explain --list has them all"
    return f"{name!r} is not a code; {hint}"
