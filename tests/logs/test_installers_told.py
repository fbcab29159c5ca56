"""What installers, builds and loaders say in a line or two: what is told of it, and the first command."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log


def _first(*lines: str) -> tuple[str, str]:
    finding = judged(log(lines)).roots[0].finding
    return finding.title, " && ".join(finding.fixes[0].commands)


@pytest.mark.parametrize(
    ("lines", "title", "command"),
    [
        (("ERROR: Ignored the following versions that require a different python version: 1.22.0 Requires-Python >=3.7,<3.11", "ERROR: Could not find a version that satisfies the requirement numpy==1.22.0 (from versions: 1.3.0, 1.24.0)"), ">=3.7,<3.11", "--python 3.10"),
        (("ImportError: /opt/own/lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /home/u/miniconda3/envs/tf/lib/python3.10/site-packages/pandas/_libs/lib.so)",), "pandas needs GLIBCXX_3.4.30", "unset LD_LIBRARY_PATH"),
        (("ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /usr/local/lib/python3.11/dist-packages/own/x.so)",), "own needs", "libstdc++6"),
        (("ERROR: Could not find a version that satisfies the requirement tensorflow<2.5 (from versions: 2.16.1, 2.17.0)",), "too new for tensorflow<2.5", "--python 3.8"),
        (("ERROR: Could not find a version that satisfies the requirement tensorflow<2.0 (from versions: 2.16.1, 2.17.0)",), "too new for tensorflow<2.0", "--python 3.7"),
    ],
)  # fmt: skip
def test_a_line_or_two_lead_on(lines: tuple[str, ...], title: str, command: str) -> None:
    said, first = _first(*lines)
    assert title in said
    assert command in first


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("$ pdm run python train.py", "pdm add"),
        ("$ pipenv run python train.py", "pipenv install"),
        ("$ poetry run python train.py", "poetry add"),
        ("$ pipx run deepface", "pipx inject deepface"),
        ("$ python train.py", "python -m pip install"),
    ],
)
def test_what_is_installed_is_in_the_words_of_the_projects_tool(typed: str, command: str) -> None:
    assert _first(typed, "ModuleNotFoundError: No module named 'tf_keras'")[1].startswith(command)
