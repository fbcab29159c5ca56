"""HTML and Markdown: text of a machine is text there, too."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.render.reports import NAMES, report, with_text
from tfdoctor.examine.report import Report
from tfdoctor.records import replace
from tfdoctor.render.clean import clean
from tfdoctor.render.pages import block, code, escape, render_html, render_markdown
from tfdoctor.render.report_view import report_view

HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(1)"> "></code></details><h1>x & y \' `'
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "article", "ul", "li",
    "code", "strong", "br", "span", "pre", "details", "summary", "section", "table", "caption", "tr", "th", "td", "footer",
}  # fmt: skip
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """What a browser would see: elements, attributes, text; elements must be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def read(of: Report) -> Reader:
    reader = Reader()
    reader.feed(render_html(report_view(of)))
    assert reader.open == []
    return reader


def hostile(text: str) -> Report:
    return replace(report("healthy-cpu"), findings=(with_text(text),), summary=text)


@pytest.mark.parametrize("machine", NAMES)
def test_the_page_is_whole_and_holds_no_script(machine: str) -> None:
    reader = read(report(machine))
    assert reader.tags <= ALLOWED
    assert not {name for name in reader.attributes if name.startswith("on")}
    page = render_html(report_view(report(machine)))
    assert not re.search(r"(?:src|href)=", page.replace("src=x", ""))


def test_the_page_can_be_read_without_seeing_it() -> None:
    page = render_html(report_view(report("driver-too-old")))
    assert '<html lang="en">' in page
    assert 'aria-labelledby="finding-1"' in page
    assert "prefers-color-scheme: dark" in page
    assert page.index("<h1>") < page.index("<h2") < page.index("<h3>")


def test_hostile_text_shows_as_it_is_written() -> None:
    reader = read(hostile(HOSTILE))
    assert clean(HOSTILE) in reader.words
    assert not reader.tags & {"script", "img"}


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("<>&\"'`/=!-[]()*_#@|\\~ ax\n\x1b"), max_size=60))
def test_no_text_leaves_its_element(text: str) -> None:
    reader = read(hostile(text))
    assert reader.tags <= ALLOWED
    assert clean(text) in reader.words


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from("`ab \\"), min_size=1, max_size=30))
def test_a_code_span_holds_any_text(text: str) -> None:
    span = code(text)
    fence = re.match("`+", span)
    assert fence is not None
    inner = span[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inner)


def test_a_code_block_is_longer_fenced_than_its_text() -> None:
    assert block(("echo ```` x",), "sh").startswith("`````sh\n")
    assert block(("echo x",), "sh") == "```sh\necho x\n```\n\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a <b> & c", "a &lt;b&gt; &amp; c"),
        ("*bold* _x_ `code` [l](u) | ~", r"\*bold\* \_x\_ \`code\` \[l\](u) \| \~"),
        ("VIRTUAL_ENV 2026-11-20", "VIRTUAL_ENV 2026-11-20"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("@someone", "@&#8203;someone"),
        ("https://x.y www.x.y", "https:&#8203;//x.y www&#8203;.x.y"),
    ],
)
def test_sentences_show_as_they_are_written(text: str, written: str) -> None:
    assert escape(text) == written


def test_commands_in_a_ticket_are_those_of_the_report() -> None:
    of = report("driver-too-old")
    text = render_markdown(report_view(of))
    for finding in of.roots:
        for fix in finding.fixes:
            for command in fix.commands:
                assert f"\n{command}\n" in text
    assert unescape(text).count("<details>") == text.count("</details>")
