"""A traceback whose last line was not pasted, where another line of the paste tells it; messages without a class; converters."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

_HEADING = "NotImplementedError                       Traceback (most recent call last)"  # a sample of a user's log
_FRAMES = ("<ipython-input-20-3e8455310410> in <module>()", "----> 1 model.save('model')", "")
_SETTINGS = "NotImplementedError: Layer Attention has arguments in `__init__` and therefore must override `get_config`."  # a sample of Keras' message


def _found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def _first(found: Finding) -> str:
    fix = found.fixes[0]
    return " ".join((fix.title, *fix.commands, fix.note))


@pytest.mark.parametrize(
    "lines",
    [
        (_SETTINGS, "", _HEADING, *_FRAMES),
        ("I get this:", _SETTINGS, _HEADING, *_FRAMES),
        (
            _HEADING,
            *_FRAMES[:2],
            "",
            "Cell In[3], line 1",
            "",
            _SETTINGS.replace("Attention", "Own"),
        ),
    ],
)
def test_the_words_of_a_cut_traceback_stand_above_it(lines: tuple[str, ...]) -> None:
    assert "get_config" in f"{_found(*lines).title} {_found(*lines).explanation}"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("OSError: SavedModel file does not exist at: models/brain.h5/{saved_model.pbtxt|saved_model.pb}", "models/brain.h5"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/data/labels.csv'", "/data/labels.csv"),
        ("ValueError: File not found: filepath=best.keras. Please ensure the file is an accessible `.keras` zip file.", "best.keras"),
    ],
)  # fmt: skip
def test_what_a_message_states_is_said_in_a_sentence(line: str, title: str) -> None:
    assert title in _found(line).title


def test_probability_moves_where_tensorflow_is_1() -> None:
    found = _found("ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.3; Detected an installation of version 1.15.2. Please upgrade TensorFlow to proceed.")  # fmt: skip
    assert "tensorflow-probability==0.8" in _first(found)
