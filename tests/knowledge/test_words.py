"""What `make lint` warns about in the knowledge's words."""

from __future__ import annotations

import pytest

from tools.words import warnings


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("It computes on the processor.", 'say CPU; not "processor"'),
        ("See who it is. It changes nothing.", 'say nothing: the program marks read-only commands; not "It changes nothing"'),
        ("one two three four five six seven eight nine", "the title of a fix has 9 words, at most 8 are wanted"),
        ("The driver is too old (expected: 525 or newer)", "the title has a long or expecting parenthesis: (expected: 525 or newer…)"),
        (" ".join(["word"] * 31), 'a sentence of 31 words: "word word word word word word …"'),
    ],
)  # fmt: skip
def test_a_warning_says_what_to_write(text: str, warned: str) -> None:
    assert warned in list(warnings(text, title=True, fix=True))


@pytest.mark.parametrize(
    "text", ["Lower the batch size", "Run `processor` once", "Use {{release}}", "Read the release notes"]
)
def test_code_and_holes_are_no_words(text: str) -> None:
    assert list(warnings(text, title=True, fix=True)) == []
