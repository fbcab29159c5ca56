"""What checks say of a code: sentences by their names in its page's front matter (`says`), compiled by `make knowledge`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tfdoctor.knowledge.compiled import compiled, filled

COMPILED = Path(__file__).parent / "says.json"


def says(code: str, name: str, /, **values: object) -> str:
    """The code's sentence of that name with the values in its holes. Raises LookupError for one that its page does not have,
    OSError for a damaged installation.
    """
    return filled(_all()[code][name], values)


def add(code: str, sentences: Mapping[str, str]) -> None:
    """Those of a plug-in's code."""
    _all()[code] = dict(sentences)


@cache
def _all() -> dict[str, dict[str, str]]:
    sentences: dict[str, dict[str, str]] = compiled(COMPILED)
    return sentences
