"""Finding a page by words, and a code by a word that is nearly one."""

from __future__ import annotations

from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.pages import page_of


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
    return f"{name!r} is no finding code; {hint}"
