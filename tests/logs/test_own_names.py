"""A name or a package that is missing: of TensorFlow 1, of every TensorFlow, of its own needs; and what pip says of ranges."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.messages.by_release import is_old

_OWN = ("Traceback (most recent call last):", '  File "/home/u/train.py", line 3, in <module>')
_INSIDE = (
    *_OWN,
    '  File "/opt/env/lib/python3.8/site-packages/tensorflow/python/util/lazy_loader.py", line 45, in _load',
)
_RANGE = "tensorflow 2.13.0 requires numpy<=1.24.3,>=1.22, but you have numpy 2.0.1 which is incompatible."


@pytest.mark.parametrize(
    "error",
    [
        "AttributeError: module 'tensorflow' has no attribute 'Session'",
        "AttributeError: module 'tensorflow._api.v2.train' has no attribute 'AdamOptimizer'",
        "ModuleNotFoundError: No module named 'tensorflow.contrib'",
        "ModuleNotFoundError: No module named 'tensorflow.examples'",
        "ImportError: cannot import name 'ConfigProto' from 'tensorflow' (/opt/env/lib/python3.8/site-packages/tensorflow/__init__.py)",
    ],
)
def test_a_name_of_tensorflow_1_is_the_programs_matter(error: str) -> None:
    found = judged(log((*_OWN, error))).roots[0].finding
    assert (found.code, "TensorFlow 1" in found.title or "only in 1.15 and older" in found.title) == ("python-exception", True)  # fmt: skip


@pytest.mark.parametrize("name", ["__version__", "constant", "compat"])
def test_without_a_name_of_every_release_it_is_damaged(name: str) -> None:
    assert (
        root(judged(log((*_OWN, f"AttributeError: module 'tensorflow' has no attribute '{name}'"))))
        == "tensorflow-install-broken"
    )


def test_a_misspelled_name_is_the_programs_matter() -> None:
    assert (
        root(
            judged(
                log((*_OWN, "AttributeError: module 'tensorflow' has no attribute 'reduce_maen'"))
            )
        )
        == "python-exception"
    )


def test_a_package_that_asks_for_tensorflow_1_is_named() -> None:
    frame = '  File "/opt/env/lib/python3.8/site-packages/tflearn/config.py", line 5, in <module>'
    found = (
        judged(log((*_OWN, frame, "ModuleNotFoundError: No module named 'tensorflow.contrib'")))
        .roots[0]
        .finding
    )
    assert (found.code, "tflearn" in found.title) == ("package-import-failed", True)


def test_no_name_is_of_one_and_of_every_release() -> None:
    assert not [name for name in table("every") if is_old("", name)]


@pytest.mark.parametrize(
    ("module", "name", "old"),
    [
        ("", "Session", True),
        ("", "CXX_VERSION", True),
        ("", "gfile", True),
        ("", "LazyLoader", False),
        ("", "reduce_maen", False),
        ("train", "AdamOptimizer", True),
        ("train", "Checkpoint", False),
        ("losses", "huber_loss", True),
        ("test", "mock", True),
        ("contrib.slim", "conv2d", True),
        ("lookup", "Session", False),
    ],
)
def test_names_that_only_tensorflow_1_has(module: str, name: str, old: bool) -> None:
    assert is_old(module, name) is old


@pytest.mark.parametrize(("module", "package"), [("keras", "keras"), ("absl", "absl-py")])
def test_what_tensorflow_itself_misses_is_named(module: str, package: str) -> None:
    found = (
        judged(log((*_INSIDE, f"ModuleNotFoundError: No module named '{module}'"))).roots[0].finding
    )
    assert (found.code, package in found.title) == ("dependency-mismatch", True)


def test_the_keras_of_a_known_release() -> None:
    text = log(
        ("TensorFlow version: 2.6.0", *_INSIDE, "ModuleNotFoundError: No module named 'keras'")
    )
    assert 'keras==2.6.*"' in judged(text).roots[0].finding.fixes[0].commands[0]


def test_a_part_of_keras_that_is_missing_is_another_keras() -> None:
    assert (
        root(judged(log((*_INSIDE, "ModuleNotFoundError: No module named 'keras.api._v2'"))))
        == "keras-mismatch"
    )


def test_pips_range_is_what_is_typed() -> None:
    found = judged(log((_RANGE, "Successfully installed numpy-2.0.1"))).roots[0].finding
    assert (found.code, '"numpy>=1.22,<=1.24.3"' in found.fixes[0].commands[0]) == (
        "dependency-mismatch",
        True,
    )


def test_pips_line_is_no_cause_of_a_programs_own_error() -> None:
    assert (
        root(judged(log((_RANGE, *_OWN, "NameError: name 'foo' is not defined"))))
        == "python-exception"
    )


def test_a_conflict_of_others_is_not_tensorflows() -> None:
    line = "google-colab 1.0.0 requires pandas==1.5.3, but you have pandas 2.0.0 which is incompatible."
    assert judged(log((line, "Successfully installed pandas-2.0.0"))).roots == ()
