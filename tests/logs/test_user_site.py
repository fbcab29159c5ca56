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
    [CLASH, (*CLASH, NOT_FOUND), (NOT_FOUND, "ImportError: numpy.core.umath failed to import", *CLASH)],
)
def test_frames_are_spoken_of_only_where_some_are(lines: tuple[str, ...]) -> None:
    found = _found(*lines)
    assert "frame" not in found.explanation
    assert "traceback" not in str([(fix.title, fix.note) for fix in found.fixes])
