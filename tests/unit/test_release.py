"""A release says what it is: its version goes forward, its section of the changelog has a date and something in it."""

from __future__ import annotations

import pytest

from tools.build.release import dated, numbered
from tools.build.trial import ReleaseError

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n- A thing.\n\n## [0.1.0] - 2026-01-01\n- The first.\n"
SOURCE = '"""It."""\n\n__version__ = "0.1.0"\n'


def test_what_was_unreleased_gets_version_and_date() -> None:
    assert dated(CHANGELOG, "0.2.0", "2026-11-22") == (
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n\n### Added\n- A thing.\n\n"
        "## [0.1.0] - 2026-01-01\n- The first.\n"
    )


@pytest.mark.parametrize(
    ("changelog", "version", "why"),
    [
        (CHANGELOG, "0.1.0", "has a section for 0.1.0 already"),
        (CHANGELOG.replace("- A thing.\n", ""), "0.2.0", "says nothing under"),
        (CHANGELOG.replace("[Unreleased]", "[Next]"), "0.2.0", "says nothing under"),
    ],
)
def test_a_changelog_that_does_not_fit_is_refused(changelog: str, version: str, why: str) -> None:
    with pytest.raises(ReleaseError, match=why):
        dated(changelog, version, "2026-11-22")


@pytest.mark.parametrize("version", ["0.1.0", "0.1.1", "0.2.0", "1.0.0rc1"])
def test_a_version_goes_forward(version: str) -> None:
    assert numbered(SOURCE, version) == SOURCE.replace("0.1.0", version)


@pytest.mark.parametrize("version", ["0.0.9", "v0.2.0", "0.2.0-1", "next", ""])
def test_another_version_is_refused(version: str) -> None:
    with pytest.raises(ReleaseError, match="give a version like"):
        numbered(SOURCE, version)
