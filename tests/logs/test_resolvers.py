"""Words of installers and loaders with one way out."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log


@pytest.mark.parametrize(
    ("code", "text", "first"),
    [
        ("tensorflow-shadowed", "ImportError: Could not import tensorflow. Do not import tensorflow from its source directory; change directory to outside the TensorFlow source tree, and relaunch your Python interpreter from there.", "cd ~"),
        ("shared-library-missing", "ImportError: libGL.so.1: cannot open shared object file: No such file or directory", "sudo apt-get install --yes libgl1"),
    ],
)  # fmt: skip
def test_words_with_one_way_out(code: str, text: str, first: str) -> None:
    found = (
        judged(
            log(
                (
                    "Traceback (most recent call last):",
                    '  File "/opt/me/a.py", line 1, in <module>',
                    text,
                )
            )
        )
        .roots[0]
        .finding
    )
    assert (found.code, found.fixes[0].commands[0]) == (code, first)


def test_the_line_without_its_list_is_enough() -> None:
    found = judged("Could not find a version that satisfies the requirement tensorflow==1.15\n")
    assert found.roots[0].finding.code == "python-unsupported"
