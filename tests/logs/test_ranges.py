"""Versions in commands: the range of the release that the log names, the direction that the message tells, the first line as a clause."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.place import Span

_OWN = ("Traceback (most recent call last):", '  File "/home/u/train.py", line 3, in <module>')
_DESCRIPTORS = "TypeError: Descriptors cannot be created directly."


def _first(*lines: str) -> str:
    return " ".join(judged(log(lines)).roots[0].finding.fixes[0].commands)


@pytest.mark.parametrize(
    ("release", "wanted", "have", "spec"),
    [
        ("", "0xf", "0xe", '"numpy>=1.22,<2"'),
        ("", "0x10", "0xd", '"numpy>=1.23,<2"'),
        ("2.12.0", "0xf", "0xe", '"numpy>=1.22,<1.24"'),
    ],
)
def test_numpy_that_is_too_old_is_raised(release: str, wanted: str, have: str, spec: str) -> None:
    error = f"RuntimeError: module compiled against API version {wanted} but this version of numpy is {have}"
    assert spec in _first(f"TensorFlow version: {release}", *_OWN, error)


@pytest.mark.parametrize(
    ("sizes", "spec"),
    [
        ("numpy.ndarray size changed, may indicate binary incompatibility. Expected 88 from C header, got 80 from PyObject", "numpy>=1.20,<2"),
        ("numpy.ndarray size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject", "numpy>=1.22,<2"),
        ("numpy.dtype size changed, may indicate binary incompatibility. Expected 88 from C header, got 96 from PyObject", "numpy>=2.0"),
        ("numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject", "numpy<2"),
    ],
)  # fmt: skip
def test_the_lengths_of_numpys_objects_tell_which_side_is_older(sizes: str, spec: str) -> None:
    assert spec in _first(*_OWN, f"ValueError: {sizes}")


_SHORT = "ValueError: numpy.ndarray size changed, may indicate binary incompatibility. Expected {} from C header, got 80 from PyObject"


def test_numpy_is_raised_within_what_tensorflow_takes_and_nothing_is_left_to_pip() -> None:
    fix = (
        judged(log(("TensorFlow version: 2.9.1", *_OWN, _SHORT.format(88))))
        .roots[0]
        .finding.fixes[0]
    )
    assert '"numpy>=1.20,<2"' in fix.commands[0]
    assert "pip refuses" not in fix.note


def test_numpy_is_not_raised_where_tensorflow_forbids_it() -> None:
    fixes = (
        judged(log(("TensorFlow version: 2.4.1", *_OWN, _SHORT.format(88)))).roots[0].finding.fixes
    )
    assert all("numpy>=1.20" not in line for fix in fixes for line in fix.commands)


def test_what_a_package_asks_for_is_installed_beside_the_tensorflow_that_is_there() -> None:
    said = "ImportError: Pandas requires version '1.25' or newer of 'numpy' (version '1.22.4' currently installed)."
    first = _first("TensorFlow version: 2.16.1", *_OWN, said)
    assert '"numpy>=1.25" tensorflow==2.16.1' in first


@pytest.mark.parametrize(("release", "spec"), [("2.6.0", "numpy>=1.20,<1.24"), ("2.15.1", "<2")])
def test_numpy_for_a_type_that_could_not_be_made_known(release: str, spec: str) -> None:
    error = "TypeError: Unable to convert function return value to a Python type! The signature was"
    assert spec in _first(f"TensorFlow version: {release}", *_OWN, error)


@pytest.mark.parametrize(("wanted", "have"), [("0xf", "0x12"), ("0x1000009", "0x2000000")])
def test_numpy_that_is_too_new_is_lowered(wanted: str, have: str) -> None:
    error = f"RuntimeError: module compiled against ABI version {wanted} but this version of numpy is {have}"
    assert "<2" in _first(*_OWN, error)


def test_numpy_of_the_logs_own_release() -> None:
    lines = ("TensorFlow version: 2.14.0", *_OWN, "AttributeError: _ARRAY_API not found")
    assert '"numpy>=1.23.5,<2"' in _first(*lines)


@pytest.mark.parametrize(
    ("release", "name", "spec"),
    [
        ("", "float8_e4m3b11", "ml_dtypes==0.2.0"),
        ("", "float4_e2m1fn", '"ml_dtypes>=0.5.1,<1"'),
    ],
)
def test_ml_dtypes_by_release_and_by_name(release: str, name: str, spec: str) -> None:
    error = f"AttributeError: module 'ml_dtypes' has no attribute '{name}'"
    assert spec in _first(f"TensorFlow version: {release}", *_OWN, error)


def test_old_generated_code_goes_back_as_its_message_says() -> None:
    assert '"protobuf>=3.20,<3.21"' in _first(*_OWN, _DESCRIPTORS)


def test_where_tensorflow_needs_a_new_protobuf_the_old_package_is_updated() -> None:
    frame = '  File "/opt/env/lib/python3.11/site-packages/wandb/proto/wandb_pb2.py", line 36, in <module>'
    assert "--upgrade wandb" in _first("TensorFlow version: 2.21.0", *_OWN, frame, _DESCRIPTORS)


@pytest.mark.parametrize(
    ("place", "answer"), [("tensorflow/tsl/cuda", "nvidia-cudnn-cu11"), ("external/local_tsl/tsl/cuda", "and-cuda")]
)  # fmt: skip
def test_the_place_of_the_line_tells_whether_there_is_an_addition(place: str, answer: str) -> None:
    line = f"2023-08-25 11:11:47.521702: I {place}/cudart_stub.cc:28] Could not find cuda drivers on your machine, GPU will not be used."
    fixes = judged(log([line, "[]"])).roots[0].finding.fixes  # first: is there a GPU at all?
    assert any(answer in command for fix in fixes for command in fix.commands)


@pytest.mark.parametrize(
    "lines",
    [
        ("W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcusolver.so.11'; dlerror: libcusolver.so.11: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib64",),
        ("W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object file: No such file or directory",),
        ("W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory",),
    ],
)  # fmt: skip
def test_an_end_of_the_range_that_the_log_leaves_open_is_no_version(lines: tuple[str, ...]) -> None:
    notes = " ".join(fix.note for each in judged(log(lines)).roots for fix in each.finding.fixes)
    assert "99.0" not in notes
    assert "TensorFlow 1.0" not in notes


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (Span((1, 0), (99, 0)), ""),
        (Span((2, 15), (99, 0)), "2.15 or newer"),
        (Span((1, 0), (2, 3)), "2.3 or older"),
        (Span((2, 4), (2, 14)), "2.4 to 2.14"),
        (Span((2, 4), (2, 4)), "2.4"),
    ],
)
def test_a_range_of_versions_in_words(span: Span, said: str) -> None:
    assert str(span) == said


@pytest.mark.parametrize(
    ("python", "spec"), [("3.12", '"numpy>=1.26.0,<2"'), ("3.11", '"numpy>=1.23.5,<2"')]
)
def test_a_range_that_holds_for_the_logs_python_alone_is_taken(python: str, spec: str) -> None:
    frame = f'  File "/opt/env/lib/python{python}/site-packages/tensorflow/__init__.py", line 45, in <module>'
    said = (
        "A module that was compiled using NumPy 1.x cannot be run in",
        "NumPy 2.1.3 as it may crash.",
    )
    error = (
        "AttributeError: _ARRAY_API not found",
        "ImportError: numpy.core.umath failed to import",
    )
    command = _first(
        "TensorFlow version: 2.16.1", *said, "Traceback (most recent call last):", frame, *error
    )
    assert command == f"python -m pip install --upgrade {spec} tensorflow==2.16.1"


def test_what_pip_says_of_another_package_narrows_the_range() -> None:
    command = _first(
        "tensorflow 2.16.1 requires numpy<2.0.0,>=1.26.0, but you have numpy 2.1.3 which is incompatible.",
        "tensorflow-hub 0.16.1 requires numpy<1.27,>=1.12.0, but you have numpy 2.1.3 which is incompatible.",
    )
    assert '"numpy>=1.26.0,<1.27"' in command
