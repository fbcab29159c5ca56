"""The package knows nothing of the tests' simulated driver."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "tfdoctor"


def test_the_product_knows_nothing_of_the_tests_driver() -> None:
    words = ("tfsim", "fake_driver", "TFSIM")  # where a figure was measured may be said
    named = [
        str(file.relative_to(PACKAGE))
        for file in sorted(PACKAGE.rglob("*.py"))
        if any(word in file.read_text(encoding="utf-8") for word in words)
    ]
    assert named == []
