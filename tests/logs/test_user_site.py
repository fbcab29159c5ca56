"""Packages of the home directory that come before an environment's, in clashes of each kind; and words of frames where none is."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

CLASH = (
    "A module that was compiled using NumPy 1.x cannot be run in",
    "NumPy 2.0.1 as it may crash. To support both 1.x and 2.x",
)
NOT_FOUND = "AttributeError: _ARRAY_API not found"
HOME = "/home/me/.local/lib/python3.10/site-packages"


def _frame(root: str, file: str) -> str:
    return f'  File "{root}/{file}", line 30, in <module>'


def _found(*lines: str) -> Finding:
    found: Finding = judged(log(lines)).roots[0].finding
    assert found.code == "numpy-abi-mismatch"
    return found


@pytest.mark.parametrize(
    "lines",
    [
        CLASH,
        (*CLASH, NOT_FOUND),
        (NOT_FOUND, "ImportError: numpy.core.umath failed to import", *CLASH),
    ],
)
def test_frames_are_spoken_of_only_where_some_are(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert "frame" not in found.explanation
    assert "traceback" not in str([(fix.title, fix.note) for fix in found.fixes])


ENVIRONMENT = "/opt/envs/tf/lib/python3.10/site-packages"
RAISED = "Traceback (most recent call last):"
OF_TENSORFLOW = _frame(ENVIRONMENT, "tensorflow/__init__.py")
CLASHES = [
    ("protobuf-incompatible", "google/protobuf/descriptor.py", "TypeError: Descriptors cannot be created directly."),
    ("protobuf-incompatible", "google/protobuf/internal/builder.py", "ImportError: cannot import name 'builder' from 'google.protobuf.internal'"),
    ("keras-mismatch", "keras/backend.py", "ImportError: cannot import name 'dtensor' from 'tensorflow.compat.v2.experimental'"),
    ("keras-mismatch", "keras/engine/functional.py", "ModuleNotFoundError: No module named 'tensorflow.python.trackable'"),
    ("ml-dtypes-mismatch", "ml_dtypes/__init__.py", "AttributeError: module 'ml_dtypes' has no attribute 'float8_e3m4'"),
    ("dependency-mismatch", "typing_extensions.py", "ImportError: cannot import name 'TypeIs' from 'typing_extensions'"),
    ("numpy-alias-removed", "h5py/__init__.py", "AttributeError: module 'numpy' has no attribute 'typeDict'"),
    ("package-import-failed", "flatbuffers/__init__.py", "ImportError: cannot import name 'encode' from 'flatbuffers'"),
    ("tensorflow-install-broken", "keras/api/__init__.py", "AttributeError: module 'tensorflow' has no attribute 'compat'"),
]  # fmt: skip


def _clash(home: str, file: str, error: str) -> Finding:
    found: Finding = (
        judged(log((RAISED, OF_TENSORFLOW, _frame(home, file), error))).roots[0].finding
    )
    return found


@pytest.mark.parametrize(("code", "file", "error"), CLASHES)
def test_a_clash_with_the_home_directory_leaves_it_out_first(
    code: str, file: str, error: str
) -> None:
    found = _clash(HOME, file, error)
    assert found.code == code
    assert found.fixes[0].commands == ("export PYTHONNOUSERSITE=1",)
    assert "~/.local" in found.explanation


@pytest.mark.parametrize(("code", "file", "error"), CLASHES)
def test_a_clash_within_an_environment_is_none_with_the_home_directory(
    code: str, file: str, error: str
) -> None:
    found = _clash(ENVIRONMENT, file, error)
    assert found.code == code
    assert "PYTHONNOUSERSITE" not in str(found.fixes)
    assert "~/.local" not in found.explanation


@pytest.mark.parametrize(("code", "file", "error"), CLASHES)
def test_a_tensorflow_of_the_home_directory_is_not_hidden(code: str, file: str, error: str) -> None:
    """Without it there would be no TensorFlow."""
    frames = (
        _frame(HOME, "tensorflow/__init__.py"),
        _frame("/usr/lib/python3/dist-packages", "six.py"),
    )
    found = judged(log((RAISED, *frames, _frame(HOME, file), error))).roots[0].finding
    assert found.code == code
    assert "PYTHONNOUSERSITE" not in str(found.fixes[0].commands)


def test_an_exception_of_the_programs_own_is_no_clash() -> None:
    frames = (
        OF_TENSORFLOW,
        _frame(HOME, "keras/layers/core.py"),
        '  File "/home/me/train.py", line 3, in f',
    )
    assert "PYTHONNOUSERSITE" not in str(
        judged(log((RAISED, *frames, "ValueError: x"))).roots[0].finding.fixes
    )
