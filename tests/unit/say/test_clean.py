"""Whatever a machine says, a terminal shows it and obeys none of it."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfdoctor.base.printable import printable, printable_lines
from tfdoctor.say.clean import clean, escape_in_json, fit


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 100 % µ 日本", "plain text, 100 % µ 日本"),
        ("\x1b[31;1mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;new title\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP+q544e\x1b\\x", "x"),
        ("\x1b]never ended", "never ended"),
        ("\x1bcreset", "reset"),
        ("one\r\ntwo\tthree\u2028four", "one two three four"),
        ("a\x00b\x08c\x7fd", "abcd"),
        ("\u202egnp.exe\u202c \u200bhidden\ufeff", "gnp.exe hidden"),
        ("\ud800", "\ufffd"),
        ("\x1b", ""),
        ("", ""),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text())
def test_nothing_that_a_terminal_obeys_remains(text: str) -> None:
    categories = {unicodedata.category(character) for character in clean(text)}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}
    assert "\u202e" not in clean(text)


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "≥ 1 – “é” 日"), ("latin-1", '>= 1 - "é" ?'), ("ascii", '>= 1 - "?" ?')],
)
def test_what_an_encoding_lacks_is_spelt_plainly(encoding: str, shown: str) -> None:
    assert fit("≥ 1 – “é” 日", encoding) == shown


@given(st.text(), st.sampled_from(["ascii", "latin-1", "cp1252", "no-such-encoding"]))
def test_fitted_text_can_be_written(text: str, encoding: str) -> None:
    fitted = fit(clean(text), encoding)
    if encoding != "no-such-encoding":
        fitted.encode(encoding)


@given(st.dictionaries(st.text(), st.text()))
def test_a_json_document_stays_the_same_and_nothing_in_it_is_obeyed(
    document: dict[str, str],
) -> None:
    written = json.dumps(document, ensure_ascii=False)
    escaped = escape_in_json(written)
    assert json.loads(escaped) == document
    assert {unicodedata.category(character) for character in escaped} & {"Cc", "Zl", "Zp"} == set()
    assert not set(escaped) & set(
        "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200b\ufeff\U000e0041"
    )


@given(st.text())
def test_a_printable_line_holds_nothing_that_is_obeyed(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)
    assert printable_lines(text).count("\n") == text.count("\n")


def test_what_is_printable_stays() -> None:
    assert printable("Tesla é ≥ 日本\x1b]0;\x07\u202e") == "Tesla é ≥ 日本?]0;??"
