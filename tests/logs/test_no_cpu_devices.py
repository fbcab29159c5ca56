"""The program hid the CPU: that is named, with or without a traceback."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged

WORDS = "No CPU devices are available in this process"


@pytest.mark.parametrize(
    "log",
    [
        f"tensorflow.python.framework.errors_impl.NotFoundError: {WORDS}",
        f"RuntimeError: {WORDS}",
        f'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    x = tf.constant(1)\nRuntimeError: {WORDS}',
    ],
)
def test_a_program_that_hides_the_cpu_is_told_so(log: str) -> None:
    found = judged(log).roots[0]
    assert (found.code, found.severity.value) == ("python-exception", "error")
    assert "hides the CPU" in found.title
    assert found.fixes[0].title == "Keep the CPU visible"
