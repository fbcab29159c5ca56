"""An installer that stopped is quoted in its own words, unless the log says more."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("OSError: [Errno 28] No space left on device", "disk-full"),
        (
            "ERROR: No matching distribution found for tensorflow==2.10.0 (from versions: 2.16.1, 2.17.0)",
            "python-unsupported",
        ),
    ],
)
def test_a_more_telling_line_wins(line: str, code: str) -> None:
    assert root(judged(log([line, "error: resolution-too-deep"]))) == code


def test_an_installation_that_succeeds_in_the_end_is_no_cause() -> None:
    again = "Successfully installed absl-py-2.1.0 tensorflow-2.16.1"
    assert (
        root(judged(log(["ERROR: Invalid requirement: 'tensorflow=2.10'", again]))) == "noise-only"
    )
