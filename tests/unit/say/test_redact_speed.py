"""Redaction takes time in proportion to the text: logs of megabytes pass through it, written by anybody."""

from __future__ import annotations

import re
import time

import pytest

from tests.unit.worst_texts import worst_texts
from tfdoctor.base.expressions import Expression
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import Redactor, Values

ALICE = Identity("alice", "/home/alice", "/home/alice", ("node17.cluster.example.org", "node17"))
pytestmark = pytest.mark.nightly  # measures time

SHORT, LONG = 5_000, 40_000
_MADE = Redactor(ALICE, Values())
RULES = [*_MADE._key_rules, *_MADE._secret_rules, *_MADE._rules]


def expression(index: int) -> re.Pattern[str]:
    pattern = RULES[index].pattern
    return pattern.compiled if isinstance(pattern, Expression) else pattern


def seconds(text: str) -> float:
    redactor = Redactor(ALICE, Values())
    begun = time.perf_counter()
    redactor.hide(text)
    return time.perf_counter() - begun


@pytest.mark.parametrize("index", range(len(RULES)))
def test_eight_times_the_text_takes_not_much_more_than_eight_times_as_long(index: int) -> None:
    made = expression(index)
    texts = list(worst_texts(made.pattern, made.flags, SHORT))
    taken = {text: seconds(text) for text in texts}
    for text in sorted(texts, key=lambda text: -taken[text])[:8]:
        long = text[: SHORT // 2] * (2 * LONG // SHORT)
        assert any(seconds(long) < 24 * seconds(text) + 0.05 for _ in range(3)), text[:80]


def test_a_megabyte_of_a_log_takes_seconds_and_not_minutes() -> None:
    line = "2026-05-01 12:34:56.789012: I tensorflow/core/platform/cpu_feature_guard.cc:210] token=abc at node17\n"
    log = line * (1_000_000 // len(line))
    assert seconds(log) < 20  # 1 s here; a busy machine takes several times as long


@pytest.mark.parametrize(
    "unit", ["a", "password=", "://", "@", "eyJ-", "-----BEGIN PRIVATE KEY-----", "12:", "1.", "/home/", "\\\\", "--token ", "a.b-"]
)  # fmt: skip
def test_a_megabyte_of_the_same_takes_seconds_and_not_minutes(unit: str) -> None:
    assert seconds(unit * (1_000_000 // len(unit))) < 20


def test_a_variable_as_long_as_a_system_allows_is_redacted_at_once() -> None:
    redactor = Redactor(Identity(secrets=("s" * 100_000,)), Values(secrets=["x" * 100_000]))
    begun = time.perf_counter()
    redactor.hide_variable("XLA_FLAGS", "--xla_" * 20_000)
    assert time.perf_counter() - begun < 5
