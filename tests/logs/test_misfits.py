"""A package asks TensorFlow or Keras for a name that it lacks: which side has to move, and the command that moves it."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.knowledge.messages.by_release import asked, times


def traceback(
    python: str, frames: tuple[str, ...], words: str, source: str, folder: str = "/opt/env"
) -> str:
    lines = [
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in <module>',
        f"    {source}",
    ]
    for number, frame in enumerate(frames):
        last = number == len(frames) - 1
        lines += [f'  File "{folder}/lib/python{python}/site-packages/{frame}", line 12, in <module>', f"    {source if last else 'from . import x'}"]  # fmt: skip
    return "\n".join([*lines, words, ""])


KERAS_TOO_NEW = traceback("3.8", ("keras/__init__.py", "keras/dtensor/lazy_variable.py"), "ModuleNotFoundError: No module named 'tensorflow.python.trackable'", "from tensorflow.python.trackable import base")  # fmt: skip
ADDONS_TOO_NEW = traceback("3.6", ("tensorflow_addons/utils/types.py",), "ImportError: cannot import name 'keras_tensor'", "from tensorflow.python.keras.engine import keras_tensor", "/opt/envs/tf210")  # fmt: skip
HUB_TOO_NEW = traceback("3.9", ("keras_hub/src/converters.py",), "ImportError: cannot import name 'ops' from 'keras' (/opt/env/lib/python3.9/site-packages/keras/__init__.py)", "from keras import ops")  # fmt: skip
MODELS_TOO_NEW = traceback("3.7", ("official/nlp/attention.py",), "AttributeError: module 'tensorflow.keras.layers' has no attribute 'MultiHeadAttention'", "class A(tf.keras.layers.MultiHeadAttention):")  # fmt: skip
UNKNOWN_TOO_NEW = traceback("3.10", ("some_pkg/x.py",), "ImportError: cannot import name 'tensor' from 'tensorflow.python.framework' (/opt/x/__init__.py)", "from tensorflow.python.framework import tensor")  # fmt: skip
TOO_OLD = traceback("3.11", ("some_pkg/x.py",), "ModuleNotFoundError: No module named 'tensorflow.python.training.tracking'", "from tensorflow.python.training.tracking import base")  # fmt: skip
OWN_PRIVATE = traceback("3.10", (), "ModuleNotFoundError: No module named 'tensorflow.python.keras.preprocessing'", "from tensorflow.python.keras.preprocessing import image")  # fmt: skip
OWN_WRAPPER = traceback("3.10", (), "ModuleNotFoundError: No module named 'tensorflow.keras.wrappers'", "from tensorflow.keras.wrappers.scikit_learn import KerasClassifier")  # fmt: skip
OWN_ADAM = traceback("3.8", (), "ImportError: cannot import name 'Adam' from 'keras.optimizers' (/opt/env/lib/python3.8/site-packages/keras/optimizers.py)", "from keras.optimizers import Adam")  # fmt: skip
SLIM = traceback("3.8", (), "ModuleNotFoundError: No module named 'tensorflow.contrib'", "from tensorflow.contrib.slim import nets")  # fmt: skip
CONTRIB = "ModuleNotFoundError: No module named 'tensorflow.contrib'\n"


@pytest.mark.parametrize(
    ("log", "code", "says", "first"),
    [
        (KERAS_TOO_NEW, "keras-mismatch", "keras is too new for TensorFlow", '"keras==$('),
        (ADDONS_TOO_NEW, "package-import-failed", "tensorflow-addons is too new", '"tensorflow-addons==0.9.*"'),
        (HUB_TOO_NEW, "keras-mismatch", "keras-hub is too new for Keras", "tensorflow==2.20.0"),
        (MODELS_TOO_NEW, "keras-mismatch", "which TensorFlow has only in 2.4 and newer", '"tf-models-official==2.3.*"'),
        (UNKNOWN_TOO_NEW, "package-import-failed", "some-pkg is too new", "tensorflow-2.21"),
        (TOO_OLD, "package-import-failed", "some-pkg is too old", "install --upgrade PACKAGE"),
        (OWN_PRIVATE, "python-exception", "only in 2.7 and older", "from tensorflow.keras.preprocessing import image"),
        (OWN_WRAPPER, "keras-mismatch", "only in 2.12 and older", "pip install scikeras"),
        (OWN_ADAM, "keras-mismatch", "keras.optimizers.Adam", "from tensorflow.keras.optimizers import Adam"),
        (SLIM, "python-exception", "tensorflow.contrib", "pip install tf-slim"),
        (CONTRIB, "python-exception", "only in 1.15 and older", "uv venv --python 3.7"),
    ],
)  # fmt: skip
def test_the_side_that_has_to_move_is_named(log: str, code: str, says: str, first: str) -> None:
    found = judged(log).roots[0].finding
    assert found.code == code
    assert says in found.title
    assert first in " ".join((*found.fixes[0].commands, found.fixes[0].note))


@pytest.mark.parametrize("release", ["2.4.1", "2.9.1", "2.15.0", "2.21.0"])
def test_what_every_release_has_is_missing_from_a_damaged_one_alone(release: str) -> None:
    log = f"tensorflow=={release}\nModuleNotFoundError: No module named 'tensorflow.python.framework'\n"
    assert judged(log).roots[0].finding.code == "tensorflow-install-broken"


def test_the_release_that_the_log_names_decides_the_pin() -> None:
    first = judged(f"tensorflow==2.9.1\n{KERAS_TOO_NEW}").roots[0].finding.fixes[0]
    assert first.commands == ('python -m pip install "keras==2.9.*"',)


def test_a_name_that_the_named_release_has_is_no_misfit() -> None:
    found = judged(f"tensorflow==2.12.0\n{KERAS_TOO_NEW}").roots[0].finding
    assert "too new" not in found.title


@pytest.mark.parametrize(
    ("module", "name", "since", "last"),
    [
        ("tensorflow.__internal__", "tf2", "2.5", "2.21"),
        ("tensorflow.python.trackable", "", "2.10", "2.21"),
        ("tensorflow.python.keras.preprocessing", "", "1.15", "2.7"),
        ("keras", "ops", "3.0", "3.12"),
        ("keras.src", "", "2.13", "3.12"),
        ("keras.engine", "", "2.2", "2.12"),
        ("tensorflow", "estimator", "1.15", "2.15"),
        ("tensorflow.contrib.slim", "", "1.15", "1.15"),
    ],
)
def test_the_tables_know_when_a_name_was_there(
    module: str, name: str, since: str, last: str
) -> None:
    found = times(module, name)
    assert found is not None
    assert (found.since, found.last) == (since, last)


def test_a_name_of_no_release_is_not_known() -> None:
    assert times("tensorflow.no_such_module") is None
    assert times("tensorflow.keras", "no_such_name") is None
    assert times("numpy", "ndarray") is None


@pytest.mark.parametrize(
    ("words", "source", "wanted"),
    [
        ("ImportError: cannot import name 'keras_tensor'", "from tensorflow.python.keras.engine import keras_tensor", ("tensorflow.python.keras.engine", "keras_tensor")),
        ("AttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'tf2'", "", ("tensorflow.__internal__", "tf2")),
        ("ModuleNotFoundError: No module named 'keras.src'", "from keras.src.engine import keras_tensor", ("keras.src.engine", "")),
        ("AttributeError: module 'keras.api._v2.keras.layers' has no attribute 'Foo'", "", ("tensorflow.keras.layers", "Foo")),
        ("ModuleNotFoundError: No module named 'tensorflow.contrib'; 'tensorflow' is not a package", "", ("tensorflow.contrib", "")),
    ],
)  # fmt: skip
def test_what_was_asked_for(words: str, source: str, wanted: tuple[str, str]) -> None:
    assert asked(words, source) == wanted


@pytest.mark.parametrize("words", ["ImportError: cannot import name 'x'", "ValueError: no module", "ImportError: cannot import name 'keras' from partially initialized module 'tensorflow'"])  # fmt: skip
def test_other_words_ask_for_nothing(words: str) -> None:
    assert asked(words) is None
