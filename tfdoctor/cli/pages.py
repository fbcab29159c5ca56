"""The pages of the finding codes: inside the wheel, or in the checkout's docs/codes."""

from __future__ import annotations

from pathlib import Path

from tfdoctor.findings.catalog import CODES

_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE / "data" / "codes", _PACKAGE.parent / "docs" / "codes")


def page_of(code: str) -> str:
    """The code's page in Markdown; its title alone where this installation lost the pages. Raises KeyError."""
    title = CODES[code].title
    for place in _PLACES:
        file = place / f"{code}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return f"# {code}\n\n{title}\n"


def search(words: list[str]) -> list[str]:
    """The codes whose name, title or page holds all of the words; those that say it in name or title first."""
    wanted = [word.casefold() for word in words]
    named, mentioned = [], []
    for code in CODES.values():
        short = f"{code.name} {code.title}".casefold()
        if all(word in short for word in wanted):
            named.append(code.name)
        elif all(word in f"{short} {page_of(code.name).casefold()}" for word in wanted):
            mentioned.append(code.name)
    return named + mentioned


def unknown_code(name: str) -> str:
    """What to tell somebody who named a code that does not exist."""
    import difflib  # only for a word that is no code

    near = difflib.get_close_matches(name.casefold(), CODES, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else "tfdoctor explain --list has them all"
    return f"{name!r} is no finding code; {hint}"
