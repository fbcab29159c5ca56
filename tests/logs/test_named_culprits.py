"""What a log names is what the fix is about: a file of the user's own, a package's DLL, two Kerases, the loaded driver's library."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

_SITE = "/opt/env/lib/python3.11/site-packages"


def _shadowed(
    file: str, module: str, frame: str = f"{_SITE}/tensorflow/python/x.py", words: str = ""
) -> str:
    return log(
        (
            "Traceback (most recent call last):",
            f'  File "{file}", line 1, in <module>',
            "    import tensorflow as tf",
            f'  File "{frame}", line 3, in <module>',
            f"    import {module}",
            f'  File "{file}", line 2, in <module>',
            "    tf.constant(1)",
            words or "AttributeError: partially initialized module 'tensorflow' has no attribute 'constant' (most likely due to a circular import)",
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("file", "module", "frame"),
    [
        ("/opt/me/random.py", "random", f"{_SITE}/numpy/random/_pickle.py"),
        ("/opt/me/types.py", "types", "/usr/lib/python3.11/enum.py"),
        ("queue.py", "queue", f"{_SITE}/tensorflow/python/eager/executor.py"),
        ("/opt/me/keras.py", "keras.src", f"{_SITE}/tf_keras/__init__.py"),
        ("/opt/me/typing.py", "typing", f"{_SITE}/absl/flags/__init__.py"),
    ],
)
def test_an_own_file_in_the_way_is_named_and_renamed(file: str, module: str, frame: str) -> None:
    found = (
        judged(_shadowed(file, module, frame, "ImportError: cannot import name 'x' from 'y'"))
        .roots[0]
        .finding
    )
    name = file.rpartition("/")[2]
    assert (found.code, name in found.title) == ("tensorflow-shadowed", True)
    assert found.fixes[0].commands[0] == f"mv {name} my_{name}"


def test_an_own_module_that_the_program_itself_imports_is_none() -> None:
    text = log(
        (
            "Traceback (most recent call last):",
            '  File "/opt/me/train.py", line 1, in <module>',
            "    import model",
            '  File "/opt/me/model.py", line 2, in <module>',
            "    1 / 0",
            "ZeroDivisionError: division by zero",
        )
    )
    assert judged(text).roots[0].finding.code == "python-exception"


def _dll(package: str, folder: str, words: str) -> str:
    return log(
        (
            "Traceback (most recent call last):",
            '  File "train.py", line 1, in <module>',
            f"    import {package}",
            rf'  File "C:\{folder}\lib\site-packages\{package}\__init__.py", line 33, in <module>',
            "    from . import version",
            f"ImportError: DLL load failed while importing x: {words}",
        )
    )


@pytest.mark.parametrize(
    ("package", "name", "words"),
    [
        ("h5py", "h5py", "The specified procedure could not be found."),
        ("scipy", "scipy", "The specified module could not be found."),
        ("pandas", "pandas", "Das angegebene Modul wurde nicht gefunden."),
        ("matplotlib", "matplotlib", "A dynamic link library (DLL) initialization routine failed."),
        ("cv2", "opencv-python", "找不到指定的模块。"),
    ],
)
def test_a_packages_dll_names_the_package(package: str, name: str, words: str) -> None:
    found = judged(_dll(package, "Python310", words)).roots[0].finding
    assert (found.code, name in found.title) == ("package-import-failed", True)
    assert (
        f"install --force-reinstall --no-deps --no-cache-dir {name}" in found.fixes[0].commands[0]
    )


def test_tensorflows_own_dll_stays_windows_matter() -> None:
    found = (
        judged(_dll("tensorflow", "Python310", "The specified module could not be found."))
        .roots[0]
        .finding
    )
    assert found.code == "windows-runtime-missing"


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'", "ls -ld data/train.csv"),
        ("OSError: SavedModel file does not exist at: models/a/{saved_model.pbtxt|saved_model.pb}", "ls -ld models/a"),
        ("OSError: No file or directory found at weights.h5", "ls -ld weights.h5"),
        ("FileNotFoundError: [Errno 2] Unable to synchronously open file (unable to open file: name = 'm.h5', errno = 2, error message = 'No such file or directory', flags = 0, o_flags = 0)", "ls -ld m.h5"),
        ("ModuleNotFoundError: No module named 'cv2'", "pip install opencv-python"),
        ("ModuleNotFoundError: No module named 'sklearn'", "pip install scikit-learn"),
    ],
)  # fmt: skip
def test_what_the_last_line_states_comes_first(words: str, first: str) -> None:
    text = log(
        (
            "Traceback (most recent call last):",
            '  File "train.py", line 7, in <module>',
            "    run()",
            words,
        )
    )
    found = judged(text).roots[0].finding
    fix = found.fixes[0]
    assert found.code == "python-exception"
    assert first in " ".join((fix.title, fix.note, *fix.commands))
    assert "train.py, line 7" in f"{found.title} {found.explanation}"


def _asked(asking: str, words: str) -> str:
    return log(
        (
            "Traceback (most recent call last):",
            '  File "/opt/me/train.py", line 1, in <module>',
            "    import keras",
            f'  File "{_SITE}/{asking}", line 3, in <module>',
            "    from x import y",
            words,
        )
    )


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        ("keras_cv/layers.py", "AttributeError: module 'keras.utils.generic_utils' has no attribute 'populate'"),
        ("PIL/Image.py", f"ImportError: cannot import name '_imaging' from 'PIL' ({_SITE}/PIL/__init__.py)"),
        ("numpy/__init__.py", "ImportError: cannot import name 'x' from partially initialized module 'numpy' (most likely due to a circular import)"),
    ],
)  # fmt: skip
def test_one_that_asks_another_is_not(asking: str, words: str) -> None:
    assert "two releases" not in judged(_asked(asking, words)).roots[0].finding.title


@pytest.mark.parametrize("part", ["_pywrap_dtensor_device", "_pywrap_tfe"])
def test_a_part_that_does_not_fit_tensorflows_own_base(part: str) -> None:
    words = f"ImportError: DLL load failed while importing {part}: The specified procedure could not be found."
    found = judged(_asked("tensorflow/python/eager/context.py", words)).roots[0].finding
    assert (found.code, part in found.title) == ("tensorflow-install-broken", True)


def test_the_base_itself_asks_windows() -> None:
    words = "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified procedure could not be found."
    assert (
        judged(_asked("tensorflow/python/pywrap_tensorflow.py", words)).roots[0].finding.code
        == "windows-dll-init-failed"
    )


_SYMBOLIC = "NotImplementedError: Cannot convert a symbolic Tensor ({}) to a numpy array. This error may indicate that you're trying to pass a Tensor to a NumPy call, which is not supported"  # a sample of TensorFlow's words, raised nowhere here


def _numpy_called_by(file: str, tensor: str = "lstm/strided_slice:0") -> str:
    return log(
        (
            "Traceback (most recent call last):",
            '  File "/opt/me/train.py", line 5, in <module>',
            "    model.add(LSTM(10))",
            f'  File "{_SITE}/tensorflow/python/keras/layers/recurrent.py", line 660, in __call__',
            f'  File "{file}", line 2804, in _constant_if_small',
            "    if np.prod(shape) < 1000:",
            '  File "<__array_function__ internals>", line 5, in prod',
            f'  File "{_SITE}/numpy/core/fromnumeric.py", line 3030, in prod',
            f'  File "{_SITE}/tensorflow/python/framework/ops.py", line 852, in __array__',
            _SYMBOLIC.format(tensor),
        )
    )


def test_tensorflow_that_calls_a_newer_numpy_with_a_tensor() -> None:
    found = judged(_numpy_called_by(f"{_SITE}/tensorflow/python/ops/array_ops.py")).roots[0].finding
    assert (found.code, "1.20" in found.title) == ("dependency-mismatch", True)
    assert "numpy<1.20" in found.fixes[0].commands[0]


@pytest.mark.parametrize(
    "text",
    [
        _numpy_called_by("/opt/me/layers.py", "dense/BiasAdd:0"),
        log((_SYMBOLIC.format("dense/BiasAdd:0"),)),
    ],
)
def test_a_programs_own_call_of_numpy_is_its_own(text: str) -> None:
    assert judged(text).roots[0].finding.code == "python-exception"


def test_the_tensors_name_alone_is_a_hint() -> None:
    found = judged(log((_SYMBOLIC.format("cond_2/strided_slice:0"),))).roots[0].finding
    assert (found.code, found.confidence.value) == ("dependency-mismatch", "likely")


@pytest.mark.parametrize(
    ("module", "says", "first"),
    [
        ("tf_slim", "tf-slim", "pip install tf-slim"),
        ("lvis", "lvis", ""),
    ],
)
def test_what_a_package_lacks_is_named(module: str, says: str, first: str) -> None:
    found = (
        judged(
            _asked(
                "object_detection/utils/ops.py", f"ModuleNotFoundError: No module named '{module}'"
            )
        )
        .roots[0]
        .finding
    )
    assert (found.code, says in found.title) == ("package-import-failed", True)
    assert first in " ".join(found.fixes[0].commands)


@pytest.mark.parametrize("module", ["imghdr_of_old", "object_detection"])
def test_a_part_of_its_own_is_no_other_package(module: str) -> None:
    found = (
        judged(
            _asked(
                "object_detection/utils/ops.py", f"ModuleNotFoundError: No module named '{module}'"
            )
        )
        .roots[0]
        .finding
    )
    assert ("is not installed in this Python" in found.title) is (module != "object_detection")


def test_an_add_on_that_tensorflow_refuses_to_load_is_named() -> None:
    text = log(
        (
            "Traceback (most recent call last):",
            f'  File "{_SITE}/tensorflow_addons/image/ops.py", line 31, in <module>',
            f'  File "{_SITE}/tensorflow/python/framework/load_library.py", line 61, in load_op_library',
            "tensorflow.python.framework.errors_impl.NotFoundError: libtensorflow_framework.so.2: cannot open shared object file: No such file or directory",
        )
    )
    found = judged(text).roots[0].finding
    assert (found.code, found.title.startswith("tensorflow-addons was built")) == (
        "custom-op-mismatch",
        True,
    )
