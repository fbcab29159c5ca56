"""One environment on the bench for a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from .bench import Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    made.lay_out()
    for name, value in made.variables().items():
        monkeypatch.setenv(name, value)
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONFIG_FILE"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    return made
