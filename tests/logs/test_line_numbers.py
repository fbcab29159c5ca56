"""A long line is not glued to the message below it, which keeps the number of its own line; what a terminal broke is joined."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

LONG = "loading the configuration from a file whose name is rather long aaaaaaaaaaaaa"


@pytest.mark.parametrize(
    "message",
    [
        "Illegal instruction (core dumped)",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=12.0. Some",
        "tensorflow.python.framework.errors_impl.InternalError: libdevice not found at ./libdevice.10.bc",
    ],
)
@pytest.mark.parametrize("length", range(70, 81, 2))
def test_a_message_keeps_the_number_of_its_line(message: str, length: int) -> None:
    found = judged(log((f"{LONG}aaa"[:length], message))).roots[0]
    assert [(line.line, line.text) for line in found.lines] == [(2, message)]


def test_a_message_that_a_terminal_broke_is_read_as_one() -> None:
    whole = "Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.6.0.  CuDNN library needs to have matching major version"
    lines = [whole[at : at + 80] for at in range(0, len(whole), 80)]
    found = judged(log(lines)).roots[0]
    assert (found.code, found.lines[0].line) == ("cudnn-version-mismatch", 1)
