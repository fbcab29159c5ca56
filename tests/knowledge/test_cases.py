"""Cases of messages: each is reached by samples, the first that applies wins, and what a log says is quoted in commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.logs.judged import judged
from tfdoctor.judge.log import cases
from tfdoctor.knowledge.actions import act
from tools.build import knowledge
from tools.build.idle import idle
from tools.build.knowledge import RULES, Entry, Words, entries
from tools.build.strict_yaml import Fields, SlipError

BY_NAME = {each.name: each for each in entries()}


def without_samples(entry: Entry) -> Entry:
    """Its cases are not reached by samples of their own."""
    cases = []
    for case in entry.cases:
        cases.append(Fields(case.node))
        cases[-1].update({key: each for key, each in case.items() if key != "sample"})
    return replace(entry, cases=tuple(cases))


def test_each_case_has_a_sample_and_each_fix_a_use() -> None:
    assert list(idle(entries())) == []


@pytest.mark.parametrize(
    "name", [each.name for each in BY_NAME.values() if "{{" in f"{each.words.title}{each.words.explanation}" and not each.cases]
)  # fmt: skip
def test_words_of_a_message_without_cases_are_filled_by_its_line(name: str) -> None:
    for sample in BY_NAME[name].samples:
        told = [
            f"{each.finding.title} {each.finding.explanation}"
            for each in judged(f"{sample}\n").diagnoses
        ]
        assert told and not any("{{" in each for each in told)


@pytest.mark.parametrize(
    ("changed", "place", "words"),
    [
        (replace(BY_NAME["docker-gpus-unknown"], samples=("unknown flag: --gpus",)), "causes/", "no sample of docker-gpus-unknown"),
        (without_samples(BY_NAME["rocm-memory-fault"]), "causes/", "no sample of rocm-memory-fault"),
        (replace(BY_NAME["docker-gpus-unknown"], words=Words()), "actions/", "nothing uses {give-gpu: write-gpus-with-equals-sign}"),
    ],
)  # fmt: skip
def test_what_nothing_reaches_is_named_with_its_place(
    changed: Entry, place: str, words: str
) -> None:
    [said] = [each for each in idle((*others(changed.name), changed)) if words in each]
    assert said.startswith(f"data/knowledge/{place}")


def others(name: str) -> tuple[Entry, ...]:
    """Whether samples reach their cases is seen above, and takes seconds."""
    return tuple(replace(each, cases=()) for each in entries() if each.name != name)


def test_each_rule_that_a_case_may_ask_has_its_function() -> None:
    assert set(cases.RULES) == set(RULES)


def test_the_first_case_that_applies_wins() -> None:
    as_one, old = (
        judged(f"unknown flag: --gpus{value}\n").roots[0].finding for value in (" all", "")
    )
    assert as_one.fixes[0] == act("give-gpu", "write-gpus-with-equals-sign")
    assert old.fixes[0] == act("install-software", "update-docker-to-19-03-or-newer")


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
    sources: ['a thread (2026-11)']
    cases:
      - when: {said: [held-by-another], group: {process: '^python'}}
        title: 'Python holds GPU {{gpu}}.'
        fixes: [{end-processes: end-it}]
      - title: '{{process}} holds GPU {{gpu}}.'
"""
FIX = """\
end-it:
  title: 'End {{process}}'
  commands:
    - 'pkill -x {{process}}'
"""
SLIPS = {
    "an unknown condition": ("{said:", "{saids:", "12:16", "no key 'saids' here (said?)"),
    "an unknown message": ("[held-by-another]", "[held-by-others]", "12:23", "no message 'held-by-others'"),
    "an unknown group in when": ("{process: '^python'}", "{proces: '^python'}", "12:49", "no group 'proces' (process?)"),
    "a pattern without a bound in when": ("'^python'", "'^python.*'", "12:49", "without a bound"),
    "a hole that no group fills": ("GPU {{gpu}}.'\n        fixes", "GPU {{card}}.'\n        fixes", "13:16", "`title` asks for {{card}}"),
    "an unknown fix": ("end-it}", "end-its}", "14:17", "no action {end-processes: end-its} (end-it?)"),
    "an unknown fact": ("{said: [held-by-another], ", "{fact: {host.was: known}, ", "12:23", "no fact 'host.was'"),
    "an unknown fact of the log's place": ("{said: [held-by-another], ", "{fact: {surroundings.was: known}, ", "12:23", "no fact"),
    "no span of releases": ("{said: [held-by-another], ", "{releases: old, ", "12:26", "minors of TensorFlow are expected"),
    "a case behind the last": ("      - when: {said: [held-by-another], group: {process: '^python'}}\n        title", "      - title", "14:9", "never reached"),
}  # fmt: skip


def built(folder: Path, text: str, fix: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Entry, ...]:
    (folder / "causes").mkdir(parents=True)
    (folder / "a" / "b" / "actions").mkdir(parents=True)
    (folder / "causes" / "gpu-memory-held.yaml").write_text(text, encoding="utf-8")
    (folder / "a" / "b" / "actions" / "end-processes.yaml").write_text(fix, encoding="utf-8")
    (folder / "sources.yaml").write_text(
        "wheels: 'the published wheels (2026-11)'\n", encoding="utf-8"
    )
    monkeypatch.setattr(knowledge, "FOLDER", folder)
    monkeypatch.setattr(knowledge, "ROOT", folder)
    monkeypatch.setattr(knowledge, "ACTIONS_FOLDER", folder / "a" / "b" / "actions")
    monkeypatch.setattr(knowledge, "_holds_messages", lambda path: path.parent.name == "causes")
    knowledge._actions.cache_clear()
    try:
        return knowledge.read_entries()
    finally:
        knowledge._actions.cache_clear()


def test_two_cases_and_a_fix_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = built(tmp_path, GOOD, FIX, monkeypatch)
    assert [case.get("fixes", ()) for case in entry.words.cases] == [
        (("end-processes", "end-it"),),
        (),
    ]


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_named_with_its_place(
    slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
