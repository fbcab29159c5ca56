"""Cases of messages: each is reached by samples, the first that applies wins, and what a log says is quoted in commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.every import every
from tests.logs.judged import judged
from tests.scenarios.conftest import bundled
from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log import cases
from tfdoctor.checks.log.cases import case_of
from tfdoctor.checks.log.testimony import testimony as of_the_run
from tfdoctor.findings.fix import fix
from tfdoctor.logs import witness
from tfdoctor.logs.read import read_of
from tfdoctor.logs.transcript import Transcript, default_literals
from tfdoctor.signatures.signature import RULES
from tools import knowledge
from tools.knowledge import Entry, entries
from tools.strict_yaml import SlipError

WITH_CASES = [each for each in entries() if each.words.cases]
Said = tuple[str, tuple[str, ...]]
"""A title and the names of fixes."""


def said(entry: Entry, text: str) -> set[Said]:
    """What the entry's cases say in a log of that text."""
    transcript = Transcript(default_literals(""))
    transcript.feed(f"{text}\n".encode())
    transcript.end()
    facts = witness.testimony([read_of(transcript, "log")])
    told, case = of_the_run(facts), Case(facts, bundled())
    found = (case_of(case, told, each) for each in told.named(entry.name))
    return {(each.title, each.fixes) for each in found if each is not None}


@every(WITH_CASES, lambda each: each.name)
def test_each_case_is_reached_by_a_sample(entry: Entry) -> None:
    by_name = {each.name: each for each in entries()}
    texts = [*entry.samples, *(case["sample"] for case in entry.cases if "sample" in case)]
    others = {other for case in entry.cases for other in case.get("when", {}).get("said", ())}
    texts += [f"{by_name[other].samples[0]}\n{text}" for other in others for text in entry.samples]
    reached = {each for text in texts for each in said(entry, text)}
    wanted = [(case.get("title", entry.words.title), tuple(case.get("fixes", ()))) for case in entry.cases]
    assert [
        (form, fixes)
        for form, fixes in wanted
        if not any(fixes == own and _is_filled(form, title) for title, own in reached)
    ] == []


def test_each_rule_that_a_case_may_ask_has_its_function() -> None:
    assert set(cases.RULES) == set(RULES)


def _is_filled(form: str, title: str) -> bool:
    parts = re.split(r"\{\{[\w.|-]+\}\}", form)
    return re.fullmatch(".+".join(map(re.escape, parts)), title) is not None


def test_the_first_case_that_applies_wins() -> None:
    as_one, old = (judged(f"unknown flag: --gpus{value}\n").roots[0].finding for value in (" all", ""))
    assert as_one.fixes[0] == fix("write-gpus-with-equals-sign")
    assert old.fixes[0] == fix("update-docker-to-19-03-or-newer")


GOOD = """\
code: gpu-memory-held
messages:
  held-by-another:
    anchor: 'is held by'
    pattern: 'GPU (?P<gpu>\\d{1,3}) is held by (?P<process>\\S{1,40})'
    samples:
      - 'GPU 0 is held by python'
    not:
      - 'the lock is held by python'
    cases:
      - when: {said: [held-by-another], group: {process: '^python'}}
        title: 'Python holds GPU {{gpu}}.'
        fixes: [end-it]
      - title: '{{process}} holds GPU {{gpu}}.'
"""
FIX = """\
end-it:
  title: 'End {{process}}'
  commands:
    - 'pkill -x {{process}}'
"""
SLIPS = {
    "an unknown condition": ("{said:", "{saids:", "11:16", "no key 'saids' here (said?)"),
    "an unknown message": ("[held-by-another]", "[held-by-others]", "11:23", "no message 'held-by-others'"),
    "an unknown group in when": ("{process: '^python'}", "{proces: '^python'}", "11:49", "no group 'proces' (process?)"),
    "a pattern without a bound in when": ("'^python'", "'^python.*'", "11:49", "without a bound"),
    "a hole that no group fills": ("GPU {{gpu}}.'\n        fixes", "GPU {{card}}.'\n        fixes", "11:9", "`title` asks for {{card}}"),
    "an unknown fix": ("[end-it]", "[end-its]", "13:17", "no fix 'end-its' (end-it?)"),
    "a case behind the last": ("      - when: {said: [held-by-another], group: {process: '^python'}}\n        title", "      - title", "13:9", "never reached"),
}  # fmt: skip


def built(folder: Path, text: str, fix: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Entry, ...]:
    (folder / "causes").mkdir(parents=True)
    (folder / "a" / "b" / "fixes").mkdir(parents=True)
    (folder / "causes" / "gpu-memory-held.yaml").write_text(text, encoding="utf-8")
    (folder / "a" / "b" / "fixes" / "own.yaml").write_text(fix, encoding="utf-8")
    (folder / "sources.yaml").write_text("wheels: 'the published wheels (2026-11)'\n", encoding="utf-8")
    monkeypatch.setattr(knowledge, "FOLDER", folder)
    monkeypatch.setattr(knowledge, "ROOT", folder)
    monkeypatch.setattr(knowledge, "FIXES_FOLDER", folder / "a" / "b" / "fixes")
    monkeypatch.setattr(knowledge, "_holds_messages", lambda path: path.parent.name == "causes")
    knowledge.fixes.cache_clear()
    try:
        return knowledge.read_entries()
    finally:
        knowledge.fixes.cache_clear()


def test_two_cases_and_a_fix_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = built(tmp_path, GOOD, FIX, monkeypatch)
    assert [case.get("fixes", ()) for case in entry.words.cases] == [("end-it",), ()]


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_with_its_place(slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad, place, words = SLIPS[slip]
    assert good in GOOD
    with pytest.raises(SlipError) as refused:
        built(tmp_path, GOOD.replace(good, bad), FIX, monkeypatch)
    assert str(refused.value).startswith(f"causes/gpu-memory-held.yaml:{place}: ")
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "command", ["pkill -x '{{process}}'", 'pkill -x "{{process}}"', "echo `pkill {{process}}`"]
)
def test_what_a_log_says_stands_outside_of_quotes(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted = FIX.replace("'pkill -x {{process}}'", "'" + command.replace("'", "''") + "'")
    with pytest.raises(SlipError, match="write it outside of them"):
        built(tmp_path, GOOD, quoted, monkeypatch)
