"""Objects that pickle or joblib saved: the module and the name are those of the program that saved them, no package to install."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

_JOBLIB = (
    "Traceback (most recent call last):",
    '  File "load.py", line 1, in <module>',
    '  File "/opt/env/lib/python3.7/site-packages/joblib/numpy_pickle.py", line 598, in load',
    '  File "/opt/env/lib/python3.7/pickle.py", line 1426, in find_class',
)
_PICKLE = (
    "Traceback (most recent call last):",
    '  File "load.py", line 4, in <module>',
    "    model = pickle.load(f)",
)


@pytest.mark.parametrize(
    ("frames", "error", "says", "first"),
    [
        (_JOBLIB, "ModuleNotFoundError: No module named 'utils'", "asks for utils", "the folder that holds utils.py"),
        (_PICKLE, "ModuleNotFoundError: No module named 'keras_tuner.engine.hyperparameters'", "keras_tuner.engine", "the release of keras-tuner"),
        (_PICKLE, "AttributeError: Can't get attribute 'unpack' on <module '__main__' from '/opt/env/bin/gunicorn'>", "asks for unpack", "Give unpack to the program"),
    ],
)  # fmt: skip
def test_what_it_asks_for_is_the_savers(frames: tuple[str, ...], error: str, says: str, first: str) -> None:
    found = judged(log((*frames, error))).roots[0].finding
    assert (found.code, says in found.title, first in found.fixes[0].title) == (
        "python-exception",
        True,
        True,
    )
    assert not any("pip install" in line for fix in found.fixes for line in fix.commands)


def test_a_name_of_an_older_tensorflow_is_loaded_by_that_one() -> None:
    text = log(
        (
            "Python 3.10.12",
            "TensorFlow version: 2.14.0",
            *_PICKLE,
            "ModuleNotFoundError: No module named 'tensorflow.python.training.tracking'",
        )
    )
    found = judged(text).roots[0].finding
    assert [line for line in found.fixes[0].commands if "tensorflow==2.13" in line]


def test_an_import_that_pickles_nothing_is_a_package() -> None:
    text = log(
        (
            "Traceback (most recent call last):",
            '  File "a.py", line 1, in <module>',
            "    import cv2",
            "ModuleNotFoundError: No module named 'cv2'",
        )
    )
    assert "pip install opencv-python" in judged(text).roots[0].finding.fixes[0].commands[0]
