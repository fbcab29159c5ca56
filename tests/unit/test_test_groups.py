"""Tests that share what is dear to make (an image, an environment of 6 GB) run on one worker, one after another."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("held-together")
def test_the_group_of_a_test_reaches_the_scheduler(request: pytest.FixtureRequest) -> None:
    """pytest 9.2 and pytest-xdist 3.8 lose it without a word, and the image is built once by each worker."""
    if request.config.getoption("loadgroup", False):  # set by --dist loadgroup, in the workers alone
        assert request.node.nodeid.endswith("@held-together")
