"""A death as a notebook shows it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tfdoctor.base.records import names, replace
from tfdoctor.facts.death import CommandEnd, Death
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.report.death import RunReport, judge_run
from tfdoctor.say.pages import render_fragment
from tfdoctor.say.run_view import card_line, card_view
from tfdoctor.say.terminal import render_card_text
from tfdoctor.say.view import Advice, View

NONE = Absent("none")


def death(how: str, status: int, said: tuple[str, ...] = ()) -> RunReport:
    end = CommandEnd(
        how, status, False, 12, "python3", 3.2, Failed("not told", "missing"), "kernel"
    )
    watched = replace(
        Death(), end=Known(end, "wait(2)"), said=Known(said, "stderr") if said else NONE
    )
    nothing = {name: NONE for name in names(Death()) if name not in ("end", "said")}
    facts = replace(Facts(), death=replace(watched, **nothing))
    return judge_run(
        facts, load_in_force(), command=("python3",), status=1, samples=(), interval_s=1.0
    )


def text(report: RunReport, where: str) -> str:
    return render_card_text(card_view(report, where))


def html(report: RunReport, where: str) -> str:
    return render_fragment(card_view(report, where))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_crash_is_told_as_the_kernels() -> None:
    report = death("signal", 11)
    assert card_line(report) == "died of SIGSEGV after 3.2 s: native-crash"
    words = text(report, "/home/u/kernel.json")
    assert words.startswith("✗ tfdoctor: the notebook kernel was ended by SIGSEGV after 3.2 s: ")
    assert "/home/u/kernel.json" in words
    assert max(map(len, words.splitlines()[1:])) <= 88


def test_why_there_is_no_report_is_said() -> None:
    words = text(death("exit", 3), "the report could not be written to /x: Permission denied")
    assert (
        "There is no report: the report could not be written to /x: Permission denied."
        in " ".join(words.split())
    )


def test_nothing_of_the_kernels_text_is_markup() -> None:
    hostile = (
        "Traceback (most recent call last)",
        "ValueError: <script>alert(1)</script><img src=x onerror=y> \x1b[31m&",
    )
    page = html(death("exit", 1, hostile), "/home/<b>/x.json")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.seen <= {"div", "p", "b", "ul", "li", "code", "pre", "details", "summary", "br"}
    assert "<script" not in page and "\x1b" not in page and "onerror" in page


def test_the_frame_is_the_crashed_threads_own() -> None:
    said = (
        "Fatal Python error: Segmentation fault",
        "Thread 0x00007fd4d3e806c0 (most recent call first):",
        '  File "/usr/lib/python3.11/selectors.py", line 468 in select',
        "Current thread 0x00007fd4d7656b80 (most recent call first):",
        '  File "/home/u/model.py", line 12 in train',
    )
    assert "train (/home/u/model.py:12)" in text(death("signal", 11, said), "/r.json")


def test_a_kill_without_a_cause_is_told_as_its_code_is_called() -> None:
    words = " ".join(text(death("signal", 9), "/r.json").split())
    assert "after 3.2 s: a user or another program may have killed the kernel Fix" in words
    assert "killed-by-user" in words and "nothing shows who" not in words.lower()


def test_a_click_selects_all_lines_of_a_fix_that_can_be_typed() -> None:
    [block] = re.findall(
        r"user-select:all\" data-copy>([^<]*)</pre>", html(death("signal", 9), "/r.json")
    )
    assert [each.split()[0] for each in block.splitlines()] == ["last", "journalctl", "sudo"]
    to_fill_in = render_fragment(
        View("", "", "broken", "", (), "", fix=Advice("End it", ("kill PID",)))
    )
    assert (
        "kill PID" in to_fill_in and "user-select" not in to_fill_in and "<script" not in to_fill_in
    )
