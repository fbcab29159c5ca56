"""What a Keras object has in another release, or in another Keras: whose side it is, and what is typed or written."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.knowledge.messages.by_release import inside
from tfdoctor.knowledge.messages.expressions import member


def _ended(words: str, *frames: str, before: str = "") -> str:
    lines = [f'  File "{each}", line 7, in work\n    run()' for each in ("train.py", *frames)]
    return "\n".join([before, "Traceback (most recent call last):", *lines, words, ""])


def _packaged(folder: str) -> str:
    return f"/opt/env/lib/python3.10/site-packages/{folder}"


@pytest.mark.parametrize(
    ("words", "frames", "code", "title", "first"),
    [
        ("AttributeError: 'Functional' object has no attribute 'predict_classes'", (), "keras-mismatch", "gone since Keras 2.6", "np.argmax"),
        ("AttributeError: 'Sequential' object has no attribute 'predict_proba'", (), "keras-mismatch", "gone since Keras 2.6", "model.predict(x)"),
        ("AttributeError: 'SGD' object has no attribute '_get_hyper'", (), "keras-mismatch", "gone since Keras 2.11", "optimizers.legacy"),
        ("AttributeError: 'Mine' object has no attribute '_set_hyper'", (), "keras-mismatch", "gone since Keras 2.11", "optimizers.legacy"),
        ("TypeError: TensorFlowTrainer.fit() got an unexpected keyword argument 'use_multiprocessing'", (), "keras-legacy-needed", "gone since Keras 3", "PyDataset"),
        ("TypeError: fit() got an unexpected keyword argument 'nb_epoch'", (), "keras-mismatch", "Keras 1", "epochs"),
        ("AttributeError: 'Sequential' object has no attribute 'output_names'", (_packaged("tf2onnx/convert.py"),), "keras-legacy-needed", "tf2onnx was written", "tf-keras"),
        ("AttributeError: 'Adam' object has no attribute 'get_weights'", (_packaged("proteinbert/x.py"),), "keras-mismatch", "proteinbert was written", "--upgrade PACKAGE"),
    ],
)  # fmt: skip
def test_the_side_and_the_way_are_named(
    words: str, frames: tuple[str, ...], code: str, title: str, first: str
) -> None:
    found = judged(_ended(words, *frames)).roots[0].finding
    assert found.code == code
    assert title in found.title
    assert first in " ".join((*found.fixes[0].commands, found.fixes[0].note))


@pytest.mark.parametrize(
    ("words", "frames"),
    [
        ("AttributeError: 'Adam' object has no attribute '_warned_capturable'", ()),
        ("AttributeError: 'Model' object has no attribute '_meta'", ()),
        ("AttributeError: 'Model' object has no attribute 'of_mine'", ()),
        ("AttributeError: 'dict' object has no attribute 'lr'", ()),
        ("TypeError: fit() got an unexpected keyword argument 'of_mine'", ()),
        ("TypeError: Forest.fit() got an unexpected keyword argument 'workers'", ()),
    ],
)  # fmt: skip
def test_others_objects_are_none_of_kerases(words: str, frames: tuple[str, ...]) -> None:
    assert [each.finding.code for each in judged(_ended(words, *frames)).roots] == [
        "python-exception"
    ]


def test_a_release_that_has_it_is_believed() -> None:
    """TensorFlow 2.15 has workers: whatever refused the argument, it was not its Keras."""
    log = _ended(
        "TypeError: fit() got an unexpected keyword argument 'workers'", before="tensorflow==2.15.0"
    )
    assert judged(log).roots[0].finding.code == "python-exception"


def test_the_table_says_what_the_release_notes_say() -> None:
    """predict_classes went with TensorFlow 2.6, the optimizers' get_weights with 2.11, workers with Keras 3 (their release notes)."""
    for part, name, last in (("sequential", "predict_classes", "2.3"), ("optimizer", "get_weights", "2.10"), ("fit()", "workers", "2.15")):  # fmt: skip
        there = inside("members", part, name)
        assert there is not None
        assert there.last == last
    assert inside("members", "model", "fit") is None  # which each has
    assert member("AttributeError: 'str' object has no attribute 'decode'") is None
