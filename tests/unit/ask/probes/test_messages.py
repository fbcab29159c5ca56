"""A child's words: marked lines, noise between them, and five ways to fall silent."""

from __future__ import annotations

import pytest

from tfdoctor.ask.probes.messages import Messages
from tfdoctor.base.child import ChildResult


def messages_of(*chunks: bytes) -> Messages:
    messages = Messages()
    for chunk in chunks:
        messages.take(chunk)
    return messages


def ended(how: str, status: int = -1, stderr: bytes = b"") -> ChildResult:
    return ChildResult(how, status, b"", stderr, 5.04)


def test_lines_come_in_pieces_and_noise_is_left_out() -> None:
    messages = messages_of(
        b"hello\n@tfdoc",
        b'tor {"say": "x", "n": 1}\nnoise @tfdoctor {}\n@tfdoctor {"done": true}\n',
    )
    assert messages.said("x") == [{"say": "x", "n": 1}]
    assert messages.done and messages.nonsense == 0
    assert messages.complaint(ended("exit", 0)) == ""


AT_INIT = b'@tfdoctor {"at": "cuInit"}\n'


@pytest.mark.parametrize(
    ("told", "end", "complaint"),
    [
        (AT_INIT, ended("timeout"), "cuInit did not return within 5 s"),
        (AT_INIT, ended("signal", 11), "cuInit died of SIGSEGV"),
        (
            AT_INIT,
            ended("exit", 7, b"one\nlast\n\n"),
            "cuInit ended the process with status 7: last",
        ),
        (AT_INIT, ended("exit", 0), "cuInit ended the process with status 0"),
        (AT_INIT, ended("not-ended"), "cuInit did not return, and its process can't be ended"),
        (b"", ended("exit", 1), "its start ended the process with status 1"),
    ],
)
def test_who_falls_silent_is_named_with_the_step(
    told: bytes, end: ChildResult, complaint: str
) -> None:
    assert messages_of(told).complaint(end).startswith(complaint)


def test_nonsense_is_named() -> None:
    messages = messages_of(b'@tfdoctor {"at": "cuInit"}\n@tfdoctor {"say":\n@tfdoctor [1]\n')
    assert messages.nonsense == 2
    assert "can't be read" in messages.complaint(ended("exit", 0))


def test_a_crash_after_the_last_word_is_still_a_complaint() -> None:
    messages = messages_of(b'@tfdoctor {"at": "leaving"}\n@tfdoctor {"done": true}\n')
    assert (
        messages.complaint(ended("signal", 6))
        == "the process died of SIGABRT after it had done everything"
    )
    assert "after it had done everything" in messages.complaint(ended("exit", 3))


def test_a_flood_is_bounded() -> None:
    messages = messages_of(*[b"x" * (1 << 20)] * 50, b'\n@tfdoctor {"done": true}\n')
    assert messages.done
    many = messages_of(*[b'@tfdoctor {"say": "x"}\n'] * 6000)
    assert len(many.answers) == 5000
