"""An installer that stopped is quoted in its own words, unless the log says more."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

PIXI = (
    "$ pixi add tensorflow",
    "  × failed to solve the pypi requirements of 'default' 'linux-64'",
    "  ├─▶ failed to resolve pypi dependencies",
    "  ╰─▶ Because only the following versions of tensorflow are available:",
    "      tensorflow<2.3 and you require tensorflow==2.99, we can conclude that",
    "      your requirements are unsatisfiable.",
)
CONDA = (
    "CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://index.example/linux-64/repodata.json>",
    "Elapsed: -",
)


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (PIXI, "pixi stopped: failed to solve the pypi requirements of 'default' 'linux-64': "),
        (CONDA, f"conda stopped: {CONDA[0]}."),
        (
            ("ERROR: Invalid requirement: 'tensorflow=2.10'",),
            "pip stopped: Invalid requirement: 'tensorflow=2.10'.",
        ),
    ],
)
def test_the_title_quotes_the_tool(lines: tuple[str, ...], title: str) -> None:
    found = judged(log(lines)).roots[0].finding
    assert found.code == "installer-stopped"
    assert found.title.startswith(title)


def test_a_message_of_several_lines_is_quoted_whole_and_once() -> None:
    words = judged(log(PIXI)).roots[0].finding.explanation
    assert words.count("your requirements are unsatisfiable.") == 1
    assert words.count("tensorflow==2.99") == 1


@pytest.mark.parametrize(
    ("before", "command"),
    [("Using Python 3.10.12", "tfdoctor plan --python 3.10"), ("pip install -r list.txt", "tfdoctor plan")],
)
def test_the_first_command_prints_an_install_line(before: str, command: str) -> None:
    found = judged(log([before, "ERROR: Invalid requirement: 'tensorflow=2.10'"])).roots[0].finding
    assert found.fixes[0].commands == (command,)


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
    assert root(judged(log(["ERROR: Invalid requirement: 'tensorflow=2.10'", again]))) == "noise-only"
