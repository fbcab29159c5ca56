"""Sentences of people's that TensorFlow does not use their GPU, and lines of programs that are none."""

from __future__ import annotations

import pytest

from tfdoctor.ask.logs.machine.complaints import complaint, has_one
from tfdoctor.ask.logs.machine.line_index import LineIndex
from tfdoctor.base.records import record


@record
class _Line:
    number: int
    text: str


def _held(*texts: str) -> LineIndex[_Line]:
    return LineIndex(
        [_Line(at, text) for at, text in enumerate(("I use TensorFlow 2.9", *texts), start=1)]
    )


COMPLAINTS = (
    "I followed the guide but the GPU could not be found.",
    "and tf cannot recognize the gpu on this laptop",
    "My training does not use the GPU, only the processor.",
    "having trouble getting the gpu recognized by it",
    "keras runs on the cpu instead of the GPU, why",
    "it installs a package which makes it impossible for me to use gpu",
    "my graphics card is not detected by tensorflow at all",
)


@pytest.mark.parametrize("text", COMPLAINTS)
def test_a_sentence_says_so(text: str) -> None:
    assert complaint(_held(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 10:00:00.1: I tensorflow/core/x.cc:1] GPU could not be found on this machine here",
        "RuntimeError: the GPU could not be used by this program at all",
        "if not gpus: print('no GPU was found on this machine')",
        "The GPU is detected and training uses it as it should",
        "No GPU found",
    ],
)
def test_a_line_of_a_program_does_not(text: str) -> None:
    assert complaint(_held(text)) == 0


def test_a_text_about_something_else_says_nothing_of_tensorflow() -> None:
    held = LineIndex([_Line(1, "My game does not use the GPU of this laptop")])
    assert complaint(held) == 0


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("Of course I have a GPU in this computer", True),
        ("it is a laptop with an nvidia GPU and 16 GB", True),
        ("my nvidia graphics card is a new one", True),
        ("Please have a look at this", False),
        ("I don't have a GPU, can I ignore this?", False),
        ("it is a laptop with no dedicated GPU in it", False),
    ],
)
def test_somebody_says_that_there_is_one(text: str, has: bool) -> None:
    assert has_one(_held(text)) is has
