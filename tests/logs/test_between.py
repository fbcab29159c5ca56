"""What stands between a program and its error: a package's own model, a post's marks, words without their class."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


def _notes(text: str) -> str:
    return " ".join(fix.note for fix in judged(text).roots[0].finding.fixes)


def test_a_quantizer_of_ones_own_program_is_ones_own() -> None:
    assert "quantize_scope" not in _notes(log(("ValueError: Unknown layer: MyQuantizedThing",)))


def test_a_bold_line_is_read() -> None:
    assert (
        root(judged(log(("**ModuleNotFoundError: No module named 'tf_slim'**",))))
        == "python-exception"
    )


@pytest.mark.parametrize(
    "line", ["*** stack smashing in my notes ***", "** bold ** and more", "a ** b", "2 ** 3 ** 2"]
)
def test_other_stars_are_no_marks(line: str) -> None:
    assert judged(log((line,))).roots == ()


@pytest.mark.parametrize(
    "line",
    [
        "Error: module 'tensorflow' has no attribute 'placeholder'",
        "An error occurred: module 'tensorflow' has no attribute 'placeholder'",
        "Unexpected error while loading: module 'tensorflow' has no attribute 'placeholder'",
        "module 'tensorflow' has no attribute 'placeholder'",
    ],
)
def test_words_without_their_class_are_read(line: str) -> None:
    title = judged(log((line,))).roots[0].finding.title
    assert "tf.placeholder" in title


def test_a_part_that_a_program_does_without_is_no_error() -> None:
    lines = (
        "Failed to load the plugin foo: No module named 'foo'",
        "Epoch 1/2",
        "10/10 [====] - 1s",
        "done",
    )
    assert judged(log(lines)).roots == ()


@pytest.mark.parametrize("month", ["lip 22", "Okt 22", "févr. 22", "янв 22", "Jul  2"])
def test_a_journal_in_another_language_is_read(month: str) -> None:
    before = f"{month} 10:44:31 host run[3502]: "
    lines = (
        f"{before}Traceback (most recent call last):",
        f'{before}  File "/opt/me/train.py", line 3, in <module>',
        f"{before}    import tensorflow.contrib.slim as slim",
        f"{before}ModuleNotFoundError: No module named 'tensorflow.contrib'",
    )
    assert "tensorflow.contrib" in judged(log(lines)).roots[0].finding.title


_PIP = "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts."
_AROUND = "tensorflow-metadata 1.14.0 requires protobuf<4.21,>=3.20.3, but you have protobuf 4.23.2 which is incompatible."
_OWN = "tensorflow 2.12.0 requires keras<2.13,>=2.12.0, but you have keras 3.0.4 which is incompatible."
_BORNE = "tensorflow 2.13.0 requires typing-extensions<4.6.0,>=3.6.6, but you have typing_extensions 4.9.0 which is incompatible."
_DONE = "Successfully installed onnx-1.14.1 protobuf-4.23.2"


def test_pips_word_about_packages_around_is_no_cause_where_it_did_its_work() -> None:
    assert judged(log((_PIP, _AROUND, _DONE))).roots == ()
    found = judged(log((_PIP, _AROUND)))
    assert found.roots == () and "pip installed everything" in found.own_result
    assert root(judged(log((_PIP, _AROUND, _OWN, _DONE)))) == "dependency-mismatch"


def test_a_requirement_without_which_tensorflow_starts_is_no_cause_where_pip_did_its_work() -> None:
    found = judged(log((_PIP, _BORNE, _DONE)))
    assert found.roots == () and "typing-extensions >=3.6.6,<4.6.0" in found.own_result


_KERAS = "/opt/env/lib/python3.7/site-packages/keras/backend/tensorflow_backend.py"


@pytest.mark.parametrize(
    "name", ["get_default_graph", "placeholder", "Session", "placeholder_with_default"]
)
def test_the_old_package_keras_is_what_asks_for_tensorflow_1(name: str) -> None:
    lines = (
        "Traceback (most recent call last):",
        '  File "main.py", line 70, in <module>',
        "    model = Sequential()",
        f'  File "{_KERAS}", line 74, in get_uid',
        f"    graph = tf.{name}()",
        f"AttributeError: module 'tensorflow' has no attribute '{name}'",
    )
    assert root(judged(log(lines))) == "keras-mismatch"


@pytest.mark.parametrize(
    "line",
    [
        "(venv) user@MacBook-Pro proj % pip install tensorflow-cpu",
        "my machine: MacBook Pro (16, 2021) Apple M1 Pro",
        "Mac mini, M2, 16 GB",
    ],
)
def test_a_macs_name_tells_the_package_for_macs(line: str) -> None:
    empty = "ERROR: Could not find a version that satisfies the requirement tensorflow-cpu (from versions: none)"
    found = (
        judged(log((line, empty, "ERROR: No matching distribution found for tensorflow-cpu")))
        .roots[0]
        .finding
    )
    assert "Mac" in found.title
    assert found.fixes[0].commands[0].endswith(" install tensorflow")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("ERROR: No matching distribution found for tensorflow-text==2.16.1", "--python 3.11"),
    ],
)  # fmt: skip
def test_an_installers_last_line_alone_leads_on(line: str, command: str) -> None:
    fix = judged(log((line,))).roots[0].finding.fixes[0]
    assert command in " && ".join(fix.commands)


def test_what_the_converter_asks_a_model_for_is_changed_where_the_model_is_handed_over() -> None:
    """The frame is TensorFlow's own, with its folder left out."""
    lines = (
        '  File "/[...]/tflite_keras_util.py", line 84, in model_input_signature',
        "    input_specs = model._get_save_spec(  # pylint: disable=protected-access",
        "AttributeError: 'Functional' object has no attribute '_get_save_spec'",
    )
    found = judged(log(lines)).roots[0].finding
    assert "from_saved_model" in found.fixes[1].note
    assert "tflite_keras_util" not in found.title
