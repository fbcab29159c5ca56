"""What `matrix show` prints for people, on literal releases of the bundled matrix."""

from __future__ import annotations

import re

import pytest

from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.show import version, versions

MATRIX = load_bundled()


def test_each_version_has_a_line_and_the_newest_comes_first() -> None:
    lines = versions(MATRIX, "linux_x86_64").splitlines()
    assert lines[0].split()[:2] == ["TensorFlow", "Python"]
    assert lines[-5].split()[0] == "2.3.0"
    (line,) = [line for line in lines if line.startswith("2.15.1 ")]
    assert line.split()[:5] == ["2.15.1", "3.9–3.11", "12.2", "8.9", "525.60.13"]
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize(
    ("release", "platform", "told", "untold"),
    [
        (
            "2.21.0",
            "linux_x86_64",
            ["525.60.13 or newer", "'tensorflow[and-cuda]==2.21.0'"],
            "CPU alone",
        ),
        ("2.10.1", "win_amd64", ["452.39 or newer", "'tensorflow==2.10.1'"], "glibc"),
        ("2.21.0", "macosx_arm64", ["CPU alone", "'tensorflow==2.21.0'"], "Driver"),
    ],
)
def test_one_version_on_one_screen(
    release: str, platform: str, told: list[str], untold: str
) -> None:
    found = MATRIX.release(release, platform=platform)
    assert isinstance(found, Known)
    text = version(MATRIX, found.value)
    assert all(each in text for each in told)
    assert untold not in text
    assert len(text.splitlines()) <= 30
    marks = {mark for line in text.splitlines() if line.startswith("  ") for mark in _marks(line)}
    assert marks == {line.split()[0] for line in text.splitlines() if line.startswith("[")}


def _marks(line: str) -> set[str]:
    return set(re.findall(r"\[\d+\]", line))
