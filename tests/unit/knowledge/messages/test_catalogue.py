"""Every signature matches its samples and not what looks alike, costs little, and leads to a code and its page."""

from __future__ import annotations

import ast
import re
import time
from pathlib import Path

import pytest

from tests.every import every
from tfdoctor.knowledge.messages import catalogue
from tfdoctor.knowledge.messages.signature import CAUSE, FACT
from tools.build.knowledge import Entry, entries

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / "tfdoctor"
EVERYTHING = entries()

every_message = every(EVERYTHING, lambda each: each.name)


@every_message
def test_a_log_prefix_changes_nothing(entry: Entry) -> None:
    prefixes = (
        "2024-05-01 10:00:00.123456: E external/local_xla/xla/x.cc:12] ",
        "E0000 00:00:1732000000.123456     123 x.cc:12] ",
        "[1,0]<stderr>:",
        "  ",
    )
    for sample in entry.samples:
        assert [each for each in prefixes if entry.signature.hit(each + sample) is None] == []


_SAYS_ONLY_HOW = {
    "check-failed", "native-crash", "python-exception", "exited-nonzero", "jupyter-kernel-died", "installer-stopped",
    "other-program-failed",
}  # fmt: skip
"""How or in whom a program ended, which a line may say beside why; these are causes only where nothing else explains the end."""


_YIELDS = {
    entry.name
    for entry in EVERYTHING
    if entry.words.cases and all(case.get("when", {}).get("alone") for case in entry.words.cases)
}
"""Messages that mean something only where nothing else tells a cause."""


def test_a_sample_is_no_other_codes() -> None:
    """A text that can mean two things says so in `rivals`."""
    wrong = [
        f"{signature.name}: {sample!r} is also {hit.signature.name} ({hit.signature.code})"
        for entry in EVERYTHING
        for signature in (entry.signature,)
        if signature.role == CAUSE and signature.code not in _SAYS_ONLY_HOW
        for sample in entry.samples
        for hit in catalogue.read(sample)
        if hit.signature.role == CAUSE
        and hit.signature.name not in _YIELDS
        and hit.signature.code not in (signature.code, *_SAYS_ONLY_HOW)
        and hit.signature.code not in signature.rivals
        and signature.code not in hit.signature.rivals
    ]
    assert wrong == []


MEGABYTE = 1_000_000


@pytest.mark.nightly  # measures time
@pytest.mark.parametrize("entry", EVERYTHING, ids=lambda each: each.name)
def test_a_hostile_megabyte_costs_no_more_than_its_length(entry: Entry) -> None:
    """The worst that its own text allows: a sample cut after each of its words, and its anchor, over and over."""
    sample = max(entry.samples, key=len)
    cuts = {
        entry.signature.anchor,
        sample[:-1],
        *(sample[: found.end()] for found in re.finditer(r"\W", sample)),
    }
    pieces = [
        *sorted(cuts, key=len)[:: max(1, len(cuts) // 4)],
        *(entry.signature.anchor + each for each in "a /_1'"),
    ]
    texts = [(piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE] for piece in pieces]
    run = "x" * MEGABYTE
    for text in (
        *texts,
        run + sample,
        entry.signature.anchor + run,
        f"{run} {entry.signature.anchor} {run}",
    ):
        began = time.process_time()
        entry.signature.hit(text)
        assert time.process_time() - began < 0.5, text[:200]


@every_message
def test_it_is_found_at_the_end_of_a_line_without_end(entry: Entry) -> None:
    """Messages stick to progress bars, which rewrite their line with carriage returns."""
    bar = "\r 12/313 [>.............................] - ETA: 5s - loss: 0.5 " * 1000
    assert [each for each in entry.samples if entry.signature.hit(bar + "\r" + each) is None] == []


def test_asking_by_code_and_by_name() -> None:
    assert {each.code for each in catalogue.of_code("numpy-abi-mismatch")} == {"numpy-abi-mismatch"}
    assert catalogue.of_code("success") == ()
    assert catalogue.named("traceback").role == FACT
    with pytest.raises(KeyError):
        catalogue.chosen("no-such-name")
    assert {each for found in catalogue.anchors().values() for each in found} == {
        *catalogue.everything()
    }


_ASKING = ("said", "each_said", "words", "first", "first_of", "_failed_with")


def _checks() -> list[tuple[str, ast.Module]]:
    folder = PACKAGE / "judge"
    return [
        (file.relative_to(folder).as_posix(), ast.parse(file.read_text(encoding="utf-8")))
        for file in sorted(folder.rglob("*.py"))
    ]


def test_what_checks_ask_for_is_in_the_catalogue() -> None:
    asked = {
        (name, each.value)
        for name, tree in _checks()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _ASKING
        for each in node.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    assert asked
    for _, wanted in sorted(asked):
        assert catalogue.chosen(wanted)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("glibc-version", "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version GLIBC_2.27' not found (required by /opt/env/lib/python3.10/site-packages/x.so)"),
        ("numpy-2-name", "AttributeError: np.complex_ was removed in the NumPy 2.0 release. Use np.complex128 instead."),
        ("keras-session-refused", "RuntimeError: get_session is not available when using TensorFlow 2.0."),
    ],
)  # fmt: skip
def test_a_message_that_lost_its_backticks_on_a_web_page_is_the_same(name: str, line: str) -> None:
    assert name in {hit.signature.name for hit in catalogue.read(line)}


def test_what_ends_at_a_backtick_is_not_told_without_it() -> None:
    assert "package-asked-for" not in {
        hit.signature.name for hit in catalogue.read("You need to have CUDA installed.")
    }
