"""A child's words: marked lines, noise between them, and five ways to fall silent."""

from __future__ import annotations

from tfdoctor.probes.messages import Messages
from tfdoctor.system.child import ChildResult


def messages_of(*chunks: bytes) -> Messages:
    messages = Messages()
    for chunk in chunks:
        messages.take(chunk)
    return messages


def ended(how: str, status: int = -1, stderr: bytes = b"") -> ChildResult:
    return ChildResult(how, status, b"", stderr, 5.04)


def test_lines_come_in_pieces_and_noise_is_left_out() -> None:
    messages = messages_of(
        b"hello\n@tfdoc", b'tor {"say": "x", "n": 1}\nnoise @tfdoctor {}\n@tfdoctor {"done": true}\n'
    )
    assert messages.said("x") == [{"say": "x", "n": 1}]
    assert messages.done and messages.nonsense == 0
    assert messages.complaint(ended("exit", 0)) == ""


def test_a_time_out_names_the_step() -> None:
    assert (
        messages_of(b'@tfdoctor {"at": "cuInit"}\n').complaint(ended("timeout"))
        == "cuInit did not return within 5 s"
    )


def test_a_signal_names_the_step() -> None:
    assert (
        messages_of(b'@tfdoctor {"at": "cuInit"}\n').complaint(ended("signal", 11))
        == "cuInit died of SIGSEGV"
    )


def test_an_early_exit_names_the_step_and_the_last_words() -> None:
    messages = messages_of(b'@tfdoctor {"at": "cuInit"}\n')
    assert (
        messages.complaint(ended("exit", 7, b"one\nlast\n\n"))
        == "cuInit ended the process with status 7: last"
    )


def test_an_exit_with_status_0_before_the_end_is_no_success() -> None:
    assert "status 0" in messages_of(b'@tfdoctor {"at": "cuInit"}\n').complaint(ended("exit", 0))


def test_silence_is_named() -> None:
    assert messages_of().complaint(ended("exit", 1)) == "its start ended the process with status 1"


def test_nonsense_is_named() -> None:
    messages = messages_of(b'@tfdoctor {"at": "cuInit"}\n@tfdoctor {"say":\n@tfdoctor [1]\n')
    assert messages.nonsense == 2
    assert "can't be read" in messages.complaint(ended("exit", 0))


def test_a_child_that_can_not_be_ended_is_named() -> None:
    assert "can't be ended" in messages_of(b'@tfdoctor {"at": "cuInit"}\n').complaint(ended("not-ended"))


def test_a_crash_after_the_last_word_is_still_a_complaint() -> None:
    messages = messages_of(b'@tfdoctor {"at": "leaving"}\n@tfdoctor {"done": true}\n')
    assert (
        messages.complaint(ended("signal", 6)) == "the process died of SIGABRT after it had done everything"
    )
    assert "after it had done everything" in messages.complaint(ended("exit", 3))


def test_a_flood_is_bounded() -> None:
    messages = messages_of(*[b"x" * (1 << 20)] * 50, b'\n@tfdoctor {"done": true}\n')
    assert messages.done
    many = messages_of(*[b'@tfdoctor {"say": "x"}\n'] * 6000)
    assert len(many.answers) == 5000
