"""What was typed at a program's question is not kept; what a program says is."""

from __future__ import annotations

import pytest

from tfdoctor.ask.recorder.typed import Typed


def kept(keys: bytes, text: bytes) -> bytes:
    typed = Typed()
    for key in keys:
        typed.add(bytes([key]))
    return typed.taken_out(text)


@pytest.mark.parametrize(
    ("keys", "text", "after"),
    [
        (b"hunter2\r", b"Password: hunter2\r\nKilled\r\n", b"Password: (typed)\r\nKilled\r\n"),
        (b"hunter2\n", b"wandb: Paste an API key and hit enter: hunter2\n", b"wandb: Paste an API key and hit enter: (typed)\n"),
        (b"hunted\x7fr2\r", b"key? hunted\x08 \x08r2\r\n", b"key? (typed)\r\n"),
        (b"hunter2", b"key? hunter2", b"key? (typed)"),
        (b"first\rsecond\r", b"a: first\r\nb: second\r\n", b"a: (typed)\r\nb: (typed)\r\n"),
        (b"hunter2\r", b"key? hunter2\r\nno file hunter2\r\n", b"key? (typed)\r\nno file hunter2\r\n"),
    ],
)  # fmt: skip
def test_the_echo_of_an_answer_goes(keys: bytes, text: bytes, after: bytes) -> None:
    assert kept(keys, text) == after


@pytest.mark.parametrize(
    "text",
    [
        b">>> model.fit(x)\r\n",
        b"In [3]: model.fit(x)\r\n",
        b"(Pdb) model.fit(x)\r\n",
        b"$ model.fit(x)\r\n",
    ],
)
def test_a_program_that_is_typed_stays(text: bytes) -> None:
    assert kept(b"model.fit(x)\r", text) == text


def test_a_short_answer_stays() -> None:
    assert kept(b"y\r", b"Proceed? y\r\nready\r\n") == b"Proceed? y\r\nready\r\n"


def test_a_progress_bar_that_goes_back_a_million_times_is_read_at_once() -> None:
    bar = b"1/9 [...]" + b"\x08" * 1_000_000
    assert kept(b"hunter2\r", bar) == bar
