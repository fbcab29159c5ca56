"""NumPy 1 and 2 in one process, where packages of the home directory come before an environment's; and words of frames where none is."""

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
        (*CLASH, "Traceback (most recent call last):", _frame("/opt/miniconda3/envs/tf/lib/python3.10/site-packages", "tensorflow/__init__.py"), _frame(HOME, "h5py/__init__.py"), NOT_FOUND),
        (*CLASH, "Traceback (most recent call last):", _frame("/usr/lib/python3/dist-packages", "scipy/__init__.py"), _frame(HOME, "numpy/core/_multiarray_umath.py"), NOT_FOUND),
        ("(base) $ conda activate tf", "Traceback (most recent call last):", _frame(HOME, "pandas/_libs/__init__.py"), "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject"),
        (*CLASH, "Traceback (most recent call last):", _frame("C:\\envs\\tf\\Lib\\site-packages", "tensorflow\\__init__.py"), _frame("C:\\Users\\me\\AppData\\Roaming\\Python\\Python310\\site-packages", "h5py\\__init__.py"), NOT_FOUND),
    ],
)  # fmt: skip
def test_the_home_directory_beside_an_environment_is_left_out_first(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert "PYTHONNOUSERSITE" in str(found.fixes[0].commands)
    assert "~/.local" in found.explanation


def test_the_home_directory_alone_is_named() -> None:
    found = _found(
        *CLASH, "Traceback (most recent call last):", _frame(HOME, "tensorflow/__init__.py"), NOT_FOUND
    )
    assert "~/.local" in found.explanation
    assert "numpy<2" in str(found.fixes[0].commands)
    assert "numpy.__file__" in str(found.fixes[1].commands)


@pytest.mark.parametrize(
    "root", ["/usr/lib/python3/dist-packages", "/home/me/env/lib/python3.10/site-packages"]
)
def test_another_directory_is_no_user_site(root: str) -> None:
    found = _found(*CLASH, "Traceback (most recent call last):", _frame(root, "h5py/__init__.py"), NOT_FOUND)
    assert "~/.local" not in found.explanation
    assert "PYTHONNOUSERSITE" not in str(found.fixes)


@pytest.mark.parametrize(
    "lines",
    [CLASH, (*CLASH, NOT_FOUND), (NOT_FOUND, "ImportError: numpy.core.umath failed to import", *CLASH)],
)
def test_frames_are_spoken_of_only_where_some_are(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert "frame" not in found.explanation
    assert "traceback" not in str([(fix.title, fix.note) for fix in found.fixes])
