"""What `import tfdoctor` offers in a program and in a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import tfdoctor
from tests.unit.documents import ROOT
from tests.unit.say.reports import MACHINES, NAMES

LOG = "W tensorflow/stream_executor: Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0\n"


def test_a_saved_report_is_loaded_and_shown_in_every_form() -> None:
    report = tfdoctor.load(MACHINES / "two-roots" / "report.json")
    assert report.verdict == "broken"
    assert report.findings[0].code == report.to_dict()["findings"][0]["code"]
    assert report.summary in report.markdown().replace("\\", "")
    assert report.html().startswith("<!DOCTYPE html>")
    assert "broken" in repr(report).lower()


def test_a_comparison_names_what_differs() -> None:
    good, bad = (
        tfdoctor.load(MACHINES / name / "report.json") for name in ("healthy-gpu", "driver-too-old")
    )
    comparison = tfdoctor.diff(good, bad)
    assert not comparison.same
    assert "driver-too-old" in comparison.to_dict()["findings"]["only_b"]
    assert "470.57.02" in comparison._repr_html_()
    assert "470.57.02" in comparison.markdown()
    assert tfdoctor.diff(good, good).same


def test_a_log_is_diagnosed_as_the_command_line_does() -> None:
    told = tfdoctor.diagnose(LOG)
    ran = subprocess.run(
        [sys.executable, "-m", "tfdoctor", "diagnose", "-", "--json"],
        input=LOG.encode(),
        capture_output=True,
    )
    command = json.loads(ran.stdout)
    assert told.verdict == command["verdict"]
    assert told.to_dict()["diagnoses"] == command["diagnoses"]


def test_names_are_hidden_unless_they_are_asked_for() -> None:
    told = tfdoctor.diagnose(
        "alice@lab-42:~$ python /home/alice/train.py\n"
        + LOG
        + 'Traceback (most recent call last):\n  File "/home/alice/train.py", line 1\nValueError: no\n'
    )
    assert "alice" not in json.dumps(
        told.to_dict()
    ) + told.html() + told._repr_html_() + told.markdown() + repr(told)
    assert "alice" in json.dumps(told.to_dict(redact=False))


def test_this_interpreter_is_checked() -> None:
    report = tfdoctor.check(smoke="none", require_gpu=False, timeout=60)
    told = report.to_dict(redact=False)
    assert told["subject"]["python"] == sys.executable
    assert told["smoke"]["requested"] == "none"


@pytest.mark.parametrize(
    "wrong", [{"smoke": "all"}, {"timeout": -1}, {"python": "/nowhere/python"}]
)
def test_wrong_arguments_are_value_errors(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        tfdoctor.check(**wrong)  # type: ignore[arg-type]  # that is what is tried


def test_what_is_no_report_and_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(ValueError, match=r"a\.json: not a tfdoctor report"):
        tfdoctor.load(tmp_path / "a.json")
    with pytest.raises(ValueError, match="text"):
        tfdoctor.diagnose(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="report"):
        tfdoctor.diff("a.json", "b.json")  # type: ignore[arg-type]


class Tags(HTMLParser):
    """The elements with what is open, and every attribute's name."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.roots = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.roots += not self.open
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_a_fragment_can_touch_nothing_outside_of_itself(name: str) -> None:
    """One whole element; no style sheet, class, id, and no script but the one that copies commands."""
    copies = (ROOT / "tfdoctor" / "say" / "templates" / "copy.js").read_text("utf-8")
    tags = Tags()
    tags.feed(
        tfdoctor.load(MACHINES / name / "report.json")
        ._repr_html_()
        .replace(f"<script>{{\n{copies}}}</script>", "")
    )
    assert (tags.roots, tags.open) == (1, [])
    assert not tags.attributes & {"id", "class", "href", "src"}
    assert not [each for each in tags.attributes if each.startswith("on")]
    assert not tags.tags & {"style", "script", "link", "iframe", "img"}


def test_importing_it_brings_nothing_along() -> None:
    told = "import sys; before = set(sys.modules); import tfdoctor; print(sorted(set(sys.modules) - before - {'__future__'}))"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True)
    assert ran.stdout.strip() == "['tfdoctor']"
