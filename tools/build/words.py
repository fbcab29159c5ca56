"""Warns about words in the knowledge and on the code pages: `make lint`. It prints FILE:LINE: WARNING and never fails.

A title says what is wrong or what to do; a note, an explanation and a page say the rest in short sentences and the field's terms.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
PROSE = ("title", "explanation", "note", "why", "name")
TERMS = {
    r"processors?": "CPU",
    r"(?:graphics )?cards?": "GPU",
    r"folders?": "directory",
    r"surroundings": "environment",
    r"releases?(?! notes)": "version",
    r"smoke ladder|rungs?": "test",
    r"judge[sd]?|judgement|climbs?": "check",
    r"what followed": "consequence",
    r"undecided": "unknown",
    r"in order": "OK, or not damaged",
    r"stands|lies": "is",
    r"lead(?:s|ing)? to": "points to",
    r"hand(?:s|ed)? (?:it |them )?(?:in|over|on)": "pass",
    r"mostly": "usually",
    r"in place of": "instead of",
    r"bring up to date|brings?": "update, install, or include",
    r"shall": "should, or must",
    r"means nothing": "is harmless",
    r"here is": "you have",
    r"licence": "license",
    r"it changes nothing|changes nothing": "nothing: the program marks read-only commands",
}
"""What is not said, and what is: one term for one thing."""
_TERMS = re.compile(r"\b(?:" + "|".join(f"({each})" for each in TERMS) + r")\b", re.IGNORECASE)
_SAY = tuple(TERMS.values())
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n\n")
_PARENTHESIS = re.compile(r"\((expected:[^)]*|[^)]{41,})\)")
_PLACE = re.compile(r" \([^)]*\)$")
_CODE = re.compile(r"`[^`]*`|\{\{[\w.]+\}\}|In your files[^:]*:.*", re.DOTALL)
LONGEST_TITLE_OF_A_FIX = 8
LONGEST_SENTENCE = 30


def warnings(text: str, *, title: bool = False, fix: bool = False) -> Iterator[str]:
    """What to say otherwise in one text; code in it is not read."""
    prose = _CODE.sub("", text)
    for found in _TERMS.finditer(prose):
        say = _SAY[next(number for number, group in enumerate(found.groups()) if group)]
        yield f'say {say}; not "{found[0]}"'
    if title and (found := _PARENTHESIS.search(text)):
        yield f"the title has a long or expecting parenthesis: ({found[1][:40]}…)"
    if title and fix and len(_PLACE.sub("", text).split()) > LONGEST_TITLE_OF_A_FIX:
        yield f"the title of a fix has {len(text.split())} words, at most {LONGEST_TITLE_OF_A_FIX} are wanted"
    for sentence in _SENTENCE.split(prose):
        if (words := len(sentence.split())) > LONGEST_SENTENCE:
            yield f'a sentence of {words} words: "{" ".join(sentence.split()[:6])} …"'


def _texts(node: yaml.Node, within: str = "") -> Iterator[tuple[int, str, str]]:
    """Line, key and text of each prose value below a YAML node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(value, yaml.ScalarNode) and (key.value in PROSE or within == "says"):
                yield value.start_mark.line + 1, key.value, value.value
            else:
                yield from _texts(value, key.value)
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _texts(each)


def _of_yaml(path: Path, text: str) -> Iterator[tuple[int, str]]:
    root = yaml.compose(text, yaml.SafeLoader)
    fixes = path.parent.name == "actions"
    for line, key, said in _texts(root) if root is not None else ():
        yield from (
            (line, each) for each in warnings(said, title=key in ("title", "name"), fix=fixes)
        )


def _of_page(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Front matter and the body's paragraphs; code blocks and tables are not prose."""
    front, _, body = text.removeprefix("---\n").partition("\n---\n")
    yield from ((line + 1, each) for line, each in _of_yaml(path, front))
    start = front.count("\n") + 4
    bare = re.sub(
        r"^```.*?^```$|^\|.*?$",
        lambda found: "\n" * found[0].count("\n"),
        body,
        flags=re.DOTALL | re.MULTILINE,
    )
    line = start
    for paragraph in re.split(r"(\n\n|\n(?=[-*] ))", bare):
        yield from ((line, each) for each in warnings(paragraph.strip()))
        line += paragraph.count("\n")


def main() -> int:
    """Always 0: words are warned about, no build fails for them."""
    pages = (
        path for path in sorted((ROOT / "docs" / "codes").glob("*.md")) if path.stem != "index"
    )
    for path in (*sorted((ROOT / "data" / "knowledge").rglob("*.yaml")), *pages):
        found = (_of_page if path.suffix == ".md" else _of_yaml)(
            path, path.read_text(encoding="utf-8")
        )
        for line, warning in found:
            sys.stdout.write(f"{path.relative_to(ROOT)}:{line}: {warning}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
