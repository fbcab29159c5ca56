"""Three engines, one answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfdoctor.ask.logs.search import Literals

words = st.text("ab 12\n(", min_size=1, max_size=4)


def lines_of(literals: Literals, text: bytes) -> set[tuple[int, int]]:
    """(line, literal): which line a literal stands in is what counts."""
    return {(text.count(b"\n", 0, at), number) for at, number in literals.places(text)}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(words.filter(lambda word: "\n" not in word), min_size=1, max_size=6, unique=True),
    st.text("ab 12\n(", max_size=60),
)
def test_all_engines_find_the_same_lines(texts: list[str], text: str) -> None:
    each, tree = (Literals(texts, engine=engine) for engine in ("each", "tree"))
    for data in (
        text.encode(),
        f"{text}\n".encode() * 4,
    ):  # lines that repeat themselves are remembered
        assert lines_of(each, data) == lines_of(tree, data)


def test_hyperscan_finds_the_same_lines() -> None:
    pytest.importorskip("hyperscan")
    texts = ["Killed", "Kill", "ed", 'with "quotes"', "(a+)+$", "ünïcode"]
    data = 'Killed\nnothing\nKill ed\nünïcode\n(a+)+$ with "quotes"\n'.encode()
    fast, slow = (
        lines_of(Literals(texts, engine=engine), data) for engine in ("hyperscan", "each")
    )
    assert fast == slow
