"""Every signature matches its samples and not what looks alike, costs little, and leads to a code and its page."""

from __future__ import annotations

import ast
import linecache
import re
import time
from pathlib import Path

import pytest

from tests.every import every
from tfdoctor.findings.catalog import CODES
from tfdoctor.signatures import catalogue
from tfdoctor.signatures.signature import (
    CAUSE,
    FACT,
    GROUPS,
    NOISE,
    ROLES,
    SPEAKERS,
    SUCCESS,
    Signature,
    compiled,
)

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "tfdoctor"
EVERYTHING = catalogue.everything()

every_signature = every(EVERYTHING, lambda each: each.name)


def test_names_are_unique_and_no_codes() -> None:
    names = [each.name for each in EVERYTHING]
    assert len(names) == len(set(names))
    assert not set(names) & set(CODES)


@every_signature
def test_samples_match_and_near_misses_do_not(signature: Signature) -> None:
    assert signature.samples
    assert [each for each in signature.samples if signature.hit(each) is None] == []
    assert signature.near
    assert [each for each in signature.near if signature.hit(each)] == []


@every_signature
def test_the_anchor_is_long_enough_to_be_rare(signature: Signature) -> None:
    """A search of gigabytes for anchors alone then leaves few lines to look at."""
    assert min(len(anchor.encode()) for anchor in signature.anchors) >= 4
    assert all(any(anchor in sample for anchor in signature.anchors) for sample in signature.samples)


@every_signature
def test_a_log_prefix_changes_nothing(signature: Signature) -> None:
    prefixes = (
        "2024-05-01 10:00:00.123456: E external/local_xla/xla/x.cc:12] ",
        "E0000 00:00:1732000000.123456     123 x.cc:12] ",
        "[1,0]<stderr>:",
        "  ",
    )
    for sample in signature.samples:
        assert [each for each in prefixes if signature.hit(each + sample) is None] == []


@every_signature
def test_its_words_come_from_the_vocabulary(signature: Signature) -> None:
    assert signature.role in ROLES
    assert signature.speaker in SPEAKERS
    assert signature.sure in ("certain", "likely", "possible")
    assert set(compiled(signature.form).groupindex) <= set(GROUPS)
    assert (signature.code in CODES) is (signature.role not in (SUCCESS, FACT))
    assert signature.code in CODES or signature.code == ""
    assert {*signature.rivals, *signature.clears} <= set(CODES)
    assert signature.code not in signature.rivals
    assert bool(signature.why) is (signature.role == NOISE)
    assert bool(signature.clears) <= (signature.role == SUCCESS)


_SAYS_ONLY_HOW = {"check-failed", "native-crash", "python-exception", "exited-nonzero", "jupyter-kernel-died"}
"""How a program ended, which a line may say beside why; these are causes only where nothing else explains the end."""


def test_a_sample_is_no_other_codes() -> None:
    """A text that can mean two things says so in `rivals`."""
    wrong = [
        f"{signature.name}: {sample!r} is also {hit.signature.name} ({hit.signature.code})"
        for signature in EVERYTHING
        if signature.role == CAUSE and signature.code not in _SAYS_ONLY_HOW
        for sample in signature.samples
        for hit in catalogue.read(sample)
        if hit.signature.role == CAUSE
        and hit.signature.code not in (signature.code, *_SAYS_ONLY_HOW)
        and hit.signature.code not in signature.rivals
        and signature.code not in hit.signature.rivals
    ]
    assert wrong == []


_SOURCE = re.compile(r".+ \(\d{4}(?:-\d{2}(?:-\d{2})?)?\)$")


@every_signature
def test_sources_have_their_date(signature: Signature) -> None:
    assert [each for each in signature.sources if not _SOURCE.match(each)] == []
    assert len(signature.sources) == len(set(signature.sources))


@every_signature
def test_a_form_is_simple_enough_for_any_engine(signature: Signature) -> None:
    """No unbounded repeat, no look-around, no back-reference: linear in Python's engine and fit for others."""
    assert not re.search(r"\(\?(?:[=!<](?!P)[=!]?|P=)", re.sub(r"\(\?P<\w+>", "(", signature.form))
    assert not re.search(r"\\[1-9]", signature.form)
    without_sets = re.sub(r"\[(?:\\.|[^\]\\])*\]", "S", re.sub(r"\\.", "E", signature.form))
    assert not re.search(r"[*+]|\{\d*,\}", without_sets), "a repeat without a bound"


MEGABYTE = 1_000_000


@pytest.mark.nightly  # measures time
@pytest.mark.parametrize("signature", EVERYTHING, ids=lambda each: each.name)
def test_a_hostile_megabyte_costs_no_more_than_its_length(signature: Signature) -> None:
    """The worst that its own text allows: a sample cut after each of its words, and its anchor, over and over."""
    sample = max(signature.samples, key=len)
    cuts = {signature.anchor, sample[:-1], *(sample[: found.end()] for found in re.finditer(r"\W", sample))}
    pieces = [
        *sorted(cuts, key=len)[:: max(1, len(cuts) // 4)],
        *(signature.anchor + each for each in "a /_1'"),
    ]
    texts = [(piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE] for piece in pieces]
    run = "x" * MEGABYTE
    for text in (*texts, run + sample, signature.anchor + run, f"{run} {signature.anchor} {run}"):
        began = time.process_time()
        signature.hit(text)
        assert time.process_time() - began < 0.5, text[:200]


@every_signature
def test_it_is_found_at_the_end_of_a_line_without_end(signature: Signature) -> None:
    """Messages stick to progress bars, which rewrite their line with carriage returns."""
    bar = "\r 12/313 [>.............................] - ETA: 5s - loss: 0.5 " * 1000
    assert [each for each in signature.samples if signature.hit(bar + "\r" + each) is None] == []


def test_each_code_with_a_text_has_a_page() -> None:
    coded = {each.code for each in EVERYTHING if each.code}
    assert [code for code in sorted(coded) if not (ROOT / "docs" / "codes" / f"{code}.md").exists()] == []


def test_asking_by_code_and_by_name() -> None:
    assert {each.code for each in catalogue.of_code("numpy-abi-mismatch")} == {"numpy-abi-mismatch"}
    assert catalogue.of_code("success") == ()
    assert catalogue.named("traceback").role == FACT
    with pytest.raises(KeyError):
        catalogue.chosen("no-such-name")
    assert {each for found in catalogue.anchors().values() for each in found} == set(EVERYTHING)


_ASKING = ("said", "each_said", "words", "first", "first_of", "_failed_with")
_READS_NO_LOG = "# reads no log: "
"""On the line of an import of re or Expression in checks/, before what is read by it: none of them reads what a program said."""


def _checks() -> list[tuple[str, ast.Module]]:
    folder = PACKAGE / "checks"
    return [
        (file.relative_to(folder).as_posix(), ast.parse(file.read_text(encoding="utf-8")))
        for file in sorted(folder.rglob("*.py"))
    ]


def test_no_pattern_of_a_programs_words_is_left_in_checks() -> None:
    unsaid = {
        f"tfdoctor/checks/{name}:{node.lineno}"
        for name, tree in _checks()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Import) and any(each.name == "re" for each in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "tfdoctor.light.expressions")
        if not any(
            _READS_NO_LOG in linecache.getline(str(PACKAGE / "checks" / name), each)
            for each in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        )
    }
    assert not unsaid, (
        "a check reads no program's words by itself: put them into tfdoctor/signatures/ and ask by words(); a file that reads "
        f"something else by an expression says what, on the line of the import: {_READS_NO_LOG}names of libraries. Here: {', '.join(sorted(unsaid))}"
    )


def test_what_checks_ask_for_is_in_the_catalogue() -> None:
    asked = {
        (name, each.value)
        for name, tree in _checks()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASKING
        for each in node.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    assert asked
    for _, wanted in sorted(asked):
        assert catalogue.chosen(wanted)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("no-way-back-to-weights", "ValueError: An operation has None for gradient."),
        ("class-without-settings", "NotImplementedError: Layers with arguments in __init__ must override get_config."),  # a sample of Keras' message
        ("decision-in-a-graph", "OperatorNotAllowedInGraphError: using a tf.Tensor as a Python bool is not allowed"),
        ("lambda-layer-not-trusted", "ValueError: Requested the deserialization of a Lambda layer with a Python lambda inside it."),
        ("generator-gave-another", "TypeError: generator yielded an element of shape (2,) where an element of shape (3,) was expected."),
    ],
)  # fmt: skip
def test_a_message_that_lost_its_backticks_on_a_web_page_is_the_same(name: str, line: str) -> None:
    assert name in {hit.signature.name for hit in catalogue.read(line)}


def test_what_ends_at_a_backtick_is_not_told_without_it() -> None:
    assert "package-asked-for" not in {
        hit.signature.name for hit in catalogue.read("You need to have CUDA installed.")
    }
