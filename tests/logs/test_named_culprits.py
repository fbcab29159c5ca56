"""What a log names is what the fix is about: a file of the user's own, a package's DLL, two Kerases, the loaded driver's library."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

_SITE = "/opt/env/lib/python3.11/site-packages"


def _shadowed(file: str, module: str, frame: str = f"{_SITE}/tensorflow/python/x.py", words: str = "") -> str:
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
        ("cv2", "cv2", "找不到指定的模块。"),
    ],
)
def test_a_packages_dll_names_the_package(package: str, name: str, words: str) -> None:
    found = judged(_dll(package, "Python310", words)).roots[0].finding
    assert (found.code, name in found.title) == ("package-import-failed", True)
    assert f"install --force-reinstall --no-deps --no-cache-dir {name}" in found.fixes[0].commands[0]


def test_tensorflows_own_dll_stays_windows_matter() -> None:
    found = (
        judged(_dll("tensorflow", "Python310", "The specified module could not be found.")).roots[0].finding
    )
    assert found.code == "windows-runtime-missing"


@pytest.mark.parametrize(("release", "pin"), [("", "keras==2.6.*"), ("tensorflow==2.6.2", "keras==2.6.*"), ("tensorflow==2.5.0", "keras==2.4.3"), ("tensorflow==2.8.0", "keras==2.8.*")])  # fmt: skip
def test_two_kerases(release: str, pin: str) -> None:
    text = log(
        (
            release,
            "tensorflow.python.framework.errors_impl.AlreadyExistsError: Another metric with the same name already exists.",
        )
    )
    found = judged(text).roots[0].finding
    assert found.code == "keras-mismatch"
    assert pin in found.fixes[0].commands[0]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'", "ls -ld data/train.csv"),
        ("OSError: SavedModel file does not exist at: models/a/{saved_model.pbtxt|saved_model.pb}", "ls -ld models/a"),
        ("OSError: No file or directory found at weights.h5", "ls -ld weights.h5"),
        ("FileNotFoundError: [Errno 2] Unable to synchronously open file (unable to open file: name = 'm.h5', errno = 2, error message = 'No such file or directory', flags = 0, o_flags = 0)", "ls -ld m.h5"),
        ("ModuleNotFoundError: No module named 'cv2'", "pip install opencv-python"),
        ("ModuleNotFoundError: No module named 'sklearn'", "pip install scikit-learn"),
        ("ValueError: Shapes (None, 1) and (None, 10) are incompatible", "(None, 1)"),
        ("ValueError: Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.", "len(x)"),
        ("ValueError: No gradients provided for any variable.", "GradientTape"),
    ],
)  # fmt: skip
def test_what_the_last_line_states_comes_first(words: str, first: str) -> None:
    text = log(
        ("Traceback (most recent call last):", '  File "train.py", line 7, in <module>', "    run()", words)
    )
    found = judged(text).roots[0].finding
    fix = found.fixes[0]
    assert found.code == "python-exception"
    assert first in " ".join((fix.title, fix.note, *fix.commands))
    assert any("train.py:7" in each.title for each in found.fixes)
