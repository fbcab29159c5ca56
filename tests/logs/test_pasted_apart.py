"""A traceback whose last line was not pasted, where another line of the paste tells it; messages without a class; converters."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.findings.model import Finding

_HEADING = (
    "NotImplementedError                       Traceback (most recent call last)"  # a sample of a user's log
)
_FRAMES = ("<ipython-input-20-3e8455310410> in <module>()", "----> 1 model.save('model')", "")
_SETTINGS = "NotImplementedError: Layer Attention has arguments in `__init__` and therefore must override `get_config`."  # a sample of Keras' message
_VALUE = "ValueError                                Traceback (most recent call last)"
_USER_CODE = ("ValueError: in user code:", "", '    File "/opt/env/lib/python3.9/site-packages/keras/engine/training.py", line 1021, in train_function')  # fmt: skip


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
        (_HEADING, *_FRAMES[:2], "", "Cell In[3], line 1", "", _SETTINGS.replace("Attention", "Own")),
    ],
)
def test_the_words_of_a_cut_traceback_stand_above_it(lines: tuple[str, ...]) -> None:
    assert "get_config" in f"{_found(*lines).title} {_found(*lines).explanation}"


@pytest.mark.parametrize(
    "words",
    [
        "ValueError: `logits` and `labels` must have the same shape, received ((None, 1) vs ()).",
        "ValueError: Shapes (None, 1) and (None, 10) are incompatible",
    ],
)
def test_what_stands_above_in_user_code_is_its_reason(words: str) -> None:
    found = _found(words, "", _VALUE, "Cell In[26], line 3", "----> 3 model.fit(x)", "", *_USER_CODE)
    assert "in user code" not in found.title
    assert words.partition(": ")[2][:20] in found.explanation


@pytest.mark.parametrize("module", ["ml_dtypes", "h5py", "google.protobuf"])
def test_a_cut_import_names_what_it_imports(module: str) -> None:
    cut = (
        "ModuleNotFoundError                       Traceback (most recent call last)",
        "Cell In[1], line 1",
        "----> 1 import tensorflow as tf",
        "",
        "File /opt/env/lib/python3.12/site-packages/tensorflow/__init__.py:49",
        "     47 _tf2.enable()",
        "---> 49 from tensorflow._api.v2 import __internal__",
        f"---> 21 import {module}",
    )
    found = _found(*cut)
    assert module in found.title
    assert f"import {module}" in _first(found)


def test_a_notebooks_class_may_have_any_name() -> None:
    found = _found(
        "error                                     Traceback (most recent call last)",
        "Cell In[9], line 2",
        "      1 img = cv2.imread(path)",
        "----> 2 img = cv2.resize(img, (150, 150))",
        "",
        "error: OpenCV(4.8.0) /io/opencv/modules/imgproc/src/resize.cpp:4062: error: (-215:Assertion failed) !ssize.empty() in function 'resize'",
    )
    assert "cv2.imread" in found.title


@pytest.mark.parametrize(
    ("line", "title", "first"),
    [
        ("ERROR:tf2onnx.tfonnx:Tensorflow op [decode/Roll: Roll] is not supported", "tf2onnx", "--opset 17"),
        ("[1,0]<stderr>:2024-01-05 12:00:00,123 - ERROR - tf2onnx.tfonnx: Tensorflow op [x: Where] is not supported", "tf2onnx", "--opset 17"),
        ("ERROR: onnx_op_name: wa/model.10/Resize", "onnx2tf", "onnx2tf -i model.onnx -b 1"),
        ("AttributeError: 'OnnxTranslator' object has no attribute 'convert_gridsample'", "converter", "onnx2tf"),
        ("INFO:tensorflow:No valid folders of images found at /data/cats", "no folder of pictures", "folder above"),
        ("RuntimeError: cannot set tensor: Got tensor of type FLOAT64 but expected type FLOAT32 for input 0", "TFLite model", "get_input_details"),
        ("ValueError: Cannot set tensor: Dimension mismatch. Got 5 but expected 4 for input 3.", "TFLite model", "get_input_details"),
        ("NotFoundError: /models/use-4/tfhub_module.pb; No such file or directory", "hub.Module", "hub.load"),
        ("EOFError: Ran out of input", "pickle", "getsize"),
        ("_pickle.UnpicklingError: pickle data was truncated", "ends too early", "getsize"),
        ("ValueError: Failed to find data adapter that can handle input: <class '__main__.Loader'>, <class 'NoneType'>", "Loader", "class Loader"),
        ("ValueError: Failed to find data adapter that can handle input: <class 'gen.Seq'>, <class 'NoneType'>", "Seq", "class Seq"),
        ("ValueError: Failed to find data adapter that can handle input: <class 'pandas.core.frame.DataFrame'>, <class 'int'>", "arrays of numbers", "astype"),
        ("ValueError: Tensor conversion requested dtype float32 for Tensor with dtype float64: 'Tensor(\"x:0\", dtype=float64)'", "kinds of numbers", "tf.cast"),
        ("KeyError: 'accuracy'", "calls the metric otherwise", "mostly acc"),
        ("KeyError: 'val_acc'", "calls the metric otherwise", "accuracy"),
    ],
)  # fmt: skip
def test_a_line_alone_is_enough(line: str, title: str, first: str) -> None:
    found = _found(line)
    assert title in found.title
    assert first in _first(found)


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("OSError: SavedModel file does not exist at: models/brain.h5/{saved_model.pbtxt|saved_model.pb}", "models/brain.h5"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/data/labels.csv'", "/data/labels.csv"),
        ("ValueError: File not found: filepath=best.keras. Please ensure the file is an accessible `.keras` zip file.", "best.keras"),
        ("ValueError: could not broadcast input array from shape (96,96,3) into shape (96,96)", "unequal shapes"),
        ("ValueError: could not broadcast input array from shape (3,4) into shape (3,5)", "(3,5) is wanted"),
        ("ValueError: No gradients provided for any variable: ['dense/kernel:0'].", "no gradient"),
        ("ValueError: Expect x to be a non-empty array or dataset.", "not one sample"),
    ],
)  # fmt: skip
def test_what_a_message_states_is_said_in_a_sentence(line: str, title: str) -> None:
    assert title in _found(line).title


@pytest.mark.parametrize("command", ["sudo apt-get install cuda", "apt install -y graphviz", "sudo apt install libcudnn8"])  # fmt: skip
def test_a_command_of_the_system_in_a_cell_gets_its_mark(command: str) -> None:
    found = _found('  File "<ipython-input-5-5300ee19733d>", line 1', f"    {command}", "         ^", "SyntaxError: invalid syntax")  # fmt: skip
    assert _first(found).count("!") == 1
    assert "%pip" not in _first(found)


def test_r_gets_lines_of_r() -> None:
    found = _found(
        "Error in py_call_impl(callable, dots$args, dots$keywords) : ",
        "  RuntimeError: tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.",
    )
    assert "tf$compat$v1" in _first(found)


def test_probability_moves_where_tensorflow_is_1() -> None:
    found = _found("ImportError: This version of TensorFlow Probability requires TensorFlow version >= 2.3; Detected an installation of version 1.15.2. Please upgrade TensorFlow to proceed.")  # fmt: skip
    assert "tensorflow-probability==0.8" in _first(found)


@pytest.mark.parametrize(
    "path",
    ["logs/2021-05-28 08:51:38/model.h5", "C:\\\\runs\\\\12:30\\\\best.h5"],
)
def test_windows_takes_no_colons_in_what_hdf5_creates(path: str) -> None:
    found = _found(
        "W0528 10:11:19 From C:\\Users\\user\\Anaconda3\\lib\\site-packages\\tensorflow\\python\\ops\\array_grad.py:425: to_int32 is deprecated",
        f"OSError: Unable to create file (unable to open file: name = '{path}', errno = 22, error message = 'Invalid argument', flags = 13, o_flags = 302)",
    )
    assert "Windows takes no file" in found.title


@pytest.mark.parametrize("rest", ["", "lr", "learning_rate"])
def test_callbacks_without_any_metric_tell_that_no_batch_came(rest: str) -> None:
    answer = judged(log([f"WARNING:tensorflow:Early stopping conditioned on metric `val_loss` which is not available. Available metrics are: {rest}"]))  # fmt: skip
    assert not answer.roots
    assert "not one batch" in str(answer)


def test_pictures_that_were_not_found_are_told() -> None:
    answer = judged(log(["Found 0 images belonging to 106 classes."]))
    assert not answer.roots
    assert "no pictures" in str(answer)


@pytest.mark.parametrize("folder", ["somelayers-1.0.0-py3.6.egg/somelayers", "somelayers"])
def test_what_only_an_old_keras_has_gets_it_in_the_end(folder: str) -> None:
    found = _found(
        "Traceback (most recent call last):",
        '  File "train.py", line 1, in <module>',
        "    from somelayers import Layer",
        f'  File "/opt/env/lib/python3.6/site-packages/{folder}/__init__.py", line 5, in <module>',
        "    from keras.backend import tensorflow_backend",
        "ImportError: cannot import name 'tensorflow_backend'",
    )
    assert "keras==2.3.1" in " ".join(found.fixes[-1].commands)


@pytest.mark.parametrize("frame", ["<ipython-input-4-b742fbe2cadc>", "/tmp/ipykernel_17/1.py"])
def test_a_notebook_whose_tensorflow_was_exchanged_is_restarted(frame: str) -> None:
    lines = (
        "Traceback (most recent call last):",
        f'  File "{frame}", line 11, in <module>',
        "    import tensorflow.compat.v1 as tf",
        '  File "/tensorflow-1.15.2/python3.6/tensorflow/__init__.py", line 44, in _load',
        "ModuleNotFoundError: No module named 'tensorflow_core.compat'",
    )
    assert "Restart the runtime" in _first(_found(*lines))
    elsewhere = tuple(each.replace(frame, "train.py") for each in lines)
    assert "Restart" not in _first(_found(*elsewhere))


def test_a_training_container_without_a_script_is_told() -> None:
    lines = (
        "Traceback (most recent call last):",
        '  File "/opt/env/lib/python3.8/site-packages/sagemaker_training/_entry_point_type.py", line 43, in get',
        '    if name.endswith(".sh"):',
        "AttributeError: 'NoneType' object has no attribute 'endswith'",
    )
    assert "entry_point" in _first(_found(*lines))
    own = tuple(each.replace("/opt/env/lib/python3.8/site-packages/sagemaker_training/_entry_point_type.py", "train.py") for each in lines)  # fmt: skip
    assert "entry_point" not in _first(_found(*own))


@pytest.mark.parametrize(("one", "other"), [("6", "11"), ("128", "1")])
def test_two_sizes_that_are_not_compatible_are_compared(one: str, other: str) -> None:
    found = _found("Traceback (most recent call last):", '  File "train.py", line 4, in <module>', f"ValueError: Dimensions {one} and {other} are not compatible")  # fmt: skip
    assert f"{one} and {other}" in found.title
    assert "Make the two sizes equal" in _first(found)
