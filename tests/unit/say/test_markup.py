"""HTML and Markdown: text of a machine is text there, too."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.say.reports import NAMES, report, with_text
from tfdoctor.base.records import replace
from tfdoctor.facts.outcome import Known
from tfdoctor.report.report import Report
from tfdoctor.say.clean import clean
from tfdoctor.say.pages import block, can_copy, code, escape, render_html, render_markdown
from tfdoctor.say.report_view import report_view

HOSTILE = (
    '<script>alert(1)</script> <img src=x onerror="alert(1)"> "></code></details><h1>x & y \' `'
)
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "p", "article", "ul", "li",
    "code", "strong", "br", "span", "pre", "details", "summary", "section", "table", "caption", "tr", "th", "td", "footer",
    "script", "div", "label", "input", "output", "thead", "tbody", "em", "svg", "rect", "a", "dl", "dt", "dd",
}  # fmt: skip
VOID = {"meta", "br", "input"}


class Reader(HTMLParser):
    """What a browser would see: elements, attributes, text; elements must be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.scripts = 0
        self.in_command = False
        self.commands: list[str] = []
        self.attributes: set[str] = set()
        self.words = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.scripts += tag == "script"
        assert tag != "a" or re.fullmatch(
            r"#(finding-\d+|code-[a-z0-9-]+)", dict(attrs)["href"] or ""
        )
        if "data-copy" in dict(attrs):
            self.commands.append("")
            self.in_command = True
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.in_command = False if tag == "code" else self.in_command

    def handle_data(self, data: str) -> None:
        self.words += data
        if self.in_command:
            self.commands[-1] += data


def read(of: Report) -> Reader:
    reader = Reader()
    reader.feed(render_html(report_view(of)))
    assert reader.open == []
    return reader


def hostile(text: str) -> Report:
    return replace(report("healthy-cpu"), findings=(with_text(text),), summary=text)


@pytest.mark.parametrize("machine", NAMES)
def test_the_page_is_whole_and_holds_our_script_alone(machine: str) -> None:
    reader = read(report(machine))
    assert reader.tags <= ALLOWED and reader.scripts == 1
    assert not {name for name in reader.attributes if name.startswith("on")}
    page = render_html(report_view(report(machine)))
    assert not re.search(r'(?:src|href)=(?!"#(?:finding|code)-)', page.replace("src=x", ""))


def test_each_code_leads_to_what_it_means() -> None:
    page = render_html(report_view(report("two-roots")))
    links = re.findall(r'<a href="#code-([a-z-]+)">', page)
    assert {"driver-missing", "nvml-unusable", "cupti-unavailable", "driver-too-old-for-ptx"} <= {
        *links
    }
    assert {*links} == {*re.findall(r'<dt id="code-([a-z-]+)">', page)}
    assert (
        "NVML, the driver&#x27;s monitoring library"
        in page.partition('<dt id="code-nvml-unusable">')[2]
    )


def test_the_page_can_be_read_without_seeing_it() -> None:
    page = render_html(report_view(report("driver-too-old")))
    assert '<html lang="en">' in page
    assert 'aria-labelledby="finding-1"' in page
    assert "prefers-color-scheme: dark" in page
    assert page.index("<h1>") < page.index("<h2") < page.index("<h3>")


def test_hostile_text_shows_as_it_is_written() -> None:
    reader = read(hostile(HOSTILE))
    assert clean(HOSTILE) in reader.words
    assert reader.scripts == 1 and "img" not in reader.tags


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


def test_the_policy_allows_the_bytes_of_our_script() -> None:
    page = render_html(report_view(report("healthy-cpu")))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'; base-uri 'none'" in page


@pytest.mark.parametrize("machine", NAMES)
def test_what_can_be_copied_is_a_command_of_the_report_byte_for_byte(machine: str) -> None:
    of = report(machine)
    commands = [each for finding in of.roots for fix in finding.fixes for each in fix.commands]
    assert sorted(line for each in read(of).commands for line in each.split("\n")) == sorted(
        filter(can_copy, commands)
    )


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("python -m pip install 'numpy<2' && echo \"$PATH\"", True),
        ("kubectl get nodes -o custom-columns='NAME:.metadata.name'", True),
        ("docker run --rm IMAGE nvidia-smi", False),
        ("kubectl logs --previous POD", False),
        ("cd /home/<user-1>/x", False),
        ("echo a\tb", False),
        ("rm x\u202ey", False),
    ],
)
def test_a_command_that_is_not_what_it_shows_or_has_a_gap_has_no_button(
    command: str, answer: bool
) -> None:
    assert can_copy(command) is answer


def test_five_megabytes_of_facts_make_a_page_that_says_what_it_leaves_out() -> None:
    of = report("healthy-cpu")
    vast = replace(
        of,
        facts=replace(of.facts, host=replace(of.facts.host, cpu_model=Known("x" * 5_000_000, "y"))),
    )
    page = render_html(report_view(vast))
    assert len(page) < 100_000 and "5,000,000 characters, all of them in the JSON report" in page


def test_commands_in_a_ticket_are_those_of_the_report() -> None:
    of = report("driver-too-old")
    text = render_markdown(report_view(of))
    for finding in of.roots:
        for fix in finding.fixes:
            for command in fix.commands:
                assert f"\n{command}\n" in text
    assert unescape(text).count("<details>") == text.count("</details>")
